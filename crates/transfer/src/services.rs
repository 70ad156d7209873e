//! From other services: their objects, as their own tools save them, become records of ours. What cannot be carried is
//! told, object by object, and nothing is guessed.

mod amounts;
mod drafts;
mod findings;
mod lemon_squeezy;
mod lines;
mod moving;
mod pages;
mod slugs;
mod stripe;

pub use findings::{Finding, Level};
pub use moving::{Count, Counts, Moving, Reading};

use drafts::Found;
use perennial_domain::time::Time;
use std::sync::Arc;

/// A service that users come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// Its objects are told apart by `object`.
    Stripe,
    /// Its objects are JSON:API documents, told apart by `type`.
    LemonSqueezy,
}

impl Service {
    /// Its name on the command line, and in what our ids are made from.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stripe => "stripe",
            Self::LemonSqueezy => "lemon-squeezy",
        }
    }
}

/// What has been learnt of a service's catalogue, and how its objects are read.
enum Reader {
    Stripe(stripe::Stripe),
    LemonSqueezy(lemon_squeezy::LemonSqueezy),
}

impl Reader {
    fn new(service: Service) -> Self {
        match service {
            Service::Stripe => Self::Stripe(stripe::Stripe::default()),
            Service::LemonSqueezy => Self::LemonSqueezy(lemon_squeezy::LemonSqueezy::default()),
        }
    }

    /// Takes what an object is to one of the readings.
    fn read(&mut self, reading: Reading, file: &Arc<str>, object: &str, found: &mut Found) {
        match (self, reading) {
            (Self::Stripe(stripe), Reading::Catalogue) => stripe.learn(file, object, found),
            (Self::Stripe(_), Reading::Subscriptions) => stripe::Stripe::subscription(file, object, found),
            (Self::Stripe(stripe), Reading::Payments) => stripe.payment(file, object, found),
            (Self::LemonSqueezy(squeezy), Reading::Catalogue) => squeezy.learn(file, object, found),
            (Self::LemonSqueezy(squeezy), Reading::Subscriptions) => squeezy.subscription(file, object, found),
            (Self::LemonSqueezy(squeezy), Reading::Payments) => squeezy.payment(file, object, found),
        }
    }

    /// What can be bought, now that all of the catalogue is known.
    fn plans(&mut self, found: &mut Found) {
        match self {
            Self::Stripe(stripe) => stripe.plans(found),
            Self::LemonSqueezy(squeezy) => squeezy.plans(found),
        }
    }
}

/// The instant of so many seconds after 1970.
fn instant(seconds: i64) -> Option<Time> {
    seconds.checked_mul(1_000_000).and_then(Time::from_micros)
}
