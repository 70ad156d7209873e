//! A receiver of webhooks that measures how long each event took to arrive.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use perennial_domain::time::Time;
use perennial_harness::Received;

use crate::clock;
use crate::failure::Result;

/// A webhook that arrived.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    pub(super) at: Instant,
    /// From the event's timestamp, which is drawn before its commit, to the first byte.
    pub(super) latency: Duration,
}

impl Arrival {
    fn of(received: &Received) -> Option<Self> {
        let (now, since) = (clock::now(), received.at.elapsed());
        let made = Time::parse(received.json()["timestamp"].as_str()?).ok()?;
        let micros = u64::try_from(now.as_micros() - made.as_micros()).unwrap_or_default();
        Some(Self { at: received.at, latency: Duration::from_micros(micros).saturating_sub(since) })
    }
}

pub(super) struct Receiver {
    receiver: perennial_harness::Receiver,
    arrivals: Arc<Mutex<Vec<Arrival>>>,
}

impl Receiver {
    /// Starts one that takes so long for each response.
    pub(super) fn start(delay: Duration) -> Result<Self> {
        let arrivals = Arc::new(Mutex::new(Vec::new()));
        let shared = Arc::clone(&arrivals);
        let receiver = perennial_harness::Receiver::start(move |received| {
            shared.lock().unwrap_or_else(PoisonError::into_inner).extend(Arrival::of(&received));
            std::thread::sleep(delay);
            204
        })?;
        Ok(Self { receiver, arrivals })
    }

    pub(super) fn url(&self, number: usize) -> String {
        format!("http://{}/hook/{number}", self.receiver.address())
    }

    pub(super) fn count(&self) -> usize {
        self.arrivals.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// The arrivals since the last call, in their order.
    pub(super) fn take(&self) -> Vec<Arrival> {
        std::mem::take(&mut *self.arrivals.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
