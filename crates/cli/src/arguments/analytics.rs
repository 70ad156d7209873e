//! `perennial analytics`.

use super::InOrg;
use clap::Subcommand;

#[derive(Subcommand)]
pub(crate) enum Analytics {
    /// Show how far the figures of each organization are.
    Status {
        /// The name or ID of one organization. Default: all of them.
        #[arg(long, value_name = "ORGANIZATION")]
        org: Option<String>,
    },
    /// Compute the figures of an organization again from its events, and then serve them in place of the old ones.
    ///
    /// The exit code is 1 if events were pruned, because the figures before the oldest event would be lost.
    Rebuild {
        /// Rebuild also if events were pruned: the history before the oldest event is lost.
        #[arg(long)]
        discard_history: bool,
        #[command(flatten)]
        org: InOrg,
    },
    /// Compare the monthly revenue of every customer with the subscriptions. The exit code is 1 if there are differences.
    Check {
        #[command(flatten)]
        org: InOrg,
    },
}
