//! `/events`: the feed of an organization's events.

mod view;

use crate::access::Access;
use crate::call::Call;
use crate::error_codes::Code;
use crate::filters;
use crate::list_query;
use crate::operation::{Handler, Operation, ResponseKind};
use crate::problem::Problem;
use crate::query::{Parameter, Query, QuerySpec};
use crate::reply::Reply;
use crate::schema::{self, Schema};
use http::{Method, StatusCode};
use perennial_app::error::Error;
use perennial_app::feed::{self, EventFilter, EventView, Start};
use perennial_domain::clients::Scope;
use perennial_domain::events::{EventKind, RecordKind};
use perennial_domain::id::{ClientId, EventId, OperatorId};
use perennial_domain::time::Time;
use perennial_domain::validation::{InvalidValue, ValidationCode};
use perennial_domain::webhooks::EventPattern;
use perennial_server::Pauses;
use serde_json::{Value, json};
use std::time::Duration;

const TAG: &str = "Events";
const DEFAULT_LIMIT: usize = 50;
/// Below the time in which a response must be ready.
const MAX_WAIT_SECONDS: i64 = 25;

static EVENT: Schema = Schema { name: "Event", definition: view::definition, example: view::example, refers_to: &[] };

pub(crate) static OPERATIONS: &[Operation] = &[
    Operation {
        id: "listEvents",
        method: Method::GET,
        path: "/events",
        tag: TAG,
        summary: "Read the feed of events",
        description: "Oldest first, in the order in which the changes were committed. `next_cursor` is never null: store it \
                      after every page, including empty ones. `has_more` is true if the page stopped before the end of the \
                      feed; under a rare filter a page can be empty and have more.",
        access: Access::Scope(Scope::EventsRead),
        query: QuerySpec {
            parameters: &[
                Parameter {
                    name: "type",
                    description: "Types of events, separated by commas: `payment.created`, `subscription.*`, or `*`.",
                    schema: types_schema,
                },
                Parameter { name: "record_id", description: "Events of this record.", schema: schema::text },
                Parameter { name: "client_id", description: "Events that this client caused.", schema: schema::text },
                Parameter {
                    name: "operator_id",
                    description: "Events that this operator caused.",
                    schema: schema::text,
                },
                Parameter {
                    name: "start",
                    description: "Where to begin without a cursor: `oldest`, `newest`, or a time, which means the first event \
                                  that entered the feed at or after it.",
                    schema: start_schema,
                },
                Parameter {
                    name: "wait",
                    description: "Seconds to wait for the next event if the page would be empty at the end of the feed.",
                    schema: wait_schema,
                },
                Parameter {
                    name: "sort",
                    description: "`-sequence` returns the newest events first. `next_cursor` is then null at the end, and works \
                                  only with this order. It cannot be combined with `start` or `wait`.",
                    schema: sort_schema,
                },
                list_query::limit::<DEFAULT_LIMIT>(),
                list_query::CURSOR,
            ],
            parse: |query| {
                FeedQuery::parse(query);
            },
        },
        body: None,
        response: ResponseKind::List(&EVENT),
        errors: &[Code::InvalidCursor, Code::CursorGone],
        handler: Handler::Read(|call| Box::pin(list(call))),
    },
    Operation {
        id: "readEvent",
        method: Method::GET,
        path: "/events/{id}",
        tag: TAG,
        summary: "Read an event",
        description: "A pruned event, and one that has no position in the feed yet, does not exist.",
        access: Access::Scope(Scope::EventsRead),
        query: QuerySpec::NONE,
        body: None,
        response: ResponseKind::Value(StatusCode::OK, &EVENT),
        errors: &[Code::NotFound],
        handler: Handler::Read(|call| Box::pin(read(call))),
    },
];

/// The types of a page without events. An empty list would mean all types.
const NO_TYPES: [&str; 1] = [""];

/// The parameters of a page.
pub(crate) struct FeedQuery {
    filter: EventFilter,
    record: Option<(RecordKind, [u8; 16])>,
    start: Start,
    is_newest_first: bool,
    cursor: Option<String>,
    limit: usize,
    wait: Duration,
}

impl FeedQuery {
    pub(crate) fn parse(query: &mut Query) -> Self {
        let kinds = query.get("type", types).unwrap_or_default();
        let record = query.get("record_id", |text| exact(text, record_id));
        let client_id = query.get("client_id", |text| exact(text, id::<ClientId>));
        let operator_id = query.get("operator_id", |text| exact(text, id::<OperatorId>));
        // What is no ID is the ID of nothing.
        let is_unknown = record == Some(None) || client_id == Some(None) || operator_id == Some(None);
        let record = record.flatten();
        let filter = EventFilter {
            kinds: match record {
                _ if is_unknown => NO_TYPES.to_vec(),
                Some((kind, _)) => types_of(kind, &kinds),
                None => kinds,
            },
            record_id: record.map(|(_, id)| id),
            client_id: client_id.flatten(),
            operator_id: operator_id.flatten(),
        };
        let cursor = query.get("cursor", |text| Ok(text.to_owned()));
        let is_newest_first = query.get("sort", sort).is_some();
        let start = query.get("start", |text| match cursor {
            Some(_) => Err(invalid("must not be sent with cursor")),
            None if is_newest_first => Err(invalid("must not be sent with sort")),
            None => start(text),
        });
        let wait = query.get("wait", |text| {
            if is_newest_first {
                return Err(invalid("must not be sent with sort"));
            }
            filters::whole(text, MAX_WAIT_SECONDS)
        });
        let wait = wait.unwrap_or_default();
        Self {
            filter,
            record,
            is_newest_first,
            cursor: cursor.clone(),
            start: cursor.map(Start::After).or(start).unwrap_or(Start::Oldest),
            limit: query.get("limit", filters::limit).unwrap_or(DEFAULT_LIMIT),
            wait: Duration::from_secs(wait.unsigned_abs()),
        }
    }
}

