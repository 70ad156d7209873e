//! API rules 1.5 (`docs/api.md`). Attack 21: mass assignment.

use super::support::{Records, plan_body, text, with};
use perennial_testkit::TestApp;
use serde_json::{Value, json};

/// The body of a create of each kind, and where it goes.
fn creates(records: &Records) -> [(&'static str, Value); 3] {
    let subscription = json!({ "user_id": records.user, "subscription_plan_id": "pro" });
    let payment = json!({ "subscription_id": records.subscription["id"], "amount": 1, "currency": "USD" });
    [
        ("/subscription-plans", plan_body("another", &json!({}))),
        ("/subscriptions", subscription),
        ("/subscription-payments", payment),
    ]
}

#[tokio::test]
async fn a_member_that_is_not_known_is_rejected_on_create_and_update() {
    let app = TestApp::start().await;
    let records = Records::create(&app).await;
    for ((collection, body), (path, _)) in creates(&records).into_iter().zip(records.all()) {
        for (name, pointer) in [
            ("color", "/color"),
            ("organization_id", "/organization_id"),
            ("revision", "/revision"),
            ("deleted_at", "/deleted_at"),
            ("Status", "/Status"),
            ("", "/"),
            ("a/b", "/a~1b"),
            ("m~n", "/m~0n"),
            ("__proto__", "/__proto__"),
        ] {
            for value in [json!(null), json!("x"), json!({ "deep": [1] })] {
                let unknown = json!({ name: value });
                let created = app.post(collection, &with(&body, &unknown)).await.refused(422, "unknown_field");
                assert_eq!(created.faults(), [format!("{pointer} unknown_field")]);
                let updated = app.put(&path, &unknown).await.refused(422, "unknown_field");
                assert_eq!(updated.faults(), [format!("{pointer} unknown_field")]);
            }
        }
    }
}

#[tokio::test]
async fn a_member_of_another_record_is_not_known() {
    let app = TestApp::start().await;
    let records = Records::create(&app).await;
    for (path, name) in [
        ("/subscription-plans/pro".to_owned(), "has_access"),
        ("/subscription-plans/pro".to_owned(), "date"),
        (records.subscription_path(), "date"),
        (records.subscription_path(), "price"),
        (records.payment_path(), "has_access"),
        (records.payment_path(), "is_active"),
    ] {
        app.put(&path, &json!({ name: true })).await.refused(422, "unknown_field");
    }
}

#[tokio::test]
async fn what_the_service_sets_cannot_be_sent_on_create() {
    let app = TestApp::start().await;
    let records = Records::create(&app).await;
    let read_only = [
        &["id", "created_at", "updated_at"][..],
        &["id", "created_at", "updated_at", "has_access"],
        &["id", "created_at", "updated_at", "date"],
    ];
    for (((collection, body), names), (_, record)) in creates(&records).into_iter().zip(read_only).zip(records.all()) {
        for name in names {
            for value in [&record[*name], &json!(null), &json!(7)] {
                let answer = app.post(collection, &with(&body, &json!({ *name: value }))).await;
                assert_eq!(answer.refused(422, "read_only_field").faults(), [format!("/{name} read_only_field")]);
            }
        }
        app.post(collection, &body).await.expect(201);
    }
}

#[tokio::test]
async fn what_the_service_keeps_current_is_ignored_in_a_put_whatever_is_sent() {
    let app = TestApp::start().await;
    let records = Records::create(&app).await;
    app.advance(60);
    let ignored = [&["updated_at"][..], &["updated_at", "has_access"], &["updated_at", "date"]];
    for ((path, record), names) in records.all().into_iter().zip(ignored) {
        for name in names {
            for value in [json!(null), json!(7), json!("x"), json!({}), json!(false), json!("2000-01-01T00:00:00Z")] {
                let answer = app.put(&path, &json!({ *name: value })).await.expect(200);
                assert_eq!(answer.data(), record, "{path} {name}");
            }
        }
    }
}

#[tokio::test]
async fn read_only_fields_may_be_sent_back_in_any_spelling() {
    let app = TestApp::start().await;
    let plan = json!({
        "name": "Caf\u{e9}", "product_id": "prod_1", "variants": ["eu", "\u{fc}s"], "currency": "EUR",
        "href": "https://example.com/pro"
    });
    let plan = app.plan("full", plan).await;
    let records = Records::create(&app).await;
    let path = "/subscription-plans/full";
    for same in [
        json!({ "id": plan["id"] }),
        json!({ "created_at": "2026-03-10T12:00:00Z" }),
        json!({ "created_at": "2026-03-10T14:30:00.0000009+02:30" }),
        json!({ "slug": "full" }),
        json!({ "name": "Caf\u{e9}" }),
        json!({ "name": "Cafe\u{301}" }),
        json!({ "product_id": "prod_1" }),
        json!({ "variants": ["eu", "u\u{308}s"] }),
        json!({ "currency": "eur" }),
        json!({ "href": "https://example.com/pro" }),
    ] {
        assert_eq!(app.put(path, &same).await.expect(200).data(), &plan, "{same}");
    }
    app.put("/subscription-plans/pro", &json!({ "product_id": null, "href": null, "variants": [] })).await.expect(200);
    for (path, record) in records.all() {
        let same = json!({ "id": record["id"], "created_at": "2026-03-10T07:00:00-05:00" });
        assert_eq!(app.put(&path, &same).await.expect(200).data(), record);
    }
}

#[tokio::test]
async fn what_cannot_change_is_rejected_when_sent_otherwise() {
    let app = TestApp::start().await;
    let records = Records::create(&app).await;
    let other = app.plan("other", json!({ "product_id": "prod_1", "href": "https://example.com/" })).await;
    for (field, values) in [
        ("id", vec![other["id"].clone(), json!("plan_1"), json!(null), json!(1)]),
        ("created_at", vec![json!("2026-03-10T12:00:00.000001Z"), json!("x"), json!(null), json!(1)]),
        ("slug", vec![json!("other"), json!("PRO"), json!(""), json!(null), other["id"].clone()]),
        ("name", vec![json!("pro"), json!("Pro "), json!(null)]),
        ("product_id", vec![json!("prod_1"), json!(""), json!(1)]),
        ("variants", vec![json!(["eu"]), json!(null), json!("")]),
        ("href", vec![json!("https://example.com/"), json!("")]),
        ("currency", vec![json!("EUR"), json!("XXX"), json!(null)]),
    ] {
        for value in values {
            let answer = app.put("/subscription-plans/pro", &json!({ field: value, "tier": 9 })).await;
            assert_eq!(answer.refused(422, "read_only_field").faults(), [format!("/{field} read_only_field")]);
        }
    }
    for field in ["product_id", "href"] {
        let answer = app.put("/subscription-plans/other", &json!({ field: null })).await;
        answer.refused(422, "read_only_field");
    }
    for (path, record) in records.all() {
        for (field, value) in [("id", json!("x")), ("id", json!(null)), ("created_at", json!("2026-03-10T12:00:01Z"))] {
            app.put(&path, &json!({ field: value })).await.refused(422, "read_only_field");
        }
        assert_eq!(app.get(&path).await.data(), record, "nothing of it was written");
    }
}

#[tokio::test]
async fn on_create_a_null_is_null_or_rejected_but_never_a_default() {
    let app = TestApp::start().await;
    let records = Records::create(&app).await;
    let bodies = creates(&records);
    let not_nullable: [&[&str]; 3] = [
        &[
            "name",
            "variants",
            "slug",
            "price",
            "currency",
            "billing_cycle",
            "description",
            "node_quota",
            "features",
            "most_popular",
            "tier",
            "is_active",
        ],
        &["user_id", "subscription_plan_id", "billing_cycle", "status", "is_active", "starts_at"],
        &["subscription_id", "amount", "currency", "status"],
    ];
    let nullable: [&[&str]; 3] =
        [&["product_id", "href"], &["external_subscription_id", "renews_at", "ends_at"], &["external_payment_id"]];
    for (((collection, body), never), maybe) in bodies.into_iter().zip(not_nullable).zip(nullable) {
        for name in never {
            let answer = app.post(collection, &with(&body, &json!({ *name: null }))).await;
            assert_eq!(answer.refused(422, "not_nullable").faults(), [format!("/{name} not_nullable")]);
        }
        let nulls: Value =
            maybe.iter().map(|name| ((*name).to_owned(), Value::Null)).collect::<serde_json::Map<_, _>>().into();
        let created = app.post(collection, &with(&body, &nulls)).await.expect(201);
        for name in maybe {
            assert_eq!(created.data()[*name], Value::Null, "{collection} {name}");
        }
    }
    // A renewal that was left out has a default, so the null above was the one that was sent.
    assert!(!text(&records.subscription, "renews_at").is_empty());
}
