//! `/search`: finds a record by an ID, an external ID, a slug, an invoice's number, an address or the beginning of one.

use crate::access::Access;
use crate::call::Call;
use crate::filters;
use crate::operation::{Handler, Operation, ResponseKind};
use crate::problem::Problem;
use crate::query::{Parameter, Query, QuerySpec};
use crate::reply::Reply;
use crate::samples;
use crate::schema::{self, Schema};
use http::Method;
use perennial_app::search::{self, Found, Match, SCOPES, Term};
use perennial_domain::id::UserId;
use perennial_domain::validation::{InvalidValue, ValidationCode};
use serde::Serialize;
use serde_json::{Value, json};

const DEFAULT_LIMIT: usize = 10;
const MAX_LIMIT: i64 = 20;

pub(crate) static OPERATIONS: &[Operation] = &[Operation {
    id: "search",
    method: Method::GET,
    path: "/search",
    tag: "Search",
    summary: "Search",
    description: "Finds records by an ID, an external subscription or payment ID, a plan's slug, an invoice's number, or an e-mail \
        address or its beginning. Exact matches first, then by label. Only records that the client may read are found.",
    access: Access::AnyOf(&SCOPES),
    query: QuerySpec {
        parameters: &[
            Parameter {
                name: "q",
                description: "The text to search for: 3 to 255 characters. Space around it is ignored.",
                schema: || json!({ "type": "string", "minLength": 3 }),
            },
            Parameter {
                name: "limit",
                description: "The maximum number of results.",
                schema: || json!({ "type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": DEFAULT_LIMIT }),
            },
        ],
        parse: |query| {
            parse_query(query);
        },
    },
    body: None,
    response: ResponseKind::List(&RESULT),
    errors: &[],
    handler: Handler::Read(|call| Box::pin(find(call))),
}];

pub(crate) async fn find(mut call: Call<'_>) -> Result<Reply, Problem> {
    let (term, limit) = parse_query(&mut call.query);
    call.no_body().await?;
    let term = term.ok_or_else(|| Problem::internal("a required parameter is missing without an error"))?;
    let found = search::find(call.app, &call.caller, &term).await?;
    let results: Vec<ResultView<'_>> = found.iter().map(ResultView::of).collect();
    Ok(Reply::list(&results, None, limit))
}

/// Parses the parameters.
fn parse_query(query: &mut Query) -> (Option<Term>, usize) {
    let limit = query.get("limit", parse_limit).unwrap_or(DEFAULT_LIMIT);
    (query.required("q", |text| Term::parse(text, limit)), limit)
}

fn parse_limit(text: &str) -> Result<usize, InvalidValue> {
    let limit = filters::whole(text, MAX_LIMIT).ok().and_then(|limit| usize::try_from(limit).ok());
    limit.filter(|limit| *limit >= 1).ok_or_else(|| {
        InvalidValue::new(ValidationCode::InvalidFormat, format!("must be a whole number from 1 to {MAX_LIMIT}"))
    })
}

/// A result as it is returned.
#[derive(Serialize)]
struct ResultView<'a> {
    kind: &'static str,
    id: &'a str,
    label: &'a str,
    r#match: Match,
}

impl<'a> ResultView<'a> {
    fn of(found: &'a Found) -> Self {
        Self { kind: found.kind, id: &found.id, label: &found.label, r#match: found.matched }
    }
}

static RESULT: Schema =
    Schema { name: "SearchResult", definition: result_schema, example: || samples::json(sample()), refers_to: &[] };

fn result_schema() -> Value {
    let kinds: Vec<&str> = search::kinds().collect();
    schema::record(&[
        ("kind", schema::words(&kinds)),
        ("id", json!({ "type": "string" })),
        (
            "label",
            json!({ "type": "string", "description": "A user's address, a plan's name, an invoice's number, or an external ID; the ID where there is none." }),
        ),
        ("match", schema::words(&["exact", "prefix"])),
    ])
}

fn sample() -> Value {
    let id = UserId::from_bytes(samples::ID).to_string();
    samples::json(ResultView { kind: "user", id: &id, label: "ada@example.com", r#match: Match::Prefix })
}
