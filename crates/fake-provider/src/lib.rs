//! A payment provider for tests: an HTTP server on loopback that has objects, pages, events and payment intents as Stripe, Lemon
//! Squeezy and Paddle Billing have them, and that fails, stalls, limits and forgets on command. It knows nothing of the service
//! that asks it.

#![expect(clippy::unwrap_used, reason = "a test that cannot continue panics")]

mod behavior;
mod intents;
mod objects;
mod respond;
mod server;
mod webhooks;

pub use behavior::{Behavior, Card, Fault, Seen};
pub use server::FakeProvider;
pub use webhooks::Webhook;

/// The provider that it plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Stripe.
    Stripe,
    /// Lemon Squeezy.
    LemonSqueezy,
    /// Paddle Billing.
    Paddle,
}
