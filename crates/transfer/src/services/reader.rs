//! Reads the objects of either service.

use super::drafts::Found;
use super::lemon_squeezy::LemonSqueezy;
use super::service::{Reading, Service};
use super::stripe::Stripe;
use std::sync::Arc;

/// The reader of a service's objects, with the objects that later ones refer to.
pub(super) enum Reader {
    Stripe(Stripe),
    LemonSqueezy(LemonSqueezy),
}

impl Reader {
    pub(super) fn new(service: Service) -> Self {
        match service {
            Service::Stripe => Self::Stripe(Stripe::default()),
            Service::LemonSqueezy => Self::LemonSqueezy(LemonSqueezy::default()),
        }
    }

    /// Reads an object for one of the readings.
    pub(super) fn read(&mut self, reading: Reading, file: &Arc<str>, object: &str, found: &mut Found) {
        match (self, reading) {
            (Self::Stripe(stripe), Reading::Catalogue) => stripe.learn(file, object, found),
            (Self::Stripe(_), Reading::Subscriptions) => Stripe::subscription(file, object, found),
            (Self::Stripe(stripe), Reading::Payments) => stripe.payment(file, object, found),
            (Self::LemonSqueezy(squeezy), Reading::Catalogue) => squeezy.learn(file, object, found),
            (Self::LemonSqueezy(squeezy), Reading::Subscriptions) => squeezy.subscription(file, object, found),
            (Self::LemonSqueezy(squeezy), Reading::Payments) => squeezy.payment(file, object, found),
        }
    }

    /// The plans, after all of their objects were read.
    pub(super) fn plans(&mut self, found: &mut Found) {
        match self {
            Self::Stripe(stripe) => stripe.plans(found),
            Self::LemonSqueezy(squeezy) => squeezy.plans(found),
        }
    }
}
