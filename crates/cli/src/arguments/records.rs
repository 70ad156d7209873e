//! `perennial plan|subscription|payment|session`, and the flags that all lists of records share.
//! Filters have the API's names and read what the API reads.

use super::{Feature, InOrg, InvoiceDocument, SessionRevoke, examples};
use clap::{Args, Subcommand, ValueEnum};

/// The output format of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// A table, cut to the width of the terminal.
    Table,
    /// The API's record, one per line, without an envelope.
    Json,
    /// CSV (RFC 4180), with a ' before texts that a spreadsheet would take for a formula.
    Csv,
}

#[derive(Args)]
pub(crate) struct Output {
    /// The output format [default: table]
    #[arg(short = 'o', long = "output", value_name = "FORMAT")]
    pub(crate) format: Option<Format>,
}

/// The part of a list to show.
#[derive(Args)]
pub(crate) struct Portion {
    /// The maximum number of records.
    #[arg(long, default_value_t = 50, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) limit: u32,
    /// List only records after this one, to continue a list.
    #[arg(long, value_name = "ID")]
    pub(crate) after: Option<String>,
    /// List all records.
    #[arg(long, conflicts_with = "limit")]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) output: Output,
    #[command(flatten)]
    pub(crate) org: InOrg,
}

/// The flags of `get`.
#[derive(Args)]
pub(crate) struct Single {
    #[command(flatten)]
    pub(crate) output: Output,
    #[command(flatten)]
    pub(crate) org: InOrg,
}

/// The kinds of records that are only listed and shown.
#[derive(Subcommand)]
pub(crate) enum Record {
    /// List and show plans.
    #[command(subcommand, after_help = examples::PLAN)]
    Plan(Plan),
    /// List and show subscriptions, and manage their members.
    #[command(subcommand, after_help = examples::SUBSCRIPTION)]
    Subscription(Subscription),
    /// List and show payments.
    #[command(subcommand, after_help = examples::PAYMENT)]
    Payment(RecordCommand<PaymentFilters>),
    /// List and show tax rates.
    #[command(subcommand, after_help = examples::TAX_RATE)]
    TaxRate(RecordCommand<TaxRateFilters>),
    /// List and show coupons.
    #[command(subcommand, after_help = examples::COUPON)]
    Coupon(RecordCommand<CouponFilters>),
    /// List and show meters of usage.
    #[command(subcommand, after_help = examples::METER)]
    Meter(RecordCommand<MeterFilters>),
    /// Manage features: what applications check.
    #[command(subcommand, after_help = examples::FEATURE)]
    Feature(Feature),
    /// List and show invoices, write their documents, and show the series of their numbers.
    #[command(subcommand, after_help = examples::INVOICE)]
    Invoice(Invoice),
}

#[derive(Subcommand)]
pub(crate) enum Invoice {
    /// Write the document of an issued invoice or of a credit note.
    Document(InvoiceDocument),
    #[command(flatten)]
    Record(RecordCommand<InvoiceFilters>),
    /// Show the series of numbers, or raise the next number of one.
    ///
    /// A number is never drawn twice, so a counter can only be raised.
    Series {
        /// The series whose counter is raised, such as INV or INV-2026 [default: that of the next invoice]
        #[arg(long, value_name = "SERIES", requires = "next")]
        series: Option<String>,
        /// The next number of the series.
        #[arg(long, value_name = "N")]
        next: Option<i64>,
        #[command(flatten)]
        org: InOrg,
    },
}

#[derive(Subcommand)]
pub(crate) enum Plan {
    #[command(flatten)]
    Record(RecordCommand<PlanFilters>),
    /// List the versions of a plan, newest first.
    Versions {
        /// The plan's slug or ID
        plan: String,
        #[command(flatten)]
        single: Single,
    },
}

#[derive(Subcommand)]
pub(crate) enum Subscription {
    #[command(flatten)]
    Record(RecordCommand<SubscriptionFilters>),
    /// Add, list and remove members: users who get what the subscription grants.
    #[command(subcommand, after_help = examples::MEMBER)]
    Member(Member),
}

#[derive(Subcommand)]
pub(crate) enum Member {
    /// Add a user to a subscription that has a seat left.
    Add {
        /// The subscription's ID (sub_…).
        subscription: String,
        /// The user, by ID or e-mail address.
        user: String,
        #[command(flatten)]
        org: InOrg,
    },
    /// List the members of a subscription.
    List {
        /// The subscription's ID (sub_…).
        subscription: String,
        #[command(flatten)]
        single: Single,
    },
    /// Remove a user from a subscription.
    Remove {
        /// The subscription's ID (sub_…).
        subscription: String,
        /// The user, by ID or e-mail address.
        user: String,
        #[command(flatten)]
        org: InOrg,
    },
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
    const LIST: &str = "List an organization's plans, by tier and slug by default";
    const GET: &str = "Show one plan";
    const VALUE_NAME: &str = "PLAN";
    const NAMED: &str = "The plan's slug or ID";
}

impl RecordFlags for SubscriptionFilters {
    const LIST: &str = "List an organization's subscriptions, newest first by default";
    const GET: &str = "Show one subscription";
    const VALUE_NAME: &str = "SUBSCRIPTION";
    const NAMED: &str = "The subscription's ID (sub_…)";
}

impl RecordFlags for PaymentFilters {
    const LIST: &str = "List an organization's payments, newest first. The filter by status scans all payments";
    const GET: &str = "Show one payment";
    const VALUE_NAME: &str = "PAYMENT";
    const NAMED: &str = "The payment's ID (pay_…)";
}

