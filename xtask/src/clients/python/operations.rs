//! `operations.py`: a constant for each call, a class for each group, and the object that holds them all.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::super::model::{Access, Answer, Field, Kind, Model, Operation, Place};
use super::super::names;
use super::types::has_tag;
use super::{Way, annotation, argument, constant, heading, prose};

/// Members that a whole record sent back may hold, and that no call can change.
const NOT_TO_BE_SENT: &str = "Read-only. It may be sent back unchanged.";

const LONGEST_LINE: usize = 120;

pub(crate) fn operations(model: &Model) -> String {
    let groups = model.groups();
    let mut text = heading("The calls of the API, by what they are about");
    text.push_str(&imports(model));
    for (_, operations) in &groups {
        for (_, operation) in operations {
            text.push_str(&fixed(operation));
        }
    }
    for (_, operation) in groups.iter().flat_map(|(_, operations)| operations) {
        text.push_str(&page_class(operation));
    }
    for (group, operations) in &groups {
        let _ = write!(
            text,
            "\n\nclass {}:\n    \"\"\"Calls about {}.\"\"\"\n\n    def __init__(self, caller: Caller) -> None:\n        \
             self._caller = caller\n",
            names::pascal(group),
            group.replace('_', " ")
        );
        for (place, operation) in operations {
            text.push_str(&Method { model, place, operation }.write());
        }
    }
    text.push_str("\n\nclass Resources:\n    \"\"\"Everything that can be called.\"\"\"\n\n");
    text.push_str("    def __init__(self, caller: Caller) -> None:\n");
    for (group, _) in &groups {
        let _ = writeln!(text, "        self.{group} = {}(caller)", names::pascal(group));
    }
    text
}

fn imports(model: &Model) -> String {
    let called = || model.operations.iter().filter(|operation| operation.place.is_some());
    let mut types = BTreeSet::new();
    for operation in called() {
        if let Answer::One(name) | Answer::Page(name) | Answer::Figures(name) = &operation.answer {
            types.insert(name.as_str());
        }
        types.extend(operation.extras.iter().map(|extra| extra.record.as_str()));
        for field in operation.query.iter().chain(sent(model, operation)) {
            let kind = match &field.kind {
                Kind::List(item) => item,
                kind => kind,
            };
            if let Kind::Word(name) | Kind::WordOrAlias(name) = kind {
                types.insert(name);
            }
        }
    }
    let types: Vec<String> = types.into_iter().map(|name| format!("    {name},\n")).collect();
    format!(
        "\nfrom __future__ import annotations\n\n\
         from collections.abc import Iterator, Mapping, Sequence\n\
         from dataclasses import dataclass\n\
         from datetime import datetime\n\
         from decimal import Decimal\n\
         from typing import Any, Literal\n\n\
         from .._operation import Caller, Operation\n\
         from .._pages import Figures, Page, figures, page, parts, walk\n\
         from .._wire import UNSET, Unset\n\
         from .types import (\n{})\n\n",
        types.concat()
    )
}

/// What is the same each time.
fn fixed(operation: &Operation) -> String {
    let mut members = vec![
        format!("id=\"{}\"", operation.id),
        format!("method=\"{}\"", operation.method),
        format!("path=\"{}\"", operation.path),
    ];
    match operation.access {
        Access::User => members.push("person=\"always\"".to_owned()),
        Access::ClientOrUser => members.push("person=\"if_signed_in\"".to_owned()),
        Access::Open | Access::Client => {}
    }
    if operation.idempotency_key {
        members.push("takes_key=True".to_owned());
    }
    if !operation.repeatable {
        members.push("repeatable=False".to_owned());
    }
    let name = constant(operation);
    let line = format!("{name} = Operation({})\n", members.join(", "));
    if line.len() <= LONGEST_LINE {
        return line;
    }
    format!("{name} = Operation(\n    {},\n)\n", members.join(",\n    "))
}

/// The class of pages that have more than their records.
fn page_class(operation: &Operation) -> String {
    let Answer::Page(record) = &operation.answer else { return String::new() };
    if operation.extras.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "\n\n@dataclass(frozen=True)\nclass {record}Page(Page[{record}]):\n    \"\"\"A page of `{}`.\"\"\"\n\n",
        operation.id
    );
    for extra in &operation.extras {
        let _ = writeln!(text, "    {}: {}", argument(&extra.member), extra.record);
    }
    text
}

