//! Shared by all tests: a place for a store, the running program, and ways to call both.

mod collector;
mod http;
mod issuer;
mod output;
mod place;
mod receiver;
mod rows;
mod server;
mod setting;
mod snapshot;

pub(crate) use collector::{Collector, attribute};
pub(crate) use http::{Answer, Caller, Connection};
pub(crate) use issuer::Issuer;
pub(crate) use output::Output;
pub(crate) use place::{MASTER_KEY, Place, holding_the_store};
pub(crate) use receiver::{Received, Receiver};
pub(crate) use rows::snapshot_of_rows;
pub(crate) use server::{Server, Starting, signal};
pub(crate) use setting::Setting;
pub(crate) use snapshot::{masked, snapshot, stored_names};

use std::net::{Ipv4Addr, TcpListener};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

/// How long anything may take before a test calls it broken. Nothing waits this long when all is well.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// Asks again and again until there is an answer; fails after `limit`.
#[track_caller]
pub(crate) fn eventually<T>(limit: Duration, what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + limit;
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(Instant::now() < deadline, "{what}: not within {limit:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Two adjacent free ports, below the range of ephemeral ports.
pub(crate) fn free_ports() -> (u16, u16) {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let start = 12_000 + u16::try_from(std::process::id() % 5_000).unwrap() * 2;
    loop {
        let port = start + NEXT.fetch_add(2, Ordering::Relaxed);
        let free = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok();
        if free(port) && free(port + 1) {
            return (port, port + 1);
        }
    }
}

/// Prints why a test did not run. It shows with `--nocapture`, and in the log of a run that fails.
pub(crate) fn skipped(reason: &str) {
    eprintln!("SKIPPED: {reason}");
}
