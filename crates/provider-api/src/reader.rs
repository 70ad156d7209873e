//! Reads the objects of any service.

use super::drafts::Found;
use super::lemon_squeezy::LemonSqueezy;
use super::paddle::Paddle;
use super::service::{Reading, Service};
use super::stripe::Stripe;
use std::sync::Arc;

/// The reader of a service's objects, with the objects that later ones refer to.
pub struct Reader(Of);

enum Of {
    Stripe(Stripe),
    LemonSqueezy(LemonSqueezy),
    Paddle(Paddle),
}

impl Reader {
    /// A reader that has read nothing.
    pub fn new(service: Service) -> Self {
        Self(match service {
            Service::Stripe => Of::Stripe(Stripe::default()),
            Service::LemonSqueezy => Of::LemonSqueezy(LemonSqueezy::default()),
            Service::Paddle => Of::Paddle(Paddle::default()),
        })
    }

    /// Reads an object for one of the readings.
    pub fn read(&mut self, reading: Reading, file: &Arc<str>, object: &str, found: &mut Found) {
        match (&mut self.0, reading) {
            (Of::Stripe(stripe), Reading::Catalogue) => stripe.learn(file, object, found),
            (Of::Stripe(_), Reading::Subscriptions) => Stripe::subscription(file, object, found),
            (Of::Stripe(stripe), Reading::Payments) => stripe.payment(file, object, found),
            (Of::LemonSqueezy(squeezy), Reading::Catalogue) => squeezy.learn(file, object, found),
            (Of::LemonSqueezy(squeezy), Reading::Subscriptions) => squeezy.subscription(file, object, found),
            (Of::LemonSqueezy(squeezy), Reading::Payments) => squeezy.payment(file, object, found),
            (Of::Paddle(paddle), Reading::Catalogue) => paddle.learn(file, object, found),
            (Of::Paddle(_), Reading::Subscriptions) => Paddle::subscription(file, object, found),
            (Of::Paddle(paddle), Reading::Payments) => paddle.payment(file, object, found),
        }
    }

    /// The plans, after all of their objects were read.
    pub fn plans(&mut self, found: &mut Found) {
        match &mut self.0 {
            Of::Stripe(stripe) => stripe.plans(found),
            Of::LemonSqueezy(squeezy) => squeezy.plans(found),
            Of::Paddle(paddle) => paddle.plans(found),
        }
    }
}
