//! The responses of all callers, counted together.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use perennial_harness::{Connection, Response};

use crate::failure::{Failure, Result};

/// Complaints that are printed; the journals have them all.
const PRINTED: usize = 10;
/// The longest wait; the scenario has failed long before.
const LIMIT: Duration = Duration::from_mins(1);
const PAUSE: Duration = Duration::from_millis(2);

#[derive(Default)]
pub(crate) struct Responses {
    /// Whether the database is away, or has not been back for long enough that everybody noticed.
    away: AtomicBool,
    pub(crate) refused: AtomicUsize,
    pub(crate) refused_without_reason: AtomicUsize,
    pub(crate) wrong: AtomicUsize,
    pub(crate) replayed: AtomicUsize,
    slowest_us: AtomicU64,
    slowest_recovery_us: AtomicU64,
}

/// What follows from a response.
pub(crate) enum Then {
    Done,
    /// Rejected for now, or of unknown outcome: send it again.
    Again,
    /// An unexpected response.
    Wrong,
}

impl Responses {
    pub(crate) fn is_away(&self) -> bool {
        self.away.load(Relaxed)
    }

    fn set_away(&self, away: bool) {
        self.away.store(away, Relaxed);
    }

    /// Judges a response to a call that was made while the database was away, or was not.
    pub(crate) fn judge(&self, was_away: bool, response: &io::Result<Response>, took: Duration) -> Then {
        self.slowest_us.fetch_max(micros(took), Relaxed);
        match response {
            Ok(response) if matches!(response.status, 200 | 201) => {
                let replayed = response.header("idempotency-replayed").is_some();
                self.replayed.fetch_add(usize::from(replayed), Relaxed);
                Then::Done
            }
            Ok(response) if response.status == 503 && response.header("retry-after").is_some() => {
                self.refused.fetch_add(1, Relaxed);
                if !was_away && !self.is_away() {
                    self.refused_without_reason.fetch_add(1, Relaxed);
                }
                Then::Again
            }
            Ok(response) => self.complain(&format!("{} {}", response.status, response.json())),
            Err(error) => self.complain(&error.to_string()),
        }
    }

    /// Lets the database go and come back, then waits until every caller has been served again by the server at `address`
    /// and `/readyz` is 200. `served` counts how often each caller was served.
    pub(crate) fn outage(&self, address: SocketAddr, served: &[AtomicU64], happens: impl FnOnce() -> Result) -> Result {
        self.set_away(true);
        happens()?;
        let back = Instant::now();
        let before: Vec<u64> = served.iter().map(|count| count.load(Relaxed)).collect();
        let all_served = || served.iter().zip(&before).all(|(count, before)| count.load(Relaxed) > *before);
        while !(all_served() && is_ready(address)) {
            if back.elapsed() > LIMIT {
                return Err(Failure::new("a minute after the database was back not everybody had been served"));
            }
            std::thread::sleep(PAUSE);
        }
        self.slowest_recovery_us.fetch_max(micros(back.elapsed()), Relaxed);
        self.set_away(false);
        Ok(())
    }

    pub(crate) fn slowest(&self) -> Duration {
        Duration::from_micros(self.slowest_us.load(Relaxed))
    }

    pub(crate) fn slowest_recovery(&self) -> Duration {
        Duration::from_micros(self.slowest_recovery_us.load(Relaxed))
    }

    fn complain(&self, what: &str) -> Then {
        if self.wrong.fetch_add(1, Relaxed) < PRINTED {
            println!("  unexpected response: {what}");
        }
        Then::Wrong
    }
}

/// Calls on a connection that is reused while it works.
pub(crate) fn call<T>(
    kept: &mut Option<Connection>,
    address: SocketAddr,
    request: impl FnOnce(&mut Connection) -> io::Result<T>,
) -> io::Result<T> {
    let mut connection = match kept.take() {
        Some(connection) => connection,
        None => Connection::open(address)?,
    };
    let response = request(&mut connection)?;
    *kept = Some(connection);
    Ok(response)
}

/// Whether `/readyz` is 200.
pub(crate) fn is_ready(address: SocketAddr) -> bool {
    let asked = Connection::open(address).and_then(|mut one| one.call("GET", "/readyz", &[], None));
    asked.is_ok_and(|response| response.status == 200)
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(status: u16, headers: &[(&str, &str)]) -> Response {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Response { status, headers, body: Vec::new() }
    }

    #[test]
    fn only_a_503_that_says_when_to_come_again_is_a_refusal_and_only_while_the_database_is_away() {
        let responses = Responses::default();
        let judge_any = |away, response| responses.judge(away, &response, Duration::ZERO);
        let judge = |away, response| judge_any(away, Ok(response));
        let counts = || (responses.refused.load(Relaxed), responses.refused_without_reason.load(Relaxed));
        assert!(matches!(judge(true, response(503, &[("retry-after", "1")])), Then::Again));
        assert_eq!(counts(), (1, 0));
        assert!(matches!(judge(false, response(503, &[("retry-after", "1")])), Then::Again));
        assert_eq!(counts(), (2, 1));
        for wrong in [response(503, &[]), response(500, &[]), response(409, &[])] {
            assert!(matches!(judge(true, wrong), Then::Wrong));
        }
        assert!(matches!(judge_any(true, Err(io::ErrorKind::UnexpectedEof.into())), Then::Wrong));
        assert!(matches!(judge(false, response(201, &[("idempotency-replayed", "true")])), Then::Done));
        assert_eq!((responses.wrong.load(Relaxed), responses.replayed.load(Relaxed)), (4, 1));
    }
}
