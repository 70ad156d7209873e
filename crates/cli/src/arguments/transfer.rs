//! The flags of what goes in and out: demos.

use super::Serve;
use clap::Args;

#[derive(Args)]
pub(crate) struct Serving {
    #[command(flatten)]
    pub(crate) flags: Serve,
    /// Fill an empty store with a year of made-up data first
    #[arg(long)]
    pub(crate) demo: bool,
}

#[derive(Args)]
pub(crate) struct Demo {
    /// Another seed makes other people, subscriptions and payments.
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub(crate) seed: u64,
    /// How large it is: 1 is the usual size, 0.1 a tenth, 50 a million subscriptions.
    #[arg(long, default_value = "1", value_name = "X")]
    pub(crate) scale: String,
    /// When its year ends, as 2026-11-15T00:00:00Z [default: today]
    #[arg(long, value_name = "INSTANT")]
    pub(crate) until: Option<String>,
}
