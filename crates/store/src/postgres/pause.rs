//! The pause between attempts to reach a server that does not respond. All connections of a store share it: one at a
//! time tries, and the first that succeeds ends the pause for the others.

use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

const FIRST: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(1);

#[derive(Default)]
pub(super) struct Pause(Mutex<State>);

#[derive(Default)]
struct State {
    failures: u32,
    until: Option<Instant>,
    reason: String,
    connected: bool,
}

impl Pause {
    /// Why no attempt is made now.
    pub(super) fn reason(&self) -> Option<String> {
        let state = self.lock();
        state.is_running().then(|| state.reason.clone())
    }

    /// Begins a pause, longer than the one before, unless another attempt has begun one since.
    pub(super) fn begin(&self, reason: &str) {
        let mut state = self.lock();
        if state.is_running() {
            return;
        }
        let pause = (FIRST * 2_u32.pow(state.failures.min(5))).min(LONGEST);
        state.failures += 1;
        state.until = Some(Instant::now() + jittered(pause));
        reason.clone_into(&mut state.reason);
        // The caller reports the first failure: at the start it ends the program.
        if state.connected || state.failures > 1 {
            tracing::warn!(error = reason, "PostgreSQL cannot be reached");
        }
    }

    /// The server responds.
    pub(super) fn end(&self) {
        *self.lock() = State { connected: true, ..State::default() };
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn is_running(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() < until)
    }
}

/// Between half of the pause and all of it, so that servers that failed together do not retry together.
pub(super) fn jittered(pause: Duration) -> Duration {
    // Every `RandomState` has different keys, which is random enough for jitter.
    let random = RandomState::new().hash_one(0_u8) % 1000;
    pause / 2 + pause.mul_f64(f64::from(u32::try_from(random).unwrap_or(0)) / 2000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_begins_once_grows_and_ends_for_all_connections() {
        let pause = Pause::default();
        assert_eq!(pause.reason(), None);
        pause.begin("down");
        pause.begin("reported by another connection");
        assert_eq!(pause.reason().as_deref(), Some("down"));
        assert_eq!(pause.lock().failures, 1);
        for _ in 0..9 {
            // As if the pause were over.
            pause.lock().until = None;
            pause.begin("still down");
        }
        let left = pause.lock().until.unwrap() - Instant::now();
        assert!(left > LONGEST / 3 && left <= LONGEST, "{left:?}");
        pause.end();
        assert_eq!(pause.reason(), None);
        pause.begin("down again");
        let left = pause.lock().until.unwrap() - Instant::now();
        assert!(left <= FIRST, "{left:?}");
    }
}
