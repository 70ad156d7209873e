//! Lines into a store, in one transaction: all of them, or, if the caller wants that, all that are right.
//! Ids, times and statuses stay as they are. A record that is there already, and equal, is left alone.

use super::csv::{self, Head};
use super::kinds::{ALL, Kind, Reference};
use super::line::{self, LineFault, Read};
use super::{AT_ONCE, Format};
use crate::error::Error;
use perennial_domain::fault::FaultCode;
use perennial_domain::id::OrganizationId;
use perennial_store::portable::Values;
use perennial_store::{Bulk, Db, Value};
use std::collections::HashSet;

/// Ids of refused lines that are remembered, so that what refers to them is not blamed for it.
const REMEMBERED: usize = 1_000_000;

/// An import under way. Dropped before it is committed, it leaves nothing behind.
pub struct Import {
    bulk: Bulk,
    /// The organization that every record goes into, whichever it names.
    into: Option<OrganizationId>,
    file: File,
    batch: Vec<Waiting>,
    /// The ids of the batch.
    ids: HashSet<[u8; 16]>,
    bad: Vec<RefusedLine>,
    remembered: HashSet<[u8; 16]>,
    tally: Tally,
}

/// What an import has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Tally {
    /// Lines that were read.
    pub lines: u64,
    /// Records that came into being.
    pub made: u64,
    /// Records that were there already, and equal.
    pub unchanged: u64,
    /// Lines that were refused.
    pub refused: u64,
}

/// A line that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedLine {
    /// Its number in its file, from one.
    pub number: u64,
    /// The line itself.
    pub text: Vec<u8>,
    /// What is wrong with it; nothing, if it refers to a line that was refused.
    pub faults: Vec<LineFault>,
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

struct Waiting {
    number: u64,
    text: Vec<u8>,
    read: Read,
    faults: Vec<LineFault>,
    is_out: bool,
}

impl Waiting {
    fn blame(&mut self, place: usize, code: &'static str, detail: String) {
        // It was read as text before.
        let text = std::str::from_utf8(&self.text).unwrap_or_default();
        let column = line::column_at(text, self.read.offsets[place]);
        self.faults.push(LineFault { column, code, detail });
    }
}

