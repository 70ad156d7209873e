//! The store: the only layer that contains SQL.
//!
//! Every statement is written or derived once and runs on SQLite and PostgreSQL. Reads are single statements. A write
//! is a [`Change`]: one writer commits many of them in one transaction and reports the outcome of each after COMMIT.
//! The rules of plans, subscriptions and permissions are in the layers above.

mod bulk;
mod change;
mod claims;
mod codec;
mod column;
mod db;
mod error;
mod list;
mod lock;
mod metrics;
mod migrate;
mod postgres;
mod queue;
mod record;
mod row;
mod spans;
mod sql;
mod sqlite;
#[doc(hidden)]
pub mod statements;
mod table;
mod value;
mod walks;

pub mod analytics_ledgers;
pub mod analytics_movements;
pub mod analytics_removal;
pub mod analytics_subscriptions;
pub mod analytics_sums;
pub mod billing_profiles;
pub mod clients;
pub mod clock_removal;
pub mod connection_bucket;
pub mod connection_collections;
pub mod connection_inbox;
pub mod connection_links;
pub mod connection_states;
pub mod connections;
pub mod coupons;
pub mod credits;
pub mod events;
pub mod examine;
pub mod feed;
pub mod history;
pub mod holds;
pub mod idempotency;
pub mod installation;
pub mod leases;
pub mod meters;
pub mod operator_links;
pub mod operator_sessions;
pub mod operators;
pub mod organizations;
pub mod payments;
pub mod plan_versions;
pub mod plans;
pub mod portal_links;
pub mod providers;
pub mod rate_limits;
pub mod retention;
pub mod sessions;
pub mod signing_keys;
pub mod subscriptions;
pub mod tables;
pub mod tax_rates;
pub mod test_clocks;
pub mod transfer;
pub mod usage_events;
pub mod users;
pub mod webhook_attempts;
pub mod webhook_endpoints;
pub mod webhook_figures;
pub mod webhook_readers;
pub mod webhook_undelivered;

pub use bulk::Bulk;
pub use change::{Change, Guard};
pub use column::Column;
pub use db::Db;
pub use error::{Error, Violation};
pub use list::{Key, KeysetQuery, Order, Page, Position, Range, WALK};
pub use lock::Lock;
pub use metrics::{BATCH_SIZES, StoreMetrics};
pub use migrate::{Index, Migrated, Migration, Migrations};
pub use postgres::{PostgresOptions, PostgresTimeouts};
pub use queue::Waiting;
pub use record::{Record, RowReader, RowWriter};
pub use row::Row;
pub use spans::TRACE_TARGET;
pub use sql::{Insert, Sql};
pub use sqlite::{SqliteOptions, backup};
pub use table::{Conflict, Sweep, Table};
pub use value::{Type, Value};
