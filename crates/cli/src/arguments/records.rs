//! `perennial plan|subscription|payment|session`, and the flags that all lists of records share.
//! Filters have the API's names and read what the API reads.

use super::{InOrg, SessionRevoke, examples};
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

/// The kinds of records that have the commands `list` and `get` and no other.
#[derive(Subcommand)]
pub(crate) enum Record {
    /// Plans: what can be bought.
    #[command(subcommand, after_help = examples::PLAN)]
    Plan(RecordCommand<PlanFilters>),
    /// Subscriptions: who has bought what.
    #[command(subcommand, after_help = examples::SUBSCRIPTION)]
    Subscription(RecordCommand<SubscriptionFilters>),
    /// Payments: money received for subscriptions.
    #[command(subcommand, after_help = examples::PAYMENT)]
    Payment(RecordCommand<PaymentFilters>),
}

/// `list` and `get` of one kind of record.
#[derive(Subcommand)]
pub(crate) enum RecordCommand<F: RecordFlags> {
    #[command(about = F::LIST)]
    List(Box<RecordList<F>>),
    #[command(about = F::GET)]
    Get {
        #[arg(value_name = F::VALUE_NAME, help = F::NAMED)]
        named: String,
        #[command(flatten)]
        single: Single,
    },
}

#[derive(Args)]
pub(crate) struct RecordList<F: Args> {
    #[command(flatten)]
    pub(crate) filters: F,
    #[command(flatten)]
    pub(crate) portion: Portion,
}

/// The filters of a list, and the help texts of the record's commands.
pub(crate) trait RecordFlags: Args {
    /// Help for `list`.
    const LIST: &str;
    /// Help for `get`.
    const GET: &str;
    /// The argument of `get`, as the usage line shows it.
    const VALUE_NAME: &str;
    /// Help for the argument of `get`.
    const NAMED: &str;
}

impl RecordFlags for PlanFilters {
    const LIST: &str = "List an organization's plans, by tier and slug unless asked otherwise";
    const GET: &str = "Show one plan";
    const VALUE_NAME: &str = "PLAN";
    const NAMED: &str = "The plan's slug or id";
}

impl RecordFlags for SubscriptionFilters {
    const LIST: &str = "List an organization's subscriptions, newest first unless asked otherwise";
    const GET: &str = "Show one subscription";
    const VALUE_NAME: &str = "SUBSCRIPTION";
    const NAMED: &str = "The subscription's id (sub_…)";
}

impl RecordFlags for PaymentFilters {
    const LIST: &str = "List an organization's payments, newest first. A filter reads past all that do not match";
    const GET: &str = "Show one payment";
    const VALUE_NAME: &str = "PAYMENT";
    const NAMED: &str = "The payment's id (pay_…)";
}

#[derive(Args)]
pub(crate) struct PlanFilters {
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
}

#[derive(Args)]
pub(crate) struct SubscriptionFilters {
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
}

#[derive(Args)]
pub(crate) struct PaymentFilters {
    /// Those for this subscription.
    #[arg(long, value_name = "ID")]
    pub(crate) subscription: Option<String>,
    /// Those in this status, or in one of several separated by commas.
    #[arg(long, value_delimiter = ',')]
    pub(crate) status: Vec<String>,
}

#[derive(Subcommand)]
pub(crate) enum Session {
    /// List an organization's live sessions, newest first.
    List {
        #[command(flatten)]
        filters: SessionFilters,
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

#[derive(Args)]
pub(crate) struct SessionFilters {
    /// Those of this user, by id or e-mail address.
    #[arg(long)]
    pub(crate) user: Option<String>,
    /// Those that have ended too; they are kept for a month.
    #[arg(long)]
    pub(crate) ended: bool,
}
