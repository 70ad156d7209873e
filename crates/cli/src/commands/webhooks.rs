//! `perennial webhook`. A secret is printed once, when it is made.

use super::flags::{organization, read_flag, wrong};
use super::records::{self, Column, Kind, Record, find, parse_id, position_of, text};
use crate::arguments::{Webhook as Command, WebhookPortion, WebhookRetry, WebhookSettings};
use crate::failure::Failure;
use crate::output;
use perennial_app::caller::Caller;
use perennial_app::context::App;
use perennial_app::error::{Conflict, Error};
use perennial_app::revision::IfMatch;
use perennial_app::sessions::Secret;
use perennial_app::webhooks::{
    self, AttemptQuery, AttemptView, Endpoint, EndpointDraft, EventPattern, EventTypes, Payload, Resend, SeekTo,
    Signature, UndeliveredView, WebhookEndpoint,
};
use perennial_domain::id::{EventId, WebhookEndpointId};
use perennial_domain::text::Line;
use perennial_domain::time::Time;
use perennial_domain::validation::{InvalidValue, ValidationCode, ValidationErrors};
use perennial_domain::webhook_delivery::{Outcome, UndeliveredState};
use perennial_http::{event_sample, record_fields};
use perennial_store::{Page, Position};
use serde::Serialize;
use serde_json::json;

static KIND: Kind = Kind {
    name: "webhook",
    fields: || record_fields("WebhookEndpoint"),
    columns: &[
        Column::whole("ID", "id"),
        Column::new("URL", "url"),
        Column::new("TYPES", "types"),
        Column::new("STATE", "state"),
        Column::new("OLDEST UNDELIVERED", "oldest_undelivered_at"),
    ],
};

static ATTEMPT: Kind = Kind {
    name: "attempt",
    fields: || record_fields("WebhookAttempt"),
    columns: &[
        Column::new("AT", "created_at"),
        Column::whole("EVENT", "event_id"),
        Column::new("TYPE", "event_type"),
        Column::new("OUTCOME", "outcome"),
        Column::new("STATUS", "status"),
        Column::new("ERROR", "error"),
        Column::new("MS", "duration_ms"),
    ],
};

static UNDELIVERED: Kind = Kind {
    name: "undelivered event",
    fields: || record_fields("UndeliveredEvent"),
    columns: &[
        Column::whole("EVENT", "event_id"),
        Column::new("TYPE", "event_type"),
        Column::new("STATE", "state"),
        Column::new("ATTEMPTS", "attempts"),
        Column::new("NEXT ATTEMPT", "next_attempt_at"),
        Column::new("ERROR", "last_error"),
    ],
};

