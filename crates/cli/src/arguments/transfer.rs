//! Demos, exports, imports and copies.

use super::{Serve, examples};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Serving {
    #[command(flatten)]
    pub(crate) flags: Serve,
    /// Fill an empty store with a year of generated data first
    #[arg(long)]
    pub(crate) demo: bool,
    /// A directory with the built files of the console, for its development
    #[cfg(debug_assertions)]
    #[arg(long, hide = true, value_name = "DIRECTORY")]
    pub(crate) console_dir: Option<PathBuf>,
}

impl Serving {
    /// The directory of the console's files. Release builds have only the embedded ones.
    #[cfg(debug_assertions)]
    pub(crate) fn console_directory(&self) -> Option<PathBuf> {
        self.console_dir.clone()
    }

    #[cfg(not(debug_assertions))]
    pub(crate) fn console_directory(&self) -> Option<PathBuf> {
        None
    }
}

#[derive(Subcommand)]
pub(crate) enum Transfer {
    /// Fill an empty store with a year of generated data.
    ///
    /// Twelve plans, 5,000 users and 20,000 subscriptions in every status, with their payments and events. No server may
    /// be running on a SQLite store. The same seed and the same end make the same data.
    #[command(after_help = examples::DEMO)]
    Demo(Demo),
    /// Export every record as JSON lines or CSV.
    ///
    /// The export contains organizations, users, plans with their versions, subscriptions, payments and events, deleted ones included, from one
    /// snapshot. Servers can run. It contains no clients, sessions and keys: use `copy` for those.
    #[command(after_help = examples::EXPORT)]
    Export(Export),
    /// Import an export, or the data of another service.
    ///
    /// IDs, times and statuses do not change. All lines are imported or none, in one transaction. A record that exists
    /// and is equal is skipped. No server may be running on a SQLite store.
    ///
    /// With --from the files hold objects of that service's API, as its own tools save them: products, prices or variants,
    /// customers, subscriptions, invoices. docs/migrate.md describes how they are mapped.
    #[command(after_help = examples::IMPORT)]
    Import(Import),
    /// Copy a whole store to an empty one, on either engine, and compare every row.
    ///
    /// Clients, sessions and sealed keys are copied. The master key is not: the new store needs the same one.
    #[command(after_help = examples::COPY)]
    Copy(Copying),
}

#[derive(Args)]
pub(crate) struct Demo {
    /// The seed. Another seed generates other users, subscriptions and payments.
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub(crate) seed: u64,
    /// The size: 1 is the default, 0.1 a tenth, 50 a million subscriptions.
    #[arg(long, default_value = "1", value_name = "X")]
    pub(crate) scale: String,
    /// The end of the year, such as 2026-11-15T00:00:00Z [default: today]
    #[arg(long, value_name = "INSTANT")]
    pub(crate) until: Option<String>,
}

#[derive(Args)]
pub(crate) struct Export {
    /// The file to create, or the directory, with one file per kind of record; - is standard output.
    #[arg(default_value = "-", value_name = "FILE|DIRECTORY")]
    pub(crate) path: PathBuf,
    /// The format of the records. CSV needs a directory.
    #[arg(long, default_value = "ndjson")]
    pub(crate) format: LineFormat,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LineFormat {
    /// One JSON object per line.
    Ndjson,
    /// One table per kind.
    Csv,
}

#[derive(Args)]
pub(crate) struct Import {
    /// The file or the directory; - is standard input.
    #[arg(value_name = "FILE|DIRECTORY")]
    pub(crate) path: PathBuf,
    /// More files, with --from.
    #[arg(value_name = "FILE|DIRECTORY", requires = "from")]
    pub(crate) more: Vec<PathBuf>,
    /// The service that the files come from.
    #[arg(long, value_name = "SERVICE")]
    pub(crate) from: Option<From>,
    /// The file for a report of what could not be imported, one JSON object per line.
    #[arg(long, value_name = "FILE", requires = "from")]
    pub(crate) report: Option<PathBuf>,
    /// Check everything and report each error with its line and column, without changing anything.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Import the valid lines, and write the others to this file.
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    pub(crate) skip_bad: Option<PathBuf>,
    /// The organization, by name or ID, to import all records into.
    #[arg(long, value_name = "ORGANIZATION")]
    pub(crate) into: Option<String>,
    /// Do not disable the webhook endpoints of the store. They receive the events of the import.
    #[arg(long)]
    pub(crate) keep_webhooks: bool,
    /// Leave the events of the import out of the feed: GET /events, webhooks and analytics do not see them.
    #[arg(long)]
    pub(crate) no_feed: bool,
}

/// A service that data is imported from.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum From {
    Stripe,
    LemonSqueezy,
    Paddle,
}

#[derive(Args)]
pub(crate) struct Copying {
    /// The store to read: a data directory or a PostgreSQL URL [default: the configured store]
    #[arg(long, value_name = "DIRECTORY|URL")]
    pub(crate) from: Option<String>,
    /// The empty store to write: a data directory or a PostgreSQL URL
    #[arg(long, value_name = "DIRECTORY|URL")]
    pub(crate) to: String,
    /// Do not disable the webhook endpoints of the copy. By default a copy sends nothing.
    #[arg(long)]
    pub(crate) keep_webhooks: bool,
}
