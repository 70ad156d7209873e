//! The writes and responses of a writer: in memory for the comparison with the store, and in a file for investigation.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use serde_json::{Value, json};

use crate::failure::{Result, could_not};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Subscription,
    Payment,
}

impl Kind {
    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::Subscription => "/subscriptions",
            Self::Payment => "/subscription-payments",
        }
    }

    pub(crate) fn external(self) -> &'static str {
        match self {
            Self::Subscription => "external_subscription_id",
            Self::Payment => "external_payment_id",
        }
    }

    /// The field that a change moves on, and its value at this mark.
    pub(crate) fn mark(self, mark: u32) -> (&'static str, Value) {
        match self {
            Self::Subscription => {
                let (hours, minutes, seconds) = (mark / 3_600, mark / 60 % 60, mark % 60);
                ("renews_at", json!(format!("2090-01-01T{hours:02}:{minutes:02}:{seconds:02}.000000Z")))
            }
            Self::Payment => ("amount", json!(mark)),
        }
    }
}

/// A record as its writer knows it.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) kind: Kind,
    pub(crate) external: String,
    /// Empty until it was acknowledged.
    pub(crate) id: String,
    /// How many changes were acknowledged since it was made; the last one left this mark.
    pub(crate) mark: u32,
    /// The subscription a payment is for.
    pub(crate) parent: String,
}

/// One write.
#[derive(Clone, Debug)]
pub(crate) enum Operation {
    Create(Record),
    /// The place of the record, and its new mark.
    Change(usize, u32),
}

pub(crate) struct Journal {
    file: BufWriter<File>,
    pub(crate) records: Vec<Record>,
    /// Sent, and neither acknowledged nor refused.
    pub(crate) open: Option<Operation>,
    /// Acknowledged before the kill and not there, or not so, after it.
    pub(crate) lost: usize,
    /// Responses that no write should get.
    pub(crate) refused: usize,
    pub(crate) retried: usize,
    /// Responses that said to come back.
    pub(crate) delayed: usize,
}

impl Journal {
    pub(crate) fn new(path: &Path) -> Result<Self> {
        let file = File::create(path).map_err(could_not(format!("create {}", path.display())))?;
        let file = BufWriter::new(file);
        Ok(Self { file, records: Vec::new(), open: None, lost: 0, refused: 0, retried: 0, delayed: 0 })
    }

    pub(crate) fn note(&mut self, line: &str) -> Result {
        writeln!(self.file, "{line}").map_err(could_not("write a journal"))
    }

    pub(crate) fn flush(&mut self) -> Result {
        self.file.flush().map_err(could_not("write a journal"))
    }

    /// Records that the write in flight was acknowledged with this record, and returns which of ours it is.
    pub(crate) fn acknowledge(&mut self, data: &Value) -> Option<usize> {
        match self.open.take()? {
            Operation::Create(mut record) => {
                data["id"].as_str().unwrap_or_default().clone_into(&mut record.id);
                self.records.push(record);
                Some(self.records.len() - 1)
            }
            Operation::Change(at, mark) => {
                self.records[at].mark = mark;
                Some(at)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_values_the_service_gives_back_as_they_are() {
        assert_eq!(Kind::Subscription.mark(3_725), ("renews_at", json!("2090-01-01T01:02:05.000000Z")));
        assert_eq!(Kind::Payment.mark(7), ("amount", json!(7)));
    }
}
