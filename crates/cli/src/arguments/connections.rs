//! `perennial connection`.

use super::{InOrg, Portion, Single, WebhookPortion};
use clap::{Args, Subcommand};

#[derive(Subcommand)]
pub(crate) enum Connection {
    /// Add a connection. Enter its webhook path at the provider.
    Add(Box<ConnectionAdd>),
    /// List an organization's connections, newest first.
    List(Portion),
    /// Show one connection.
    Get {
        /// The connection's ID (con_…) or name.
        connection: String,
        #[command(flatten)]
        single: Single,
    },
    /// Update the settings of a connection.
    Update {
        /// The connection's ID (con_…) or name.
        connection: String,
        /// The new name.
        #[arg(long)]
        name: Option<String>,
        #[command(flatten)]
        settings: Box<ConnectionSettings>,
        #[command(flatten)]
        org: InOrg,
    },
    /// Enable a connection. What waits is applied.
    Enable {
        /// The connection's ID (con_…) or name.
        connection: String,
        #[command(flatten)]
        org: InOrg,
    },
    /// Disable a connection. Its webhooks are rejected, and its records can be changed here.
    Disable {
        /// The connection's ID (con_…) or name.
        connection: String,
        #[command(flatten)]
        org: InOrg,
    },
    /// Check the API key. The exit code is 1 if a permission is missing.
    Check {
        /// The connection's ID (con_…) or name.
        connection: String,
        #[command(flatten)]
        org: InOrg,
    },
    /// Replace the API key or the webhook secret. The previous webhook secret stays valid until it is dropped.
    Rotate {
        /// The connection's ID (con_…) or name.
        connection: String,
        /// The file with the new API key; `-` is standard input.
        #[arg(long, value_name = "FILE")]
        api_key_file: Option<String>,
        /// The file with the new webhook secret; `-` is standard input.
        #[arg(long, value_name = "FILE")]
        webhook_secret_file: Option<String>,
        /// Drop the previous webhook secret.
        #[arg(long)]
        drop_previous: bool,
        #[command(flatten)]
        org: InOrg,
    },
    /// List the newest received webhooks, and what became of each.
    Inbox {
        /// The connection's ID (con_…) or name.
        connection: String,
        /// Only webhooks in this state: `waiting`, `applied`, `unchanged`, `ignored` or `failed`.
        #[arg(long)]
        state: Option<String>,
        #[command(flatten)]
        portion: WebhookPortion,
    },
    /// Apply failed webhooks again, or one webhook.
    Retry {
        /// The connection's ID (con_…) or name.
        connection: String,
        /// The key of one webhook.
        #[arg(long, value_name = "KEY")]
        event: Option<String>,
        #[command(flatten)]
        org: InOrg,
    },
    /// Remove a connection with its secrets, links and received webhooks.
    Remove {
        /// The connection's ID (con_…) or name.
        connection: String,
        /// Clear `managed_by` of its subscriptions first.
        #[arg(long)]
        release: bool,
        #[command(flatten)]
        org: InOrg,
    },
}

/// A new connection.
#[derive(Args)]
pub(crate) struct ConnectionAdd {
    /// The payment provider: `stripe`, `lemon-squeezy` or `paddle`.
    #[arg(value_parser = ["stripe", "lemon-squeezy", "paddle"])]
    pub(crate) kind: String,
    /// The name, unique in the organization.
    #[arg(long)]
    pub(crate) name: String,
    /// The file with the API key; `-` is standard input.
    #[arg(long, value_name = "FILE")]
    pub(crate) api_key_file: String,
    /// The file with the webhook secret; `-` is standard input.
    #[arg(long, value_name = "FILE")]
    pub(crate) webhook_secret_file: String,
    #[command(flatten)]
    pub(crate) settings: ConnectionSettings,
    #[command(flatten)]
    pub(crate) org: InOrg,
}

/// The settings of a connection.
#[derive(Args)]
pub(crate) struct ConnectionSettings {
    /// Whether the account's objects are real: live or test [default: live]
    #[arg(long)]
    pub(crate) mode: Option<String>,
    /// The ID of the Stripe account or the Lemon Squeezy store. Webhooks of others are ignored.
    #[arg(long, value_name = "ID")]
    pub(crate) account: Option<String>,
    /// Where requests are sent [default: the provider's host for the mode]
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// What follows from a difference: repair or alert [default: repair]
    #[arg(long)]
    pub(crate) drift: Option<String>,
    /// Whether payments are collected (Stripe only).
    #[arg(long, value_name = "TRUE|FALSE", num_args = 0..=1, default_missing_value = "true")]
    pub(crate) collect: Option<bool>,
    /// The most requests in a minute, of all servers together: 1 to 6,000 [default: 600 for Stripe, else 60]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..=6_000))]
    pub(crate) requests_per_minute: Option<i64>,
    /// Whether requests may go to private addresses.
    #[arg(long, value_name = "TRUE|FALSE", num_args = 0..=1, default_missing_value = "true")]
    pub(crate) allow_private_addresses: Option<bool>,
    /// Whether requests may be sent without TLS.
    #[arg(long, value_name = "TRUE|FALSE", num_args = 0..=1, default_missing_value = "true")]
    pub(crate) allow_http: Option<bool>,
}

#[cfg(test)]
mod tests {
    use crate::arguments::Arguments;
    use clap::Parser;

    #[test]
    fn every_command_of_the_guide_is_valid() {
        let guide = include_str!("../../../../docs/providers.md");
        let commands: Vec<&str> = guide.lines().filter(|line| line.starts_with("perennial ")).collect();
        for kind in ["stripe", "lemon-squeezy", "paddle"] {
            assert!(
                commands.iter().any(|line| line.starts_with(&format!("perennial connection add {kind} "))),
                "{kind}"
            );
        }
        for command in commands {
            let parsed = Arguments::try_parse_from(command.split_whitespace());
            assert!(parsed.is_ok(), "{command}: {}", parsed.err().map(|error| error.to_string()).unwrap_or_default());
        }
    }
}
