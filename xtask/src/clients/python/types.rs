//! `types.py`: vocabularies as literals, answered records as frozen dataclasses that read themselves from JSON.
//! What is sent needs no type: it is the arguments of a call.

use std::fmt::Write as _;

use super::super::model::{Answer, Field, Kind, Model, Operation, Record, Role, Vocabulary};
use super::{OF_THE_RUNTIME, Way, annotation, argument, heading, prose};

const IMPORTS: &str = "\
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal, TypeAlias

from .._wire import instant, money, optional
";

pub(crate) fn types(model: &Model) -> String {
    let records: Vec<&Record> = model
        .records
        .iter()
        .filter(|record| record.role == Role::Answered && !OF_THE_RUNTIME.contains(&record.name.as_str()))
        .collect();
    let mut names: Vec<&str> = records.iter().map(|record| record.name.as_str()).collect();
    names.extend(model.vocabularies.iter().map(|vocabulary| vocabulary.name.as_str()));
    names.sort_unstable();

    let mut text = heading("The records of the API, and the words they are written with");
    let _ = write!(text, "\n{IMPORTS}\n__all__ = [\n");
    for name in names {
        let _ = writeln!(text, "    \"{name}\",");
    }
    text.push_str("]\n");
    for vocabulary in &model.vocabularies {
        text.push_str(&words(vocabulary));
    }
    for record in records {
        text.push_str(&dataclass(record, has_tag(model, &record.name)));
    }
    text
}

fn words(vocabulary: &Vocabulary) -> String {
    let mut text = format!("\n{}: TypeAlias = Literal[\n", vocabulary.name);
    for word in &vocabulary.words {
        let _ = writeln!(text, "    \"{word}\",");
    }
    text.push_str("]\n");
    text
}

/// Records that can be changed or asked for by their entity tag come with it.
pub(super) fn has_tag(model: &Model, record: &str) -> bool {
    let answers = |answer: &Answer| matches!(answer, Answer::One(name) if name == record);
    let is_tagged = |operation: &Operation| operation.if_match || operation.if_none_match;
    model.operations.iter().any(|operation| is_tagged(operation) && answers(&operation.answer))
}

fn dataclass(record: &Record, has_tag: bool) -> String {
    let name = &record.name;
    let mut text = format!("\n\n@dataclass(frozen=True)\nclass {name}:\n");
    let docs = if record.docs.is_empty() { format!("A `{name}` as the API answers it.") } else { prose(&record.docs) };
    let _ = writeln!(text, "    \"\"\"{docs}\"\"\"\n");
    for field in &record.fields {
        if !field.docs.is_empty() {
            let _ = writeln!(text, "    #: {}", field.docs.replace('\n', " "));
        }
        let or_null = if field.nullable { " | None" } else { "" };
        let secret = if is_secret(field) { " = field(repr=False)" } else { "" };
        let kind = annotation(&field.kind, Way::Answered);
        let _ = writeln!(text, "    {}: {kind}{or_null}{secret}", argument(&field.name));
    }
    let (parameter, tag) = if has_tag {
        text.push_str("    #: What to send as `if_match` or `etag`; `None` in a list, which has no entity tags.\n");
        text.push_str("    etag: str | None = field(default=None, compare=False, repr=False)\n");
        (", etag: str | None = None", "            etag=etag,\n")
    } else {
        ("", "")
    };
    let _ = write!(
        text,
        "\n    @classmethod\n    def read(cls, members: Mapping[str, Any]{parameter}) -> {name}:\n        \
         \"\"\"From the members of its JSON; those that are not known here are left out.\"\"\"\n        return cls(\n"
    );
    for field in &record.fields {
        let _ = writeln!(text, "            {}={},", argument(&field.name), reading(field));
    }
    text.push_str(tag);
    text.push_str("        )\n");
    text
}

/// A token must not come to light in a log that prints a record.
fn is_secret(field: &Field) -> bool {
    matches!(field.name.as_str(), "token" | "refresh_token" | "secret")
}

fn reading(field: &Field) -> String {
    let member = format!("members[\"{}\"]", field.name);
    match reader(&field.kind) {
        None => match &field.kind {
            Kind::List(of) => match reader(of) {
                None => format!("tuple({member})"),
                Some(read) => format!("tuple({read}(item) for item in {member})"),
            },
            _ => member,
        },
        Some(read) if field.nullable => format!("optional({read}, {member})"),
        Some(read) => format!("{read}({member})"),
    }
}

/// What makes a value of JSON's, if it is not one already.
fn reader(kind: &Kind) -> Option<String> {
    match kind {
        Kind::Instant => Some("instant".to_owned()),
        Kind::Amount => Some("money".to_owned()),
        Kind::Record(name) => Some(format!("{name}.read")),
        _ => None,
    }
}
