//! What goes in and out: demos, exports, imports, copies.

use super::{Serve, examples};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Serving {
    #[command(flatten)]
    pub(crate) flags: Serve,
    /// Fill an empty store with a year of made-up data first
    #[arg(long)]
    pub(crate) demo: bool,
}

#[derive(Subcommand)]
pub(crate) enum Transfer {
    /// Fill an empty store with a year of made-up data.
    ///
    /// Twelve plans, 5,000 users and 20,000 subscriptions in every status, with their payments and events. No server may
    /// be running on a SQLite store. The same seed and the same end make the same data.
    #[command(after_help = examples::DEMO)]
    Demo(Demo),
    /// Write every record as a line of JSON, or of CSV.
    ///
    /// Organizations, users, plans, subscriptions, payments and events, deleted ones included, all of one moment, while
    /// servers go on. Clients, sessions and keys are not among them: `copy` takes those along.
    #[command(after_help = examples::EXPORT)]
    Export(Export),
    /// Read what `export` wrote, or what another service has, into a store.
    ///
    /// Ids, times and statuses stay as they are. All lines are taken or none, in one transaction; a record that is there
    /// already, and equal, is left alone. No server may be running on a SQLite store.
    ///
    /// With --from the files hold objects of that service's API, as its own tools save them: products, prices or variants,
    /// customers, subscriptions, invoices. docs/migrate.md tells what becomes of them.
    #[command(after_help = examples::IMPORT)]
    Import(Import),
    /// Copy a whole store into an empty one, of either engine, and compare every row.
    ///
    /// Clients, sessions and sealed keys come along; the master key does not, and the new store needs the same one.
    #[command(after_help = examples::COPY)]
    Copy(Copying),
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

#[derive(Args)]
pub(crate) struct Export {
    /// The file to make, or the directory, with a file for each kind of record; - is standard output.
    #[arg(default_value = "-", value_name = "FILE|DIRECTORY")]
    pub(crate) path: PathBuf,
    /// How records are written. CSV needs a directory.
    #[arg(long, default_value = "ndjson")]
    pub(crate) format: LineFormat,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LineFormat {
    /// A JSON object a line.
    Ndjson,
    /// A table for each kind.
    Csv,
}

#[derive(Args)]
pub(crate) struct Import {
    /// The file or the directory; - is standard input.
    #[arg(value_name = "FILE|DIRECTORY")]
    pub(crate) path: PathBuf,
    /// More of them, where --from is given.
    #[arg(value_name = "FILE|DIRECTORY", requires = "from")]
    pub(crate) more: Vec<PathBuf>,
    /// The service whose objects these are.
    #[arg(long, value_name = "SERVICE")]
    pub(crate) from: Option<From>,
    /// Write what could not be carried from there to this file, a line of JSON for each.
    #[arg(long, value_name = "FILE", requires = "from")]
    pub(crate) report: Option<PathBuf>,
    /// Read and check everything, tell every fault with its line and column, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Take the lines that are right, and write the others to this file.
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    pub(crate) skip_bad: Option<PathBuf>,
    /// Put every record into this organization, by name or id, whichever it was in.
    #[arg(long, value_name = "ORGANIZATION")]
    pub(crate) into: Option<String>,
}

/// A service that people come from.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum From {
    Stripe,
    LemonSqueezy,
}

#[derive(Args)]
pub(crate) struct Copying {
    /// The store to read: a data directory or a PostgreSQL URL [default: the configured store]
    #[arg(long, value_name = "DIRECTORY|URL")]
    pub(crate) from: Option<String>,
    /// The empty store to write: a data directory or a PostgreSQL URL
    #[arg(long, value_name = "DIRECTORY|URL")]
    pub(crate) to: String,
}
