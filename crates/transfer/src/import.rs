//! Imports lines into a store in one transaction: all of them or, if the caller chooses, all that are valid.
//! IDs, times and statuses do not change. A record that exists and is equal is skipped.

mod outcome;
mod references;
mod waiting;
mod write;

pub use outcome::{NotImported, RejectedLine, Tally};

use super::Format;
use super::csv::{self, Head};
use super::kinds::ALL;
use super::line::{self, LineError, Read, Rejected};
use super::record::Kind;
use perennial_app::error::Error;
use perennial_domain::id::OrganizationId;
use perennial_domain::time::Time;
use perennial_domain::validation::ValidationCode;
use perennial_store::{Bulk, Db, credits, feed, subscriptions, webhook_endpoints};
use references::References;
use std::collections::HashSet;
use waiting::Waiting;

/// A running import. Dropped before it is committed, it changes nothing.
pub struct Import {
    bulk: Bulk,
    references: References,
    /// The organization that every record is imported into, whichever it names.
    into: Option<OrganizationId>,
    file: File,
    batch: Vec<Waiting>,
    /// The identities of the batch.
    ids: HashSet<[u8; 16]>,
    bad: Vec<RejectedLine>,
    /// Bytes of the waiting lines in both.
    held: usize,
    /// IDs of rejected lines, so that lines that refer to them are reported as followers.
    remembered: HashSet<[u8; 16]>,
    tally: Tally,
    /// The ends of the feed before the import.
    feed_ends: feed::Ends,
}

/// The state of the current file.
enum File {
    /// If all lines are of one kind, they may omit `type`.
    Ndjson(Option<&'static Kind>),
    /// The header has not been read.
    Csv(&'static Kind),
    Headed(&'static Kind, Head),
    /// Without a valid header no line can be read.
    Headless,
}

impl Import {
    /// Begins an import into a migrated store.
    pub async fn begin(db: &Db, into: Option<OrganizationId>) -> Result<Self, Error> {
        let mut bulk = db.load().await?;
        let feed_ends = feed::ends(&mut bulk).await?;
        Ok(Self {
            bulk,
            references: References::new(db),
            into,
            file: File::Ndjson(None),
            batch: Vec::new(),
            ids: HashSet::new(),
            bad: Vec::new(),
            held: 0,
            remembered: HashSet::new(),
            tally: Tally::default(),
            feed_ends,
        })
    }

    /// Begins a file. `kind` is its name in [`super::files`] if it holds one kind only, as CSV must.
    pub fn file(&mut self, kind: Option<&str>, format: Format) {
        let kind = kind.and_then(|name| ALL.into_iter().find(|kind| kind.table.name == name));
        self.file = match (format, kind) {
            (Format::Ndjson, kind) => File::Ndjson(kind),
            (Format::Csv, Some(kind)) => File::Csv(kind),
            (Format::Csv, None) => File::Headless,
        };
    }

    /// Takes the next line of a file, or the next record of CSV. Returns the lines that are known to be rejected.
    pub async fn line(&mut self, number: u64, bytes: &[u8]) -> Result<Vec<RejectedLine>, Error> {
        if bytes.trim_ascii().is_empty() {
            return Ok(Vec::new());
        }
        let read = match &self.file {
            File::Ndjson(expected) => line::read(bytes, *expected, self.into),
            File::Headed(kind, head) => csv::read(bytes, kind, head, self.into),
            File::Headless => Err(Rejected { id: None, errors: Vec::new() }),
            File::Csv(kind) => {
                self.head(number, bytes, kind);
                return Ok(Vec::new());
            }
        };
        self.tally.lines += 1;
        match read {
            // An import into an existing organization skips the organizations of the file.
            Ok(read) if self.into.is_some() && read.record.kind.references.is_empty() => Ok(Vec::new()),
            Ok(read) => self.wait(number, bytes, read).await,
            Err(Rejected { id, errors }) => {
                self.remember(id);
                self.reject(number, bytes, errors);
                self.flush_if_full().await
            }
        }
    }

    /// Rejects a line that is longer than any record.
    pub fn too_long(&mut self, number: u64, most: usize) {
        self.tally.lines += 1;
        let detail = format!("the line is longer than {most} bytes, which no record is");
        let error = LineError::at("", 0, ValidationCode::TooLong.as_str(), detail);
        self.reject(number, &[], vec![error]);
    }

    /// Ends a file and returns its remaining rejected lines.
    pub async fn end_of_file(&mut self) -> Result<Vec<RejectedLine>, Error> {
        self.flush().await
    }

    /// The counts so far.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// Disables the webhook endpoints of the store, so that the events of the import are not sent.
    pub async fn disable_webhooks(&mut self, at: Time) -> Result<(), Error> {
        Ok(webhook_endpoints::disable_copied(&mut self.bulk, at).await.map(drop)?)
    }

    /// Leaves the events of the import out of the feed: no reader, webhook or figure gets them.
    pub async fn leave_out_of_feed(&mut self) -> Result<(), Error> {
        Ok(feed::withdraw(&mut self.bulk, &self.feed_ends).await?)
    }

    /// Commits all of it, unless a record that it refers to was deleted in the meantime.
    pub async fn commit(mut self) -> Result<Tally, NotImported> {
        self.references.hold(&mut self.bulk).await?;
        subscriptions::schedule(&mut self.bulk).await.map_err(Error::from)?;
        credits::compute_balances(&mut self.bulk).await.map_err(Error::from)?;
        self.bulk.commit().await.map_err(Error::from)?;
        Ok(self.tally)
    }

    fn head(&mut self, number: u64, bytes: &[u8], kind: &'static Kind) {
        self.file = match csv::read_head(bytes, kind, self.into) {
            Ok(head) => File::Headed(kind, head),
            Err(errors) => {
                self.reject(number, bytes, errors);
                File::Headless
            }
        };
    }

    fn reject(&mut self, number: u64, bytes: &[u8], errors: Vec<LineError>) {
        self.held += bytes.len();
        self.bad.push(RejectedLine { number, text: bytes.to_vec(), errors });
    }

    async fn wait(&mut self, number: u64, bytes: &[u8], read: Read) -> Result<Vec<RejectedLine>, Error> {
        let mut refused = if self.fits(&read) { Vec::new() } else { self.flush().await? };
        self.ids.insert(read.record.identity());
        self.held += bytes.len();
        self.batch.push(Waiting::new(number, bytes, read));
        refused.extend(self.flush_if_full().await?);
        Ok(refused)
    }
}
