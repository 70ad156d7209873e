//! Reads one line strictly and reports all its errors, each with its column.

use super::kinds::{named_kind, names};
use super::record::{Absent, Field, Kind, Record};
use perennial_domain::id::OrganizationId;
use perennial_domain::raw_members::RawMembers;
use perennial_domain::validation::{InvalidValue, ValidationCode};
use perennial_store::Value;
use perennial_store::transfer::Values;
use std::borrow::Cow;
use std::collections::HashSet;

/// An error in a line.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct LineError {
    /// The number of lines below the first line of its record: a cell of CSV may hold line ends.
    pub below: u64,
    /// The column, in characters from one.
    pub column: usize,
    /// A code for programs.
    pub code: &'static str,
    /// A sentence with the expected value.
    pub detail: String,
}

impl LineError {
    /// An error of what begins at this byte.
    pub(super) fn at(text: &str, offset: usize, code: &'static str, detail: impl Into<String>) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line = before.rsplit('\n').next().unwrap_or_default();
        let below = before.bytes().filter(|byte| *byte == b'\n').count() as u64;
        Self { below, column: line.chars().count() + 1, code, detail: detail.into() }
    }
}

/// A record, and the byte offsets of its fields; 0 for omitted ones.
pub(super) struct Read {
    pub(super) record: Record,
    pub(super) offsets: Vec<usize>,
}

/// A rejected line.
pub(super) struct Rejected {
    /// The ID that its record would have, if it is known. Lines that refer to it are not wrong by themselves.
    pub(super) id: Option<[u8; 16]>,
    pub(super) errors: Vec<LineError>,
}

impl Rejected {
    pub(super) fn at(text: &str, offset: usize, code: &'static str, detail: impl Into<String>) -> Self {
        Self { id: None, errors: vec![LineError::at(text, offset, code, detail)] }
    }
}

/// Reads a line. In a file of one kind, `expected` is the kind of a line without `type`. `into` is the organization
/// that every record is imported into, whichever it names.
pub(super) fn read(
    bytes: &[u8],
    expected: Option<&'static Kind>,
    into: Option<OrganizationId>,
) -> Result<Read, Rejected> {
    let text = text_of(bytes)?;
    let members: RawMembers<'_, String> = serde_json::from_str(text).map_err(|error| {
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default();
        Rejected::at(text, character_at(text, error.column()), "malformed", format!("no JSON object: {message}"))
    })?;
    let members: Vec<Member<'_>> = members.0.into_iter().map(|(name, raw)| Member::of(text, name, raw.get())).collect();
    let kind = kind_of(text, &members, expected)?;
    record(text, kind, members, into)
}

/// The record that these members make.
pub(super) fn record(
    text: &str,
    kind: &'static Kind,
    members: Vec<Member<'_>>,
    into: Option<OrganizationId>,
) -> Result<Read, Rejected> {
    Reader { text, kind, members, into, errors: Vec::new() }.record()
}

pub(super) fn text_of(bytes: &[u8]) -> Result<&str, Rejected> {
    std::str::from_utf8(bytes).map_err(|error| {
        let good = bytes.get(..error.valid_up_to()).unwrap_or_default();
        Rejected::at(&String::from_utf8_lossy(good), good.len(), "malformed", "this is not UTF-8")
    })
}

/// The offset of the character at a parser's column, which counts bytes from one.
fn character_at(text: &str, column: usize) -> usize {
    (0..column.min(text.len() + 1)).rev().find(|byte| text.is_char_boundary(*byte)).unwrap_or_default()
}

/// A field as it was sent.
pub(super) struct Member<'a> {
    pub(super) name: String,
    /// Its value, as JSON.
    pub(super) json: Cow<'a, str>,
    /// The offset of the value.
    pub(super) offset: usize,
}

impl<'a> Member<'a> {
    fn of(text: &str, name: String, json: &'a str) -> Self {
        let offset = json.as_ptr().addr().saturating_sub(text.as_ptr().addr());
        Self { name, json: Cow::Borrowed(json), offset }
    }
}

fn kind_of(text: &str, members: &[Member<'_>], expected: Option<&'static Kind>) -> Result<&'static Kind, Rejected> {
    let Some(member) = members.iter().find(|member| member.name == "type") else {
        return expected.ok_or_else(|| Rejected::at(text, 0, ValidationCode::Required.as_str(), "type is required"));
    };
    let named = serde_json::from_str::<String>(&member.json).ok().and_then(|name| named_kind(&name));
    named.ok_or_else(|| {
        let known = format!("type must be one of {}", names());
        Rejected::at(text, member.offset, ValidationCode::UnknownValue.as_str(), known)
    })
}

