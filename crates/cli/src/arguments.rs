//! The command line: every command and flag. A flag overrides its environment variable, which overrides the file.

mod analytics;
mod configuration;
mod connections;
mod consumers;
mod examples;
mod features;
mod incidents;
mod lifecycle;
mod operators;
mod providers;
mod records;
mod transfer;
mod users;
mod webhooks;

pub(crate) use analytics::Analytics;
pub(crate) use configuration::Configuration;
pub(crate) use connections::{Connection, ConnectionAdd, ConnectionSettings};
pub(crate) use consumers::{Listen, Trigger};
pub(crate) use features::{Feature, FeatureCreate, FeatureFilters, FeatureUpdate, FeatureValues};
pub(crate) use incidents::{ClientUpdate, Keys, Relink, SessionRevoke};
pub(crate) use lifecycle::{Lifecycle, TestClock};
pub(crate) use operators::{Console, ConsoleOpen, Operator, OperatorChange, Role};
pub(crate) use providers::{Identity, Provider, ProviderAdd};
pub(crate) use records::{
    CouponFilters, Format, Member, MeterFilters, PaymentFilters, Plan, PlanFilters, Portion, Record, RecordCommand,
    RecordFlags, Session, SessionFilters, Single, Subscription, SubscriptionFilters, TaxRateFilters,
};
pub(crate) use transfer::{Copying, Demo, Export, From, Import, LineFormat, Serving, Transfer};
pub(crate) use users::{ProfileField, ProfileFlags, UserFilters, UserUpdate};
pub(crate) use webhooks::{Webhook, WebhookPortion, WebhookRetry, WebhookSettings};

/// Where `listen` stores its secret and its position.
pub(crate) const LISTEN_STATE: &str = "./perennial-listen.json";

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::net::SocketAddr;
use std::path::PathBuf;

/// Manage subscriptions, plans and payments on your own servers.
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

/// The location of the store.
#[derive(Args)]
pub(crate) struct Place {
    /// The configuration file [default: ./perennial.toml if it exists]
    #[arg(long, global = true, env = "PERENNIAL_CONFIG", value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// The directory of the SQLite store and the keys [default: ./data]
    #[arg(long, global = true, env = "PERENNIAL_DATA_DIR", value_name = "DIRECTORY")]
    pub(crate) data_dir: Option<PathBuf>,
    /// The URL of a PostgreSQL database to use instead of SQLite
    #[arg(long, global = true, env = "PERENNIAL_DATABASE_URL", value_name = "URL", hide_env_values = true)]
    pub(crate) database_url: Option<String>,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run the service.
    ///
    /// Without any setting it listens on 127.0.0.1:8080 and stores its data in ./data. The first run creates an
    /// organization with two clients and prints their IDs.
    #[command(after_help = examples::SERVE)]
    Serve(Serving),
    #[command(flatten)]
    Transfer(Transfer),
    /// Migrate the store's schema to this version.
    #[command(after_help = "Examples:\n  perennial migrate\n  perennial migrate --json")]
    Migrate,
    /// Create, verify and restore backups of a SQLite store.
    #[command(subcommand, after_help = examples::BACKUP)]
    Backup(Backup),
    /// Return the space of removed rows to the file system. SQLite only; no server may be running.
    ///
    /// The store is rewritten to a new file, verified and replaced. This needs free space of the size of the rows in
    /// the data directory. If it is interrupted, the store does not change.
    #[command(after_help = examples::COMPACT)]
    Compact,
    /// Manage organizations (tenants).
    #[command(subcommand, after_help = examples::ORG)]
    Org(Org),
    /// Manage clients: the applications that call the API.
    #[command(subcommand, after_help = examples::CLIENT)]
    Client(Client),
    /// Manage operators: the people who manage an organization.
    #[command(subcommand, after_help = examples::OPERATOR)]
    Operator(Operator),
    /// Sign in to the console.
    #[command(subcommand, after_help = examples::CONSOLE)]
    Console(Console),
    /// Manage the keys that sign access tokens.
    #[command(subcommand, after_help = examples::KEYS)]
    Keys(Keys),
    /// Manage users.
    #[command(subcommand, after_help = examples::USER)]
    User(User),
    /// List and revoke the sessions of users.
    #[command(subcommand, after_help = examples::SESSION)]
    Session(Session),
    #[command(flatten)]
    Record(Record),
    /// Manage identity providers (OIDC, shared-secret JWT, introspection).
    #[command(subcommand, after_help = examples::PROVIDER)]
    Provider(Provider),
    /// Create identities of the `local` provider, for development.
    #[command(subcommand, after_help = examples::IDENTITY)]
    Identity(Identity),
    /// List and prune events, the audit log of all changes.
    #[command(subcommand, after_help = examples::EVENTS)]
    Events(Events),
    /// Inspect, rebuild and check revenue analytics.
    #[command(subcommand, after_help = examples::ANALYTICS)]
    Analytics(Analytics),
    /// Manage webhook endpoints: the URLs that receive events.
    #[command(subcommand, after_help = examples::WEBHOOK)]
    Webhook(Webhook),
    /// Manage connections to payment providers (Stripe, Lemon Squeezy, Paddle).
    #[command(subcommand, after_help = examples::CONNECTION)]
    Connection(Connection),
    /// Show and release what subscriptions do by the clock: renewals, ends, changes of access.
    #[command(subcommand, after_help = examples::LIFECYCLE)]
    Lifecycle(Lifecycle),
    /// Manage the clock of a test organization.
    #[command(subcommand, after_help = examples::TEST_CLOCK)]
    TestClock(TestClock),
    /// Forward the events of a server to a URL, for developing a receiver of webhooks.
    ///
    /// Events are signed and sent in order, one at a time, and each until the response is 2xx. The secret and the position are
    /// stored in a file, so that a restart continues where it stopped. Without a stored position it starts at the newest
    /// event. The client needs the scope `events:read`; its ID is read from `PERENNIAL_CLIENT_ID` or a file.
    #[command(after_help = examples::LISTEN)]
    Listen(Listen),
    /// Send a sample event to a URL. The exit code is 0 if the response is 2xx and 1 otherwise.
    ///
    /// There is a sample of every type of event, and `webhook.ping`. A sample has `test: true`: nothing happened.
    #[command(after_help = examples::TRIGGER)]
    Trigger(Trigger),
    /// Show, check and document the configuration.
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
    /// Check the configuration, the store, the secrets and the identity providers. Nothing is changed.
    ///
    /// Accepts the flags and the environment of `serve`, and can run next to a server. Each line is ok, a warning or a
    /// problem, with a remedy. The exit code is 1 if there is a problem and 0 otherwise.
    #[command(after_help = examples::DOCTOR)]
    Doctor(Serve),
    /// Print the OpenAPI document.
    #[command(hide = true)]
    Openapi,
    /// Print the error codes.
    #[command(hide = true)]
    Errors,
    /// Print the reference of all commands as Markdown.
    #[command(hide = true)]
    Reference,
}

