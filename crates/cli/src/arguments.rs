//! The command line: every command and flag. A flag beats its environment variable, which beats the file.

mod configuration;
mod examples;
mod incidents;
mod providers;
mod records;
mod transfer;

pub(crate) use configuration::Configuration;
pub(crate) use incidents::{ClientUpdate, Keys, Relink, SessionRevoke};
pub(crate) use providers::{Identity, Provider, ProviderAdd};
pub(crate) use records::{
    Format, PaymentFilters, PlanFilters, Portion, Record, RecordCommand, RecordFlags, Session, SessionFilters, Single,
    SubscriptionFilters,
};
pub(crate) use transfer::{Copying, Demo, Export, From, Import, LineFormat, Serving, Transfer};

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::net::SocketAddr;
use std::path::PathBuf;

/// Subscription management that a team runs itself.
#[derive(Parser)]
#[command(name = "perennial", version, disable_help_subcommand = true, after_help = examples::PERENNIAL)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) place: Place,
    /// Print one JSON object and nothing else.
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

/// Where the store is.
#[derive(Args)]
pub(crate) struct Place {
    /// The configuration file [default: ./perennial.toml if it exists]
    #[arg(long, global = true, env = "PERENNIAL_CONFIG", value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Where the SQLite store and the keys are [default: ./data]
    #[arg(long, global = true, env = "PERENNIAL_DATA_DIR", value_name = "DIRECTORY")]
    pub(crate) data_dir: Option<PathBuf>,
    /// A PostgreSQL database to use instead of SQLite
    #[arg(long, global = true, env = "PERENNIAL_DATABASE_URL", value_name = "URL", hide_env_values = true)]
    pub(crate) database_url: Option<String>,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run the service.
    ///
    /// Without any setting it listens on 127.0.0.1:8080 and keeps everything in ./data. The first run makes an
    /// organization with two clients and tells their ids.
    #[command(after_help = examples::SERVE)]
    Serve(Serving),
    #[command(flatten)]
    Transfer(Transfer),
    /// Bring the store's schema to this version.
    #[command(after_help = "Examples:\n  perennial migrate\n  perennial migrate --json")]
    Migrate,
    /// Backups of a SQLite store, while the server runs.
    #[command(subcommand, after_help = examples::BACKUP)]
    Backup(Backup),
    /// Give the space of removed rows back to the file system. SQLite only, and no server may be running.
    ///
    /// The store is written anew next to itself, verified and put in its place. This needs free space of the size of
    /// the rows, in the data directory. If it is interrupted, the store stays as it was.
    #[command(after_help = examples::COMPACT)]
    Compact,
    /// Organizations: the tenants.
    #[command(subcommand, after_help = examples::ORG)]
    Org(Org),
    /// Clients: the applications that may call.
    #[command(subcommand, after_help = examples::CLIENT)]
    Client(Client),
    /// Manage the keys that sign access tokens.
    #[command(subcommand, after_help = examples::KEYS)]
    Keys(Keys),
    /// Users: the people who subscribe.
    #[command(subcommand, after_help = examples::USER)]
    User(User),
    /// Sessions: where people are signed in.
    #[command(subcommand, after_help = examples::SESSION)]
    Session(Session),
    #[command(flatten)]
    Record(Record),
    /// Identity providers: whose word counts on who somebody is.
    #[command(subcommand, after_help = examples::PROVIDER)]
    Provider(Provider),
    /// Identities of the `local` provider, for development.
    #[command(subcommand, after_help = examples::IDENTITY)]
    Identity(Identity),
    /// Events: what changed, when, and by whom.
    #[command(subcommand, after_help = examples::EVENTS)]
    Events(Events),
    /// The configuration: what it is, whether it is right, what it may say.
    #[command(subcommand, after_help = examples::CONFIG)]
    Config(Configuration),
    /// Print the completions of a shell.
    #[command(after_help = examples::COMPLETIONS)]
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write the pages of all commands.
    #[command(after_help = examples::MAN)]
    Man {
        /// Write a page for each command into this directory.
        #[arg(long, value_name = "DIRECTORY")]
        out: Option<PathBuf>,
    },
    /// Look at everything a server stands on and say what is wrong. Nothing is changed.
    ///
    /// Takes the flags and the environment of `serve`, and works beside a server. Each line is ok, a warning or a
    /// problem, with what to do about it. The exit code is 0 if nothing is a problem and 1 otherwise.
    #[command(after_help = examples::DOCTOR)]
    Doctor(Serve),
    /// Print the OpenAPI document.
    #[command(hide = true)]
    Openapi,
    /// Print the error catalogue.
    #[command(hide = true)]
    Errors,
}