struct Reader<'a> {
    text: &'a str,
    kind: &'static Kind,
    members: Vec<Member<'a>>,
    into: Option<OrganizationId>,
    errors: Vec<LineError>,
}

impl Reader<'_> {
    fn record(mut self) -> Result<Read, Rejected> {
        self.strangers();
        let (mut values, mut offsets) = (Values::new(), Vec::new());
        for field in self.kind.fields() {
            let (value, offset) = self.field(field);
            values.push(value);
            offsets.push(offset);
        }
        let mut record = Record { kind: self.kind, values, lacks_event: false };
        record.complete(self.into);
        let id = record.id();
        if id == [0; 16] && self.errors.is_empty() && record.find("id").is_some() {
            let detail = format!("is required where there is no {}", self.kind.unique.0);
            self.blame("id", offsets[self.kind.place("id")], ValidationCode::Required, &detail);
        }
        if self.errors.is_empty() {
            self.together(&record, &offsets);
        }
        if self.errors.is_empty() {
            return Ok(Read { record, offsets });
        }
        self.errors.sort_by_key(|error| (error.below, error.column));
        Err(Rejected { id: (id != [0; 16]).then_some(id), errors: self.errors })
    }

    /// Reports duplicate members and members that the kind does not have.
    fn strangers(&mut self) {
        let mut seen = HashSet::new();
        for Member { name, offset, .. } in &self.members {
            let known = name == "type" || self.kind.fields().iter().any(|field| field.name == name);
            let (code, detail) = match (seen.insert(name.as_str()), known) {
                (false, _) => ("duplicate_key", format!("{name} is there twice")),
                (true, false) => {
                    let kind = self.kind.name;
                    (ValidationCode::UnknownField.as_str(), format!("{name} is no field of a {kind}"))
                }
                (true, true) => continue,
            };
            self.errors.push(LineError::at(self.text, *offset, code, detail));
        }
    }

    /// The value of a field and its offset; a null if it is invalid.
    fn field(&mut self, field: &Field) -> (Value, usize) {
        let null = Value::Null(field.form.kind());
        let found = self.members.iter().find(|member| member.name == field.name);
        let offset = found.map_or(0, |member| member.offset);
        let (code, detail) = match (found.filter(|member| member.json != "null"), field.absent) {
            (Some(member), _) => match field.form.read(&member.json) {
                Ok(value) => return (value, offset),
                Err(InvalidValue { code, detail }) => (code, detail.into_owned()),
            },
            (None, Absent::Organization) if self.into.is_some() => return (null, offset),
            (None, Absent::Null) => return (null, offset),
            (None, _) if found.is_some() => (ValidationCode::NotNullable, "must not be null".to_owned()),
            (None, Absent::Required | Absent::Organization) => (ValidationCode::Required, "is required".to_owned()),
            (None, Absent::Default(json)) => return (field.form.read(json).unwrap_or(null), offset),
            (None, Absent::Least) => return (field.form.least(), offset),
            (None, Absent::Created | Absent::FromUniqueField | Absent::OwnId) => return (null, offset),
        };
        self.blame(field.name, offset, code, &detail);
        (null, offset)
    }

    /// Checks the rules between fields.
    fn together(&mut self, record: &Record, offsets: &[usize]) {
        for error in &record.check() {
            let name = error.pointer.trim_start_matches('/');
            self.blame(name, offsets[self.kind.place(name)], error.reason.code, &error.reason.detail);
        }
        let member = |name: &str| {
            let found = self.members.iter().find(|member| member.name == name);
            found.and_then(|member| serde_json::from_str::<String>(&member.json).ok()).unwrap_or_default()
        };
        if !self.kind.fits(&member("kind"), &member("record_id")) {
            let offset = offsets[self.kind.place("record_id")];
            self.blame(
                "record_id",
                offset,
                ValidationCode::Inconsistent,
                "must be an id of the record that the kind names",
            );
        }
    }

    fn blame(&mut self, name: &str, offset: usize, code: ValidationCode, detail: &str) {
        self.errors.push(LineError::at(self.text, offset, code.as_str(), format!("{name} {detail}")));
    }
}

#[cfg(test)]
mod tests;
