//! One line, read strictly: all that is wrong with it is told, each with its column.

use super::kinds::{Absent, Field, Kind};
use super::record::Record;
use perennial_domain::fault::{FaultCode, Reason};
use perennial_store::Value;
use perennial_store::portable::Values;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

/// Something that is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct LineFault {
    /// Where, in characters from one.
    pub column: usize,
    /// A code that a program can branch on.
    pub code: &'static str,
    /// A sentence that says what to write instead.
    pub detail: String,
}

/// A record, and the bytes at which its fields begin; 0 for those that were left out.
pub(super) struct Read {
    pub(super) record: Record,
    pub(super) offsets: Vec<usize>,
}

/// A line that is no record.
pub(super) struct Refused {
    /// The id it would have had, if it can be told: what refers to it is not to blame.
    pub(super) id: Option<[u8; 16]>,
    pub(super) faults: Vec<LineFault>,
}

impl Refused {
    pub(super) fn of(column: usize, code: &'static str, detail: impl Into<String>) -> Self {
        Self { id: None, faults: vec![LineFault { column, code, detail: detail.into() }] }
    }
}

/// Reads a line. In a file of one kind only, `expected` is what a line is that does not say.
pub(super) fn read(bytes: &[u8], expected: Option<&'static Kind>) -> Result<Read, Refused> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let good = bytes.get(..error.valid_up_to()).unwrap_or_default();
        Refused::of(String::from_utf8_lossy(good).chars().count() + 1, "malformed", "the line is not UTF-8")
    })?;
    let members: Members<'_> = serde_json::from_str(text).map_err(|error| {
        let told = error.to_string();
        let told = told.split(" at line ").next().unwrap_or_default();
        Refused::of(column_at(text, error.column().saturating_sub(1)), "malformed", format!("no JSON object: {told}"))
    })?;
    let members: Vec<Member<'_>> = members.0.into_iter().map(|(name, raw)| Member::of(text, name, raw.get())).collect();
    let kind = kind_of(text, &members, expected)?;
    record(text, kind, members)
}

/// The record that these members make.
pub(super) fn record(text: &str, kind: &'static Kind, members: Vec<Member<'_>>) -> Result<Read, Refused> {
    Reader { text, kind, members, faults: Vec::new() }.record()
}

/// A field as it was sent.
pub(super) struct Member<'a> {
    pub(super) name: String,
    /// Its value, as JSON.
    pub(super) json: Cow<'a, str>,
    /// Where that begins.
    pub(super) offset: usize,
}

impl<'a> Member<'a> {
    fn of(text: &str, name: String, json: &'a str) -> Self {
        let offset = json.as_ptr().addr().saturating_sub(text.as_ptr().addr());
        Self { name, json: Cow::Borrowed(json), offset }
    }
}

fn kind_of(text: &str, members: &[Member<'_>], expected: Option<&'static Kind>) -> Result<&'static Kind, Refused> {
    let Some(member) = members.iter().find(|member| member.name == "type") else {
        return expected.ok_or_else(|| Refused::of(1, FaultCode::Required.as_str(), "type is required"));
    };
    let named = serde_json::from_str::<String>(&member.json).ok().and_then(|name| Kind::named(&name));
    named.ok_or_else(|| {
        let known = "type must be one of organization, user, plan, subscription, payment, event";
        Refused::of(column_at(text, member.offset), FaultCode::UnknownValue.as_str(), known)
    })
}

struct Reader<'a> {
    text: &'a str,
    kind: &'static Kind,
    members: Vec<Member<'a>>,
    faults: Vec<LineFault>,
}