pub(super) async fn run(app: &App, command: Command, json: bool) -> Result<(), Failure> {
    match command {
        Command::List(portion) => records::list::<Endpoint>(app, &(), &portion, json).await,
        Command::Get { endpoint, single } => records::get::<Endpoint>(app, &endpoint, &single, json).await,
        Command::Create { url, settings, signature, org } => {
            let caller = Caller::system(organization(app, &org.org).await?.id);
            let signature = read_flag("signature", signature.as_deref(), Signature::parse)?;
            let draft = EndpointDraft { signature, ..draft(Some(&url), &settings)? };
            let (record, secret) =
                webhooks::create(app, &caller, draft, ValidationErrors::none()).await.map_err(named)?;
            print_secret(app, record, secret, json, "Created").await
        }
        Command::Update { endpoint, url, settings, org } => {
            let caller = Caller::system(organization(app, &org.org).await?.id);
            let id = find::<Endpoint>(app, &caller, &endpoint).await?.record.id;
            let draft = draft(url.as_deref(), &settings)?;
            let read = |_: &WebhookEndpoint| (draft.clone(), ValidationErrors::none());
            let record = webhooks::update(app, &caller, id, &IfMatch::Unconditional, read).await?;
            let endpoint = webhooks::describe(app, record).await?;
            output::print(json, &endpoint, || format!("Updated {id}."))
        }
        Command::Delete { endpoint, org } => {
            let caller = Caller::system(organization(app, &org.org).await?.id);
            let found = find::<Endpoint>(app, &caller, &endpoint).await?;
            webhooks::delete(app, &caller, found.record.id, &IfMatch::Unconditional).await?;
            output::print(json, &found, || format!("Deleted {}.", found.record.id))
        }
        Command::RotateSecret { endpoint, overlap_seconds, org } => {
            let caller = Caller::system(organization(app, &org.org).await?.id);
            let id = find::<Endpoint>(app, &caller, &endpoint).await?.record.id;
            let rotated = webhooks::rotate_secret(app, &caller, id, &IfMatch::Unconditional, overlap_seconds).await;
            let (record, secret) = rotated.map_err(named)?;
            print_secret(app, record, secret, json, "Rotated the secret of").await
        }
        Command::Ping { endpoint, event_type, org } => {
            let caller = Caller::system(organization(app, &org.org).await?.id);
            ping(app, &caller, &endpoint, &event_type, json).await
        }
        Command::Retry { endpoint, what, org } => {
            let caller = Caller::system(organization(app, &org.org).await?.id);
            let id = find::<Endpoint>(app, &caller, &endpoint).await?.record.id;
            let queued = webhooks::retry(app, &caller, id, resend(&what)?).await.map_err(named)?;
            output::print(json, &json!({ "queued": queued }), || match queued {
                1 => "1 event is sent again.".to_owned(),
                count => format!("{count} events are sent again."),
            })
        }
        Command::Seek { endpoint, to, org } => {
            let caller = Caller::system(organization(app, &org.org).await?.id);
            let id = find::<Endpoint>(app, &caller, &endpoint).await?.record.id;
            let record = webhooks::seek(app, &caller, id, &IfMatch::Unconditional, seek_to(&to)?).await?;
            let endpoint = webhooks::describe(app, record).await?;
            output::print(json, &endpoint, || format!("{id} continues at {to}."))
        }
        Command::Attempts { endpoint, event, outcome, portion } => {
            let query = AttemptQuery {
                event_id: read_flag("event", event.as_deref(), event_id)?,
                outcome: read_flag("outcome", outcome.as_deref(), |text| word(text, Outcome::from_stored))?,
            };
            attempts(app, &endpoint, query, &portion, json).await
        }
        Command::Undelivered { endpoint, state, portion } => {
            let state = read_flag("state", state.as_deref(), |text| word(text, UndeliveredState::from_stored))?;
            undelivered(app, &endpoint, state, &portion, json).await
        }
    }
}

async fn ping(app: &App, caller: &Caller, endpoint: &str, event_type: &str, json: bool) -> Result<(), Failure> {
    let id = find::<Endpoint>(app, caller, endpoint).await?.record.id;
    let Some(attempt) = webhooks::ping(app, caller, id, event_type, event_sample).await? else {
        return Err(Failure::new(format!("there is no event type {event_type:?}")));
    };
    let outcome = match (attempt.status, attempt.error) {
        (Some(status), _) => format!("status {status}"),
        (None, Some(error)) => error.as_str().to_owned(),
        (None, None) => String::new(),
    };
    let sentence = format!("The sample {}: {outcome}.", attempt.outcome.as_str());
    let is_success = attempt.outcome == Outcome::Succeeded;
    // A script gets the attempt also if it failed, and the exit code.
    if is_success || json {
        output::print(json, &AttemptView::of(&attempt), || sentence.clone())?;
    }
    if is_success { Ok(()) } else { Err(Failure::new(sentence)) }
}

async fn attempts(
    app: &App,
    endpoint: &str,
    query: AttemptQuery,
    portion: &WebhookPortion,
    json: bool,
) -> Result<(), Failure> {
    let caller = Caller::system(organization(app, &portion.single.org.org).await?.id);
    let id = find::<Endpoint>(app, &caller, endpoint).await?.record.id;
    let page = webhooks::attempts_page(app, &caller, id, query, None, portion.limit.into()).await?;
    let views: Vec<AttemptView<'_>> = page.items.iter().map(AttemptView::of).collect();
    records::write(&ATTEMPT, &views, &portion.single, json)
}

async fn undelivered(
    app: &App,
    endpoint: &str,
    state: Option<UndeliveredState>,
    portion: &WebhookPortion,
    json: bool,
) -> Result<(), Failure> {
    let caller = Caller::system(organization(app, &portion.single.org.org).await?.id);
    let id = find::<Endpoint>(app, &caller, endpoint).await?.record.id;
    let page = webhooks::undelivered_page(app, &caller, id, state, None, portion.limit.into()).await?;
    let views: Vec<UndeliveredView<'_>> = page.items.iter().map(UndeliveredView::of).collect();
    records::write(&UNDELIVERED, &views, &portion.single, json)
}

