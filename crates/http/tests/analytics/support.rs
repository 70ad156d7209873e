//! What these tests share: figures once they include every event, and histories that come in by an import.

use perennial_app::analytics::reader::Analytics;
use perennial_domain::id::{EventId, SubscriptionId};
use perennial_domain::time::Time;
use perennial_testkit::{Answer, TestApp};
use perennial_transfer::{Format, Import};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::sync::watch;

/// The figures of a path once they include every event.
pub(crate) async fn figures(app: &TestApp, target: &str) -> Answer {
    for _ in 0..2_000 {
        let answer = app.get(target).await.expect(200);
        if answer.json["meta"]["state"] == "current" {
            return answer;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("analytics never included every event: {}", app.get(target).await.json["meta"]);
}

/// Maintains the ledger until it is dropped.
pub(crate) fn maintain(app: &TestApp) -> watch::Sender<bool> {
    app.work(Analytics::default())
}

/// A subscription and its changes: the time of each, and the fields that it sets.
pub(crate) struct History {
    pub(crate) user: String,
    pub(crate) changes: Vec<(&'static str, Value)>,
}

/// Imports subscriptions with all their events, in the order of their times.
pub(crate) async fn import(app: &TestApp, histories: &[History]) {
    let mut lines = Vec::new();
    let mut events = Vec::new();
    for (number, History { user, changes }) in (1_u64..).zip(histories) {
        let created_at = Time::parse(changes[0].0).unwrap();
        let id = SubscriptionId::new(created_at, number << 32).to_string();
        let mut record = json!({
            "id": id, "user_id": user, "plan_version": 1, "quantity": 1, "billing_cycle": "monthly",
            "external_subscription_id": format!("s{number}"), "status": "active", "renews_at": null,
            "starts_at": changes[0].0, "ends_at": null, "created_at": created_at.to_string(),
        });
        let (mut before, mut revision) = (Value::Null, Value::Null);
        for (step, (at, fields)) in (1_u64..).zip(changes) {
            for (name, value) in fields.as_object().unwrap() {
                record[name] = value.clone();
            }
            let status = record["status"].as_str().unwrap();
            record["is_active"] = json!(["on_trial", "active", "past_due", "cancelled"].contains(&status));
            record["updated_at"] = json!(Time::parse(at).unwrap().to_string());
            let event_id = EventId::new(Time::parse(at).unwrap(), (number << 32) + (step << 8)).to_string();
            let kind = if step == 1 { "subscription.created" } else { "subscription.updated" };
            let event = json!({
                "type": "event", "organization_id": app.organization.to_string(), "id": event_id, "kind": kind,
                "record_id": id, "at": at, "previous_id": revision, "before": before, "after": record,
            });
            (before, revision) = (record.clone(), json!(event_id));
            events.push((Time::parse(at).unwrap(), event));
        }
        record["type"] = json!("subscription");
        record["organization_id"] = json!(app.organization.to_string());
        record["revision"] = revision;
        lines.push(record);
    }
    events.sort_by_key(|(at, _)| *at);
    lines.extend(events.into_iter().map(|(_, event)| event));
    import_lines(app, &lines).await;
}

/// Imports lines, all of which must be valid.
pub(crate) async fn import_lines(app: &TestApp, lines: &[Value]) {
    let mut import = Import::begin(&app.app.db, None).await.unwrap();
    import.file(None, Format::Ndjson);
    let mut refused = Vec::new();
    for (number, line) in (1..).zip(lines) {
        refused.extend(import.line(number, line.to_string().as_bytes()).await.unwrap());
    }
    refused.extend(import.end_of_file().await.unwrap());
    assert_eq!(refused, []);
    import.commit().await.unwrap();
}
