//! The use cases. Each reads what it needs, decides in the pure code of `domain`, and commits one change together
//! with its event. No SQL, no status codes, no configuration.

#![warn(missing_docs)]

pub mod accounts;
pub mod analytics;
pub mod audit;
pub mod background;
pub mod billing_profiles;
pub mod business_time;
mod cached;
pub mod caller;
pub mod clients;
mod clock;
pub mod console;
pub mod context;
pub mod coupons;
pub mod credit_notes;
pub mod crediting;
pub mod credits;
pub mod cursor;
pub mod documents;
mod entropy;
pub mod error;
pub mod events;
pub mod feed;
pub mod first_run;
pub mod housekeeping;
pub mod idempotency;
pub mod invoices;
pub mod key_rotation;
mod keyed_locks;
pub mod keys;
pub mod lifecycle;
pub mod limits;
pub mod meters;
pub mod operators;
mod optimistic;
pub mod organizations;
pub mod payments;
pub mod plan_versions;
pub mod plans;
pub mod portal;
pub mod providers;
pub mod revision;
pub mod search;
pub mod sessions;
pub mod signing_keys;
pub mod subscriptions;
pub mod tax_rates;
pub mod test_clock;
pub mod usage;
pub mod use_cases;
pub mod users;
pub mod webhooks;
