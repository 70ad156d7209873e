//! A bound on everything: a scenario that hangs ends the run, and what it started ends with it.

use std::process;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

/// Ends this process when the time is up, unless what is returned is dropped before.
pub(crate) fn turn(limit: Duration, what: String) -> Sender<()> {
    let (over, sand) = mpsc::channel();
    thread::spawn(move || {
        if sand.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
            eprintln!("\nerror: {what} did not end within {} minutes", limit.as_secs() / 60);
            process::exit(1);
        }
    });
    over
}
