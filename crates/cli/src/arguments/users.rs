//! The flags of `perennial user create|update|list`. They have the API's names and read what the API reads.

use super::InOrg;
use clap::{Args, ValueEnum};

/// What is stored of a user in addition to the address.
#[derive(Args)]
pub(crate) struct ProfileFlags {
    /// The user name.
    #[arg(long, value_name = "NAME")]
    pub(crate) username: Option<String>,
    /// The given name.
    #[arg(long, value_name = "NAME")]
    pub(crate) first_name: Option<String>,
    /// The family name.
    #[arg(long, value_name = "NAME")]
    pub(crate) last_name: Option<String>,
    /// Whether the user agreed to the terms.
    #[arg(long, value_name = "TRUE|FALSE")]
    pub(crate) terms: Option<bool>,
    /// Whether the user wants notifications.
    #[arg(long, value_name = "TRUE|FALSE")]
    pub(crate) notifications: Option<bool>,
    /// How the user signs up.
    #[arg(long, value_name = "TYPE")]
    pub(crate) auth_type: Option<String>,
}

#[derive(Args)]
pub(crate) struct UserUpdate {
    /// The user's ID (usr_…) or e-mail address.
    pub(crate) user: String,
    /// The new e-mail address.
    #[arg(long)]
    pub(crate) email: Option<String>,
    #[command(flatten)]
    pub(crate) profile: ProfileFlags,
    /// The fields to empty. Repeat the option or separate fields with commas.
    #[arg(long, value_name = "FIELD", value_delimiter = ',', num_args = 1..)]
    pub(crate) clear: Vec<ProfileField>,
    #[command(flatten)]
    pub(crate) org: InOrg,
}

/// A field of a user that can be empty.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum ProfileField {
    Username,
    FirstName,
    LastName,
    Terms,
    Notifications,
    AuthType,
}

#[derive(Args)]
pub(crate) struct UserFilters {
    /// The user with this e-mail address.
    #[arg(long)]
    pub(crate) email: Option<String>,
    /// Users whose e-mail address begins with this, sorted by address. At least 3 characters.
    #[arg(long, value_name = "TEXT", conflicts_with = "sort")]
    pub(crate) email_prefix: Option<String>,
    /// Users with this ID at their identity provider.
    #[arg(long, value_name = "ID")]
    pub(crate) auth_id: Option<String>,
    /// Created at this instant or later, such as 2026-01-31T00:00:00Z.
    #[arg(long, value_name = "INSTANT")]
    pub(crate) created_after: Option<String>,
    /// Created before this instant.
    #[arg(long, value_name = "INSTANT")]
    pub(crate) created_before: Option<String>,
    /// The sort order: `created_at`. Prefix with - for descending order.
    #[arg(long, default_value = "-created_at", value_name = "ORDER", allow_hyphen_values = true)]
    pub(crate) sort: String,
}
