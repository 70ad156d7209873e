//! Endpoints as records: API rules 13.1 and 13.2.

use super::support::{ENDPOINTS, endpoint, place, service};
use crate::operators::support::{tenant, trusted};
use perennial_domain::clients::Scope;
use perennial_testkit::all_at_once;
use serde_json::json;

#[tokio::test]
async fn an_endpoint_is_created_read_listed_changed_and_deleted() {
    let app = service().await;
    let body = json!({ "url": "https://203.1.113.7/hook", "types": ["payment.*", "plan.created"] });
    let created = app.post(ENDPOINTS, &body).await.expect(201);
    let id = created.data()["id"].as_str().unwrap().to_owned();
    assert!(id.starts_with("hook_") && created.data()["secret"].as_str().unwrap().starts_with("whsec_"));
    let place = format!("{ENDPOINTS}/{id}");
    assert_eq!(created.header("location"), place);
    let expected = json!({
        "id": id, "url": "https://203.1.113.7/hook", "description": "", "types": ["payment.*", "plan.created"],
        "payload": "full", "signature": "hmac", "is_active": true, "state": "active", "disabled_reason": null,
        "created_at": "2026-03-10T12:00:00.000000Z", "updated_at": "2026-03-10T12:00:00.000000Z", "public_keys": [],
        "failing_since": null, "oldest_undelivered_at": null
    });
    assert_eq!(*app.get(&place).await.expect(200).data(), expected);
    assert_eq!(*app.get(ENDPOINTS).await.expect(200).data(), json!([expected]));
    app.advance(1);
    let off = app.put(&place, &json!({ "is_active": false, "description": "Orders" })).await.expect(200);
    assert_eq!((&off.data()["state"], &off.data()["disabled_reason"]), (&json!("disabled"), &json!("manual")));
    let stale =
        app.request("PUT", &place).header("if-match", created.header("etag")).json(&json!({ "payload": "thin" }));
    stale.send().await.refused(412, "stale");
    let on = app.put(&place, &json!({ "is_active": true })).await.expect(200);
    assert_eq!((&on.data()["state"], &on.data()["disabled_reason"]), (&json!("active"), &json!(null)));
    // The whole record can be sent back.
    let same = app.put(&place, on.data()).await.expect(200);
    assert_eq!(same.header("etag"), on.header("etag"));
    app.delete(&place).await.expect(200);
    for answer in [app.get(&place).await, app.delete(&place).await, app.put(&place, &json!({})).await] {
        answer.refused(404, "not_found");
    }
    assert_eq!(*app.get(ENDPOINTS).await.expect(200).data(), json!([]));
    let kinds: Vec<_> = app.events().await.iter().map(|event| event.kind.as_str()).collect();
    let own: Vec<_> = kinds.into_iter().filter(|kind| kind.starts_with("webhook_endpoint.")).collect();
    let updated = "webhook_endpoint.updated";
    assert_eq!(own, ["webhook_endpoint.created", updated, updated, "webhook_endpoint.deleted"]);
}

#[tokio::test]
async fn invalid_fields_are_listed_all_at_once() {
    let app = service().await;
    let wrong = json!({
        "url": 7, "types": ["payment.*", "plan.eaten", "payment.*"], "payload": "huge", "signature": "rsa",
        "is_active": "yes", "description": "x".repeat(256), "state": "active", "secret": "s", "extra": 1
    });
    let mut faults = app.post(ENDPOINTS, &wrong).await.expect(422).faults();
    faults.sort_unstable();
    let expected = [
        "/description too_long",
        "/extra unknown_field",
        "/is_active invalid_type",
        "/payload unknown_value",
        "/secret read_only_field",
        "/signature unknown_value",
        "/state read_only_field",
        "/types/1 unknown_value",
        "/types/2 duplicate_item",
        "/url invalid_type",
    ];
    assert_eq!(faults, expected);
    assert_eq!(app.post(ENDPOINTS, &json!({})).await.expect(422).faults(), ["/url required"]);
    let made = endpoint(&app, json!({})).await;
    for (body, fault) in [
        (json!({ "types": [] }), "/types too_short"),
        (json!({ "types": vec!["*"; 51] }), "/types too_long"),
        (json!({ "types": null }), "/types not_nullable"),
        (json!({ "signature": "ed25519" }), "/signature read_only_field"),
        (json!({ "url": format!("https://example.com/{}", "x".repeat(2048)) }), "/url too_long"),
        (json!({ "url": "https://exam\nple.com/" }), "/url invalid_text"),
    ] {
        assert_eq!(app.put(&place(&made), &body).await.expect(422).faults(), [fault]);
    }
}

