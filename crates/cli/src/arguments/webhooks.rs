//! `perennial webhook`.

use super::{InOrg, Portion, Single};
use clap::{Args, Subcommand};

#[derive(Subcommand)]
pub(crate) enum Webhook {
    /// Create an endpoint. The secret that verifies its requests is printed only here.
    Create {
        /// The URL that events are sent to.
        #[arg(long)]
        url: String,
        #[command(flatten)]
        settings: WebhookSettings,
        /// How requests are signed: hmac or ed25519 [default: hmac]
        #[arg(long)]
        signature: Option<String>,
        #[command(flatten)]
        org: InOrg,
    },
    /// List an organization's endpoints, newest first.
    List(Portion),
    /// Show one endpoint.
    Get {
        /// The endpoint's ID (hook_…).
        endpoint: String,
        #[command(flatten)]
        single: Single,
    },
    /// Update an endpoint. A new URL and `--active true` send at once.
    Update {
        /// The endpoint's ID (hook_…).
        endpoint: String,
        /// The URL that events are sent to.
        #[arg(long)]
        url: Option<String>,
        #[command(flatten)]
        settings: WebhookSettings,
        #[command(flatten)]
        org: InOrg,
    },
    /// Delete an endpoint and erase its secrets.
    Delete {
        /// The endpoint's ID (hook_…).
        endpoint: String,
        #[command(flatten)]
        org: InOrg,
    },
    /// Add a secret, which is printed only here. Old ones continue to sign until the overlap ends.
    RotateSecret {
        /// The endpoint's ID (hook_…).
        endpoint: String,
        /// How long old secrets continue to sign, in seconds.
        #[arg(long, default_value_t = 86_400, value_name = "SECONDS", value_parser = clap::value_parser!(i64).range(0..=604_800))]
        overlap_seconds: i64,
        #[command(flatten)]
        org: InOrg,
    },
    /// Send a sample now, also to a disabled endpoint. The exit code is 1 if it fails.
    Ping {
        /// The endpoint's ID (hook_…).
        endpoint: String,
        /// The type of the sample.
        #[arg(long = "type", default_value = "webhook.ping", value_name = "TYPE")]
        event_type: String,
        #[command(flatten)]
        org: InOrg,
    },
    /// Send one event again, even if it was delivered, or all undelivered events of a time.
    Retry {
        /// The endpoint's ID (hook_…).
        endpoint: String,
        #[command(flatten)]
        what: WebhookRetry,
        #[command(flatten)]
        org: InOrg,
    },
    /// Continue at another position of the feed, and drop waiting retries.
    Seek {
        /// The endpoint's ID (hook_…).
        endpoint: String,
        /// `oldest`, `newest`, or a time: the first event that entered the feed at or after it.
        #[arg(long)]
        to: String,
        #[command(flatten)]
        org: InOrg,
    },
    /// List the newest attempts to deliver events.
    Attempts {
        /// The endpoint's ID (hook_…).
        endpoint: String,
        /// Only attempts for this event (evt_…).
        #[arg(long, value_name = "EVENT")]
        event: Option<String>,
        /// Only attempts with this outcome: `succeeded` or `failed`.
        #[arg(long)]
        outcome: Option<String>,
        #[command(flatten)]
        portion: WebhookPortion,
    },
    /// List the oldest undelivered events.
    Undelivered {
        /// The endpoint's ID (hook_…).
        endpoint: String,
        /// Only events in this state: `waiting` or `given_up`.
        #[arg(long)]
        state: Option<String>,
        #[command(flatten)]
        portion: WebhookPortion,
    },
}

/// The settings of an endpoint.
#[derive(Args)]
pub(crate) struct WebhookSettings {
    /// What the endpoint is for.
    #[arg(long)]
    pub(crate) description: Option<String>,
    /// The event types to send, separated by commas, such as `payment.created`, `payment.*` or `*`.
    #[arg(long, value_delimiter = ',', value_name = "TYPES")]
    pub(crate) types: Option<Vec<String>>,
    /// How much of a record is sent: full or thin.
    #[arg(long)]
    pub(crate) payload: Option<String>,
    /// Whether events are sent.
    #[arg(long, value_name = "TRUE|FALSE")]
    pub(crate) active: Option<bool>,
}

/// What to send again.
#[derive(Args)]
#[group(required = true, multiple = true)]
pub(crate) struct WebhookRetry {
    /// One event (evt_…).
    #[arg(long, value_name = "EVENT", conflicts_with_all = ["since", "until"])]
    pub(crate) event: Option<String>,
    /// Undelivered events that entered the feed at or after this time.
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// With --since: and before this time.
    #[arg(long, value_name = "TIME", requires = "since")]
    pub(crate) until: Option<String>,
}

/// The part of a list to show.
#[derive(Args)]
pub(crate) struct WebhookPortion {
    /// The maximum number of records.
    #[arg(long, default_value_t = 50, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1_000))]
    pub(crate) limit: u16,
    #[command(flatten)]
    pub(crate) single: Single,
}
