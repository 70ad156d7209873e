//! API rules 1.11 (`docs/api.md`), one caller at a time: entity tags and the conditions that name them. Attack 34.

use super::support::{Records, text};
use perennial_testkit::TestApp;
use serde_json::json;

/// A strong tag in double quotes, of characters that need no care.
fn is_strong(tag: &str) -> bool {
    let inner = tag.strip_prefix('"').and_then(|tag| tag.strip_suffix('"')).unwrap_or_default();
    !inner.is_empty() && inner.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

#[tokio::test]
async fn every_record_has_a_strong_tag_that_changes_with_it() {
    let app = TestApp::start().await;
    let records = Records::create(&app).await;
    let changes = [json!({ "tier": 1 }), json!({ "status": "past_due" }), json!({ "status": "processing" })];
    let back = [json!({ "tier": 0 }), json!({ "status": "active" }), json!({ "status": "failed" })];
    for (((path, _), change), back) in records.all().into_iter().zip(changes).zip(back) {
        let first = app.get(&path).await.header("etag").to_owned();
        assert!(is_strong(&first), "{first}");
        assert_eq!(app.get(&path).await.header("etag"), first);
        let second = app.put(&path, &change).await.expect(200).header("etag").to_owned();
        assert!(is_strong(&second) && second != first);
        assert_eq!(app.get(&path).await.header("etag"), second);
        // A record that is back where it was is another revision all the same.
        let third = app.put(&path, &back).await.expect(200).header("etag").to_owned();
        assert!(is_strong(&third) && third != first && third != second);
    }
}

#[tokio::test]
async fn lists_and_errors_carry_no_tag() {
    let app = TestApp::start().await;
    Records::create(&app).await;
    for target in ["/subscription-plans", "/subscriptions", "/subscription-plans?limit=1", "/subscription-plans/gone"] {
        assert!(!app.get(target).await.headers.contains_key("etag"), "{target}");
    }
    for list in ["/subscription-plans", "/subscriptions"] {
        app.request("GET", list).header("if-none-match", "*").send().await.expect(200);
    }
}

#[tokio::test]
async fn a_matching_condition_lets_put_and_delete_through() {
    let app = TestApp::start().await;
    let records = Records::create(&app).await;
    let changes = [json!({ "tier": 1 }), json!({ "status": "past_due" }), json!({ "status": "processing" })];
    for ((path, _), change) in records.all().into_iter().zip(changes).rev() {
        let tag = app.get(&path).await.header("etag").to_owned();
        let put = |condition: String| app.request("PUT", &path).header("if-match", condition).json(&json!({}));
        for condition in [
            tag.clone(),
            "*".to_owned(),
            format!("\"x\", {tag}"),
            format!("{tag},\"x\""),
            format!("W/\"x\" , W/{tag} ,\t{tag}"),
        ] {
            put(condition).send().await.expect(200);
        }
        put("\"x\"".to_owned()).header("if-match", &tag).send().await.expect(200);
        let updated = app.request("PUT", &path).header("if-match", &tag).json(&change).send().await.expect(200);
        let tag = updated.header("etag").to_owned();
        app.request("DELETE", &path).header("if-match", &tag).send().await.expect(200);
    }
}

#[tokio::test]
async fn a_stale_condition_is_rejected_and_nothing_is_written() {
    let app = TestApp::start().await;
    let records = Records::create(&app).await;
    let changes = [json!({ "tier": 1 }), json!({ "status": "past_due" }), json!({ "status": "processing" })];
    for ((path, _), change) in records.all().into_iter().zip(changes).rev() {
        let stale = app.get(&path).await.header("etag").to_owned();
        let current = app.put(&path, &change).await.expect(200);
        let tag = current.header("etag").to_owned();
        for condition in [
            stale.clone(),
            format!("\"x\", {stale}"),
            "\"x\"".to_owned(),
            "\"\"".to_owned(),
            "\"*\"".to_owned(),
            // A weak tag never matches here, whatever it names.
            format!("W/{tag}"),
            tag.to_uppercase(),
            format!("{}0\"", tag.trim_end_matches('"')),
            format!("\"evt_{}", tag.trim_start_matches('"')),
        ] {
            let put = app.request("PUT", &path).header("if-match", &condition).json(&json!({ "unknown": 1 }));
            put.send().await.refused(412, "stale");
            app.request("DELETE", &path).header("if-match", &condition).send().await.refused(412, "stale");
        }
        let now = app.get(&path).await;
        assert_eq!((now.bytes, now.headers["etag"].to_str().unwrap()), (current.bytes, tag.as_str()));
    }
}

#[tokio::test]
async fn a_condition_that_is_none_is_400() {
    let app = TestApp::start().await;
    app.plan("pro", json!({})).await;
    let tag = app.get("/subscription-plans/pro").await.header("etag").to_owned();
    let bare = tag.trim_matches('"').to_owned();
    for condition in [&bare, "", "\"x", "x\"", "\"x\" \"y\"", "*, \"x\"", "W/x", "w/\"x\"", "'x'", "\"x\";"] {
        for method in ["PUT", "DELETE"] {
            let request = app.request(method, "/subscription-plans/pro").header("if-match", condition);
            let answer = request.json(&json!({})).send().await.refused(400, "invalid_header");
            assert_eq!(answer.faults(), ["if-match invalid_header"], "{condition}");
        }
        let request = app.request("GET", "/subscription-plans/pro").header("if-none-match", condition);
        assert_eq!(request.send().await.refused(400, "invalid_header").faults(), ["if-none-match invalid_header"]);
    }
}

#[tokio::test]
async fn what_the_caller_has_already_is_304() {
    let app = TestApp::start().await;
    let records = Records::create(&app).await;
    let changes = [json!({ "tier": 1 }), json!({ "status": "past_due" }), json!({ "status": "processing" })];
    for ((path, _), change) in records.all().into_iter().zip(changes) {
        let read = app.get(&path).await;
        let tag = read.header("etag").to_owned();
        let get = |condition: &str| app.request("GET", &path).header("if-none-match", condition);
        for condition in [tag.as_str(), "*", &format!("\"x\", {tag}"), &format!("W/{tag}")] {
            let answer = get(condition).send().await.expect(304);
            assert!(answer.bytes.is_empty() && !answer.headers.contains_key("content-type"), "{condition}");
            for name in ["etag", "cache-control", "vary"] {
                assert_eq!(answer.header(name), read.header(name), "{name}");
            }
            assert!(!answer.header("x-request-id").is_empty());
        }
        for condition in ["\"x\"", "\"\"", &format!("\"x{}", &tag[1..])] {
            get(condition).send().await.expect(200);
        }
        app.put(&path, &change).await.expect(200);
        get(&tag).send().await.expect(200);
        // It is a condition on reading: a change is not held up by it.
        app.request("PUT", &path).header("if-none-match", "*").json(&json!({})).send().await.expect(200);
    }
}

#[tokio::test]
async fn the_tag_of_a_subscription_changes_with_its_access_and_if_match_does_not_mind() {
    let app = TestApp::start().await;
    let user = app.user("ada@example.com").await;
    app.plan("pro", json!({})).await;
    let times = json!({ "starts_at": "2026-03-10T12:00:10Z", "ends_at": "2026-03-10T12:00:20Z", "renews_at": null });
    let subscription = app.subscription(&user, "pro", times).await;
    let path = format!("/subscriptions/{}", text(&subscription, "id"));
    let mut tags = Vec::new();
    for (seconds, access) in [(0, false), (10, true), (9, true), (1, false)] {
        app.advance(seconds);
        let answer = app.get(&path).await;
        assert_eq!(answer.data()["has_access"], access);
        assert_eq!(answer.data()["updated_at"], subscription["updated_at"]);
        tags.push(answer.header("etag").to_owned());
    }
    assert_ne!(tags[0], tags[1]);
    assert_eq!(tags[1], tags[2]);
    assert_eq!(tags[0], tags[3]);
    // Who has it with access has not what it is now, but the revision is the same.
    app.request("GET", &path).header("if-none-match", &tags[1]).send().await.expect(200);
    app.request("GET", &path).header("if-none-match", &tags[0]).send().await.expect(304);
    let put =
        |tag: &str| app.request("PUT", &path).header("if-match", tag).json(&json!({ "external_subscription_id": tag }));
    let changed = put(&tags[1]).send().await.expect(200);
    for tag in &tags {
        put(tag).send().await.refused(412, "stale");
    }
    app.request("DELETE", &path).header("if-match", changed.header("etag")).send().await.expect(200);
}