#[derive(Args, Default)]
pub(crate) struct Serve {
    /// The address to listen on [default: 127.0.0.1:8080]
    #[arg(long, env = "PERENNIAL_LISTEN", value_name = "ADDRESS")]
    pub(crate) listen: Option<SocketAddr>,
    /// The address of /metrics [default: 127.0.0.1 on the next port]
    #[arg(long, env = "PERENNIAL_METRICS_LISTEN", value_name = "ADDRESS")]
    pub(crate) metrics_listen: Option<SocketAddr>,
    /// The public URL of this service, which is the issuer of its tokens [default: a generated name]
    #[arg(long, env = "PERENNIAL_PUBLIC_URL", value_name = "URL")]
    pub(crate) public_url: Option<String>,
    /// The delay between the stop signal and the shutdown, during which /readyz fails and requests are served [default: 0]
    #[arg(long, env = "PERENNIAL_STOP_DELAY_SECONDS", value_name = "SECONDS")]
    pub(crate) stop_delay_seconds: Option<u16>,
}

#[derive(Subcommand)]
pub(crate) enum Backup {
    /// Copy the current store to a new file. The master key is not in it: store it elsewhere.
    Create {
        /// The file to create.
        file: PathBuf,
    },
    /// Verify a backup completely and describe its content.
    Verify {
        /// The backup.
        file: PathBuf,
    },
    /// Restore a backup to the data directory. No server may be running.
    Restore {
        /// The backup.
        file: PathBuf,
        /// Replace an existing store, which is renamed to `perennial.db.replaced`.
        #[arg(long)]
        replace: bool,
    },
}

#[derive(Subcommand)]
pub(crate) enum Org {
    /// Create an organization.
    Create {
        /// The name.
        #[arg(long)]
        name: String,
        /// The default currency of plans.
        #[arg(long, default_value = "USD")]
        currency: String,
        /// The number of sessions that a user should have at most. The list of sessions reports when there are more.
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        max_sessions: Option<u32>,
        /// Create a test organization, which can have a test clock. This cannot be changed later.
        #[arg(long)]
        test: bool,
    },
    /// Update an organization.
    Update {
        /// The name or ID of the organization.
        #[arg(value_name = "ORGANIZATION")]
        org: String,
        #[command(flatten)]
        change: OrgChange,
    },
    /// List all organizations.
    List,
    /// Delete an organization with its clients, users, plans, subscriptions, payments and events.
    ///
    /// Clients stop working within 5 seconds and sessions end. Only the event `organization.deleted` remains, which you can
    /// read with `perennial events list --org ID`. This cannot be undone. Run the command again if it was interrupted.
    Delete {
        /// The name or ID of the organization.
        #[arg(value_name = "ORGANIZATION")]
        org: String,
        /// Skip the confirmation on standard input.
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Args)]
#[group(required = true, multiple = false)]
pub(crate) struct OrgChange {
    /// The number of sessions that a user should have at most.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_sessions: Option<u32>,
    /// Remove the limit on a user's sessions.
    #[arg(long)]
    pub(crate) no_max_sessions: bool,
}

