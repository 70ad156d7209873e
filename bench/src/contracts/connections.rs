//! Webhooks of a payment provider: into the inbox, and from there to records.

use std::collections::HashMap;
use std::fs;

use perennial_domain::time::Time;
use perennial_fake_provider::{FakeProvider, Kind, Webhook};
use serde_json::{Value, json};

use super::figures::Figures;
use super::fixture::{Fixture, text, until};
use crate::clock;
use crate::failure::{Failure, Result, could_not};
use crate::load::call;
use crate::load::generator::{Pace, Source};
use crate::load::request::Request;
use crate::measure::histogram::Histogram;
use crate::measure::statistics::float;
use crate::rounds::measure_target;
use crate::targets::perennial::trusted_headers;

const API_KEY: &str = "sk_test_bench";
const SECRET: &str = "whsec_bench";
/// The connections of a provider that sends webhooks.
const SENDERS: usize = 16;
/// What the provider needs for each response.
const DELAY_MILLIS: u64 = 300;
const CREATED: i64 = 1_767_225_600;

pub(super) async fn measure(fixture: &Fixture<'_>, figures: &mut Figures) -> Result {
    let fake = FakeProvider::start(Kind::Stripe);
    fake.set(|behavior| behavior.api_key = Some(API_KEY.to_owned()));
    let connection = connect(fixture, &fake.url)?;
    let path = format!("/hooks/{connection}");
    // Of a type that no record follows from: only the inbox is measured.
    let unread = |number: u64| {
        let object = json!({ "object": "balance", "id": format!("bal_{number}") });
        hook(&path, &event(&format!("evt_unread_{number}"), "balance.available", &object))
    };
    // A server reads its connections again after two seconds.
    until("the new connection", || {
        let raw = call::send(fixture.target.address, &unread(0))?;
        Ok((raw.status == 200).then_some(()))
    })?;
    let inbox = fixture.send_all((1..=fixture.size(20, 5_000)).map(unread).collect(), SENDERS).await?;
    figures.add(fixture.engine(), "inbox-rate", inbox.per_second);
    applied(fixture, figures, &fake, &connection).await
}

fn connect(fixture: &Fixture<'_>, url: &str) -> Result<String> {
    let file = |name: &str, secret: &str| -> Result<String> {
        let path = fixture.home.directory.join(name);
        fs::write(&path, secret).map_err(could_not("write a secret"))?;
        Ok(path.display().to_string())
    };
    let (key, secret) = (file("stripe.key", API_KEY)?, file("stripe.whsec", SECRET)?);
    let added = fixture.home.json(&[
        "connection",
        "add",
        "stripe",
        "--name",
        "bench",
        "--mode",
        "test",
        "--api-key-file",
        &key,
        "--webhook-secret-file",
        &secret,
        "--base-url",
        url,
        "--requests-per-minute",
        "6000",
        "--allow-private-addresses",
        "true",
        "--allow-http",
        "true",
    ])?;
    text(&added["id"])
}

fn event(id: &str, kind: &str, object: &Value) -> Value {
    let created = clock::now().as_micros() / 1_000_000;
    json!({ "id": id, "object": "event", "type": kind, "created": created, "livemode": false, "data": { "object": object } })
}

fn hook(path: &str, event: &Value) -> Request {
    let signed = Webhook::sign(Kind::Stripe, SECRET, clock::now().as_micros() / 1_000_000, &event.to_string());
    Request::new("POST", path, &[(signed.header.to_owned(), signed.signature)], &signed.body)
        .needle("\"received\":true")
}

/// The time from the receipt of a webhook to the change that follows from it.
async fn applied(fixture: &Fixture<'_>, figures: &mut Figures, fake: &FakeProvider, connection: &str) -> Result {
    fake.set(|behavior| behavior.delay_millis = DELAY_MILLIS);
    let count: usize = fixture.size(2, 60);
    let hooks = (0..count).map(|number| {
        let object = subscribe(fake, number);
        hook(
            &format!("/hooks/{connection}"),
            &event(&format!("evt_{number}"), "customer.subscription.created", &object),
        )
    });
    // Five in a second: the provider's own limit of requests must not be what is measured.
    let pace = Pace {
        connections: 1,
        warm_up: std::time::Duration::ZERO,
        duration: super::fixture::LIMIT,
        rate: Some(fixture.size(50, 5)),
    };
    measure_target(&fixture.target, &Source::each(hooks.collect()), pace).await?;
    let made = until("the application of webhooks", || {
        let made = changes(fixture, connection)?;
        Ok((made.len() >= count).then_some(made))
    })?;
    let received = received(fixture, connection)?;
    let mut latencies = Histogram::default();
    for (key, made) in made {
        let received = received.get(&key).ok_or_else(|| Failure::new(format!("{key} is not in the inbox")))?;
        let micros = u64::try_from(made.as_micros() - received.as_micros()).unwrap_or_default();
        latencies.record(std::time::Duration::from_micros(micros));
    }
    let seconds = |percent| latencies.percentile(percent).map(|micros| float(micros) / 1e6);
    let engine = fixture.engine();
    figures.add(engine, "applied-p99", seconds(99).unwrap_or_default());
    figures.note(engine, "received to applied, provider in 300 ms: median", seconds(50).unwrap_or_default(), "s");
    Ok(())
}

/// A customer with a subscription at the provider.
fn subscribe(fake: &FakeProvider, number: usize) -> Value {
    let customer = format!("cus_{number}");
    let email = format!("provider{number}@example.com");
    fake.put("customers", json!({ "id": customer, "object": "customer", "email": email, "created": CREATED }));
    fake.put(
        "prices",
        json!({
            "id": "price_1", "object": "price", "active": true, "currency": "usd", "unit_amount": 1999, "livemode": false,
            "created": CREATED, "recurring": { "interval": "month", "interval_count": 1 },
            "product": { "id": "prod_1", "object": "product", "name": "Provided", "active": true },
        }),
    );
    let subscription = json!({
        "id": format!("sub_{number}"), "object": "subscription", "customer": customer, "status": "active",
        "livemode": false, "created": CREATED, "start_date": CREATED, "current_period_end": CREATED + 400 * 86_400,
        "items": { "data": [{ "price": { "id": "price_1", "currency": "usd" }, "quantity": 2 }] },
    });
    fake.put("subscriptions", subscription.clone());
    subscription
}

/// When the subscription of each webhook was created, by the key of the webhook.
fn changes(fixture: &Fixture<'_>, connection: &str) -> Result<Vec<(String, Time)>> {
    let events = fixture.call("GET", "/events?type=subscription.created&sort=-sequence&limit=200", &Value::Null)?;
    let prefix = format!("{connection}/");
    let found = events.as_array().into_iter().flatten().filter_map(|event| {
        let key = event["request_id"].as_str()?.strip_prefix(&prefix)?.to_owned();
        Some((key, Time::parse(event["timestamp"].as_str()?).ok()?))
    });
    Ok(found.collect())
}

fn received(fixture: &Fixture<'_>, connection: &str) -> Result<HashMap<String, Time>> {
    let path = format!("/connections/{connection}/inbox?state=applied&limit=200");
    let page = fixture.call_as(&trusted_headers(), "GET", &path, &Value::Null)?;
    let items = page.as_array().into_iter().flatten();
    Ok(items
        .filter_map(|item| Some((item["key"].as_str()?.to_owned(), Time::parse(item["received_at"].as_str()?).ok()?)))
        .collect())
}