impl Reader<'_> {
    fn record(mut self) -> Result<Read, Refused> {
        self.strangers();
        let (mut values, mut offsets) = (Values::new(), Vec::new());
        for field in self.kind.fields {
            let (value, offset) = self.field(field);
            values.push(value);
            offsets.push(offset);
        }
        let mut record = Record { kind: self.kind, values };
        let id = record.id();
        for (field, value) in self.kind.fields.iter().zip(&mut record.values) {
            if field.absent == Absent::OwnId && value.is_null() {
                *value = Value::Uuid(id);
            }
        }
        if self.faults.is_empty() {
            self.together(&record, &offsets);
        }
        if self.faults.is_empty() {
            return Ok(Read { record, offsets });
        }
        self.faults.sort_by_key(|fault| fault.column);
        Err(Refused { id: (id != [0; 16]).then_some(id), faults: self.faults })
    }

    /// Members that are there twice, or that the kind does not have.
    fn strangers(&mut self) {
        let mut seen = HashSet::new();
        for Member { name, offset, .. } in &self.members {
            let known = name == "type" || self.kind.fields.iter().any(|field| field.name == name);
            let (code, detail) = match (seen.insert(name.as_str()), known) {
                (false, _) => ("duplicate_key", format!("{name} is there twice")),
                (true, false) => {
                    let kind = self.kind.name;
                    (FaultCode::UnknownField.as_str(), format!("{name} is no field of a {kind}"))
                }
                (true, true) => continue,
            };
            let column = column_at(self.text, *offset);
            self.faults.push(LineFault { column, code, detail });
        }
    }

    /// The value of a field and where it stands; a null where it is at fault.
    fn field(&mut self, field: &Field) -> (Value, usize) {
        let null = Value::Null(field.form.kind());
        let found = self.members.iter().find(|member| member.name == field.name);
        let offset = found.map_or(0, |member| member.offset);
        let (code, detail) = match (found.filter(|member| member.json != "null"), field.absent) {
            (Some(member), _) => match field.form.read(&member.json) {
                Ok(value) => return (value, offset),
                Err(Reason { code, detail }) => (code, detail.into_owned()),
            },
            (None, Absent::Refused) if found.is_some() => (FaultCode::NotNullable, "must not be null".to_owned()),
            (None, Absent::Refused) => (FaultCode::Required, "is required".to_owned()),
            (None, Absent::Zero) => return (Value::Int(0), offset),
            (None, Absent::Null | Absent::OwnId) => return (null, offset),
        };
        self.blame(field.name, offset, code, &detail);
        (null, offset)
    }

    /// What holds between the fields.
    fn together(&mut self, record: &Record, offsets: &[usize]) {
        for fault in &record.check() {
            let name = fault.pointer.trim_start_matches('/');
            self.blame(name, offsets[self.kind.place(name)], fault.reason.code, &fault.reason.detail);
        }
        let member = |name: &str| {
            let found = self.members.iter().find(|member| member.name == name);
            found.and_then(|member| serde_json::from_str::<String>(&member.json).ok()).unwrap_or_default()
        };
        if !self.kind.fits(&member("kind"), &member("record_id")) {
            let offset = offsets[self.kind.place("record_id")];
            self.blame("record_id", offset, FaultCode::Inconsistent, "must be an id of what the kind tells of");
        }
    }

    fn blame(&mut self, name: &str, offset: usize, code: FaultCode, detail: &str) {
        let column = column_at(self.text, offset);
        self.faults.push(LineFault { column, code: code.as_str(), detail: format!("{name} {detail}") });
    }
}

/// The column of a byte, counted in characters from one.
pub(super) fn column_at(text: &str, offset: usize) -> usize {
    text.char_indices().take_while(|(place, _)| *place < offset).count() + 1
}

/// An object's members in the order they came, their values unread.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Gather;
        impl<'de> Visitor<'de> for Gather {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Gather)
    }
}

#[cfg(test)]
mod tests {
    use super::super::export::write;
    use super::*;

    const PLAN: &str = r#"{"type":"plan","organization_id":"org_01h455vb4pex5vsknk084sn02q","id":"plan_01h455vb4pex5vsknk084sn02q","slug":"pro","name":"Prö","product_id":null,"variants":["a","b"],"price":19.99,"currency":"USD","href":"https://example.com/","billing_cycle":"monthly","description":"","node_quota":3,"features":"a,b","most_popular":true,"tier":2,"is_active":false,"created_at":"2026-01-31T09:30:00.123456Z","updated_at":"2026-01-31T09:30:00.123456Z","deleted_at":null,"revision":"evt_01h455vb4pex5vsknk084sn02q"}"#;
    const EVENT: &str = r#"{"type":"event","organization_id":"org_01h455vb4pex5vsknk084sn02q","id":"evt_01h455vb4pex5vsknk084sn02q","kind":"plan.created","record_id":"plan_01h455vb4pex5vsknk084sn02q","client_id":null,"request_id":null,"at":"2026-01-31T09:30:00.123456Z","before":null,"after":{"price": 1.50}}"#;

    fn faults(text: &str) -> Vec<(usize, &'static str, String)> {
        let refused = read(text.as_bytes(), None).err();
        let faults = refused.map(|refused| refused.faults).unwrap_or_default();
        faults.into_iter().map(|fault| (fault.column, fault.code, fault.detail)).collect()
    }

