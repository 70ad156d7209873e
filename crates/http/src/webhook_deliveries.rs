//! `/webhook-endpoints/{id}/…`: a sample now, events again, the feed from another position, and what became of deliveries.

use crate::access::Access;
use crate::call::Call;
use crate::error_codes::Code;
use crate::event_samples::{PING, event_sample};
use crate::fields::{Fields, SeekField};
use crate::list_query::{self, ListQuery};
use crate::operation::{BodySpec, Handler, Operation, ResponseKind};
use crate::problem::Problem;
use crate::query::{Parameter, Query, QuerySpec};
use crate::reply::Reply;
use crate::schema;
use crate::webhook_endpoints::{WEBHOOK_ENDPOINT, check_body, endpoint_id, reply};
use http::{Method, StatusCode};
use perennial_app::error::Error;
use perennial_app::revision::IfMatch;
use perennial_app::webhooks::{self, AttemptQuery, AttemptView, Resend, UndeliveredView};
use perennial_domain::clients::Scope;
use perennial_domain::id::EventId;
use perennial_domain::time::Time;
use perennial_domain::validation::{InvalidValue, ValidationCode, ValidationErrors};
use perennial_domain::webhook_delivery::{Outcome, UndeliveredState};
use serde_json::json;

mod view;

use view::{ATTEMPT, QUEUED, QueuedView, UNDELIVERED};

const DEFAULT_LIMIT: usize = 50;
const TAG: &str = "Webhooks";

pub(crate) static OPERATIONS: &[Operation] = &[
    Operation {
        id: "pingWebhookEndpoint",
        method: Method::POST,
        path: "/webhook-endpoints/{id}/ping",
        tag: TAG,
        summary: "Send a sample to a webhook endpoint",
        description: "Sends one sample with `test: true` now, also while the endpoint is disabled, and returns the attempt, \
                      whatever its outcome.",
        access: Access::Scope(Scope::WebhooksWrite),
        query: QuerySpec::NONE,
        body: Some(BodySpec {
            fields: |fields| {
                ping_type(fields);
            },
            example: || json!({ "type": PING }),
        }),
        response: ResponseKind::Value(StatusCode::OK, &ATTEMPT),
        errors: &[],
        handler: Handler::Write(|call| Box::pin(ping(call))),
    },
    Operation {
        id: "retryWebhookEvents",
        method: Method::POST,
        path: "/webhook-endpoints/{id}/retry",
        tag: TAG,
        summary: "Send events again",
        description: "Either one event, even if it was delivered, or all undelivered events that entered the feed from `since` \
                      to before `until`. Closes the circuit.",
        access: Access::Scope(Scope::WebhooksWrite),
        query: QuerySpec::NONE,
        body: Some(BodySpec {
            fields: |fields| {
                resend(fields);
            },
            example: || json!({ "since": "2026-01-31T09:30:00Z" }),
        }),
        response: ResponseKind::Value(StatusCode::OK, &QUEUED),
        errors: &[Code::EndpointDisabled, Code::Contended],
        handler: Handler::Write(|call| Box::pin(retry(call))),
    },
    Operation {
        id: "seekWebhookEndpoint",
        method: Method::POST,
        path: "/webhook-endpoints/{id}/seek",
        tag: TAG,
        summary: "Continue at another position of the feed",
        description: "Moves the endpoint to `oldest`, `newest`, or the first event that entered the feed at or after a time. \
                      Drops waiting retries and closes the circuit.",
        access: Access::Scope(Scope::WebhooksWrite),
        query: QuerySpec::NONE,
        body: Some(BodySpec {
            fields: |fields| {
                seek_to(fields);
            },
            example: || json!({ "to": "newest" }),
        }),
        response: ResponseKind::Record(&WEBHOOK_ENDPOINT),
        errors: &[Code::Contended],
        handler: Handler::Write(|call| Box::pin(seek(call))),
    },
    Operation {
        id: "listWebhookAttempts",
        method: Method::GET,
        path: "/webhook-endpoints/{id}/attempts",
        tag: TAG,
        summary: "List attempts to deliver events",
        description: "Newest first.",
        access: Access::Scope(Scope::WebhooksWrite),
        query: QuerySpec {
            parameters: &[
                Parameter { name: "event_id", description: "Attempts for this event.", schema: schema::id::<EventId> },
                Parameter {
                    name: "outcome",
                    description: "Attempts with this outcome.",
                    schema: || schema::words(&["succeeded", "failed"]),
                },
                list_query::limit::<DEFAULT_LIMIT>(),
                list_query::CURSOR,
            ],
            parse: |query| {
                attempts_query(query);
            },
        },
        body: None,
        response: ResponseKind::List(&ATTEMPT),
        errors: &[Code::InvalidCursor],
        handler: Handler::Read(|call| Box::pin(list_attempts(call))),
    },
    Operation {
        id: "listWebhookUndelivered",
        method: Method::GET,
        path: "/webhook-endpoints/{id}/undelivered",
        tag: TAG,
        summary: "List undelivered events",
        description: "Events that were attempted, or that wait behind such an event of their record. Oldest first.",
        access: Access::Scope(Scope::WebhooksWrite),
        query: QuerySpec {
            parameters: &[
                Parameter {
                    name: "state",
                    description: "Events in this state.",
                    schema: || schema::words(&["waiting", "given_up"]),
                },
                list_query::limit::<DEFAULT_LIMIT>(),
                list_query::CURSOR,
            ],
            parse: |query| {
                undelivered_query(query);
            },
        },
        body: None,
        response: ResponseKind::List(&UNDELIVERED),
        errors: &[Code::InvalidCursor],
        handler: Handler::Read(|call| Box::pin(list_undelivered(call))),
    },
];

