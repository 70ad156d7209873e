//! An import next to a running server: what it refers to is still there when it commits, or it does not commit.

use super::support::*;
use perennial_testkit::{TestApp, TestOptions, TestStore};
use perennial_transfer::{Copied, Format, Import, NotImported, copy};
use serde_json::{Value, json};

/// An open import of one subscription, named `old-1`.
async fn import(app: &TestApp, user: &str, plan: &str) -> Import {
    let line = json!({
        "organization_id": app.organization.to_string(), "external_subscription_id": "old-1", "user_id": user,
        "subscription_plan_id": plan, "billing_cycle": "monthly", "status": "active", "is_active": true,
        "starts_at": "2026-01-03T00:00:00Z", "renews_at": "2026-04-03T00:00:00Z", "created_at": "2026-01-03T00:00:00Z",
    });
    let mut import = Import::begin(&app.app.db, None).await.unwrap();
    import.file(Some("subscriptions"), Format::Ndjson);
    let refused = import.line(1, line.to_string().as_bytes()).await.unwrap();
    assert_eq!(refused, []);
    assert_eq!(import.end_of_file().await.unwrap(), []);
    assert_eq!(import.tally().made, 1);
    import
}

#[tokio::test]
async fn an_import_can_leave_its_events_out_of_the_feed() {
    let app = TestApp::start().await;
    let user = app.user("ada@example.com").await;
    app.plan("pro", json!({})).await;
    // On PostgreSQL an event is in the feed a moment after its commit.
    while app.get("/events?type=plan.created").await.expect(200).data() == &json!([]) {
        tokio::task::yield_now().await;
    }
    let end = app.get("/events?start=newest").await.expect(200).json["page"]["next_cursor"].clone();
    let mut import = import(&app, &user, "pro").await;
    import.leave_out_of_feed().await.unwrap();
    import.commit().await.unwrap();
    assert_eq!(app.get("/subscriptions").await.expect(200).data().as_array().unwrap().len(), 1);

    // The next event that readers get is that of a later change.
    app.plan("team", json!({})).await;
    let page = app.get(&format!("/events?wait=25&cursor={}", end.as_str().unwrap())).await.expect(200);
    let types: Vec<&str> = page.data().as_array().unwrap().iter().map(|it| it["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["plan.created"]);
}

#[tokio::test]
async fn a_copy_leaves_the_same_events_out_of_the_feed() {
    let app = TestApp::start().await;
    let user = app.user("ada@example.com").await;
    app.plan("pro", json!({})).await;
    let mut import = import(&app, &user, "pro").await;
    import.leave_out_of_feed().await.unwrap();
    import.commit().await.unwrap();
    // On PostgreSQL it may have no position yet.
    app.plan("team", json!({})).await;
    let store = TestStore::migrated().await;
    let copied = copy(&app.app.db, &store.open().await, None, |_| {}).await.unwrap();
    assert!(matches!(copied, Copied::Whole(_)));

    let copy = TestApp::over_store(store, app.now(), TestOptions::default()).await;
    let types = async || -> Vec<String> {
        let page = copy.get("/events?type=plan.created,subscription.created").await.expect(200);
        page.data().as_array().unwrap().iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect()
    };
    while types().await.len() < 2 {
        tokio::task::yield_now().await;
    }
    assert_eq!(types().await, ["plan.created"; 2]);
}

#[tokio::test]
async fn a_quantity_and_a_version_are_checked_as_in_a_request() {
    let app = TestApp::start().await;
    for (field, value) in [("quantity", 0), ("quantity", 1_000_001), ("plan_version", 0)] {
        let line = json!({
            "organization_id": app.organization.to_string(), "external_subscription_id": "old-1", "user_id": "a@b.c",
            "subscription_plan_id": "pro", "billing_cycle": "monthly", "status": "active", "is_active": true,
            "starts_at": "2026-01-03T00:00:00Z", "created_at": "2026-01-03T00:00:00Z", field: value,
        });
        let mut import = Import::begin(&app.app.db, None).await.unwrap();
        import.file(Some("subscriptions"), Format::Ndjson);
        let mut refused = import.line(1, line.to_string().as_bytes()).await.unwrap();
        refused.extend(import.end_of_file().await.unwrap());
        let codes: Vec<&str> = refused.iter().flat_map(|line| &line.errors).map(|error| error.code).collect();
        assert_eq!(codes, ["out_of_range"], "{field} {value}");
    }
}

#[tokio::test]
async fn a_version_that_the_plan_does_not_have_is_rejected() {
    let app = TestApp::start().await;
    let user = app.user("ada@example.com").await;
    app.plan("pro", json!({})).await;
    app.put("/subscription-plans/pro", &json!({ "price": 3 })).await.expect(200);
    let organization = app.organization.to_string();
    let subscription = |version: i64| {
        json!({
            "type": "subscription", "organization_id": organization, "external_subscription_id": version.to_string(),
            "user_id": user, "subscription_plan_id": "pro", "plan_version": version, "billing_cycle": "monthly",
            "status": "active", "is_active": true, "starts_at": "2026-01-03T00:00:00Z",
            "created_at": "2026-01-03T00:00:00Z",
        })
    };
    let replaced = |version: i64| {
        json!({
            "type": "plan_version", "organization_id": organization, "subscription_plan_id": "pro", "version": version,
            "price": 1, "currency": "USD", "billing_cycle": "monthly", "replaced_at": "2026-01-03T00:00:00Z",
        })
    };
    let lines = [subscription(1), subscription(2), subscription(3), replaced(3)];
    assert_eq!(refused(&app, &lines).await, [(3, "out_of_range"), (4, "out_of_range")]);
}

#[tokio::test]
async fn features_and_members_are_held_to_what_they_name() {
    let app = TestApp::start().await;
    let user = app.user("ada@example.com").await;
    app.plan("pro", json!({})).await;
    let subscription = app.subscription(&user, "pro", json!({})).await["id"].clone();
    for aggregation in ["max", "sum"] {
        app.post("/meters", &json!({ "slug": aggregation, "name": "M", "aggregation": aggregation })).await.expect(201);
    }
    let other = app.user("grace@example.com").await;
    let organization = app.organization.to_string();
    let quota = |meter: &str| {
        json!({
            "type": "feature", "organization_id": organization, "key": meter, "name": "F", "kind": "quota",
            "combine": "sum", "meter": meter, "period": "billing", "created_at": "2026-01-03T00:00:00Z",
        })
    };
    let member = |user: &str| {
        json!({
            "type": "member", "organization_id": organization, "subscription_id": subscription, "user_id": user,
            "created_at": "2026-01-03T00:00:00Z",
        })
    };
    let lines = [quota("max"), quota("sum"), member("ada@example.com"), member(&user), member(&other)];
    assert_eq!(refused(&app, &lines).await, [(1, "inconsistent"), (3, "inconsistent"), (4, "inconsistent")]);
}

/// The numbers of the lines that an import refuses, each with its first error.
async fn refused(app: &TestApp, lines: &[Value]) -> Vec<(u64, &'static str)> {
    let mut import = Import::begin(&app.app.db, None).await.unwrap();
    import.file(None, Format::Ndjson);
    let mut refused = Vec::new();
    for (number, line) in (1..).zip(lines) {
        refused.extend(import.line(number, line.to_string().as_bytes()).await.unwrap());
    }
    refused.extend(import.end_of_file().await.unwrap());
    refused.iter().map(|line| (line.number, line.errors[0].code)).collect()
}

async fn imported(app: &TestApp) -> Vec<Value> {
    follow(app, "/subscriptions?external_subscription_id=old-1", 10).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_that_is_deleted_concurrently_gets_no_subscription() {
    let app = TestApp::start().await;
    let user = app.user("ada@example.com").await;
    let plan = app.plan("pro", json!({})).await["id"].as_str().unwrap().to_owned();
    let import = import(&app, &user, &plan).await;
    let delete = app.request("DELETE", &format!("/subscription-plans/{plan}"));
    let delete = tokio::spawn(delete.send());
    if app.store().is_postgres() {
        delete.await.unwrap().expect(200);
        let outcome = import.commit().await;
        assert_eq!(outcome, Err(NotImported::ReferenceDeleted { kind: "plan", id: plan.clone() }));
        assert_eq!(imported(&app).await, Vec::<Value>::new());
    } else {
        // Only the import writes to SQLite while it is open: the delete comes second.
        import.commit().await.unwrap();
        delete.await.unwrap().refused(409, "plan_in_use");
        assert_eq!(imported(&app).await.len(), 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_who_deletes_their_account_concurrently_has_no_open_subscription() {
    let app = TestApp::start().await;
    let ada = app.sign_up("ada@example.com").await;
    let plan = app.plan("pro", json!({})).await["id"].as_str().unwrap().to_owned();
    let import = import(&app, ada.user_id(), &plan).await;
    let target = format!("/authentication/delete-my-account/{}", encode(ada.user["auth_id"].as_str().unwrap()));
    let delete = tokio::spawn(app.browser("DELETE", &target).bearer(&ada.token).send());
    if app.store().is_postgres() {
        delete.await.unwrap().expect(200);
        let id = ada.user_id().to_owned();
        assert_eq!(import.commit().await, Err(NotImported::ReferenceDeleted { kind: "user", id }));
        assert_eq!(imported(&app).await, Vec::<Value>::new());
    } else {
        import.commit().await.unwrap();
        delete.await.unwrap().expect(200);
        assert_eq!(imported(&app).await[0]["status"], "cancelled");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_whose_references_stay_is_committed() {
    let app = TestApp::start().await;
    let user = app.user("ada@example.com").await;
    let plan = app.plan("pro", json!({})).await["id"].as_str().unwrap().to_owned();
    assert_eq!(import(&app, &user, &plan).await.commit().await.map(|tally| tally.made), Ok(1));
    let imported = imported(&app).await;
    assert_eq!((imported.len(), &imported[0]["quantity"]), (1, &json!(1)), "a line without a quantity is one unit");
    app.delete(&format!("/subscription-plans/{plan}")).await.refused(409, "plan_in_use");
}
