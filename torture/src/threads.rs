//! Threads that return a result.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::ScopedJoinHandle;

use crate::failure::{Failure, Result};

/// Waits for all of them and returns their results.
pub(crate) fn join<T>(threads: Vec<ScopedJoinHandle<'_, Result<T>>>) -> Result<Vec<T>> {
    let panicked = || Failure::new("a thread of the instrument panicked");
    threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err(panicked()))).collect()
}

/// What the mutex holds, also after a thread panicked with it: the panic is reported by `join`.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
