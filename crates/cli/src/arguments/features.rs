//! `perennial feature`.

use super::{InOrg, RecordCommand, RecordFlags};
use clap::{Args, Subcommand};

#[derive(Subcommand)]
pub(crate) enum Feature {
    #[command(flatten)]
    Record(RecordCommand<FeatureFilters>),
    /// Create a feature.
    Create(Box<FeatureCreate>),
    /// Update a feature. The key, the kind, the meter and the period cannot be changed.
    Update(Box<FeatureUpdate>),
}

#[derive(Args)]
pub(crate) struct FeatureFilters {
    /// The kind: `boolean`, `limit` or `quota`.
    #[arg(long)]
    pub(crate) kind: Option<String>,
    /// List only active features, or only inactive ones.
    #[arg(long, value_name = "TRUE|FALSE")]
    pub(crate) is_active: Option<bool>,
}

impl RecordFlags for FeatureFilters {
    const LIST: &str = "List an organization's features, by key";
    const GET: &str = "Show one feature";
    const VALUE_NAME: &str = "FEATURE";
    const NAMED: &str = "The feature's key or ID";
}

#[derive(Args)]
pub(crate) struct FeatureCreate {
    /// The key in grants and checks.
    #[arg(long)]
    pub(crate) key: String,
    /// The name shown to people.
    #[arg(long)]
    pub(crate) name: String,
    /// The kind: `boolean`, `limit` or `quota`.
    #[arg(long)]
    pub(crate) kind: String,
    /// The meter of a quota, by slug or ID.
    #[arg(long)]
    pub(crate) meter: Option<String>,
    /// The period of a quota: `billing` (default), `day`, `month`, `year` or `ever`.
    #[arg(long)]
    pub(crate) period: Option<String>,
    #[command(flatten)]
    pub(crate) values: FeatureValues,
    #[command(flatten)]
    pub(crate) org: InOrg,
}

#[derive(Args)]
pub(crate) struct FeatureUpdate {
    /// The feature's key or ID.
    pub(crate) feature: String,
    /// The name shown to people.
    #[arg(long)]
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) values: FeatureValues,
    #[command(flatten)]
    pub(crate) org: InOrg,
}

/// The fields that a create and an update share.
#[derive(Args)]
pub(crate) struct FeatureValues {
    /// The description.
    #[arg(long)]
    pub(crate) description: Option<String>,
    /// How the values of several subscriptions become one: `any`, `max` or `sum`.
    #[arg(long)]
    pub(crate) combine: Option<String>,
    /// Whether a number is multiplied by the quantity of the subscription.
    #[arg(long, value_name = "TRUE|FALSE")]
    pub(crate) per_unit: Option<bool>,
    /// Whether the feature is granted to users.
    #[arg(long, value_name = "TRUE|FALSE")]
    pub(crate) is_active: Option<bool>,
}
