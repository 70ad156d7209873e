//! `?dry_run=true`: all checks and the whole decision of a write, and nothing is committed.

use crate::call::Call;
use crate::filters::boolean;
use crate::query::{Parameter, Query, QuerySpec};
use crate::reply::{Content, Reply, StoredResponse};
use crate::schema;
use http::{HeaderName, HeaderValue, StatusCode};
use perennial_app::caller::Tried;
use perennial_domain::invoices::credit_note::CreditNote;
use perennial_domain::invoices::record::Invoice;
use serde::Serialize;
use serde_json::{Value, json};

pub(crate) const HEADER: HeaderName = HeaderName::from_static("perennial-dry-run");

const NAME: &str = "dry_run";

/// The query of a write that can be tried.
pub(crate) const QUERY: QuerySpec = QuerySpec {
    parameters: &[Parameter {
        name: NAME,
        description: "Decide and return the result with status 200, but write nothing. IDs in the result refer to nothing.",
        schema: schema::boolean,
    }],
    parse: |query| {
        parse(query);
    },
};

fn parse(query: &mut Query) -> bool {
    query.get(NAME, boolean).unwrap_or(false)
}

/// Whether the query is that of a write that can be tried.
pub(crate) fn is_offered(query: &QuerySpec) -> bool {
    query.parameters.iter().any(|parameter| parameter.name == NAME)
}

/// Reads the parameter. The use case then commits nothing.
pub(crate) fn read(call: &mut Call<'_>) {
    call.caller.is_dry_run = parse(&mut call.query);
}

/// The record that would result, and the documents that would be issued with it.
#[derive(Serialize)]
struct Result<T> {
    data: T,
    documents: Value,
}

#[derive(Serialize, Default)]
struct Documents {
    invoices: Vec<Invoice>,
    credit_notes: Vec<CreditNote>,
}

impl Documents {
    /// What the write would issue. Numbers are drawn by the commit only.
    fn of(tried: &Tried) -> Value {
        let (invoices, credit_notes) = tried.get();
        let mut documents = json!(Self { invoices, credit_notes });
        for kind in ["invoices", "credit_notes"] {
            for document in documents[kind].as_array_mut().into_iter().flatten() {
                document["number"] = Value::Null;
            }
        }
        documents
    }
}

/// The result of a write that was tried.
pub(crate) fn reply<T: Serialize>(call: &Call<'_>, record: T) -> Reply {
    with_header(body(record, &call.caller.tried))
}

/// The result of a create that was tried, in place of the response that would be stored.
pub(crate) fn unstored<T: Serialize>(record: T, tried: &Tried) -> StoredResponse {
    let (location, etag) = (String::new(), String::new());
    StoredResponse {
        status: i64::from(StatusCode::OK.as_u16()),
        body: body(record, tried),
        location,
        etag,
        replayed: false,
    }
}

/// The response of a create, or the result of one that was tried.
pub(crate) fn created(call: &Call<'_>, stored: StoredResponse) -> Reply {
    if call.caller.is_dry_run { with_header(stored.body) } else { Reply::stored(stored) }
}

/// The member of a response that only a dry run has.
pub(crate) fn documents_schema() -> Value {
    let none = json!({ "type": "array", "items": { "type": "object", "additionalProperties": true } });
    let mut schema = schema::record(&[("invoices", none.clone()), ("credit_notes", none)]);
    schema["description"] = "Only with `dry_run=true`: the documents that the write would issue.".into();
    schema
}

fn with_header(body: String) -> Reply {
    let mut reply = Reply::new(StatusCode::OK, Content::Json, body);
    reply.headers.push((HEADER, HeaderValue::from_static("true")));
    reply
}

fn body<T: Serialize>(record: T, tried: &Tried) -> String {
    let result = Result { data: record, documents: Documents::of(tried) };
    perennial_domain::json::to_string(&result)
}
