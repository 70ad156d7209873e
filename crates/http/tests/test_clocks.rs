//! What happens by the clock: test organizations, test clocks, and organizations on hold.

mod advances;
mod billed;
mod clocks;
mod deletions;
mod holds;
pub(crate) mod support;
