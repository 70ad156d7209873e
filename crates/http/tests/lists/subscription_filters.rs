//! The filters of subscriptions: each alone, each with every other, under every sort.

use super::support::*;
use perennial_testkit::TestApp;
use serde_json::{Value, json};

const STATUSES: [&str; 9] =
    ["pending", "incomplete", "on_trial", "active", "past_due", "unpaid", "paused", "cancelled", "expired"];

const CYCLES: [&str; 3] = ["monthly", "yearly", "lifetime"];

struct Filled {
    app: TestApp,
    records: Vec<Value>,
    users: [String; 2],
    plans: [String; 2],
}

async fn fill() -> Filled {
    let app = TestApp::start().await;
    let users = [app.user("ada@example.com").await, app.user("bob@example.com").await];
    let mut plans = [String::new(), String::new()];
    for (plan, slug) in plans.iter_mut().zip(["pro", "team"]) {
        app.plan(slug, json!({})).await["id"].as_str().unwrap().clone_into(plan);
    }
    let mut records = Vec::new();
    for number in 0..36_usize {
        let status = STATUSES[number % 9];
        let day = |step: usize| format!("2026-06-{:02}T00:00:00Z", number % step + 1);
        let body = json!({
            "user_id": users[number % 2], "subscription_plan_id": plans[number / 2 % 2], "status": status,
            "is_active": number % 4 != 0 && status != "expired",
            "billing_cycle": CYCLES[number % 3],
            "external_subscription_id": if number % 5 == 0 { json!(format!("ext-{number}")) } else { Value::Null },
            "starts_at": "2026-01-01T00:00:00Z",
            "renews_at": if number % 3 == 2 { Value::Null } else { day(7).into() },
            "ends_at": if number % 2 == 0 { Value::Null } else { day(11).into() }
        });
        records.push(app.post("/subscriptions", &body).await.expect(201).data().clone());
        if number % 4 == 3 {
            app.advance(60);
        }
    }
    Filled { app, records, users, plans }
}

type Keep = Box<dyn Fn(&Value) -> bool>;

/// Filters and the records that match them.
fn filters(filled: &Filled) -> Vec<(String, Keep)> {
    let mut filters: Vec<(String, Keep)> = Vec::new();
    let mut is = |query: String, field: &'static str, values: Vec<Value>| {
        filters.push((query, Box::new(move |record| values.contains(&record[field]))));
    };
    let [user, other_user] = filled.users.clone();
    let [plan, other_plan] = filled.plans.clone();
    is(format!("user_id={user}"), "user_id", vec![json!(user)]);
    is(format!("user_id={other_user}"), "user_id", vec![json!(other_user)]);
    is(format!("subscription_plan_id={plan}"), "subscription_plan_id", vec![json!(plan)]);
    is("subscription_plan_id=team".into(), "subscription_plan_id", vec![json!(other_plan)]);
    for status in STATUSES {
        is(format!("status={status}"), "status", vec![json!(status)]);
    }
    is("status=active,past_due".into(), "status", vec![json!("active"), json!("past_due")]);
    is(
        "status=TRIALING%2Ccanceled,Ended".into(),
        "status",
        vec![json!("on_trial"), json!("cancelled"), json!("expired")],
    );
    is("status=trial,draft,scheduled".into(), "status", vec![json!("on_trial"), json!("pending")]);
    is("status=terminated".into(), "status", vec![json!("expired")]);
    is("status=incomplete_expired,paused,paused".into(), "status", vec![json!("expired"), json!("paused")]);
    is("is_active=true".into(), "is_active", vec![json!(true)]);
    is("is_active=false".into(), "is_active", vec![json!(false)]);
    is("billing_cycle=yearly".into(), "billing_cycle", vec![json!("yearly")]);
    is("billing_cycle=Once".into(), "billing_cycle", vec![json!("lifetime")]);
    is("external_subscription_id=ext-10".into(), "external_subscription_id", vec![json!("ext-10")]);
    // Each bound is an instant that rows have: `after` takes them in, `before` leaves them out.
    for (name, field, bound) in [
        ("created", "created_at", "2026-03-10T12:04:00.000000Z"),
        ("renews", "renews_at", "2026-06-04T00:00:00.000000Z"),
        ("ends", "ends_at", "2026-06-06T00:00:00.000000Z"),
    ] {
        assert!(filled.records.iter().any(|record| record[field] == bound), "a row has {bound}");
        let after = move |record: &Value| record[field].as_str().is_some_and(|at| at >= bound);
        let before = move |record: &Value| record[field].as_str().is_some_and(|at| at < bound);
        filters.push((format!("{name}_after={bound}"), Box::new(after)));
        filters.push((format!("{name}_before={bound}"), Box::new(before)));
    }
    filters
}

fn kept(records: &[Value], keep: impl Fn(&Value) -> bool) -> Vec<&str> {
    let mut ids: Vec<&str> =
        records.iter().filter(|record| keep(record)).map(|record| record["id"].as_str().unwrap()).collect();
    ids.sort_unstable();
    ids
}

async fn found(app: &TestApp, query: &str) -> Vec<Value> {
    app.get(&format!("/subscriptions?limit=200&{query}")).await.expect(200).data().as_array().unwrap().clone()
}

