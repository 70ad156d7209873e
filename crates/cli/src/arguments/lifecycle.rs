//! The arguments of `perennial lifecycle`.

use super::InOrg;
use clap::Subcommand;

#[derive(Subcommand)]
pub(crate) enum Lifecycle {
    /// Let the engine work on a parked subscription again.
    ///
    /// A subscription is parked if its next action is impossible, or failed for an hour while others succeeded. Correct the
    /// cause first: `billing.parked.reason` of the subscription names it.
    Unpark {
        /// The ID of the subscription.
        subscription: String,
        #[command(flatten)]
        org: InOrg,
    },
}