#[derive(Subcommand)]
pub(crate) enum Client {
    /// Create a client. The ID of a trusted client is a credential and is shown only once.
    Create(ClientCreate),
    /// List an organization's clients.
    List {
        #[command(flatten)]
        org: InOrg,
    },
    /// Disable a client on every server within seconds.
    Disable {
        /// The client's record ID (cli_…) or name.
        client: String,
        #[command(flatten)]
        org: InOrg,
    },
    /// Enable a disabled client on every server within seconds.
    Enable {
        /// The client's record ID (cli_…) or name.
        client: String,
        #[command(flatten)]
        org: InOrg,
    },
    /// Update a client's scopes, origins, CIDRs or expiry on every server within seconds.
    ///
    /// Each option replaces the stored list. Options that you omit do not change.
    Update(ClientUpdate),
    /// Replace the ID of a trusted client. The old one stops working within seconds.
    Rotate {
        /// The client's record ID (cli_…) or name.
        client: String,
        #[command(flatten)]
        org: InOrg,
    },
}

#[derive(Args)]
pub(crate) struct ClientCreate {
    /// The display name.
    #[arg(long)]
    pub(crate) name: String,
    /// `public` runs in browsers, and its ID is no secret. `trusted` runs on servers, and its ID is a credential.
    #[arg(long)]
    pub(crate) kind: Kind,
    /// The scopes: auth, plans:read, plans:write, subscriptions:read … Repeat the option or separate scopes with commas.
    #[arg(long = "scope", required = true, value_delimiter = ',', num_args = 1..)]
    pub(crate) scopes: Vec<String>,
    /// The ID that the client sends. Generated if omitted.
    #[arg(long)]
    pub(crate) client_id: Option<String>,
    /// The origin of a public client's pages, such as `https://app.example.com` or `http://localhost:*`.
    #[arg(long = "origin", value_delimiter = ',', num_args = 1..)]
    pub(crate) origins: Vec<String>,
    /// The range that a trusted client may call from, such as 10.0.0.0/8. Any address if omitted.
    #[arg(long = "cidr", value_delimiter = ',', num_args = 1..)]
    pub(crate) cidrs: Vec<String>,
    /// When the client expires, such as 2027-01-01T00:00:00Z.
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
    /// Create a user without an identity. The first sign-up with this e-mail address is linked to it.
    Create {
        /// The e-mail address.
        #[arg(long)]
        email: String,
        #[command(flatten)]
        profile: ProfileFlags,
        #[command(flatten)]
        org: InOrg,
    },
    /// Update a user. Options that you omit do not change.
    ///
    /// The address of a user with an identity comes from the identity provider and cannot be changed here.
    Update(UserUpdate),
    /// List an organization's users, newest first by default.
    List {
        #[command(flatten)]
        filters: UserFilters,
        #[command(flatten)]
        portion: Portion,
    },
    /// Show one user.
    Get {
        /// The user's ID (usr_…) or e-mail address.
        user: String,
        #[command(flatten)]
        single: Single,
    },
    /// Block a user: end all sessions and reject sign-in, sign-up and refresh.
    ///
    /// Subscriptions do not change.
    Block {
        /// The user's ID (usr_…) or e-mail address.
        user: String,
        #[command(flatten)]
        org: InOrg,
    },
    /// Unblock a user, who can then sign in again.
    Unblock {
        /// The user's ID (usr_…) or e-mail address.
        user: String,
        #[command(flatten)]
        org: InOrg,
    },
    /// Erase a user: remove all personal data and sessions, and cancel the subscriptions.
    ///
    /// Equals `delete-my-account`, also for a user without an identity. Payments stay, without personal data. This cannot
    /// be undone.
    Erase {
        /// The user's ID (usr_…) or e-mail address.
        user: String,
        #[command(flatten)]
        org: InOrg,
    },
    /// Link users to other identities, one user or all users of a file, in one transaction.
    ///
    /// Use it when an organization moves to another identity provider: a user is identified by issuer and subject, so no user
    /// could sign in otherwise. Sessions stay valid. The file is CSV with the header `user,issuer,subject`, or one JSON
    /// object with these members per line; `user` is an ID or an e-mail address.
    Relink(Relink),
}

#[derive(Subcommand)]
pub(crate) enum Events {
    /// List an organization's events, newest first.
    List {
        /// The maximum number of events.
        #[arg(long, default_value_t = 50)]
        limit: u16,
        /// List only events before this one (evt_…).
        #[arg(long)]
        before: Option<String>,
        #[command(flatten)]
        org: InOrg,
    },
    /// Remove an organization's events that entered the feed before an instant, except for the newest. Stops at the
    /// slowest webhook endpoint, and always at the position of analytics.
    Prune {
        /// The instant, such as 2026-01-31T00:00:00Z.
        #[arg(long)]
        before: String,
        /// Remove events also that webhook endpoints have not received.
        #[arg(long)]
        past_readers: bool,
        #[command(flatten)]
        org: InOrg,
    },
}

/// The organization of a command.
#[derive(Args)]
pub(crate) struct InOrg {
    /// The name or ID of the organization.
    #[arg(long, default_value = "default", value_name = "ORGANIZATION")]
    pub(crate) org: String,
}
