//! `perennial plan|subscription|payment|session`, and what all lists of records share.
//! Filters have the API's names and read what the API reads.

use super::{InOrg, SessionRevoke};
use clap::{Args, Subcommand, ValueEnum};

/// How records are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Columns for people, cut to the width of the terminal.
    Table,
    /// The API's record, one a line, without an envelope.
    Json,
    /// For spreadsheets: RFC 4180, with a ' before texts that one would take for a formula.
    Csv,
}

#[derive(Args)]
pub(crate) struct Output {
    /// How to write it [default: table]
    #[arg(short = 'o', long = "output", value_name = "FORMAT")]
    pub(crate) format: Option<Format>,
}

/// How much of a list.
#[derive(Args)]
pub(crate) struct Portion {
    /// At most so many.
    #[arg(long, default_value_t = 50, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) limit: u32,
    /// Only those that come after this one in the list: how to go on where a list ended.
    #[arg(long, value_name = "ID")]
    pub(crate) after: Option<String>,
    /// All of them, however many.
    #[arg(long, conflicts_with = "limit")]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) output: Output,
    #[command(flatten)]
    pub(crate) org: InOrg,
}

/// How to show one record.
#[derive(Args)]
pub(crate) struct Single {
    #[command(flatten)]
    pub(crate) output: Output,
    #[command(flatten)]
    pub(crate) org: InOrg,
}

#[derive(Subcommand)]
pub(crate) enum Plan {
    /// List an organization's plans, by tier and slug unless asked otherwise.
    List(PlanList),
    /// Show one plan.
    Get {
        /// The plan's slug or id.
        plan: String,
        #[command(flatten)]
        single: Single,
    },
}

#[derive(Args)]
pub(crate) struct PlanList {
    /// Active or retired plans only.
    #[arg(long, value_name = "TRUE|FALSE")]
    pub(crate) is_active: Option<bool>,
    /// Plans that bill so.
    #[arg(long, value_name = "CYCLE")]
    pub(crate) billing_cycle: Option<String>,
    /// Plans of this tier.
    #[arg(long)]
    pub(crate) tier: Option<i64>,
    /// Plans marked as most popular, or not.
    #[arg(long, value_name = "TRUE|FALSE")]
    pub(crate) most_popular: Option<bool>,
    /// Plans of this product.
    #[arg(long, value_name = "PRODUCT")]
    pub(crate) product_id: Option<String>,
    /// Plans that name this variant.
    #[arg(long)]
    pub(crate) variant: Option<String>,
    /// The order: `tier`, `price`, `name`, `created_at` or `updated_at`; a - before it turns it round.
    #[arg(long, default_value = "tier", value_name = "ORDER", allow_hyphen_values = true)]
    pub(crate) sort: String,
    #[command(flatten)]
    pub(crate) portion: Portion,
}

#[derive(Subcommand)]
pub(crate) enum Subscription {
    /// List an organization's subscriptions, newest first unless asked otherwise.
    List(Box<SubscriptionList>),
    /// Show one subscription.
    Get {
        /// The subscription's id (sub_…).
        subscription: String,
        #[command(flatten)]
        single: Single,
    },
}

#[derive(Args)]
pub(crate) struct SubscriptionList {
    /// Those of this user, by id or e-mail address.
    #[arg(long)]
    pub(crate) user: Option<String>,
    /// Those of this plan, by slug or id.
    #[arg(long)]
    pub(crate) plan: Option<String>,
    /// Those in this status, or in one of several separated by commas.
    #[arg(long, value_delimiter = ',')]
    pub(crate) status: Vec<String>,
    /// Active or inactive ones only.
    #[arg(long, value_name = "TRUE|FALSE")]
    pub(crate) is_active: Option<bool>,
    /// Those that bill so.
    #[arg(long, value_name = "CYCLE")]
    pub(crate) billing_cycle: Option<String>,
    /// The one with this id in another system.
    #[arg(long, value_name = "ID")]
    pub(crate) external_subscription_id: Option<String>,
    /// Created at this instant or later, as 2026-01-31T00:00:00Z.
    #[arg(long, value_name = "INSTANT")]
    pub(crate) created_after: Option<String>,
    /// Created before this instant.
    #[arg(long, value_name = "INSTANT")]
    pub(crate) created_before: Option<String>,
    /// Renewing at this instant or later.
    #[arg(long, value_name = "INSTANT")]
    pub(crate) renews_after: Option<String>,
    /// Renewing before this instant.
    #[arg(long, value_name = "INSTANT")]
    pub(crate) renews_before: Option<String>,
    /// Ending at this instant or later.
    #[arg(long, value_name = "INSTANT")]
    pub(crate) ends_after: Option<String>,
    /// Ending before this instant.
    #[arg(long, value_name = "INSTANT")]
    pub(crate) ends_before: Option<String>,
    /// The order: `created_at`, `renews_at` or `ends_at`; a - before it turns it round.
    #[arg(long, default_value = "-created_at", value_name = "ORDER", allow_hyphen_values = true)]
    pub(crate) sort: String,
    #[command(flatten)]
    pub(crate) portion: Portion,
}

#[derive(Subcommand)]
pub(crate) enum Payment {
    /// List an organization's payments, newest first. A filter reads past all that do not match.
    List {
        /// Those for this subscription.
        #[arg(long, value_name = "ID")]
        subscription: Option<String>,
        /// Those in this status, or in one of several separated by commas.
        #[arg(long, value_delimiter = ',')]
        status: Vec<String>,
        #[command(flatten)]
        portion: Portion,
    },
    /// Show one payment.
    Get {
        /// The payment's id (pay_…).
        payment: String,
        #[command(flatten)]
        single: Single,
    },
}

#[derive(Subcommand)]
pub(crate) enum Session {
    /// List an organization's live sessions, newest first.
    List {
        /// Those of this user, by id or e-mail address.
        #[arg(long)]
        user: Option<String>,
        /// Those that have ended too; they are kept for a month.
        #[arg(long)]
        ended: bool,
        #[command(flatten)]
        portion: Portion,
    },
    /// End one session, or all sessions of a user, at once on every server.
    Revoke(SessionRevoke),
    /// Show one session, live or ended.
    Get {
        /// The session's id (ses_…).
        session: String,
        #[command(flatten)]
        single: Single,
    },
}