#[tokio::test]
async fn every_filter_holds_alone_under_every_sort_and_page_by_page() {
    let filled = fill().await;
    for (query, keep) in filters(&filled) {
        let expected = kept(&filled.records, &keep);
        assert!(!expected.is_empty() && expected.len() < filled.records.len(), "{query} distinguishes rows");
        for sort in ["-created_at", "created_at", "renews_at", "-renews_at", "ends_at", "-ends_at"] {
            let records = follow(&filled.app, &format!("/subscriptions?{query}&sort={sort}"), 4).await;
            let mut ids = ids(&records);
            ids.sort_unstable();
            assert_eq!(ids, expected, "{query} {sort}");
        }
    }
}

#[tokio::test]
async fn every_filter_holds_together_with_every_other() {
    let filled = fill().await;
    let filters = filters(&filled);
    let name = |query: &str| query.split('=').next().unwrap().to_owned();
    let mut met = 0;
    for (place, (one, keep)) in filters.iter().enumerate() {
        for (other, also) in filters[place + 1..].iter().filter(|(other, _)| name(other) != name(one)) {
            let sort = ["created_at", "-created_at", "-renews_at", "ends_at"][met % 4];
            let records = found(&filled.app, &format!("{one}&{other}&sort={sort}")).await;
            let mut ids = ids(&records);
            ids.sort_unstable();
            assert_eq!(ids, kept(&filled.records, |record| keep(record) && also(record)), "{one}&{other}&sort={sort}");
            met += 1;
        }
    }
    assert!(met > 200, "{met} pairs");
}

#[tokio::test]
async fn all_filters_hold_at_once() {
    let filled = fill().await;
    let record = filled.records.iter().find(|record| {
        ["external_subscription_id", "renews_at", "ends_at"].iter().all(|field| record[*field].is_string())
    });
    let record = record.unwrap();
    let text = |field: &str| record[field].as_str().unwrap().to_owned();
    let query = format!(
        "user_id={}&subscription_plan_id={}&status=expired,{}&is_active={}&billing_cycle={}&external_subscription_id={}\
         &created_after={}&created_before=2027-01-01T00:00:00Z&renews_after={}&renews_before=2027-01-01T00:00:00Z\
         &ends_after={}&ends_before=2027-01-01T00:00:00Z",
        text("user_id"),
        text("subscription_plan_id"),
        text("status"),
        record["is_active"],
        text("billing_cycle"),
        text("external_subscription_id"),
        text("created_at"),
        text("renews_at"),
        text("ends_at"),
    );
    for sort in ["created_at", "-created_at", "renews_at", "-ends_at"] {
        assert_eq!(ids(&found(&filled.app, &format!("{query}&sort={sort}")).await), [record["id"].as_str().unwrap()]);
    }
}

#[tokio::test]
async fn a_range_is_exact_to_the_microsecond_in_any_offset() {
    let app = TestApp::start().await;
    let user = app.user("ada@example.com").await;
    app.plan("pro", json!({})).await;
    for instant in ["2026-03-10T12:00:00.000001Z", "2026-03-10T12:00:00.000999Z", "2026-03-10T12:00:00.001Z"] {
        app.set_time(instant);
        app.subscription(&user, "pro", json!({ "renews_at": instant, "starts_at": "2026-01-01T00:00:00Z" })).await;
    }
    for (field, sorts) in [("created", ["created_at", "renews_at"]), ("renews", ["-renews_at", "-created_at"])] {
        for sort in sorts {
            for (query, rows) in [
                ("after=2026-03-10T12:00:00.000999Z", 2),
                ("after=2026-03-10T14:00:00.000999%2B02:00", 2),
                ("after=2026-03-10T12:00:00.001Z", 1),
                ("after=2026-03-10T12:00:00.001001Z", 0),
                ("before=2026-03-10T12:00:00.001Z", 2),
                ("before=2026-03-10T12:00:00.000998999Z", 1),
                ("before=2026-03-10T12:00:00.000001Z", 0),
            ] {
                let records = found(&app, &format!("{field}_{query}&sort={sort}")).await;
                assert_eq!(records.len(), rows, "{field}_{query} {sort}");
            }
        }
    }
}

#[tokio::test]
async fn what_does_not_exist_filters_to_an_empty_list() {
    let filled = fill().await;
    let empty = json!({ "data": [], "page": { "next_cursor": null, "has_more": false, "limit": 50 } });
    for query in [
        "user_id=usr_01h455vb4pex5vsknk084sn02q",
        "subscription_plan_id=plan_01h455vb4pex5vsknk084sn02q",
        "subscription_plan_id=no-such-plan",
        "external_subscription_id=ext-1%25",
        "external_subscription_id=EXT-10",
        "external_subscription_id=%27%20OR%201%3D1%20--",
        "created_after=9999-12-31T23:59:59Z",
        "created_before=1970-01-01T00:00:00Z",
        "renews_after=2026-06-05T00:00:00Z&renews_before=2026-06-05T00:00:00Z",
        "ends_after=2027-01-01T00:00:00Z&ends_before=2026-01-01T00:00:00Z",
    ] {
        for sort in ["", "&sort=renews_at", "&sort=-ends_at"] {
            let answer = filled.app.get(&format!("/subscriptions?{query}{sort}")).await.expect(200);
            assert_eq!(answer.json, empty, "{query}{sort}");
        }
    }
}