/// The members of its body that a call can set.
fn sent<'a>(model: &'a Model, operation: &Operation) -> Vec<&'a Field> {
    let record = operation.body.as_ref().and_then(|body| model.record(&body.record));
    let settable = |field: &&Field| field.kind != Kind::Anything && !field.docs.starts_with(NOT_TO_BE_SENT);
    record.map(|record| record.fields.iter().filter(settable).collect()).unwrap_or_default()
}

struct Method<'a> {
    model: &'a Model,
    place: &'a Place,
    operation: &'a Operation,
}

impl Method<'_> {
    fn write(&self) -> String {
        let mut text = self.plain();
        // A list without a cursor has a single page.
        if matches!(self.operation.answer, Answer::Page(_)) && self.has_cursor() {
            text.push_str(&self.each());
        }
        if self.operation.if_none_match {
            text.push_str(&self.if_changed());
        }
        text
    }

    fn plain(&self) -> String {
        let (returned, reading) = match &self.operation.answer {
            Answer::One(record) if has_tag(self.model, record) && self.has_tag() => {
                (record.clone(), format!("{record}.read(answer.body[\"data\"], answer.etag)"))
            }
            Answer::One(record) => (record.clone(), format!("{record}.read(answer.body[\"data\"])")),
            Answer::Page(record) if !self.operation.extras.is_empty() => {
                let extras = self.operation.extras.iter();
                let read = extras.map(|one| format!(", {}.read(answer.body[\"{}\"])", one.record, one.member));
                let read: String = read.collect();
                (format!("{record}Page"), format!("{record}Page(*parts(answer.body, {record}.read){read})"))
            }
            Answer::Page(record) => (format!("Page[{record}]"), format!("page(answer.body, {record}.read)")),
            Answer::Figures(record) => (format!("Figures[{record}]"), format!("figures(answer.body, {record}.read)")),
            Answer::Bare => ("None".to_owned(), "None".to_owned()),
        };
        let signature = self.signature(&argument(&self.place.name), &self.named(), &returned);
        let call = self.call(&self.headers());
        format!("{signature}{}        answer = {call}\n        return {reading}\n", self.docs())
    }

    /// All the pages.
    fn each(&self) -> String {
        let Answer::Page(record) = &self.operation.answer else { return String::new() };
        let name = argument(&self.place.name).replacen("list", "each", 1);
        let signature = self.signature(&name, &self.named(), &format!("Iterator[{record}]"));
        let fields = self.operation.path_parameters.iter().chain(&self.operation.query);
        let passed: Vec<String> = fields
            .map(|field| {
                let value = if field.name == "cursor" { "after".to_owned() } else { argument(&field.name) };
                format!("                {}={value},\n", argument(&field.name))
            })
            .collect();
        format!(
            "{signature}        \"\"\"Every one of them, page after page; `limit` is the size of a page.\"\"\"\n\n        \
             def fetch(after: str | Unset) -> Page[{record}]:\n            return self.{}(\n{}            )\n\n        \
             return walk(cursor, fetch)\n",
            argument(&self.place.name),
            passed.concat()
        )
    }

    /// The same with the entity tag that the caller has.
    fn if_changed(&self) -> String {
        let Answer::One(record) = &self.operation.answer else { return String::new() };
        let paths: Vec<String> =
            self.operation.path_parameters.iter().map(|field| format!("{}: str, ", argument(&field.name))).collect();
        // A read has no body, and what it asks for goes by name.
        let named: Vec<String> = self.named().iter().map(|argument| format!(", {argument}")).collect();
        let named = if named.is_empty() { String::new() } else { format!(", *{}", named.concat()) };
        let call = self.call(&[("if-none-match".to_owned(), "etag".to_owned())]);
        format!(
            "\n    def {}_if_changed(self, {}etag: str{named}) -> {record} | None:\n        \
             \"\"\"The same, or `None` if the record still has this `etag`.\"\"\"\n        answer = {call}\n        \
             return None if answer.not_modified else {record}.read(answer.body[\"data\"], answer.etag)\n",
            self.place.name,
            paths.concat()
        )
    }

    fn has_cursor(&self) -> bool {
        self.operation.query.iter().any(|field| field.name == "cursor")
    }

    fn has_tag(&self) -> bool {
        self.operation.if_match || self.operation.if_none_match || self.operation.idempotency_key
    }

    /// The arguments that go by name, those that are required first.
    fn named(&self) -> Vec<String> {
        let mut required = Vec::new();
        let mut optional = Vec::new();
        for field in self.operation.query.iter().chain(sent(self.model, self.operation)) {
            let name = argument(&field.name);
            let or_null = if field.nullable { " | None" } else { "" };
            let kind = annotation(&field.kind, Way::Sent);
            if field.required {
                required.push(format!("{name}: {kind}{or_null}"));
            } else {
                optional.push(format!("{name}: {kind}{or_null} | Unset = UNSET"));
            }
        }
        if self.operation.idempotency_key {
            optional.push("idempotency_key: str | Unset = UNSET".to_owned());
        }
        if self.operation.if_match {
            optional.push("if_match: str | None | Unset = UNSET".to_owned());
        }
        required.extend(optional);
        required
    }

    fn signature(&self, name: &str, named: &[String], returned: &str) -> String {
        let mut arguments = vec!["self".to_owned()];
        arguments.extend(self.operation.path_parameters.iter().map(|field| format!("{}: str", argument(&field.name))));
        if named.is_empty() {
            return format!("\n    def {name}({}) -> {returned}:\n", arguments.join(", "));
        }
        arguments.push("*".to_owned());
        arguments.extend_from_slice(named);
        let lines: Vec<String> = arguments.iter().map(|argument| format!("        {argument},\n")).collect();
        format!("\n    def {name}(\n{}    ) -> {returned}:\n", lines.concat())
    }

    fn docs(&self) -> String {
        let mut text = format!("        \"\"\"{}.\n", self.operation.summary);
        if !self.operation.docs.is_empty() {
            let _ = write!(text, "\n        {}\n", prose(&self.operation.docs));
        }
        if let Some(scope) = &self.operation.scope {
            let _ = write!(text, "\n        The client needs the scope `{scope}`.\n");
        }
        let fields: Vec<&Field> = self.operation.query.iter().chain(sent(self.model, self.operation)).collect();
        let described: Vec<String> = fields
            .iter()
            .filter(|field| !field.docs.is_empty())
            .map(|field| format!("        - `{}`: {}\n", argument(&field.name), prose(&field.docs)))
            .collect();
        if !described.is_empty() {
            let _ = write!(text, "\n{}", described.concat());
        }
        let refusals: Vec<String> = self.operation.refusals.iter().map(u16::to_string).collect();
        let _ = write!(text, "\n        Raises `Problem` with one of {}.\n", refusals.join(", "));
        text.push_str("        \"\"\"\n");
        text
    }

    fn headers(&self) -> Vec<(String, String)> {
        let mut headers = Vec::new();
        if self.operation.idempotency_key {
            headers.push(("idempotency-key".to_owned(), "idempotency_key".to_owned()));
        }
        if self.operation.if_match {
            headers.push(("if-match".to_owned(), "if_match".to_owned()));
        }
        headers
    }

    fn call(&self, headers: &[(String, String)]) -> String {
        let pairs = |fields: &[&Field]| -> Vec<(String, String)> {
            fields.iter().map(|field| (field.name.clone(), argument(&field.name))).collect()
        };
        let path: Vec<&Field> = self.operation.path_parameters.iter().collect();
        let query: Vec<&Field> = self.operation.query.iter().collect();
        let mut text = format!("self._caller.call(\n            {},\n", constant(self.operation));
        for (part, members) in [("path", pairs(&path)), ("query", pairs(&query)), ("headers", headers.to_vec())] {
            if !members.is_empty() {
                text.push_str(&mapping(part, &members));
            }
        }
        if self.operation.body.is_some() {
            text.push_str(&mapping("body", &pairs(&sent(self.model, self.operation))));
        }
        text.push_str("        )");
        text
    }
}

fn mapping(part: &str, members: &[(String, String)]) -> String {
    if let [(name, value)] = members {
        return format!("            {part}={{\"{name}\": {value}}},\n");
    }
    let lines: Vec<String> =
        members.iter().map(|(name, value)| format!("                \"{name}\": {value},\n")).collect();
    format!("            {part}={{\n{}            }},\n", lines.concat())
}
