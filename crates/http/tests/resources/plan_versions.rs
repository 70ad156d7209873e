//! API rules 4.3 (`docs/api.md`): the versions of a plan, and the version that a subscription is pinned to.

use super::support::{Base, PLANS, SUBSCRIPTIONS, Tenant, assert_errors, place};
use futures_util::future::join_all;
use perennial_store::{Change, Sql};
use perennial_testkit::TestApp;
use serde_json::{Value, json};

const PRO: &str = "/subscription-plans/pro";

async fn versions(app: &TestApp, query: &str) -> Value {
    app.get(&format!("{PRO}/versions{query}")).await.expect(200).json
}

fn version(number: i64, price: &Value, cycle: &str, minute: u8) -> Value {
    let created_at = format!("2026-03-10T12:{minute:02}:00.000000Z");
    json!({
        "version": number, "price": price, "currency": "USD", "billing_cycle": cycle, "created_at": created_at,
        "tax_behavior": "exclusive", "charges": []
    })
}

#[tokio::test]
async fn another_price_or_cycle_adds_a_version_and_nothing_else_does() {
    let base = Base::start().await;
    let app = &base.app;
    let first = app.get(PRO).await.expect(200).data().clone();
    assert_eq!(first["version"], 1);
    let one = version(1, &first["price"], "monthly", 0);
    assert_eq!(versions(app, "").await["data"], json!([one]));
    app.advance(60);
    for unchanged in [json!({ "tier": 7 }), json!({ "price": first["price"] }), json!({ "billing_cycle": "month" })] {
        assert_eq!(app.put(PRO, &unchanged).await.expect(200).data()["version"], 1, "{unchanged}");
    }
    app.advance(60);
    assert_eq!(app.put(PRO, &json!({ "price": 24.5 })).await.expect(200).data()["version"], 2);
    app.advance(60);
    let both = json!({ "price": 240, "billing_cycle": "yearly", "version": 2 });
    assert_eq!(app.put(PRO, &both).await.expect(200).data()["version"], 3, "one version for both");
    let two = version(2, &json!(24.5), "monthly", 2);
    let three = version(3, &json!(240), "yearly", 3);
    let all = versions(app, "").await;
    assert_eq!(all["data"], json!([three, two, one]));
    assert_eq!(all["page"], json!({ "next_cursor": null, "has_more": false, "limit": 100 }));
    // The same under the ID, in pages of one.
    let path = format!("{PLANS}/{}/versions?limit=1", first["id"].as_str().unwrap());
    let (mut found, mut cursor) = (Vec::new(), String::new());
    for number in 0..3 {
        let page = app.get(&format!("{path}{cursor}")).await.expect(200).json;
        found.extend(page["data"].as_array().unwrap().clone());
        assert_eq!(page["page"]["has_more"], number < 2);
        cursor = format!("&cursor={}", page["page"]["next_cursor"].as_str().unwrap_or_default());
    }
    assert_eq!(json!(found), json!([three, two, one]));
}

