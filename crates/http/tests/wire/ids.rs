//! API rules 1.6 (`docs/api.md`). Attack 24: slugs that are something else.

use super::support::{Records, plan_body, text, with};
use perennial_testkit::TestApp;
use serde_json::json;

/// The sixteen bytes behind the 26 characters of a `TypeID`, as one number.
fn number(id: &str, prefix: &str) -> u128 {
    let suffix = id.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('_')).expect(id);
    assert_eq!(suffix.len(), 26, "{id}");
    suffix.chars().fold(0, |number, digit| {
        let digit = "0123456789abcdefghjkmnpqrstvwxyz".find(digit).expect(id);
        (number << 5) | digit as u128
    })
}

fn is_uuid_v7_of_the_test(id: &str, prefix: &str) {
    let number = number(id, prefix);
    assert_eq!(number >> 80, 1_773_144_000_000, "the milliseconds of 2026-03-10T12:00:00Z");
    assert_eq!((number >> 76) & 15, 7, "the version");
    assert_eq!((number >> 62) & 3, 2, "the variant");
}

#[tokio::test]
async fn every_id_is_a_typeid_over_a_uuid_v7() {
    let app = TestApp::start().await;
    let records = Records::create(&app).await;
    is_uuid_v7_of_the_test(text(&records.plan, "id"), "plan");
    is_uuid_v7_of_the_test(text(&records.subscription, "id"), "sub");
    is_uuid_v7_of_the_test(text(&records.payment, "id"), "pay");
    is_uuid_v7_of_the_test(&records.user, "usr");
    is_uuid_v7_of_the_test(&app.organization.to_string(), "org");
    for event in app.events().await {
        is_uuid_v7_of_the_test(&event.id.to_string(), "evt");
        if let Some(client) = event.client_id {
            is_uuid_v7_of_the_test(&client.to_string(), "cli");
        }
    }
    assert_eq!(records.subscription["user_id"], records.user.as_str());
    assert_eq!(records.subscription["subscription_plan_id"], records.plan["id"]);
    assert_eq!(records.payment["subscription_id"], records.subscription["id"]);
}

/// Texts in place of an ID that name nothing.
fn no_ids(id: &str) -> Vec<String> {
    let (prefix, suffix) = id.rsplit_once('_').unwrap();
    vec![
        suffix.to_owned(),
        format!("{prefix}_"),
        format!("{prefix}{suffix}"),
        format!("evt_{suffix}"),
        format!("{prefix}_{}", &suffix[1..]),
        format!("{prefix}_{suffix}0"),
        format!("{prefix}_8{}", &suffix[1..]),
        format!("{prefix}_{}u", &suffix[..25]),
        format!("{prefix}_{}", suffix.to_uppercase()),
        format!("{}_{suffix}", prefix.to_uppercase()),
        "018e8a5e-7b1a-7000-8000-000000000000".to_owned(),
        "1".to_owned(),
        "null".to_owned(),
        "undefined".to_owned(),
        format!("{prefix}_{}", "0".repeat(26)),
    ]
}

#[tokio::test]
async fn a_malformed_id_in_a_path_is_a_plain_404() {
    let app = TestApp::start().await;
    let records = Records::create(&app).await;
    for (collection, record) in [
        ("/subscription-plans", &records.plan),
        ("/subscriptions", &records.subscription),
        ("/subscription-payments", &records.payment),
    ] {
        for id in no_ids(text(record, "id")) {
            let path = format!("{collection}/{id}");
            let read = app.request("GET", &path).header("x-request-id", "same").send().await.refused(404, "not_found");
            assert_eq!(read.json.get("errors"), None);
            let (start, last) = text(record, "id").split_at(text(record, "id").len() - 1);
            let unknown = format!("{collection}/{start}{}", if last == "0" { '1' } else { '0' });
            let unknown = app.request("GET", &unknown).header("x-request-id", "same").send().await;
            assert_eq!(read.bytes, unknown.bytes, "as an id that no record has: {id}");
            app.put(&path, &json!({})).await.refused(404, "not_found");
            app.delete(&path).await.refused(404, "not_found");
        }
        app.get(&format!("{collection}/{}", text(record, "id"))).await.expect(200);
    }
}

