//! The deadline of a response. The time that a body takes to arrive does not count; it has its own limit.

use crate::error_codes::Code;
use crate::problem::Problem;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::{Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;
use tokio::time::{Instant, Sleep, sleep_until};

/// The deadline of one response.
pub(crate) struct Deadline {
    time: Duration,
    /// `None` while a body arrives.
    deadline: Mutex<Option<Instant>>,
}

impl Deadline {
    /// Starts at the instant at which a request began.
    pub(crate) fn new(time: Duration, began: Instant) -> Self {
        Self { time, deadline: Mutex::new(Some(began + time)) }
    }

    /// Awaits a response; returns a problem if it is not ready in time.
    pub(crate) async fn with<T>(
        &self,
        mut response: Pin<&mut impl Future<Output = Result<T, Problem>>>,
    ) -> Result<T, Problem> {
        // Most responses are ready at once and need no timer.
        let mut sleep = pin!(None);
        poll_fn(|cx| {
            // A panic in a handler fails its request and not the connection.
            match catch_unwind(AssertUnwindSafe(|| response.as_mut().poll(cx))) {
                Ok(Poll::Pending) => {}
                Ok(ready) => return ready,
                Err(_) => {
                    return Poll::Ready(Err(Problem::internal("a handler panicked; see standard error")));
                }
            }
            let Some(deadline) = self.deadline() else { return Poll::Pending };
            if sleep.as_ref().as_pin_ref().is_none_or(|sleep: Pin<&Sleep>| sleep.deadline() != deadline) {
                sleep.set(Some(sleep_until(deadline)));
            }
            let too_late = |()| Err(Problem::new(Code::AnswerTimeout, "The response was not ready in time."));
            // The timer has a resolution of milliseconds; a zero timeout is shorter.
            let timer = sleep.as_mut().as_pin_mut().map(|sleep| sleep.poll(cx));
            if deadline <= Instant::now() { Poll::Ready(()) } else { timer.unwrap_or(Poll::Pending) }.map(too_late)
        })
        .await
    }

    /// Awaits a body. The deadline of the response starts again when it has arrived.
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
    async fn a_panic_in_a_handler_is_an_internal_error() {
        let deadline = Deadline::new(Duration::from_secs(30), Instant::now());
        let defect = async {
            tokio::task::yield_now().await;
            panic!("on purpose")
        };
        let response: Result<(), Problem> = deadline.with(pin!(defect)).await;
        assert_eq!(response.unwrap_err().status(), http::StatusCode::INTERNAL_SERVER_ERROR);
    }
}