#[tokio::test]
async fn a_version_has_its_tax_behavior_and_its_charges() {
    let base = Base::start().await;
    let meter = json!({ "slug": "calls", "name": "Calls", "aggregation": "sum" });
    let meter = base.app.post("/meters", &meter).await.expect(201).data()["id"].clone();
    let charge = |price: f64| json!({ "meter_id": meter, "name": "Calls", "model": "per_unit", "unit_price": price });
    for billing in [
        json!({ "tax_behavior": "inclusive" }),
        json!({ "charges": [charge(0.02)] }),
        json!({ "charges": [charge(0.03)], "tax_behavior": "exclusive" }),
        json!({ "trial_days": 7 }),
    ] {
        base.app.put(PRO, &json!({ "billing": billing })).await.expect(200);
    }
    let listed = versions(&base.app, "").await;
    let taxed: Vec<(&Value, &Value)> = listed["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|version| (&version["tax_behavior"], &version["charges"]))
        .collect();
    let (exclusive, inclusive, none) = (json!("exclusive"), json!("inclusive"), json!([]));
    let (cheap, dear) = (json!([charge(0.02)]), json!([charge(0.03)]));
    assert_eq!(taxed, [(&exclusive, &dear), (&inclusive, &cheap), (&inclusive, &none), (&exclusive, &none)]);
    let plan = base.app.get(PRO).await.expect(200);
    assert_eq!(plan.data()["billing"]["charges"], dear);
}

#[tokio::test]
async fn a_version_cannot_be_sent_except_unchanged() {
    let base = Base::start().await;
    let plan = json!({ "name": "A", "slug": "a", "price": 1, "billing_cycle": "monthly", "version": 1 });
    assert_errors(base.app.post(PLANS, &plan).await, &["/version read_only_field"], "create");
    for wrong in [json!(2), json!(0), json!("1"), json!(null)] {
        let answer = base.app.put(PRO, &json!({ "version": wrong })).await;
        assert_errors(answer, &["/version read_only_field"], &wrong.to_string());
    }
    base.app.put(PRO, &json!({ "version": 1 })).await.expect(200);
    let answer = base.try_subscribe(json!({ "plan_version": 1 })).await;
    assert_errors(answer, &["/plan_version read_only_field"], "create");
}

#[tokio::test]
async fn a_subscription_stays_on_its_version_until_it_is_moved() {
    let base = Base::start().await;
    let app = &base.app;
    let old = base.subscribe(json!({})).await;
    assert_eq!(old["plan_version"], 1);
    app.put(PRO, &json!({ "price": 77 })).await.expect(200);
    let at = place(SUBSCRIPTIONS, &old);
    assert_eq!(app.get(&at).await.expect(200).data()["plan_version"], 1);
    assert_eq!(base.subscribe(json!({})).await["plan_version"], 2, "a new one has the current version");
    // Naming the same plan changes nothing, nor does sending the record back.
    for same in [json!({ "subscription_plan_id": "pro" }), json!({ "plan_version": 1, "quantity": 2 })] {
        assert_eq!(app.put(&at, &same).await.expect(200).data()["plan_version"], 1, "{same}");
    }
    // Another plan pins its version, whatever was sent back.
    app.plan("other", json!({})).await;
    app.put("/subscription-plans/other", &json!({ "price": 5 })).await.expect(200);
    app.put("/subscription-plans/other", &json!({ "price": 6 })).await.expect(200);
    let moved = app.put(&at, &json!({ "subscription_plan_id": "other", "plan_version": 1 })).await.expect(200);
    assert_eq!(moved.data()["plan_version"], 3);
    let back = app.put(&at, &json!({ "subscription_plan_id": "pro" })).await.expect(200);
    assert_eq!(back.data()["plan_version"], 2);
}

#[tokio::test]
async fn only_the_current_version_moves_a_subscription() {
    let base = Base::start().await;
    let at = place(SUBSCRIPTIONS, &base.subscribe(json!({})).await);
    for price in [71, 72] {
        base.app.put(PRO, &json!({ "price": price })).await.expect(200);
    }
    for wrong in [json!(2), json!(4)] {
        let answer = base.app.put(&at, &json!({ "plan_version": wrong })).await;
        assert_errors(answer, &["/plan_version read_only_field"], &wrong.to_string());
    }
    for (wrong, code) in [(json!(0), "out_of_range"), (json!("3"), "invalid_type"), (json!(null), "not_nullable")] {
        let answer = base.app.put(&at, &json!({ "plan_version": wrong })).await;
        assert_errors(answer, &[&format!("/plan_version {code}")], &wrong.to_string());
    }
    assert_eq!(base.app.put(&at, &json!({ "plan_version": 3 })).await.expect(200).data()["plan_version"], 3);
    // A retired plan keeps its subscriptions, and they can still move to its current version.
    base.app.put(PRO, &json!({ "price": 73, "is_active": false })).await.expect(200);
    assert_eq!(base.app.put(&at, &json!({ "plan_version": 4 })).await.expect(200).data()["plan_version"], 4);
}

#[tokio::test]
async fn versions_are_those_of_a_plan_that_the_caller_may_read() {
    let base = Base::start().await;
    let tenant = Tenant::create(&base.app, "EUR").await;
    tenant.get(&format!("{PRO}/versions")).await.refused(404, "not_found");
    base.app.get("/subscription-plans/unknown/versions").await.refused(404, "not_found");
    base.app.get(&format!("{PRO}/versions?sort=version")).await.refused(400, "unknown_parameter");
    base.app.get(&format!("{PRO}/versions?limit=0")).await.refused(400, "invalid_parameter");
    base.app.get(&format!("{PRO}/versions?cursor=abc")).await.refused(400, "invalid_cursor");
    base.app.put(PRO, &json!({ "price": 3 })).await.expect(200);
    let page = versions(&base.app, "?limit=1").await;
    let cursor = page["page"]["next_cursor"].as_str().unwrap();
    base.app.plan("other", json!({})).await;
    let other = format!("/subscription-plans/other/versions?cursor={cursor}");
    base.app.get(&other).await.refused(400, "invalid_cursor");
    base.app.request("POST", &format!("{PRO}/versions")).send().await.refused(405, "method_not_allowed");
}

static IN_PLACE: Sql = Sql::new("UPDATE plans SET price = 420000");

/// A server of an earlier release changes the price without a version. It changes the current version, as it always did.
#[tokio::test]
async fn a_change_by_an_earlier_release_changes_the_current_version() {
    let base = Base::start().await;
    base.app.put(PRO, &json!({ "price": 5 })).await.expect(200);
    base.app.app.db.commit(Change::new().execute_any(&IN_PLACE, vec![])).await.unwrap();
    let prices = |page: &Value| -> Vec<Value> {
        page["data"].as_array().unwrap().iter().map(|version| version["price"].clone()).collect()
    };
    let before = versions(&base.app, "").await;
    assert_eq!(prices(&before)[0], 42);
    base.app.put(PRO, &json!({ "price": 6 })).await.expect(200);
    let after = versions(&base.app, "").await;
    assert_eq!(prices(&after), [json!(6), json!(42), prices(&before)[1].clone()]);
}

/// Prices change while subscriptions are created: each is pinned to a version that exists, and no number is used twice.
#[tokio::test(flavor = "multi_thread")]
async fn a_subscription_created_during_a_change_has_a_version_that_exists() {
    let base = Base::start().await;
    let body = json!({ "user_id": base.user, "subscription_plan_id": "pro" });
    let pairs = join_all((0..8).map(|number| {
        let changed = base.app.request("PUT", PRO).json(&json!({ "price": 100 + number }));
        let created = base.app.request("POST", SUBSCRIPTIONS).json(&body);
        async move { tokio::join!(changed.send(), created.send()) }
    }));
    let (mut changed, mut pinned) = (Vec::new(), Vec::new());
    for (price, subscription) in pairs.await {
        changed.push(price.expect(200).data()["version"].as_i64().unwrap());
        pinned.push(subscription.expect(201).data()["plan_version"].as_i64().unwrap());
    }
    changed.sort_unstable();
    assert_eq!(changed, (2..=9).collect::<Vec<i64>>());
    let listed = versions(&base.app, "").await;
    let listed: Vec<i64> = listed["data"].as_array().unwrap().iter().map(|v| v["version"].as_i64().unwrap()).collect();
    assert_eq!(listed, (1..=9).rev().collect::<Vec<i64>>());
    assert!(pinned.iter().all(|version| listed.contains(version)), "{pinned:?}");
}
