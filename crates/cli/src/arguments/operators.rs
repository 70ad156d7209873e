//! `perennial operator` and `perennial console`.

use super::{InOrg, Portion, Single};
use clap::{Args, Subcommand, ValueEnum};
use perennial_app::operators;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Role {
    /// Read everything.
    Viewer,
    /// Also change subscriptions, payments, users and invoices.
    Support,
    /// Also change everything else.
    Admin,
}

impl Role {
    pub(crate) const fn role(self) -> operators::Role {
        match self {
            Self::Viewer => operators::Role::Viewer,
            Self::Support => operators::Role::Support,
            Self::Admin => operators::Role::Admin,
        }
    }
}

#[derive(Subcommand)]
pub(crate) enum Operator {
    /// Create an operator. It signs in with a link of `perennial operator link`.
    Create {
        /// The name, unique in the organization.
        #[arg(long)]
        name: String,
        /// The role: a set of scopes.
        #[arg(long)]
        role: Role,
        #[command(flatten)]
        org: InOrg,
    },
    /// List an organization's operators, newest first.
    List(Portion),
    /// Show one operator.
    Get {
        /// The operator's ID (op_…) or name.
        operator: String,
        #[command(flatten)]
        single: Single,
    },
    /// Update an operator's name or role, or disable or enable it. Disabling ends all its sessions.
    Update {
        /// The operator's ID (op_…) or name.
        operator: String,
        #[command(flatten)]
        change: OperatorChange,
        #[command(flatten)]
        org: InOrg,
    },
    /// Delete an operator and end all its sessions.
    Delete {
        /// The operator's ID (op_…) or name.
        operator: String,
        #[command(flatten)]
        org: InOrg,
    },
    /// List an operator's live sessions, newest first, or end one of them.
    Sessions {
        /// The operator's ID (op_…) or name.
        operator: String,
        /// End this session (ops_…) at once on every server.
        #[arg(long, value_name = "SESSION")]
        end: Option<String>,
        #[command(flatten)]
        org: InOrg,
    },
    /// Print a one-time link that signs the operator in within ten minutes.
    Link {
        /// The operator's ID (op_…) or name.
        operator: String,
        /// The URL of the console [default: `public_url`, else the listen address]
        #[arg(long, value_name = "BASE")]
        url: Option<String>,
        #[command(flatten)]
        org: InOrg,
    },
}

#[derive(Args)]
#[group(required = true, multiple = true)]
pub(crate) struct OperatorChange {
    /// The name, unique in the organization.
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// The role: a set of scopes.
    #[arg(long)]
    pub(crate) role: Option<Role>,
    /// Whether the operator may sign in.
    #[arg(long, value_name = "TRUE|FALSE")]
    pub(crate) is_active: Option<bool>,
}

#[derive(Subcommand)]
pub(crate) enum Console {
    /// Print a one-time link to the console, alone on standard output. The link works once, for ten minutes.
    ///
    /// An operator that does not exist is created. The link is a credential: it is not logged, and it must not be shared.
    Open(ConsoleOpen),
}

#[derive(Args)]
pub(crate) struct ConsoleOpen {
    /// The operator's name.
    #[arg(long, default_value = "admin", value_name = "NAME")]
    pub(crate) operator: String,
    /// The role of an operator that does not exist yet [default: admin]
    #[arg(long)]
    pub(crate) role: Option<Role>,
    /// The URL of the console [default: `public_url`, else the listen address]
    #[arg(long, value_name = "BASE")]
    pub(crate) url: Option<String>,
    /// Open the link in the browser of this machine instead.
    #[arg(long)]
    pub(crate) browser: bool,
    #[command(flatten)]
    pub(crate) org: InOrg,
}
