//! The report of an import from another service: a summary on the terminal, the details in a file.

use super::draft::Draft;
use crate::failure::Failure;
use crate::output;
use perennial_transfer::{Finding, Level};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

pub(super) struct Report {
    file: Option<Draft>,
    pub(super) refused: u64,
    pub(super) left_out: u64,
    pub(super) simplified: u64,
    groups: BTreeMap<(Level, String, &'static str), Group>,
}

/// Findings of one kind about one kind of object.
struct Group {
    count: u64,
    first: String,
    detail: String,
}

#[derive(Serialize)]
pub(super) struct Summary<'a> {
    level: Level,
    object: &'a str,
    code: &'a str,
    count: u64,
    /// The first of them.
    id: &'a str,
    detail: &'a str,
}

impl Report {
    pub(super) fn begin(path: Option<&Path>) -> Result<Self, Failure> {
        let file = path.map(Draft::begin).transpose()?;
        Ok(Self { file, refused: 0, left_out: 0, simplified: 0, groups: BTreeMap::new() })
    }

    pub(super) fn take(&mut self, finding: &Finding) -> Result<(), Failure> {
        match finding.level {
            Level::Refused => self.refused += 1,
            Level::LeftOut => self.left_out += 1,
            Level::Simplified => self.simplified += 1,
        }
        let group = self.groups.entry((finding.level, finding.object.clone(), finding.code)).or_insert_with(|| Group {
            count: 0,
            first: finding.id.clone(),
            detail: finding.detail.clone(),
        });
        group.count += 1;
        if let Some(file) = &mut self.file {
            let line = serde_json::to_string(finding).map_err(|error| Failure::new(error.to_string()))?;
            file.write(line.as_bytes())?;
            file.write(b"\n")?;
        }
        Ok(())
    }

    pub(super) fn finish(&mut self) -> Result<(), Failure> {
        self.file.take().map_or(Ok(()), Draft::finish)
    }

    /// Each kind of finding, with its count and its first example.
    pub(super) fn groups(&self) -> Vec<Summary<'_>> {
        let groups = self.groups.iter();
        groups
            .map(|((level, object, code), group)| Summary {
                level: *level,
                object,
                code,
                count: group.count,
                id: &group.first,
                detail: &group.detail,
            })
            .collect()
    }

    /// The summary as text. Empty if there are no findings.
    pub(super) fn table(&self) -> Option<String> {
        let row = |group: &Summary<'_>| {
            let level = match group.level {
                Level::Refused => "refused",
                Level::LeftOut => "left out",
                Level::Simplified => "simplified",
            };
            let example = format!("{} {}", group.id, group.detail);
            [level.to_owned(), group.count.to_string(), group.object.to_owned(), group.code.to_owned(), example]
        };
        let rows: Vec<[String; 5]> = self.groups().iter().map(row).collect();
        (!rows.is_empty()).then(|| output::table(["", "HOW MANY", "OBJECT", "WHY", "FOR EXAMPLE"], &rows))
    }
}
