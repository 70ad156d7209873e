//! API rules 1.12, 1.13, 2 and 7 (`docs/api.md`) through HTTP: lists, idempotency, clients, events.
//! The engine is that of the run: see `perennial-testkit`.

mod support;

mod access_changes;
mod client_cache;
mod client_records;
mod client_secrets;
mod clients;
mod cursors;
mod events;
mod feed;
mod feed_clocks;
mod first_run;
mod histories;
mod housekeeping;
mod idempotency;
mod imports;
mod organization;
mod parameters;
mod payment_lists;
mod plan_lists;
mod races;
mod retries;
mod scopes;
mod subscription_filters;
mod subscription_lists;
mod tenants;
mod user_lists;
