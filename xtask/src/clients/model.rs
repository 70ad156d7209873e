//! What every client is written from: the API as a handful of plain lists, in no language's words.
//!
//! - `problems`: the error codes, a row for each code and status;
//! - `vocabularies`: closed sets of words that have a name, such as `BillingCycle`;
//! - `records`: objects with a name and fields, those that are answered (`Plan`) and those that are sent (`PlanCreate`);
//! - `operations`: the calls, each with its place (`plans.create`), what it takes and what it answers.
//!
//! The envelope is not in it: an operation answers `One("Plan")` for `{"data": {…}}` and `Page("Plan")` for a list with its
//! `page`; `extras` is what a list has next to it. `read.rs` makes it of `openapi.json`, `names.rs` names what the document
//! leaves nameless.

use serde_json::Value;

#[derive(Debug)]
pub(crate) struct Model {
    /// The document's version.
    pub(crate) version: String,
    pub(crate) problems: Vec<Problem>,
    pub(crate) vocabularies: Vec<Vocabulary>,
    pub(crate) records: Vec<Record>,
    pub(crate) operations: Vec<Operation>,
}

/// An error code. A code with two statuses has two entries.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) code: String,
    pub(crate) status: u16,
    pub(crate) title: String,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Vocabulary {
    pub(crate) name: String,
    pub(crate) words: Vec<String>,
}

#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) name: String,
    /// Empty if the document has no description; so are all `docs`.
    pub(crate) docs: String,
    pub(crate) fields: Vec<Field>,
    pub(crate) role: Role,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Answered,
    Sent,
}

/// A member of a record, or a parameter in a path or a query.
#[derive(Debug, PartialEq)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) docs: String,
    pub(crate) kind: Kind,
    pub(crate) nullable: bool,
    pub(crate) required: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    Text,
    /// An RFC 3339 instant, as text.
    Instant,
    /// Money: a JSON number with decimals, which must stay exact.
    Amount,
    Integer,
    Flag,
    /// Always this value.
    Constant(Value),
    /// A word of this vocabulary.
    Word(String),
    /// A word of this vocabulary, or one of its aliases, which the document does not list.
    WordOrAlias(String),
    List(Box<Kind>),
    Record(String),
    /// An object whose members the document does not list.
    Object,
    /// One of several kinds.
    Either(Vec<Kind>),
    /// Whatever it holds.
    Anything,
}

#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a separate fact that the document states")]
pub(crate) struct Operation {
    /// The document's `operationId`.
    pub(crate) id: String,
    /// Where a client has it. Calls around the API (`/livez` …), which need no client, have none.
    pub(crate) place: Option<Place>,
    /// In upper case.
    pub(crate) method: String,
    /// With its parameters in braces: `/subscription-plans/{slug}`.
    pub(crate) path: String,
    pub(crate) summary: String,
    pub(crate) docs: String,
    pub(crate) access: Access,
    /// The scope that the client must hold.
    pub(crate) scope: Option<String>,
    pub(crate) path_parameters: Vec<Field>,
    pub(crate) query: Vec<Field>,
    pub(crate) body: Option<Body>,
    pub(crate) answer: Answer,
    /// The members of the envelope next to `data` and `page`, each with its record.
    pub(crate) extras: Vec<Extra>,
    /// The status of success.
    pub(crate) status: u16,
    /// What the document shows as an answer, in its envelope.
    pub(crate) answer_example: Option<Value>,
    /// Whether `Idempotency-Key` makes it safe to send again.
    pub(crate) idempotency_key: bool,
    pub(crate) if_match: bool,
    pub(crate) if_none_match: bool,
    /// Whether sending it again, not knowing how the first time ended, does no harm. Of a create this is true because of
    /// its key.
    pub(crate) repeatable: bool,
    /// The statuses of its refusals; `problems` has their codes.
    pub(crate) refusals: Vec<u16>,
}

/// `plans` and `create`; words of a name are divided by `_`, as in `revoke_others`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) group: String,
    pub(crate) name: String,
}

/// Who must say who they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// No client and no user.
    Open,
    /// The client.
    Client,
    /// The client, and the person with their token.
    User,
    /// The client, and the person's token if the client is a public one: then only their own records are seen.
    ClientOrUser,
}

#[derive(Debug)]
pub(crate) struct Body {
    /// The record that is sent.
    pub(crate) record: String,
    pub(crate) example: Option<Value>,
}

/// A member of the envelope of a page: `seats` with a `Seats`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Extra {
    pub(crate) member: String,
    pub(crate) record: String,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// `{"data": …}` with this record.
    One(String),
    /// `{"data": […], "page": …}` with such records.
    Page(String),
    /// `{"data": […], "meta": …}` with such rows of figures.
    Figures(String),
    /// An object that the document does not describe, without an envelope.
    Bare,
}

impl Operation {
    /// Whether it is a read with a query. The `dry_run` of a change is none.
    pub(crate) fn asks(&self) -> bool {
        self.method == "GET" && !self.query.is_empty()
    }
}

impl Model {
    pub(crate) fn record(&self, name: &str) -> Option<&Record> {
        self.records.iter().find(|record| record.name == name)
    }

    /// The groups of the operations that have a place, in the order of the document, each with its operations.
    pub(crate) fn groups(&self) -> Vec<(&str, Vec<(&Place, &Operation)>)> {
        let mut groups: Vec<(&str, Vec<(&Place, &Operation)>)> = Vec::new();
        for operation in &self.operations {
            let Some(place) = &operation.place else { continue };
            match groups.iter_mut().find(|(group, _)| *group == place.group) {
                Some((_, operations)) => operations.push((place, operation)),
                None => groups.push((&place.group, vec![(place, operation)])),
            }
        }
        groups
    }
}
