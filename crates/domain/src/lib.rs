//! Layer 1: the types and rules of a subscription business.
//! No IO, no clock, no SQL, no HTTP: time and randomness are arguments.

#![warn(missing_docs)]

pub mod clients;
pub mod currency;
pub mod cycle;
pub mod events;
pub mod id;
pub mod money;
pub mod number;
pub mod operators;
pub mod organizations;
pub mod payments;
pub mod plans;
pub mod portal;
pub mod portal_offers;
pub mod rotation;
pub mod sessions;
pub mod slug;
pub mod stamp;
pub mod subscriptions;
pub mod text;
pub mod time;
pub mod users;
pub mod validation;
pub mod webhook_delivery;
pub mod webhook_window;
pub mod webhooks;
mod words;