/// Tax rates have no filters.
#[derive(Args)]
pub(crate) struct TaxRateFilters {}

/// Coupons have no filters.
#[derive(Args)]
pub(crate) struct CouponFilters {}

/// Meters have no filters.
#[derive(Args)]
pub(crate) struct MeterFilters {}

/// The filters of invoices.
#[derive(Args)]
pub(crate) struct InvoiceFilters {
    /// Invoices of this subscription, by its ID.
    #[arg(long, value_name = "ID")]
    pub(crate) subscription: Option<String>,
    /// Invoices of this user, by its ID.
    #[arg(long, value_name = "ID")]
    pub(crate) user: Option<String>,
    /// Invoices in this status; repeat it for several.
    #[arg(long, value_name = "STATUS")]
    pub(crate) status: Vec<String>,
}

impl RecordFlags for InvoiceFilters {
    const LIST: &str = "List an organization's invoices, newest first. The filter by status scans all invoices";
    const GET: &str = "Show one invoice";
    const VALUE_NAME: &str = "INVOICE";
    const NAMED: &str = "The invoice's ID (inv_…)";
}

impl RecordFlags for TaxRateFilters {
    const LIST: &str = "List an organization's tax rates, newest first";
    const GET: &str = "Show one tax rate";
    const VALUE_NAME: &str = "TAX_RATE";
    const NAMED: &str = "The tax rate's ID (tax_…)";
}

impl RecordFlags for CouponFilters {
    const LIST: &str = "List an organization's coupons, newest first";
    const GET: &str = "Show one coupon";
    const VALUE_NAME: &str = "COUPON";
    const NAMED: &str = "The coupon's ID (cpn_…)";
}

impl RecordFlags for MeterFilters {
    const LIST: &str = "List an organization's meters, newest first";
    const GET: &str = "Show one meter";
    const VALUE_NAME: &str = "METER";
    const NAMED: &str = "The meter's slug or ID";
}

#[derive(Args)]
pub(crate) struct PlanFilters {
    /// List only active plans, or only inactive ones.
    #[arg(long, value_name = "TRUE|FALSE")]
    pub(crate) is_active: Option<bool>,
    /// The billing cycle.
    #[arg(long, value_name = "CYCLE")]
    pub(crate) billing_cycle: Option<String>,
    /// The tier.
    #[arg(long)]
    pub(crate) tier: Option<i64>,
    /// List only plans that are marked as most popular, or only the others.
    #[arg(long, value_name = "TRUE|FALSE")]
    pub(crate) most_popular: Option<bool>,
    /// The product's ID.
    #[arg(long, value_name = "PRODUCT")]
    pub(crate) product_id: Option<String>,
    /// A variant of the plan.
    #[arg(long)]
    pub(crate) variant: Option<String>,
    /// The sort order: `tier`, `price`, `name`, `created_at` or `updated_at`. Prefix with - for descending order.
    #[arg(long, default_value = "tier", value_name = "ORDER", allow_hyphen_values = true)]
    pub(crate) sort: String,
}

#[derive(Args)]
pub(crate) struct SubscriptionFilters {
    /// The user, by ID or e-mail address.
    #[arg(long)]
    pub(crate) user: Option<String>,
    /// The plan, by slug or ID.
    #[arg(long)]
    pub(crate) plan: Option<String>,
    /// The status, or several separated by commas.
    #[arg(long, value_delimiter = ',')]
    pub(crate) status: Vec<String>,
    /// List only active subscriptions, or only inactive ones.
    #[arg(long, value_name = "TRUE|FALSE")]
    pub(crate) is_active: Option<bool>,
    /// The billing cycle.
    #[arg(long, value_name = "CYCLE")]
    pub(crate) billing_cycle: Option<String>,
    /// The ID in another system.
    #[arg(long, value_name = "ID")]
    pub(crate) external_subscription_id: Option<String>,
    /// Created at this instant or later, such as 2026-01-31T00:00:00Z.
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
    /// The sort order: `created_at`, `renews_at` or `ends_at`. Prefix with - for descending order.
    #[arg(long, default_value = "-created_at", value_name = "ORDER", allow_hyphen_values = true)]
    pub(crate) sort: String,
}

#[derive(Args)]
pub(crate) struct PaymentFilters {
    /// The subscription's ID.
    #[arg(long, value_name = "ID")]
    pub(crate) subscription: Option<String>,
    /// The invoice's ID.
    #[arg(long, value_name = "ID")]
    pub(crate) invoice: Option<String>,
    /// The status, or several separated by commas.
    #[arg(long, value_delimiter = ',')]
    pub(crate) status: Vec<String>,
    /// The user who pays, by ID or e-mail address.
    #[arg(long)]
    pub(crate) user: Option<String>,
    /// The currency, such as EUR.
    #[arg(long)]
    pub(crate) currency: Option<String>,
    /// The ID in another system.
    #[arg(long, value_name = "ID")]
    pub(crate) external_payment_id: Option<String>,
    /// Created at this instant or later, such as 2026-01-31T00:00:00Z.
    #[arg(long, value_name = "INSTANT")]
    pub(crate) created_after: Option<String>,
    /// Created before this instant.
    #[arg(long, value_name = "INSTANT")]
    pub(crate) created_before: Option<String>,
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
        /// The session's ID (ses_…).
        session: String,
        #[command(flatten)]
        single: Single,
    },
}

#[derive(Args)]
pub(crate) struct SessionFilters {
    /// The user, by ID or e-mail address.
    #[arg(long)]
    pub(crate) user: Option<String>,
    /// Include ended sessions, which are stored for a month.
    #[arg(long)]
    pub(crate) ended: bool,
}