    /// The line with something else in a place, and where that place is.
    #[track_caller]
    fn planted(line: &str, found: &str, instead: &str) -> (String, usize) {
        let offset = line.find(found).unwrap();
        (line.replacen(found, instead, 1), column_at(line, offset))
    }

    #[test]
    fn what_is_written_reads_back_and_is_written_alike() {
        for line in [PLAN, EVENT] {
            let Ok(read) = read(line.as_bytes(), None) else { panic!("{:?}", faults(line)) };
            let mut again = String::new();
            write(read.record.kind, &read.record.values, &mut again);
            assert_eq!(again, format!("{line}\n"));
        }
    }

    #[test]
    fn each_fault_is_told_with_its_column_and_all_of_a_line_together() {
        for (line, found, instead, code) in [
            (PLAN, "\"pro\"", "\"Pro!\"", "invalid_format"),
            (PLAN, "\"pro\"", "null", "not_nullable"),
            (PLAN, "\"pro\"", "7", "invalid_type"),
            (PLAN, "19.99", "19.999", "too_many_decimals"),
            (PLAN, "19.99", "-1", "out_of_range"),
            (PLAN, "19.99", "\"19.99\"", "invalid_type"),
            (PLAN, "\"USD\"", "\"XXX\"", "unknown_value"),
            (PLAN, "\"https://example.com/\"", "\"example.com\"", "invalid_format"),
            (PLAN, "\"monthly\"", "\"bimonthly\"", "ambiguous"),
            (PLAN, "[\"a\",\"b\"]", "[\"a\",\"a\"]", "duplicate_item"),
            (PLAN, "\"Prö\"", "\"\"", "too_short"),
            (PLAN, "\"Prö\"", "\"\\u0007\"", "invalid_text"),
            (PLAN, "\"2026-01-31T09:30:00.123456Z\"", "\"2026-02-30T09:30:00Z\"", "invalid_format"),
            (PLAN, "\"plan_01h455vb4pex5vsknk084sn02q\"", "\"sub_01h455vb4pex5vsknk084sn02q\"", "invalid_format"),
            (PLAN, "2,\"is_active\"", "99999,\"is_active\"", "out_of_range"),
            (PLAN, "\"plan\"", "\"plane\"", "unknown_value"),
            (EVENT, "\"plan.created\"", "\"plan.eaten\"", "unknown_value"),
            (EVENT, "\"plan_01h455vb4pex5vsknk084sn02q\"", "\"usr_01h455vb4pex5vsknk084sn02q\"", "inconsistent"),
            (EVENT, "{\"price\": 1.50}", "[]", "invalid_type"),
        ] {
            let (planted, column) = planted(line, found, instead);
            let told: Vec<_> = faults(&planted).into_iter().map(|(column, code, _)| (column, code)).collect();
            assert_eq!(told, [(column, code)], "{instead}");
        }
        let two = PLAN.replacen("19.99", "-1", 1).replacen("\"tier\":2", "\"tier\":2,\"colour\":1", 1);
        let codes: Vec<_> = faults(&two).into_iter().map(|(_, code, _)| code).collect();
        assert_eq!(codes, ["out_of_range", "unknown_field"]);
    }

    #[test]
    fn what_is_missing_or_no_json_is_told() {
        let without = PLAN.replacen("\"slug\":\"pro\",", "", 1);
        assert_eq!(faults(&without), [(1, "required", "slug is required".to_owned())]);
        let twice = PLAN.replacen("\"slug\":\"pro\",", "\"slug\":\"pro\",\"slug\":\"pro\",", 1);
        assert_eq!(faults(&twice)[0].1, "duplicate_key");
        for text in ["[]", "{\"type\":\"plan\"", "plan", "{} {}"] {
            assert_eq!(faults(text)[0].1, "malformed", "{text}");
        }
        assert_eq!(faults("{}")[0].1, "required");
        let bad = read(b"{\"type\":\"\xff\"}", None).err().unwrap();
        assert_eq!((bad.faults[0].column, bad.faults[0].code), (10, "malformed"));
    }

    #[test]
    fn a_line_that_leaves_out_what_may_be_left_out_is_whole() {
        let revision = ",\"deleted_at\":null,\"revision\":\"evt_01h455vb4pex5vsknk084sn02q\"";
        let short = PLAN.replacen(revision, "", 1);
        assert_ne!(short, PLAN);
        let read = read(short.as_bytes(), None).ok().unwrap();
        assert_eq!(*read.record.at("revision"), Value::Uuid(read.record.id()));
    }
}
