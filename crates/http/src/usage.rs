//! `/usage-events` and `/subscriptions/{id}/usage`: what subscriptions used.

use crate::access::Access;
use crate::call::Call;
use crate::error_codes::Code;
use crate::fields::{Field, Fields, UsageEvents};
use crate::operation::{BodySpec, Handler, Operation, ResponseKind};
use crate::problem::{Problem, RequestError};
use crate::query::{Parameter, Query, QuerySpec};
use crate::reply::Reply;
use crate::samples;
use crate::schema::{self, Schema};
use http::{Method, StatusCode};
use perennial_app::business_time;
use perennial_app::error::Error;
use perennial_app::subscriptions;
use perennial_app::usage::{self, MeterUsage, Usage};
use perennial_domain::clients::Scope;
use perennial_domain::id::MeterId;
use perennial_domain::meters::{Aggregation, MeterSlug};
use perennial_domain::time::Time;
use perennial_domain::usage::{Intake, Quantity, SpanError, TimeSpan, UsageEventId, UsageMode};
use serde::Serialize;
use serde_json::{Value, json};

const TAG: &str = "Usage";

pub(crate) static OPERATIONS: &[Operation] = &[
    Operation {
        id: "recordUsageEvents",
        method: Method::POST,
        path: "/usage-events",
        tag: TAG,
        summary: "Record usage events",
        description: "Stores all new events of the call, or none if one of them is invalid. An event that is stored already is a \
                      duplicate and counts once, so a call can be repeated. An event with the ID of another one that \
                      differs is a conflict. An event that is too late is not stored: one from before the end of the \
                      last closed window, one of an external subscription from more than 35 days ago, or one after the \
                      end of an expired subscription. With `mode: enforce` all new events are stored or none: the call is \
                      rejected if it would exceed a quota of a subscription in the period of an event.",
        access: Access::Scope(Scope::UsageWrite),
        query: QuerySpec::NONE,
        body: Some(BodySpec {
            fields: |fields| {
                events(fields);
            },
            example: || {
                json!({ "events": [{
                    "id": "req-8f14e45f", "subscription_id": samples::subscription_id(), "meter": "api-calls",
                    "at": "2026-01-31T09:30:00Z", "value": 12
                }] })
            },
        }),
        response: ResponseKind::Value(StatusCode::OK, &RECORDED),
        errors: &[Code::QuotaExceeded, Code::Contended, Code::OutcomeUnknown],
        handler: Handler::Write(|call| Box::pin(record(call))),
    },
    Operation {
        id: "readSubscriptionUsage",
        method: Method::GET,
        path: "/subscriptions/{id}/usage",
        tag: TAG,
        summary: "Read the usage of a subscription",
        description: "Returns the quantity of each active meter, by slug, and of inactive ones that counted something. `from` is \
                      included, `to` is not. Both together cover at most 13 months.",
        access: Access::Own(Scope::SubscriptionsRead, Scope::SubscriptionsReadOwn),
        query: QuerySpec {
            parameters: &[
                Parameter {
                    name: "from",
                    description: "The first instant. Defaults to `billing.period_start` of the subscription, or to `starts_at` without one; \
                                  at most 13 months before `to`.",
                    schema: schema::instant,
                },
                Parameter {
                    name: "to",
                    description: "The first instant after the report. Defaults to now, with what was recorded at this instant.",
                    schema: schema::instant,
                },
            ],
            parse: |query| {
                parse_span(query);
            },
        },
        body: None,
        response: ResponseKind::Value(StatusCode::OK, &USAGE),
        errors: &[],
        handler: Handler::Read(|call| Box::pin(read(call))),
    },
];

async fn record(mut call: Call<'_>) -> Result<Reply, Problem> {
    let body = call.body().await?;
    let ((events, mode), errors) = body.read(|fields| events(fields));
    let events = events.map(|UsageEvents(events)| events).unwrap_or_default();
    let mode = mode.unwrap_or(UsageMode::Record);
    let intake = usage::record(call.app, &call.caller, &events, mode, errors).await?;
    Ok(Reply::value(StatusCode::OK, Recorded::of(&intake)))
}

