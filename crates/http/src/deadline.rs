//! How long an answer may take. The time a body takes to arrive is the caller's, and has a limit of its own.

use crate::error_codes::Code;
use crate::problem::Problem;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::{Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;
use tokio::time::{Instant, Sleep, sleep_until};

/// The time left for one answer.
pub(crate) struct Deadline {
    time: Duration,
    /// None while a body arrives.
    deadline: Mutex<Option<Instant>>,
}

impl Deadline {
    /// From the instant a request began.
    pub(crate) fn new(time: Duration, began: Instant) -> Self {
        Self { time, deadline: Mutex::new(Some(began + time)) }
    }

    /// Awaits an answer; it is a problem if it is not ready in time.
    pub(crate) async fn with<T>(
        &self,
        mut answer: Pin<&mut impl Future<Output = Result<T, Problem>>>,
    ) -> Result<T, Problem> {
        // Most answers are ready at once and need no timer.
        let mut sleep = pin!(None);
        poll_fn(|cx| {
            // A defect in a handler costs its own request an answer, not its connection.
            match catch_unwind(AssertUnwindSafe(|| answer.as_mut().poll(cx))) {
                Ok(Poll::Pending) => {}
                Ok(ready) => return ready,
                Err(_) => {
                    return Poll::Ready(Err(Problem::internal("a handler panicked; standard error has the place")));
                }
            }
            let Some(deadline) = self.deadline() else { return Poll::Pending };
            if sleep.as_ref().as_pin_ref().is_none_or(|sleep: Pin<&Sleep>| sleep.deadline() != deadline) {
                sleep.set(Some(sleep_until(deadline)));
            }
            let too_late = |()| Err(Problem::new(Code::AnswerTimeout, "The answer was not ready in time."));
            // The timer runs in milliseconds; no time at all is less than one.
            let timer = sleep.as_mut().as_pin_mut().map(|sleep| sleep.poll(cx));
            if deadline <= Instant::now() { Poll::Ready(()) } else { timer.unwrap_or(Poll::Pending) }.map(too_late)
        })
        .await
    }

    /// Awaits a body, within the answer; the time for the answer begins anew when it is there.
    pub(crate) async fn while_arriving<T>(&self, body: impl Future<Output = T>) -> T {
        self.set(None);
        let arrived = body.await;
        self.set(Some(Instant::now() + self.time));
        arrived
    }

    fn deadline(&self) -> Option<Instant> {
        *self.deadline.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, deadline: Option<Instant>) {
        *self.deadline.lock().unwrap_or_else(PoisonError::into_inner) = deadline;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_handler_that_panics_is_answered_as_a_defect() {
        let deadline = Deadline::new(Duration::from_secs(30), Instant::now());
        let defect = async {
            tokio::task::yield_now().await;
            panic!("on purpose")
        };
        let answer: Result<(), Problem> = deadline.with(pin!(defect)).await;
        assert_eq!(answer.unwrap_err().status(), http::StatusCode::INTERNAL_SERVER_ERROR);
    }
}