#[derive(Args, Default)]
pub(crate) struct Serve {
    /// Where to listen [default: 127.0.0.1:8080]
    #[arg(long, env = "PERENNIAL_LISTEN", value_name = "ADDRESS")]
    pub(crate) listen: Option<SocketAddr>,
    /// Where to answer /metrics [default: 127.0.0.1 on the next port]
    #[arg(long, env = "PERENNIAL_METRICS_LISTEN", value_name = "ADDRESS")]
    pub(crate) metrics_listen: Option<SocketAddr>,
    /// Where the world reaches this service: the issuer of its tokens [default: a name kept in the store]
    #[arg(long, env = "PERENNIAL_PUBLIC_URL", value_name = "URL")]
    pub(crate) public_url: Option<String>,
    /// How long to go on serving, and to say no at /readyz, between the signal to stop and stopping [default: 0]
    #[arg(long, env = "PERENNIAL_STOP_DELAY_SECONDS", value_name = "SECONDS")]
    pub(crate) stop_delay_seconds: Option<u16>,
}

#[derive(Subcommand)]
pub(crate) enum Backup {
    /// Copy the store, as it is at this moment, to a new file. The master key is not in it: keep that elsewhere.
    Create {
        /// The file to make.
        file: PathBuf,
    },
    /// Read a backup from end to end and tell what is in it.
    Verify {
        /// The backup.
        file: PathBuf,
    },
    /// Make a backup the store of the data directory, where no server may be running.
    Restore {
        /// The backup.
        file: PathBuf,
        /// Do so although there is a store; that one is kept as `perennial.db.replaced`.
        #[arg(long)]
        replace: bool,
    },
}

#[derive(Subcommand)]
pub(crate) enum Org {
    /// Create an organization.
    Create {
        /// Its name.
        #[arg(long)]
        name: String,
        /// The currency of plans that name none.
        #[arg(long, default_value = "USD")]
        currency: String,
        /// How many sessions a user should have at most; the list of sessions says when there are more.
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        max_sessions: Option<u32>,
    },
    /// Change an organization.
    Update {
        /// The organization, by name or id.
        #[arg(value_name = "ORGANIZATION")]
        org: String,
        #[command(flatten)]
        change: OrgChange,
    },
    /// List the organizations.
    List,
    /// Delete an organization with its clients, users, plans, subscriptions, payments and events.
    ///
    /// Clients stop working within 5 seconds and sessions end. Only the event `organization.deleted` remains, which you can
    /// read with `perennial events list --org ID`. This cannot be undone. Run the command again if it was interrupted.
    Delete {
        /// The organization, by name or id.
        #[arg(value_name = "ORGANIZATION")]
        org: String,
        /// Do not ask for the organization's name on standard input.
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Args)]
#[group(required = true, multiple = false)]
pub(crate) struct OrgChange {
    /// How many sessions a user should have at most.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_sessions: Option<u32>,
    /// No bound on a user's sessions.
    #[arg(long)]
    pub(crate) no_max_sessions: bool,
}

#[derive(Subcommand)]
pub(crate) enum Client {
    /// Create a client. A trusted client's id is a credential: it is shown this once.
    Create(ClientCreate),
    /// List an organization's clients.
    List {
        #[command(flatten)]
        org: InOrg,
    },
    /// Switch a client off, on every server within seconds.
    Disable {
        /// The client's record id (cli_…) or its name.
        client: String,
        #[command(flatten)]
        org: InOrg,
    },
    /// Enable a client that was disabled, on every server within seconds.
    Enable {
        /// The client's record id (cli_…) or its name.
        client: String,
        #[command(flatten)]
        org: InOrg,
    },
    /// Change a client's scopes, origins, CIDRs or expiry, on every server within seconds.
    ///
    /// Each option replaces the stored list. What you do not name stays as it is.
    Update(ClientUpdate),
    /// Give a trusted client a new id; the old one stops working within seconds.
    Rotate {
        /// The client's record id (cli_…) or its name.
        client: String,
        #[command(flatten)]
        org: InOrg,
    },
}