#[tokio::test]
async fn a_malformed_or_unknown_id_in_a_body_is_422_at_its_pointer() {
    let app = TestApp::start().await;
    let records = Records::create(&app).await;
    let known = json!({ "user_id": records.user, "subscription_plan_id": "pro" });
    let payment = json!({ "subscription_id": records.subscription["id"], "amount": 1, "currency": "USD" });
    let (subscription_path, payment_path) = (records.subscription_path(), records.payment_path());
    for (collection, path, body, field, id) in [
        ("/subscriptions", &subscription_path, &known, "user_id", records.user.as_str()),
        ("/subscriptions", &subscription_path, &known, "subscription_plan_id", text(&records.plan, "id")),
        ("/subscription-payments", &payment_path, &payment, "subscription_id", text(&records.subscription, "id")),
    ] {
        let mut wrong = no_ids(id);
        wrong.extend([String::new(), " ".to_owned(), format!(" {id}"), "\u{0}".to_owned()]);
        for id in wrong {
            let change = json!({ field: id });
            let created = app.post(collection, &with(body, &change)).await.refused(422, "not_found");
            assert_eq!(created.faults(), [format!("/{field} not_found")], "{id:?}");
            let updated = app.put(path, &change).await.refused(422, "not_found");
            assert_eq!(updated.faults(), [format!("/{field} not_found")], "{id:?}");
        }
        for other in [json!(1), json!(true), json!([id]), json!({})] {
            let answer = app.post(collection, &with(body, &json!({ field: other }))).await;
            assert_eq!(answer.refused(422, "invalid_type").faults(), [format!("/{field} invalid_type")]);
        }
    }
}

#[tokio::test]
async fn a_path_whose_slug_is_something_else_is_404() {
    let app = TestApp::start().await;
    app.plan("pro", json!({})).await;
    let long = "a".repeat(101);
    for slug in [
        "..",
        ".",
        "%2e%2e",
        "..%2fpro",
        "%2Fpro",
        "pro%2F",
        "pro%2f..%2fpro",
        "%00",
        "pro%00",
        "%zz",
        "pro%",
        "pro%2",
        "%ff",
        "%c0%af",
        "pr%D0%BE",
        "PRO",
        "pro%20",
        "+pro",
        "pro;x=1",
        "pro%0a",
        "e%CC%81",
        "%EF%BD%90ro",
        "pro'--",
        &long,
        "plan_",
        "pro-",
        "*",
    ] {
        app.get(&format!("/subscription-plans/{slug}")).await.refused(404, "not_found");
        app.delete(&format!("/subscription-plans/{slug}")).await.refused(404, "not_found");
    }
    // A slug may be written percent-encoded all the same.
    app.get("/subscription-plans/%70r%6F").await.expect(200);
}

#[tokio::test]
async fn a_body_whose_slug_is_something_else_is_422() {
    let app = TestApp::start().await;
    let long = "a".repeat(101);
    for slug in [
        "",
        ".",
        "..",
        "a/b",
        "%2f",
        "a%00",
        "\u{0}",
        "pr\u{43e}",
        "Pro",
        "PRO",
        "pro ",
        " pro",
        "a--b",
        "-a",
        "a-",
        "a_-b",
        "\u{e9}",
        "e\u{301}",
        "\u{ff50}ro",
        "a.b",
        "a\n",
        "plan_a",
        "plan_01h455vb4pex5vsknk084sn02q",
        &long,
    ] {
        let answer = app.post("/subscription-plans", &plan_body(slug, &json!({}))).await.expect(422);
        assert!(answer.faults()[0].starts_with("/slug "), "{slug:?}");
    }
    for slug in ["a", "0", "a-b_c-1", "plan-a", "plans_a", &long[..100]] {
        app.post("/subscription-plans", &plan_body(slug, &json!({}))).await.expect(201);
        app.get(&format!("/subscription-plans/{slug}")).await.expect(200);
    }
}
