//! A time limit: a scenario that hangs ends the run, and the processes that it started end with it.

use std::process;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

/// Ends this process when the time is up, unless the returned sender is dropped before.
pub(crate) fn start(limit: Duration, what: String) -> Sender<()> {
    let (end, ended) = mpsc::channel();
    thread::spawn(move || {
        if ended.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
            eprintln!("\nerror: {what} did not end within {} minutes", limit.as_secs() / 60);
            process::exit(1);
        }
    });
    end
}