#[derive(Args)]
pub(crate) struct ClientCreate {
    /// What people call it.
    #[arg(long)]
    pub(crate) name: String,
    /// Public: runs in browsers, its id is no secret. Trusted: runs on servers, its id is a credential.
    #[arg(long)]
    pub(crate) kind: Kind,
    /// What it may do: auth, plans:read, plans:write, subscriptions:read … Give it several times or with commas.
    #[arg(long = "scope", required = true, value_delimiter = ',', num_args = 1..)]
    pub(crate) scopes: Vec<String>,
    /// The id it presents; made unless given.
    #[arg(long)]
    pub(crate) client_id: Option<String>,
    /// Where a public client's pages come from, such as `https://app.example.com` or `http://localhost:*`.
    #[arg(long = "origin", value_delimiter = ',', num_args = 1..)]
    pub(crate) origins: Vec<String>,
    /// Where a trusted client may call from, such as 10.0.0.0/8; anywhere unless given.
    #[arg(long = "cidr", value_delimiter = ',', num_args = 1..)]
    pub(crate) cidrs: Vec<String>,
    /// When it stops working, as 2027-01-01T00:00:00Z.
    #[arg(long)]
    pub(crate) expires_at: Option<String>,
    #[command(flatten)]
    pub(crate) org: InOrg,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Kind {
    Public,
    Trusted,
}

#[derive(Subcommand)]
pub(crate) enum User {
    /// Create a user without an identity; the first sign-up with this address claims it.
    Create {
        /// The e-mail address.
        #[arg(long)]
        email: String,
        #[command(flatten)]
        org: InOrg,
    },
    /// List an organization's users, newest first.
    List(Portion),
    /// Show one user.
    Get {
        /// The user's id (usr_…) or e-mail address.
        user: String,
        #[command(flatten)]
        single: Single,
    },
    /// Block a user: end all sessions at once and refuse sign-in, sign-up and refresh.
    ///
    /// Subscriptions stay as they are.
    Block {
        /// The user's id (usr_…) or e-mail address.
        user: String,
        #[command(flatten)]
        org: InOrg,
    },
    /// Unblock a user, who can then sign in again.
    Unblock {
        /// The user's id (usr_…) or e-mail address.
        user: String,
        #[command(flatten)]
        org: InOrg,
    },
    /// Erase a user: remove all personal data and sessions, and cancel the subscriptions.
    ///
    /// Does what `delete-my-account` does, also for a user without an identity. Payments stay, without a name. This cannot
    /// be undone.
    Erase {
        /// The user's id (usr_…) or e-mail address.
        user: String,
        #[command(flatten)]
        org: InOrg,
    },
    /// Link users to other identities, one user or all users of a file, in one transaction.
    ///
    /// Use it when an organization moves to another identity provider: a user is known by issuer and subject, so no user
    /// could sign in otherwise. Sessions stay valid. The file is CSV with the header `user,issuer,subject`, or one JSON
    /// object with these members per line; `user` is an id or an e-mail address.
    Relink(Relink),
}

#[derive(Subcommand)]
pub(crate) enum Events {
    /// List an organization's events, newest first.
    List {
        /// At most so many.
        #[arg(long, default_value_t = 50)]
        limit: u16,
        /// Only those before this event (evt_…).
        #[arg(long)]
        before: Option<String>,
        #[command(flatten)]
        org: InOrg,
    },
    /// Remove an organization's events older than an instant.
    Prune {
        /// The instant, as 2026-01-31T00:00:00Z.
        #[arg(long)]
        before: String,
        #[command(flatten)]
        org: InOrg,
    },
}

/// Which organization a command is about.
#[derive(Args)]
pub(crate) struct InOrg {
    /// The organization, by name or id.
    #[arg(long, default_value = "default", value_name = "ORGANIZATION")]
    pub(crate) org: String,
}