#[tokio::test]
async fn an_endpoint_that_does_not_exist_or_has_changed_is_reported_before_the_fields() {
    let app = service().await;
    let made = endpoint(&app, json!({})).await;
    let bodies = [
        ("/rotate-secret", json!({ "overlap_seconds": -1 })),
        ("/ping", json!({ "type": 7 })),
        ("/retry", json!({})),
        ("/seek", json!({})),
    ];
    for (path, body) in &bodies {
        app.post(&format!("{}{path}", place(&made)), body).await.expect(422);
        for id in ["hook_01h455vb4pex5vsknk084sn02q", "hook_x"] {
            app.post(&format!("{ENDPOINTS}/{id}{path}"), body).await.refused(404, "not_found");
        }
    }
    let etag = app.get(&place(&made)).await.expect(200).header("etag").to_owned();
    app.advance(1);
    app.put(&place(&made), &json!({ "description": "changed" })).await.expect(200);
    for (path, body) in [&bodies[0], &bodies[3]] {
        let stale = app.request("POST", &format!("{}{path}", place(&made))).header("if-match", &etag);
        stale.json(body).send().await.refused(412, "stale");
    }
    app.request("POST", &format!("{}/rotate-secret", place(&made))).send().await.expect(200);
}

#[tokio::test]
async fn another_organization_and_a_caller_without_the_scope_see_nothing() {
    let app = service().await;
    let made = endpoint(&app, json!({})).await;
    let (place, stranger) = (place(&made), tenant(&app).await);
    let call = |method: &str, target: &str, client: &str| app.anonymous(method, target).header("client-id", client);
    for (method, path) in [("GET", ""), ("DELETE", ""), ("GET", "/attempts"), ("GET", "/undelivered")] {
        call(method, &format!("{place}{path}"), &stranger).send().await.refused(404, "not_found");
    }
    for (method, path, body) in [
        ("PUT", "", json!({ "is_active": false })),
        ("POST", "/rotate-secret", json!({})),
        ("POST", "/ping", json!({})),
        ("POST", "/retry", json!({ "since": "2026-01-01T00:00:00Z" })),
        ("POST", "/seek", json!({ "to": "oldest" })),
    ] {
        call(method, &format!("{place}{path}"), &stranger).json(&body).send().await.refused(404, "not_found");
    }
    let reader = trusted(&app, app.organization, "reader", &[Scope::EventsRead]).await;
    for target in [ENDPOINTS, &place] {
        let refused = call("GET", target, &reader).send().await.refused(403, "insufficient_scope");
        assert_eq!(refused.json["required_scope"], "webhooks:write");
    }
    assert_eq!(*call("GET", ENDPOINTS, &stranger).send().await.expect(200).data(), json!([]));
}

#[tokio::test]
async fn an_organization_has_at_most_fifty_endpoints_however_many_are_created_at_once() {
    let app = service().await;
    let body = json!({ "url": "https://203.1.113.7/hook" });
    for _ in 0..48 {
        app.post(ENDPOINTS, &body).await.expect(201);
    }
    let second = app.second_server().await;
    let servers = [&app, second.as_ref().unwrap_or(&app)];
    let creates = (0..8).map(|number| servers[number % 2].request("POST", ENDPOINTS).json(&body));
    let answers = all_at_once(creates).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 2);
    let refused = app.post(ENDPOINTS, &body).await.refused(409, "endpoint_limit");
    assert!(refused.json["detail"].as_str().unwrap().contains("50"));
    let page = app.get("/webhook-endpoints?limit=200").await.expect(200);
    assert_eq!(page.data().as_array().unwrap().len(), 50);
    app.delete(&place(&page.data()[0])).await.expect(200);
    app.post(ENDPOINTS, &body).await.expect(201);
    let first = app.get("/webhook-endpoints?limit=30").await.expect(200);
    let cursor = first.json["page"]["next_cursor"].as_str().unwrap().to_owned();
    let rest = app.get(&format!("/webhook-endpoints?limit=30&cursor={cursor}")).await.expect(200);
    assert_eq!(rest.data().as_array().unwrap().len(), 20);
    app.get("/webhook-endpoints?cursor=x").await.refused(400, "invalid_cursor");
}
