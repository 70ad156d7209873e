//! The responses of all callers, counted together.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use perennial_harness::{Answer, Connection};

use crate::failure::{Failure, Result};

/// Complaints that are printed; the journals have them all.
const PRINTED: usize = 10;
/// The longest wait; the scenario has failed long before.
const LIMIT: Duration = Duration::from_mins(1);
const PAUSE: Duration = Duration::from_millis(2);

#[derive(Default)]
pub(crate) struct Answers {
    /// Whether the database is away, or has not been back for long enough that everybody noticed.
    away: AtomicBool,
    pub(crate) refused: AtomicUsize,
    pub(crate) refused_without_reason: AtomicUsize,
    pub(crate) wrong: AtomicUsize,
    pub(crate) replayed: AtomicUsize,
    slowest_us: AtomicU64,
    slowest_recovery_us: AtomicU64,
}

/// What follows from an answer.
pub(crate) enum Then {
    Done,
    /// Rejected for now, or of unknown outcome: send it again.
    Again,
    /// An unexpected response.
    Wrong,
}

impl Answers {
    pub(crate) fn is_away(&self) -> bool {
        self.away.load(Relaxed)
    }

    fn set_away(&self, away: bool) {
        self.away.store(away, Relaxed);
    }

    /// Judges an answer to a call that was made while the database was away, or was not.
    pub(crate) fn judge(&self, was_away: bool, answer: &io::Result<Answer>, took: Duration) -> Then {
        self.slowest_us.fetch_max(micros(took), Relaxed);
        match answer {
            Ok(answer) if matches!(answer.status, 200 | 201) => {
                let replayed = answer.header("idempotency-replayed").is_some();
                self.replayed.fetch_add(usize::from(replayed), Relaxed);
                Then::Done
            }
            Ok(answer) if answer.status == 503 && answer.header("retry-after").is_some() => {
                self.refused.fetch_add(1, Relaxed);
                if !was_away && !self.is_away() {
                    self.refused_without_reason.fetch_add(1, Relaxed);
                }
                Then::Again
            }
            Ok(answer) => self.complain(&format!("{} {}", answer.status, answer.json())),
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
    let answer = request(&mut connection)?;
    *kept = Some(connection);
    Ok(answer)
}

/// Whether `/readyz` is 200.
pub(crate) fn is_ready(address: SocketAddr) -> bool {
    let asked = Connection::open(address).and_then(|mut one| one.call("GET", "/readyz", &[], None));
    asked.is_ok_and(|answer| answer.status == 200)
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, headers: &[(&str, &str)]) -> Answer {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Answer { status, headers, body: Vec::new() }
    }

    #[test]
    fn only_a_503_that_says_when_to_come_again_is_a_refusal_and_only_while_the_database_is_away() {
        let answers = Answers::default();
        let judge_any = |away, answer| answers.judge(away, &answer, Duration::ZERO);
        let judge = |away, answer| judge_any(away, Ok(answer));
        let counts = || (answers.refused.load(Relaxed), answers.refused_without_reason.load(Relaxed));
        assert!(matches!(judge(true, answer(503, &[("retry-after", "1")])), Then::Again));
        assert_eq!(counts(), (1, 0));
        assert!(matches!(judge(false, answer(503, &[("retry-after", "1")])), Then::Again));
        assert_eq!(counts(), (2, 1));
        for wrong in [answer(503, &[]), answer(500, &[]), answer(409, &[])] {
            assert!(matches!(judge(true, wrong), Then::Wrong));
        }
        assert!(matches!(judge_any(true, Err(io::ErrorKind::UnexpectedEof.into())), Then::Wrong));
        assert!(matches!(judge(false, answer(201, &[("idempotency-replayed", "true")])), Then::Done));
        assert_eq!((answers.wrong.load(Relaxed), answers.replayed.load(Relaxed)), (4, 1));
    }
}
