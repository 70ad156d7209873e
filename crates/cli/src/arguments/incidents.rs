//! The flags of the commands for incidents: revoke, relink, change a client, rotate keys.

use super::InOrg;
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Args)]
#[command(group = clap::ArgGroup::new("which").required(true).args(["session", "user"]))]
pub(crate) struct SessionRevoke {
    /// The session's ID (ses_…).
    pub(crate) session: Option<String>,
    /// The user whose sessions all end, by ID (usr_…) or e-mail address.
    #[arg(long, visible_alias = "email")]
    pub(crate) user: Option<String>,
    #[command(flatten)]
    pub(crate) org: InOrg,
}

#[derive(Args)]
#[command(group = clap::ArgGroup::new("which").required(true).args(["user", "file"]))]
pub(crate) struct Relink {
    /// The user, by ID (usr_…) or e-mail address.
    #[arg(long, requires_all = ["issuer", "subject"])]
    pub(crate) user: Option<String>,
    /// The identity provider's issuer, exactly as its tokens name it in `iss`.
    #[arg(long, conflicts_with = "file")]
    pub(crate) issuer: Option<String>,
    /// The user's ID at that provider, exactly as its tokens name it in `sub`.
    #[arg(long, conflicts_with = "file")]
    pub(crate) subject: Option<String>,
    /// A CSV or NDJSON file of users and identities.
    #[arg(long)]
    pub(crate) file: Option<PathBuf>,
    /// Report the changes without making them.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Accept an issuer that is not an identity provider of the organization.
    #[arg(long)]
    pub(crate) allow_unknown_issuer: bool,
    #[command(flatten)]
    pub(crate) org: InOrg,
}

#[derive(Args)]
pub(crate) struct ClientUpdate {
    /// The client's record ID (cli_…) or name.
    pub(crate) client: String,
    #[command(flatten)]
    pub(crate) change: ClientChange,
    #[command(flatten)]
    pub(crate) org: InOrg,
}

#[derive(Args)]
#[group(required = true, multiple = true)]
pub(crate) struct ClientChange {
    /// The scopes. Repeat the option or separate scopes with commas.
    #[arg(long = "scope", value_delimiter = ',', num_args = 1..)]
    pub(crate) scopes: Vec<String>,
    /// The origins of a public client's pages, such as `https://app.example.com`.
    #[arg(long = "origin", value_delimiter = ',', num_args = 1..)]
    pub(crate) origins: Vec<String>,
    /// Remove all origins of a public client.
    #[arg(long, conflicts_with = "origins")]
    pub(crate) no_origins: bool,
    /// The ranges that a trusted client may call from, such as 10.0.0.0/8.
    #[arg(long = "cidr", value_delimiter = ',', num_args = 1..)]
    pub(crate) cidrs: Vec<String>,
    /// Let a trusted client call from any address.
    #[arg(long, conflicts_with = "cidrs")]
    pub(crate) no_cidrs: bool,
    /// When the client expires, such as 2027-01-01T00:00:00Z.
    #[arg(long)]
    pub(crate) expires_at: Option<String>,
    /// Remove the expiry.
    #[arg(long, conflicts_with = "expires_at")]
    pub(crate) no_expiry: bool,
}

#[derive(Subcommand)]
pub(crate) enum Keys {
    /// Create a signing key now instead of after 30 days.
    ///
    /// The new key is published within 5 seconds and signs after a minute. Access tokens signed with the previous keys stay
    /// valid until they expire, at most an hour later. Entitlement tokens stay valid for up to 30 days. Needs the master key.
    Rotate {
        /// Remove the previous keys: all access tokens issued so far are rejected within 5 seconds. Applications refresh
        /// them; users do not have to sign in again.
        #[arg(long)]
        revoke_old: bool,
    },
}
