//! How busy a server is with requests. Background work that can wait gives way to them.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// A server with more than one request in this time is busy.
const BUSY: Duration = Duration::from_millis(5);
/// The longest rest: work continues, however busy the server is.
const LONGEST: Duration = Duration::from_millis(200);

/// The requests of a server.
#[derive(Debug, Default)]
pub struct Activity {
    requests: AtomicU64,
    is_busy: AtomicBool,
}

impl Activity {
    /// Counts a request.
    pub fn count(&self) {
        self.requests.fetch_add(1, Relaxed);
    }

    /// Whether the server was busy during the last piece of work.
    pub(crate) fn is_busy(&self) -> bool {
        self.is_busy.load(Relaxed)
    }

    /// Begins a piece of work that can wait.
    pub(crate) fn begin(&self) -> Piece<'_> {
        Piece { activity: self, requests: self.requests.load(Relaxed), started: Instant::now() }
    }
}

/// A piece of work that can wait.
pub(crate) struct Piece<'a> {
    activity: &'a Activity,
    requests: u64,
    started: Instant,
}

impl Piece<'_> {
    /// Rests after the work: on a busy server `share` times as long as it took, otherwise for `least`, which is the least in any
    /// case.
    pub(crate) async fn rest(self, share: u32, least: Duration) {
        let requests = self.activity.requests.load(Relaxed).saturating_sub(self.requests);
        let rest = rest_after(self.started.elapsed(), share, requests);
        self.activity.is_busy.store(!rest.is_zero(), Relaxed);
        let rest = rest.max(least);
        if !rest.is_zero() {
            tokio::time::sleep(rest).await;
        }
    }
}

/// How long work rests that took so long, with so many requests in that time.
fn rest_after(took: Duration, share: u32, requests: u64) -> Duration {
    let is_busy = BUSY.saturating_mul(u32::try_from(requests).unwrap_or(u32::MAX)) > took;
    if is_busy { took.saturating_mul(share).min(LONGEST) } else { Duration::ZERO }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_rests_only_on_a_busy_server_and_never_long() {
        let took = Duration::from_millis(20);
        assert_eq!(rest_after(took, 2, 0), Duration::ZERO);
        assert_eq!(rest_after(took, 2, 4), Duration::ZERO);
        assert_eq!(rest_after(took, 2, 5), took * 2);
        assert_eq!(rest_after(Duration::from_secs(9), 1, u64::MAX), LONGEST);
    }

    #[tokio::test]
    async fn a_server_is_busy_until_a_piece_of_work_had_no_requests() {
        let activity = Activity::default();
        let piece = activity.begin();
        (0..1_000_000).for_each(|_| activity.count());
        piece.rest(1, Duration::ZERO).await;
        assert!(activity.is_busy());
        activity.begin().rest(1, Duration::ZERO).await;
        assert!(!activity.is_busy());
    }
}