impl Import {
    /// Begins an import into a migrated store.
    pub async fn begin(db: &Db, into: Option<OrganizationId>) -> Result<Self, Error> {
        Ok(Self {
            bulk: db.load().await?,
            into,
            file: File::Ndjson(None),
            batch: Vec::new(),
            ids: HashSet::new(),
            bad: Vec::new(),
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
        let mut refused = Vec::new();
        let read = match &self.file {
            File::Ndjson(expected) => line::read(bytes, *expected),
            File::Headed(kind, head) => csv::read(bytes, kind, head),
            File::Headless => Err(line::Refused { id: None, faults: Vec::new() }),
            File::Csv(kind) => {
                let kind = *kind;
                match csv::read_head(bytes, kind) {
                    Ok(head) => self.file = File::Headed(kind, head),
                    Err(faults) => {
                        self.file = File::Headless;
                        self.bad.push(RefusedLine { number, text: bytes.to_vec(), faults });
                    }
                }
                return Ok(refused);
            }
        };
        self.tally.lines += 1;
        match read {
            Ok(mut read) => {
                if let Some(into) = self.into {
                    if read.record.kind.references.is_empty() {
                        return Ok(refused);
                    }
                    read.record.values[0] = into.bytes().into();
                }
                if !self.fits(&read) {
                    refused = self.flush().await?;
                }
                self.ids.insert(read.record.id());
                self.batch.push(Waiting { number, text: bytes.to_vec(), read, faults: Vec::new(), is_out: false });
            }
            Err(line::Refused { id, faults }) => {
                self.remember(id);
                self.bad.push(RefusedLine { number, text: bytes.to_vec(), faults });
            }
        }
        if self.batch.len() >= AT_ONCE || self.bad.len() >= AT_ONCE {
            refused.extend(self.flush().await?);
        }
        Ok(refused)
    }

    /// A line that is longer than any record, and was not kept.
    pub fn too_long(&mut self, number: u64, most: usize) {
        self.tally.lines += 1;
        let detail = format!("the line is longer than {most} bytes, which no record is");
        let fault = LineFault { column: 1, code: FaultCode::TooLong.as_str(), detail };
        self.bad.push(RefusedLine { number, text: Vec::new(), faults: vec![fault] });
    }

    /// The end of a file: what is refused of it is known now.
    pub async fn end_of_file(&mut self) -> Result<Vec<RefusedLine>, Error> {
        self.flush().await
    }

    /// What was done so far.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// Makes all of it durable.
    pub async fn commit(self) -> Result<Tally, Error> {
        self.bulk.commit().await?;
        Ok(self.tally)
    }

    /// Whether a record can be written together with those that wait: it is of their kind and not one of them.
    fn fits(&self, read: &Read) -> bool {
        let same = |waiting: &Waiting| waiting.read.record.kind.name == read.record.kind.name;
        self.batch.first().is_none_or(same) && !self.ids.contains(&read.record.id())
    }

    fn remember(&mut self, id: Option<[u8; 16]>) {
        if let Some(id) = id
            && self.remembered.len() < REMEMBERED
        {
            self.remembered.insert(id);
        }
    }

    async fn flush(&mut self) -> Result<Vec<RefusedLine>, Error> {
        let mut refused = std::mem::take(&mut self.bad);
        let mut batch = std::mem::take(&mut self.batch);
        self.ids.clear();
        if let Some(kind) = batch.first().map(|waiting| waiting.read.record.kind) {
            for reference in kind.references {
                self.look_up(kind, reference, &mut batch).await?;
            }
            let (out, good): (Vec<Waiting>, Vec<Waiting>) = batch.into_iter().partition(|waiting| waiting.is_out);
            let conflicting = self.insert(kind, good).await?;
            for Waiting { number, text, read, faults, .. } in out.into_iter().chain(conflicting) {
                self.remember(Some(read.record.id()));
                refused.push(RefusedLine { number, text, faults });
            }
        }
        refused.sort_by_key(|line| line.number);
        self.tally.refused += refused.len() as u64;
        Ok(refused)
    }

    /// Takes out the records that name another which is not there.
    async fn look_up(
        &mut self,
        kind: &'static Kind,
        reference: &Reference,
        batch: &mut [Waiting],
    ) -> Result<(), Error> {
        let place = kind.place(reference.field);
        let key = |waiting: &Waiting| -> Values {
            let values = &waiting.read.record.values;
            let named = values[place].clone();
            if place == 0 { vec![named] } else { vec![values[0].clone(), named] }
        };
        let keys: Vec<Values> = batch.iter().map(key).collect::<HashSet<_>>().into_iter().collect();
        let found = reference.table.find(&mut self.bulk, &keys).await?;
        let missing: HashSet<Values> =
            keys.into_iter().zip(found).filter(|(_, found)| found.is_none()).map(|(key, _)| key).collect();
        for waiting in batch.iter_mut().filter(|waiting| missing.contains(&key(waiting))) {
            waiting.is_out = true;
            let follows = match &waiting.read.record.values[place] {
                Value::Uuid(id) => self.remembered.contains(id),
                _ => false,
            };
            if !follows {
                let detail = format!("{} names a record that is neither here nor above", reference.field);
                waiting.blame(place, FaultCode::NotFound.as_str(), detail);
            }
        }
        Ok(())
    }

    /// Writes records; answers those that something else stands in the way of.
    async fn insert(&mut self, kind: &'static Kind, good: Vec<Waiting>) -> Result<Vec<Waiting>, Error> {
        let rows: Vec<Values> = good.iter().map(|waiting| waiting.read.record.values.clone()).collect();
        let made = kind.table.insert(&mut self.bulk, &rows).await?;
        self.tally.made += made;
        if made == rows.len() as u64 {
            return Ok(Vec::new());
        }
        let keys: Vec<Values> = rows.iter().map(|row| kind.table.key(row).to_vec()).collect();
        let found = kind.table.find(&mut self.bulk, &keys).await?;
        let mut conflicting = Vec::new();
        for ((mut waiting, row), found) in good.into_iter().zip(&rows).zip(found) {
            let (field, detail) = match found {
                Some(found) if found == *row => continue,
                Some(_) => ("id", format!("id is that of another {} here, which differs from this one", kind.name)),
                None => (kind.unique.0, format!("{} {}", kind.unique.0, kind.unique.1)),
            };
            waiting.blame(kind.place(field), "conflict", detail);
            conflicting.push(waiting);
        }
        self.tally.unchanged += rows.len() as u64 - made - conflicting.len() as u64;
        Ok(conflicting)
    }
}
