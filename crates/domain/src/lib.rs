//! Layer 1: the types and rules of a subscription business.
//! No IO, no clock, no SQL, no HTTP: time and randomness are arguments.

#![warn(missing_docs)]

pub mod analytics;
pub mod billing_profiles;
pub mod clients;
pub mod connections;
pub mod country;
pub mod coupons;
pub mod credits;
pub mod currency;
pub mod cycle;
pub mod entitlement_tokens;
pub mod entitlements;
pub mod events;
pub mod features;
pub mod holds;
pub mod id;
pub mod invoices;
pub mod json;
pub mod lifecycle;
pub mod members;
pub mod meters;
pub mod money;
pub mod number;
pub mod operators;
pub mod organizations;
pub mod payments;
pub mod percent;
pub mod plans;
pub mod portal;
pub mod portal_offers;
pub mod raw_members;
pub mod rotation;
pub mod sessions;
pub mod slug;
pub mod stamp;
pub mod subscriptions;
pub mod tax_rates;
pub mod test_clocks;
pub mod text;
pub mod time;
pub mod usage;
pub mod users;
pub mod validation;
pub mod webhook_delivery;
pub mod webhook_window;
pub mod webhooks;
mod words;
