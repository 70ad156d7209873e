//! The feed, the history of one record, and access that ends by the clock alone.

use serde_json::{Value, json};

use super::figures::Figures;
use super::fixture::{FEW_CONNECTIONS, Fixture, millis, text, until};
use crate::clock;
use crate::failure::{Failure, Result};
use crate::load::request::Request;
use crate::measure::statistics::float;
use crate::targets::perennial::trusted_headers;

/// The events of a history.
const HISTORY: u64 = 50;
/// How long access still lasts when it is created, in seconds.
const ENDS_IN: i64 = 1;

pub(super) async fn measure(fixture: &Fixture<'_>, figures: &mut Figures) -> Result {
    let engine = fixture.engine();
    let headers = trusted_headers();
    let events = fixture.home.store().number("SELECT COUNT(*) FROM events")?;
    figures.note(engine, "events in the store of these measurements", float(events), "");
    let page = |path: &str| vec![Request::new("GET", path, &headers, "").needle("\"record_id\"")];
    let feed = fixture.rounds(page("/events?limit=200"), FEW_CONNECTIONS).await?;
    figures.note(engine, "feed: pages of 200 events", feed.per_second, "/s");
    figures.note(engine, "feed: p99 of a page", millis(feed.p99_micros)?, "ms");

    let listed = fixture.call("GET", "/subscriptions?status=active&limit=1", &Value::Null)?;
    let subscription = text(&listed[0]["id"])?;
    for number in 0..HISTORY {
        let body = json!({ "quantity": 2 + number % 2 });
        fixture.call("PUT", &format!("/subscriptions/{subscription}"), &body)?;
    }
    fixture.placed()?;
    let history = page(&format!("/events?record_id={subscription}&sort=-sequence&limit={HISTORY}"));
    figures.add(engine, "history-p99", millis(fixture.rounds(history, FEW_CONNECTIONS).await?.p99_micros)?);
    access_changed(fixture, figures, &listed[0])
}

/// The time from the end of access to the moment in which its event can be read.
fn access_changed(fixture: &Fixture<'_>, figures: &mut Figures, model: &Value) -> Result {
    let mut slowest: f64 = 0.0;
    for _ in 0..fixture.size(1, 5) {
        let ends_at = clock::now().plus_seconds(ENDS_IN);
        let body = json!({
            "user_id": model["user_id"], "subscription_plan_id": model["subscription_plan_id"], "ends_at": ends_at,
        });
        let id = text(&fixture.call("POST", "/subscriptions", &body)?["id"])?;
        let path = format!("/events?record_id={id}&type=subscription.access_changed&sort=-sequence");
        let seen_at = until("the event of a change of access", || {
            let events = fixture.call("GET", &path, &Value::Null)?;
            Ok(events.as_array().is_some_and(|events| !events.is_empty()).then(clock::now))
        })?;
        let micros = u64::try_from(seen_at.as_micros() - ends_at.as_micros())
            .map_err(|_| Failure::new("access changed before its time"))?;
        slowest = slowest.max(float(micros) / 1e6);
    }
    figures.add(fixture.engine(), "access-changed", slowest);
    Ok(())
}
