//! The flags of `listen` and `trigger`.

use super::InOrg;
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Listen {
    /// The URL that receives the events.
    #[arg(long, value_name = "URL")]
    pub(crate) forward_to: String,
    /// The types of events, separated by commas, such as payment.created or subscription.* [default: all]
    #[arg(long, value_name = "TYPES")]
    pub(crate) types: Option<String>,
    /// The age of the first event, such as 30s, 10m, 2h or 1d. A stored position takes precedence [default: newest]
    #[arg(long, value_name = "AGE")]
    pub(crate) since: Option<String>,
    /// The URL of the server.
    #[arg(long, env = "PERENNIAL_URL", value_name = "URL", default_value = "http://127.0.0.1:8080")]
    pub(crate) api: String,
    /// The file with the client ID [default: the environment variable `PERENNIAL_CLIENT_ID`]
    #[arg(long, value_name = "FILE")]
    pub(crate) client_id_file: Option<PathBuf>,
    /// The file that stores the secret and the position.
    #[arg(long, value_name = "FILE", default_value = super::LISTEN_STATE)]
    pub(crate) state: PathBuf,
}

#[derive(Args)]
pub(crate) struct Trigger {
    /// The type of the event, such as payment.created.
    #[arg(value_name = "TYPE")]
    pub(crate) event_type: String,
    /// The URL that receives the event.
    #[arg(long, value_name = "URL", required_unless_present = "endpoint")]
    pub(crate) to: Option<String>,
    /// The file with the secret (whsec_…) that signs the event [default: the secret in ./perennial-listen.json]
    #[arg(long, value_name = "FILE")]
    pub(crate) secret_file: Option<PathBuf>,
    /// The webhook endpoint (hook_…) of this store that receives the event, signed with its secrets. Stores the attempt.
    #[arg(long, value_name = "ENDPOINT", conflicts_with_all = ["to", "secret_file"])]
    pub(crate) endpoint: Option<String>,
    #[command(flatten)]
    pub(crate) org: InOrg,
}
