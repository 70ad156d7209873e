//! Usage events in calls of 500, and a bill over many of them.

use std::fmt::Write;
use std::time::Instant;

use serde_json::{Value, json};

use super::figures::Figures;
use super::fixture::{FEW_CONNECTIONS, Fixture, Sandbox, millis, text};
use crate::failure::{Failure, Result};
use crate::load::request::Request;
use crate::rows::dataset;
use crate::targets::perennial::trusted_headers;
use crate::targets::target::Headers;

const PER_CALL: u64 = 500;
/// Different calls; each has other subscriptions.
const CALLS: u64 = 32;
const SUBSCRIPTIONS_PER_CALL: u64 = 50;
/// The digits of the running number in an event's ID.
const DIGITS: usize = 12;
const BILLS: usize = 3;

pub(super) async fn measure(fixture: &Fixture<'_>, figures: &mut Figures) -> Result {
    let meter = json!({ "slug": "bench-usage", "name": "Usage", "aggregation": "sum" });
    fixture.call("POST", "/meters", &meter)?;
    let requests = (0..CALLS).map(|call| {
        let subscription = |event: u64| {
            let number = call * SUBSCRIPTIONS_PER_CALL + event % SUBSCRIPTIONS_PER_CALL;
            // Of ten subscriptions the first seven are active; an expired one accepts no usage.
            let number = number / 7 * 10 + number % 7;
            format!("\"subscription_id\":\"{}\"", dataset::subscription(number % fixture.dataset.rows))
        };
        events(&trusted_headers(), "bench-usage", subscription)
    });
    let round = fixture.rounds(requests.collect(), FEW_CONNECTIONS).await?;
    let engine = fixture.engine();
    figures.add(engine, "usage-rate", round.per_second * 500.0);
    figures.add(engine, "usage-p99", millis(round.p99_micros)?);
    if let Some(cpu) = round.cpu_micros {
        figures.note(engine, "usage: CPU of server and database per event", cpu / 500.0, "µs");
    }
    Ok(())
}

/// A call with events of one meter, each with an ID that is never sent again and these other members.
fn events(headers: &Headers, meter: &str, others: impl Fn(u64) -> String) -> Request {
    let mut body = String::from("{\"events\":[");
    for event in 0..PER_CALL {
        let comma = if event > 0 { "," } else { "" };
        let (id, others) = ("#".repeat(DIGITS), others(event));
        let _ = write!(body, "{comma}{{\"id\":\"{event}-{id}\",{others},\"meter\":\"{meter}\"}}");
    }
    body.push_str("]}");
    let request = Request::new("POST", "/usage-events", headers, &body).repeated_number(DIGITS);
    request.needle(format!("\"accepted\":{PER_CALL},"))
}

/// The invoice of a period is issued: its usage is summed up and priced.
pub(super) async fn bill(fixture: &Fixture<'_>, figures: &mut Figures) -> Result {
    let sandbox = Sandbox::create(fixture, "bill", "2026-05-01T00:00:00Z")?;
    let call = |method: &str, path: &str, body: &Value| fixture.call_as(&sandbox.headers, method, path, body);
    call("POST", "/meters", &json!({ "slug": "calls", "name": "Calls", "aggregation": "sum" }))?;
    let charge = json!({ "meter_id": "calls", "name": "Calls", "model": "per_unit", "unit_price": 0.02 });
    let billing = json!({ "charges": [charge] });
    let plan = json!({ "name": "Pro", "slug": "pro", "price": 10, "billing_cycle": "monthly", "billing": billing });
    call("POST", "/subscription-plans", &plan)?;
    let calls = fixture.size(2, 200);
    let mut subscriptions = Vec::new();
    for _ in 0..BILLS {
        let billing = json!({ "payment_method": "test_ok" });
        let body = json!({ "user_id": sandbox.user, "subscription_plan_id": "pro", "billing": billing });
        subscriptions.push(text(&call("POST", "/subscriptions", &body)?["id"])?);
    }
    let address = fixture.target.address;
    sandbox.advance(address, "2026-05-20T00:00:00.000000Z")?;
    for subscription in &subscriptions {
        // Usage of an hour in each call: a store has events about in the order of their times.
        let requests = (0..calls).map(|hour| {
            let at = format!("2026-05-{:02}T{:02}:00:00Z", 2 + hour / 24, hour % 24);
            let others = format!("\"subscription_id\":\"{subscription}\",\"at\":\"{at}\"");
            events(&sandbox.headers, "calls", |_| others.clone())
        });
        fixture.send_all(requests.collect(), FEW_CONNECTIONS).await?;
    }
    // Half an hour before the drafts are issued by themselves.
    sandbox.advance(address, "2026-06-01T00:30:00.000000Z")?;
    for subscription in &subscriptions {
        let drafts = call("GET", &format!("/invoices?status=draft&subscription_id={subscription}"), &Value::Null)?;
        let invoice = text(&drafts[0]["id"]).map_err(|_| Failure::new("a period has no draft"))?;
        let start = Instant::now();
        let issued = call("POST", &format!("/invoices/{invoice}/finalize"), &Value::Null)?;
        let took = start.elapsed();
        let expected = json!(10 + calls * 10);
        if issued["total"] != expected {
            return Err(Failure::new(format!("the bill is {}, not {expected}", issued["total"])));
        }
        figures.add(fixture.engine(), "bill", took.as_secs_f64() * 1e3);
    }
    Ok(())
}