async fn ping(mut call: Call<'_>) -> Result<Reply, Problem> {
    let body = call.optional_body().await?;
    let (event_type, mut errors) = body.read(|fields| ping_type(fields));
    check_body(&call, &IfMatch::Unconditional, &errors).await?;
    let id = endpoint_id(&call)?;
    let Some(attempt) = webhooks::ping(call.app, &call.caller, id, &event_type, event_sample).await? else {
        errors.note("/type", ValidationCode::UnknownValue, format!("must be {PING} or an event type"));
        return Err(Error::Invalid(errors).into());
    };
    Ok(Reply::value(StatusCode::OK, AttemptView::of(&attempt)))
}

async fn retry(mut call: Call<'_>) -> Result<Reply, Problem> {
    let body = call.body().await?;
    let (fields, errors) = body.read(|fields| resend(fields));
    let resend = match what_to_resend(fields, errors) {
        Ok(resend) => resend,
        Err(errors) => {
            check_body(&call, &IfMatch::Unconditional, &errors).await?;
            return Err(Error::Invalid(errors).into());
        }
    };
    let queued = webhooks::retry(call.app, &call.caller, endpoint_id(&call)?, resend).await?;
    Ok(Reply::value(StatusCode::OK, QueuedView { queued }))
}

async fn seek(mut call: Call<'_>) -> Result<Reply, Problem> {
    let if_match = call.if_match();
    let body = call.body().await?;
    let (to, errors) = body.read(|fields| seek_to(fields));
    check_body(&call, &if_match, &errors).await?;
    let Some(SeekField(to)) = to else { return Err(Error::Invalid(errors).into()) };
    let record = webhooks::seek(call.app, &call.caller, endpoint_id(&call)?, &if_match, to).await?;
    reply(&call, record).await
}

async fn list_attempts(mut call: Call<'_>) -> Result<Reply, Problem> {
    let ListQuery { filters, limit, cursor } = attempts_query(&mut call.query);
    call.no_body().await?;
    let id = endpoint_id(&call)?;
    let (attempts, next) = webhooks::attempts(call.app, &call.caller, id, filters, cursor.as_deref(), limit).await?;
    let views: Vec<AttemptView<'_>> = attempts.iter().map(AttemptView::of).collect();
    Ok(Reply::list(&views, next.as_deref(), limit))
}

async fn list_undelivered(mut call: Call<'_>) -> Result<Reply, Problem> {
    let ListQuery { filters, limit, cursor } = undelivered_query(&mut call.query);
    call.no_body().await?;
    let id = endpoint_id(&call)?;
    let (rows, next) = webhooks::undelivered(call.app, &call.caller, id, filters, cursor.as_deref(), limit).await?;
    let views: Vec<UndeliveredView<'_>> = rows.iter().map(UndeliveredView::of).collect();
    Ok(Reply::list(&views, next.as_deref(), limit))
}

fn attempts_query(query: &mut Query) -> ListQuery<AttemptQuery> {
    let event_id = query.get("event_id", |text| text.parse().map_err(|_| invalid("must be the ID of an event")));
    let outcome = |text: &str| Outcome::from_stored(text).ok_or_else(|| invalid("must be succeeded or failed"));
    let filters = AttemptQuery { event_id, outcome: query.get("outcome", outcome) };
    ListQuery::parse(query, filters, DEFAULT_LIMIT)
}

fn undelivered_query(query: &mut Query) -> ListQuery<Option<UndeliveredState>> {
    let state = |text: &str| UndeliveredState::from_stored(text).ok_or_else(|| invalid("must be waiting or given_up"));
    let state = query.get("state", state);
    ListQuery::parse(query, state, DEFAULT_LIMIT)
}

fn ping_type(fields: &mut impl Fields) -> String {
    let about = "The type of the sample: an event type, or `webhook.ping`, which is the default.";
    fields.optional("/type", about).unwrap_or_else(|| PING.to_owned())
}

/// The fields of a retry.
#[derive(Clone, Copy)]
struct ResendFields {
    event_id: Option<EventId>,
    since: Option<Time>,
    until: Option<Time>,
}

fn resend(fields: &mut impl Fields) -> ResendFields {
    ResendFields {
        event_id: fields.optional("/event_id", "One event, even if it was delivered."),
        since: fields.optional("/since", "All undelivered events that entered the feed at or after this time."),
        until: fields.optional("/until", "With `since`: and before this time."),
    }
}

fn what_to_resend(fields: ResendFields, mut errors: ValidationErrors) -> Result<Resend, ValidationErrors> {
    let mut inconsistent = |at, detail| errors.note(at, ValidationCode::Inconsistent, detail);
    let resend = match (fields.event_id, fields.since, fields.until) {
        (Some(event), None, None) => Some(Resend::Event(event)),
        (None, Some(since), until) => {
            let until = until.unwrap_or(Time::MAX);
            if until <= since {
                inconsistent("/until", "must be after since");
            }
            Some(Resend::Range(since, until))
        }
        (None, None, _) => None,
        (Some(_), _, _) => {
            inconsistent("/event_id", "must not be sent with since or until");
            None
        }
    };
    if resend.is_none() && errors.is_empty() {
        errors.note("/event_id", ValidationCode::Required, "is required, or since");
    }
    match resend {
        Some(resend) => errors.into_result(resend),
        None => Err(errors),
    }
}

fn seek_to(fields: &mut impl Fields) -> Option<SeekField> {
    fields.required("/to", "`oldest`, `newest`, or a time.")
}

fn invalid(detail: &'static str) -> InvalidValue {
    InvalidValue::new(ValidationCode::InvalidFormat, detail)
}