/// The fields of a call.
fn events(fields: &mut impl Fields) -> (Option<UsageEvents>, Option<UsageMode>) {
    let events = fields.required("/events", "The events.");
    let about = "`record` stores every valid event. `enforce` rejects the call if it would exceed a quota.";
    (events, fields.optional("/mode", about))
}

async fn read(mut call: Call<'_>) -> Result<Reply, Problem> {
    let (from, to) = parse_span(&mut call.query);
    call.no_body().await?;
    if let (Some(from), Some(to)) = (from, to) {
        TimeSpan::of_report(Some(from), Some(to), from, to).map_err(wrong_span)?;
    }
    let id = call.path_parameter(0).parse().map_err(|_| Error::NotFound)?;
    let subscription = subscriptions::read(call.app, &call.caller, id).await?;
    let now = business_time::now(call.app, &call.caller).await?;
    let period_start = subscription.billing.as_deref().and_then(|billing| billing.period_start);
    let start = period_start.unwrap_or(subscription.starts_at);
    let span = TimeSpan::of_report(from, to, start, now).map_err(wrong_span)?;
    let counted = if to.is_none() { span.with_end() } else { span };
    let report = usage::report(call.app, &subscription, counted).await?;
    Ok(Reply::value(StatusCode::OK, Usage { to: span.to, ..report }))
}

fn parse_span(query: &mut Query) -> (Option<Time>, Option<Time>) {
    (query.get("from", Time::parse), query.get("to", Time::parse))
}

fn wrong_span(error: SpanError) -> Problem {
    let detail = match error {
        SpanError::Reversed => "must not be after to",
        SpanError::TooLong => "must be at most 13 months before to",
    };
    Problem::request(&[RequestError::parameter("from", Code::InvalidParameter, detail)])
}

/// What became of the events of a call.
#[derive(Serialize)]
struct Recorded<'a> {
    accepted: usize,
    duplicates: usize,
    conflicts: &'a [UsageEventId],
    late: &'a [UsageEventId],
}

impl<'a> Recorded<'a> {
    fn of(intake: &'a Intake) -> Self {
        let Intake { accepted, duplicates, conflicts, late } = intake;
        Self { accepted: accepted.len(), duplicates: *duplicates, conflicts, late }
    }
}

static RECORDED: Schema = Schema {
    name: "RecordedUsage",
    definition: || {
        let count = || json!({ "type": "integer", "minimum": 0 });
        let ids = || json!({ "type": "array", "items": UsageEventId::schema() });
        schema::record(&[("accepted", count()), ("duplicates", count()), ("conflicts", ids()), ("late", ids())])
    },
    example: || samples::json(Recorded { accepted: 1, duplicates: 0, conflicts: &[], late: &[] }),
    refers_to: &[],
};

/// What `usage.threshold_reached` contains.
pub(crate) fn threshold_sample() -> Value {
    json!({
        "id": samples::subscription_id(), "feature": "api-calls", "meter": MeterId::from_bytes(samples::ID), "threshold": 80,
        "value": 100,
        "used": 80, "period_start": samples::now(), "period_end": samples::now().plus_seconds(86_400 * 30)
    })
}

static USAGE: Schema = Schema {
    name: "SubscriptionUsage",
    definition: || {
        let meter = schema::record(&[
            ("meter_id", schema::id::<MeterId>()),
            ("slug", json!({ "type": "string" })),
            ("aggregation", schema::id::<Aggregation>()),
            ("quantity", json!({ "type": "number" })),
        ]);
        let meters: Value = json!({ "type": "array", "items": meter });
        schema::record(&[("from", schema::instant()), ("to", schema::instant()), ("meters", meters)])
    },
    example: || {
        let meter = MeterUsage {
            meter_id: MeterId::from_bytes(samples::ID),
            slug: MeterSlug::from_stored("api-calls".to_owned()),
            aggregation: Aggregation::Sum,
            quantity: Quantity::default(),
        };
        samples::json(Usage { from: samples::now().plus_seconds(-86_400), to: samples::now(), meters: vec![meter] })
    },
    refers_to: &[],
};