async fn list(mut call: Call<'_>) -> Result<Reply, Problem> {
    let FeedQuery { filter, record, start, is_newest_first, cursor, limit, wait } = FeedQuery::parse(&mut call.query);
    // A call that waits does not count as a request in flight.
    let pauses = call.unread.as_ref().filter(|_| !wait.is_zero()).map(|unread| unread.body.pauses());
    call.no_body().await?;
    if is_newest_first {
        let (app, caller, cursor) = (call.app, &call.caller, cursor.as_deref());
        let history = match record {
            Some(record) => feed::read_history(app, caller, record, cursor, &filter, limit).await?,
            None => None,
        };
        let (events, next) = match history {
            Some(history) => history,
            None => feed::read_newest(app, caller, cursor, &filter, limit).await?,
        };
        let events: Vec<EventView<'_>> = events.iter().map(EventView::of).collect();
        return Ok(Reply::list(&events, next.as_deref(), limit));
    }
    let pause = || pauses.as_ref().map(Pauses::pause);
    let page = feed::read(call.app, &call.caller, start, &filter, limit, wait, pause).await?;
    let events: Vec<EventView<'_>> = page.events.iter().map(EventView::of).collect();
    Ok(Reply::feed(&events, &page.next_cursor, page.has_more, limit))
}

async fn read(mut call: Call<'_>) -> Result<Reply, Problem> {
    call.no_body().await?;
    let id: EventId = call.path_parameter(0).parse().map_err(|_| Problem::from(Error::NotFound))?;
    let placed = feed::find(call.app, &call.caller, id).await?;
    Ok(Reply::value(StatusCode::OK, EventView::of(&placed)))
}

/// The types that a list names; empty means all.
fn types(text: &str) -> Result<Vec<&'static str>, InvalidValue> {
    let patterns = text.split(',').map(EventPattern::parse).collect::<Result<Vec<_>, _>>();
    patterns.map(|patterns| EventPattern::kinds(&patterns)).map_err(|_| invalid("names a type that does not exist"))
}

/// The most characters of an ID in a filter, as its schema has it.
const MAX_ID: usize = 255;

/// A filter that compares exactly. None if no event can match it.
fn exact<T>(text: &str, parse: impl FnOnce(&str) -> Option<T>) -> Result<Option<T>, InvalidValue> {
    let is_possible = (1..=MAX_ID).contains(&text.chars().count());
    if is_possible { Ok(parse(text)) } else { Err(invalid("must have 1 to 255 characters")) }
}

/// The ID of a record of any kind.
fn record_id(text: &str) -> Option<(RecordKind, [u8; 16])> {
    RecordKind::ALL.iter().find_map(|kind| Some((*kind, kind.parse_id(text).ok()?)))
}

/// Those of the types that a record with an ID of this kind can have: its own, and those that are named by it, such as the
/// members of a subscription. IDs of two kinds may have the same bytes.
fn types_of(kind: RecordKind, wanted: &[&'static str]) -> Vec<&'static str> {
    let of_kind = EventKind::ALL
        .iter()
        .filter(|known| known.record_kind().id_prefix() == kind.id_prefix())
        .map(|known| known.as_str());
    let kinds: Vec<_> = of_kind.filter(|known| wanted.is_empty() || wanted.contains(known)).collect();
    if kinds.is_empty() { NO_TYPES.to_vec() } else { kinds }
}

fn id<T: std::str::FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}

fn start(text: &str) -> Result<Start, InvalidValue> {
    match text {
        "oldest" => Ok(Start::Oldest),
        "newest" => Ok(Start::Newest),
        time => Time::parse(time).map(Start::At).map_err(|_| invalid("must be oldest, newest or a time")),
    }
}

/// The only order that can be chosen.
fn sort(text: &str) -> Result<(), InvalidValue> {
    if text == "-sequence" { Ok(()) } else { Err(invalid("must be -sequence")) }
}

fn sort_schema() -> Value {
    json!({ "type": "string", "enum": ["-sequence"] })
}

fn invalid(detail: &'static str) -> InvalidValue {
    InvalidValue::new(ValidationCode::InvalidFormat, detail)
}

fn types_schema() -> Value {
    json!({ "type": "string", "examples": ["subscription.*,payment.created"] })
}

fn start_schema() -> Value {
    json!({ "type": "string", "default": "oldest", "examples": ["newest", "2026-01-31T09:30:00Z"] })
}

fn wait_schema() -> Value {
    json!({ "type": "integer", "minimum": 0, "maximum": MAX_WAIT_SECONDS, "default": 0 })
}
