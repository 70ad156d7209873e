//! Housekeeping: removal of rows that no request needs, and the figures about them.
//! Several servers may do so at once on one store; each removes rows that no other is removing.

mod connections;
mod count;
mod deleted;
pub(crate) mod figures;
mod prune;
pub(crate) mod remove;
pub(crate) mod retention;
mod usage;
mod webhooks;

pub use connections::{count_connections, sweep_connections};
pub use count::{COUNTED_AT_MOST, count_analytics, count_expired, count_webhooks};
pub use deleted::remove_deleted;
pub use figures::Figures;
pub use prune::prune_events;
pub use retention::Retention;
pub use usage::sweep_usage;
pub use webhooks::sweep_webhooks;