fn draft(url: Option<&str>, settings: &WebhookSettings) -> Result<EndpointDraft, Failure> {
    let types = |patterns: &Vec<String>| {
        let patterns = patterns.iter().map(|text| EventPattern::parse(text)).collect::<Result<_, _>>();
        patterns.and_then(EventTypes::new).map_err(|reason| wrong("types", &reason))
    };
    Ok(EndpointDraft {
        url: read_flag("url", url, Line::parse)?,
        description: read_flag("description", settings.description.as_deref(), Line::parse)?,
        types: settings.types.as_ref().map(types).transpose()?,
        payload: read_flag("payload", settings.payload.as_deref(), Payload::parse)?,
        signature: None,
        is_active: settings.active,
    })
}

fn resend(what: &WebhookRetry) -> Result<Resend, Failure> {
    let since = read_flag("since", what.since.as_deref(), Time::parse)?;
    let until = read_flag("until", what.until.as_deref(), Time::parse)?.unwrap_or(Time::MAX);
    match (read_flag("event", what.event.as_deref(), event_id)?, since) {
        (Some(event), _) => Ok(Resend::Event(event)),
        (None, Some(since)) if since < until => Ok(Resend::Range(since, until)),
        _ => Err(Failure::new("--until must be after --since")),
    }
}

fn seek_to(text: &str) -> Result<SeekTo, Failure> {
    match text {
        "oldest" => Ok(SeekTo::Oldest),
        "newest" => Ok(SeekTo::Newest),
        time => Time::parse(time).map(SeekTo::At).map_err(|_| Failure::new("--to must be oldest, newest or a time")),
    }
}

fn event_id(text: &str) -> Result<EventId, InvalidValue> {
    text.parse().map_err(|_| InvalidValue::new(ValidationCode::InvalidFormat, "must be the ID of an event (evt_…)"))
}

fn word<T>(text: &str, read: impl Fn(&str) -> Option<T>) -> Result<T, InvalidValue> {
    read(text).ok_or_else(|| InvalidValue::new(ValidationCode::UnknownValue, format!("cannot be {text:?}")))
}

fn named(error: Error) -> Failure {
    match error {
        Error::Conflict(Conflict::EndpointLimit) => Failure::new("the organization has 50 endpoints: delete one first"),
        Error::Conflict(Conflict::EndpointDisabled) => {
            Failure::new("the endpoint is disabled: enable it with `perennial webhook update … --active true`")
        }
        Error::Conflict(Conflict::SecretLimit) => {
            Failure::new("three secrets are valid: wait until one expires, or use --overlap-seconds 0")
        }
        other => other.into(),
    }
}

/// An endpoint with the secret that was just made.
#[derive(Serialize)]
struct WithSecret<'a> {
    #[serde(flatten)]
    endpoint: &'a Endpoint,
    secret: Option<&'a str>,
}

async fn print_secret(
    app: &App,
    record: WebhookEndpoint,
    secret: Option<Secret>,
    json: bool,
    done: &str,
) -> Result<(), Failure> {
    let endpoint = webhooks::describe(app, record).await?;
    let secret = secret.as_ref().map(Secret::expose);
    let view = WithSecret { endpoint: &endpoint, secret };
    output::print(json, &view, || {
        let verifier = match (secret, endpoint.public_keys.first()) {
            (Some(secret), _) => format!("The secret, which is not shown again: {secret}"),
            (None, Some(key)) => format!("The public key: {key}"),
            (None, None) => String::new(),
        };
        format!("{done} {}.\n{verifier}", endpoint.record.id)
    })
}

impl Record for Endpoint {
    type Filters = ();
    type Query = ();

    const KIND: &'static Kind = &KIND;

    async fn find(app: &App, caller: &Caller, named: &str) -> Result<Self, Error> {
        let record = webhooks::read(app, caller, parse_id::<WebhookEndpointId>(named)?).await?;
        webhooks::describe(app, record).await
    }

    async fn query(_: &App, _: &Caller, (): &()) -> Result<(), Failure> {
        Ok(())
    }

    async fn page(
        app: &App,
        caller: &Caller,
        (): &(),
        after: Option<Position>,
        limit: usize,
    ) -> Result<Page<Self>, Error> {
        let page = webhooks::page(app, caller, after, limit).await?;
        Ok(Page { items: webhooks::describe_all(app, page.items).await?, next: page.next })
    }

    fn position(&self, (): &()) -> Position {
        position_of(self.record.id.bytes())
    }

    fn name(&self) -> String {
        self.record.id.to_string()
    }

    fn render(&self, _: &App) -> String {
        text(self)
    }
}
