//! A receiver of webhooks that stores the ID and the position of every event, and fails from time to time.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use perennial_harness::Received;

use crate::failure::Result;
use crate::threads;

/// Every request of this number gets 500.
const FAILS: u64 = 50;

/// A request that was accepted.
#[derive(Clone, Debug)]
pub(super) struct Arrival {
    pub(super) event: String,
    pub(super) record: String,
    pub(super) sequence: u64,
}

impl Arrival {
    fn of(received: &Received) -> Self {
        let body = received.json();
        let text = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
        let sequence = body["sequence"].as_u64().unwrap_or_default();
        Self { event: text("id"), record: text("record_id"), sequence }
    }
}

pub(super) struct Receiver {
    listener: perennial_harness::Receiver,
    arrivals: Arc<Mutex<Vec<Arrival>>>,
    is_down: Arc<AtomicBool>,
}

impl Receiver {
    pub(super) fn start() -> Result<Self> {
        let arrivals = Arc::new(Mutex::new(Vec::new()));
        let is_down = Arc::new(AtomicBool::new(false));
        let (shared, requests, down) = (Arc::clone(&arrivals), Mutex::new(0_u64), Arc::clone(&is_down));
        let listener = perennial_harness::Receiver::start(move |received| {
            if down.load(Relaxed) {
                return 503;
            }
            let mut requests = threads::lock(&requests);
            *requests += 1;
            if requests.is_multiple_of(FAILS) {
                return 500;
            }
            drop(requests);
            threads::lock(&shared).push(Arrival::of(&received));
            204
        })?;
        Ok(Self { listener, arrivals, is_down })
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}/hook", self.listener.address())
    }

    /// While it is down, every request gets 503.
    pub(super) fn set_down(&self, is_down: bool) {
        self.is_down.store(is_down, Relaxed);
    }

    pub(super) fn arrivals(&self) -> Vec<Arrival> {
        threads::lock(&self.arrivals).clone()
    }
}
