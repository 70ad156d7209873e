//! Lines into a store, in one transaction: all of them, or, if the caller wants that, all that are right.
//! Ids, times and statuses stay as they are. A record that is there already, and equal, is left alone.

mod outcome;
mod references;
mod waiting;
mod write;

pub use outcome::{NotImported, RefusedLine, Tally};

use super::Format;
use super::csv::{self, Head};
use super::kinds::ALL;
use super::line::{self, LineFault, Read, Refused};
use super::record::Kind;
use perennial_app::error::Error;
use perennial_domain::id::OrganizationId;
use perennial_domain::validation::ValidationCode;
use perennial_store::{Bulk, Db};
use references::References;
use std::collections::HashSet;
use waiting::Waiting;

/// An import under way. Dropped before it is committed, it leaves nothing behind.
pub struct Import {
    bulk: Bulk,
    references: References,
    /// The organization that every record goes into, whichever it names.
    into: Option<OrganizationId>,
    file: File,
    batch: Vec<Waiting>,
    /// The ids of the batch.
    ids: HashSet<[u8; 16]>,
    bad: Vec<RefusedLine>,
    /// Bytes of the lines that wait in both.
    held: usize,
    /// Ids of refused lines, so that what refers to them is not blamed for it.
    remembered: HashSet<[u8; 16]>,
    tally: Tally,
}

/// What is known of the file that is being read.
enum File {
    /// A file of one kind may leave it to its name to say which.
    Ndjson(Option<&'static Kind>),
    /// Its head is still to come.
    Csv(&'static Kind),
    Headed(&'static Kind, Head),
    /// Without a head that can be read nothing in it can.
    Headless,
}

impl Import {
    /// Begins an import into a migrated store.
    pub async fn begin(db: &Db, into: Option<OrganizationId>) -> Result<Self, Error> {
        Ok(Self {
            bulk: db.load().await?,
            references: References::new(db),
            into,
            file: File::Ndjson(None),
            batch: Vec::new(),
            ids: HashSet::new(),
            bad: Vec::new(),
            held: 0,
            remembered: HashSet::new(),
            tally: Tally::default(),
        })
    }

    /// Begins a file; `kind` is what [`super::files`] calls it, if it holds one kind only, as CSV must.
    pub fn file(&mut self, kind: Option<&str>, format: Format) {
        let kind = kind.and_then(|name| ALL.into_iter().find(|kind| kind.table.name == name));
        self.file = match (format, kind) {
            (Format::Ndjson, kind) => File::Ndjson(kind),
            (Format::Csv, Some(kind)) => File::Csv(kind),
            (Format::Csv, None) => File::Headless,
        };
    }

    /// Takes the next line of a file, or of CSV the next record. Answers the lines that are known to be refused by now.
    pub async fn line(&mut self, number: u64, bytes: &[u8]) -> Result<Vec<RefusedLine>, Error> {
        if bytes.trim_ascii().is_empty() {
            return Ok(Vec::new());
        }
        let read = match &self.file {
            File::Ndjson(expected) => line::read(bytes, *expected, self.into),
            File::Headed(kind, head) => csv::read(bytes, kind, head, self.into),
            File::Headless => Err(Refused { id: None, faults: Vec::new() }),
            File::Csv(kind) => {
                self.head(number, bytes, kind);
                return Ok(Vec::new());
            }
        };
        self.tally.lines += 1;
        match read {
            // Into an organization that is there the others do not come along.
            Ok(read) if self.into.is_some() && read.record.kind.references.is_empty() => Ok(Vec::new()),
            Ok(read) => self.wait(number, bytes, read).await,
            Err(Refused { id, faults }) => {
                self.remember(id);
                self.refuse(number, bytes, faults);
                self.flush_if_full().await
            }
        }
    }

    /// A line that is longer than any record, and was not kept.
    pub fn too_long(&mut self, number: u64, most: usize) {
        self.tally.lines += 1;
        let detail = format!("the line is longer than {most} bytes, which no record is");
        let fault = LineFault::at("", 0, ValidationCode::TooLong.as_str(), detail);
        self.refuse(number, &[], vec![fault]);
    }

    /// The end of a file: what is refused of it is known now.
    pub async fn end_of_file(&mut self) -> Result<Vec<RefusedLine>, Error> {
        self.flush().await
    }

    /// What was done so far.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// Makes all of it durable, unless a record that it refers to was deleted in the meantime.
    pub async fn commit(mut self) -> Result<Tally, NotImported> {
        self.references.hold(&mut self.bulk).await?;
        self.bulk.commit().await.map_err(Error::from)?;
        Ok(self.tally)
    }

    fn head(&mut self, number: u64, bytes: &[u8], kind: &'static Kind) {
        self.file = match csv::read_head(bytes, kind, self.into) {
            Ok(head) => File::Headed(kind, head),
            Err(faults) => {
                self.refuse(number, bytes, faults);
                File::Headless
            }
        };
    }

    fn refuse(&mut self, number: u64, bytes: &[u8], faults: Vec<LineFault>) {
        self.held += bytes.len();
        self.bad.push(RefusedLine { number, text: bytes.to_vec(), faults });
    }

    async fn wait(&mut self, number: u64, bytes: &[u8], read: Read) -> Result<Vec<RefusedLine>, Error> {
        let mut refused = if self.fits(&read) { Vec::new() } else { self.flush().await? };
        self.ids.insert(read.record.id());
        self.held += bytes.len();
        self.batch.push(Waiting::new(number, bytes, read));
        refused.extend(self.flush_if_full().await?);
        Ok(refused)
    }
}
