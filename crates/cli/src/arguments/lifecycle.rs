//! The arguments of `perennial lifecycle` and `perennial test-clock`.

use super::InOrg;
use clap::Subcommand;

#[derive(Subcommand)]
pub(crate) enum Lifecycle {
    /// Show what an organization has due, how late it is, and whether it is on hold.
    Status {
        #[command(flatten)]
        org: InOrg,
    },
    /// Put an organization on hold after you restored its database.
    ///
    /// `perennial backup restore` does this by itself. A restore with the tools of PostgreSQL is not visible to Perennial: run
    /// this command before you start a server. Until you release the organization with `resume`, nothing is billed. Before a
    /// payment is charged that may have been charged since the restored state, the payment provider is asked.
    Hold {
        /// The time of the state that was restored: of the dump, or the recovery target. An earlier time does no harm.
        #[arg(long, value_name = "TIME")]
        restored_to: String,
        /// Put every organization on hold.
        #[arg(long, conflicts_with = "org")]
        all: bool,
        #[command(flatten)]
        org: InOrg,
    },
    /// Release an organization that is on hold: do what is due.
    ///
    /// An organization is on hold if something is very late, and after a restore, a copy or an import. Check first with
    /// `status` that what is due was not done elsewhere: renewals are billed when you release them.
    Resume {
        /// The instant until which due work is released, such as 2026-01-31T00:00:00Z. What is due later stays on hold
        /// [default: now, which ends the hold]
        #[arg(long, value_name = "TIME")]
        through: Option<String>,
        #[command(flatten)]
        org: InOrg,
    },
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

#[derive(Subcommand)]
pub(crate) enum TestClock {
    /// Create the clock of a test organization.
    Create {
        /// The time that the clock shows, such as 2026-01-31T00:00:00Z. No record may be newer.
        #[arg(long, value_name = "TIME")]
        now: String,
        #[command(flatten)]
        org: InOrg,
    },
    /// Show the clock.
    Get {
        #[command(flatten)]
        org: InOrg,
    },
    /// Move the clock forward. A running server does what becomes due on the way.
    Advance {
        /// The time that the clock will show, at most ten years later.
        #[arg(long, value_name = "TIME")]
        to: String,
        /// Move the clock at once, as after an outage: due work is then late.
        #[arg(long)]
        jump: bool,
        /// Wait until a running server has done all work and the clock has stopped.
        #[arg(long)]
        wait: bool,
        #[command(flatten)]
        org: InOrg,
    },
    /// Delete the clock with all plans, subscriptions and payments of the organization and their events.
    ///
    /// Users and clients stay. A running server removes the records. This cannot be undone.
    Delete {
        #[command(flatten)]
        org: InOrg,
    },
}
