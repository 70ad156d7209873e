//! Operators as records: created, listed, changed and deleted by clients and operators: API rules 10.1 and 10.2.

use super::support::{events, tenant, trusted};
use perennial_domain::clients::Scope;
use perennial_testkit::{TestApp, all_at_once};
use serde_json::json;

const OPERATORS: &str = "/operators";

#[tokio::test]
async fn an_operator_is_created_read_listed_changed_and_deleted() {
    let app = TestApp::start().await;
    let created = app.post(OPERATORS, &json!({ "name": "Ada", "role": "viewer" })).await.expect(201);
    let id = created.data()["id"].as_str().unwrap();
    assert!(id.starts_with("op_"));
    let place = format!("{OPERATORS}/{id}");
    assert_eq!(created.header("location"), place);
    let expected = json!({
        "id": id, "organization_id": app.organization.to_string(), "name": "Ada", "role": "viewer", "issuer": null,
        "subject": null, "is_active": true, "last_sign_in_at": null, "created_at": "2026-03-10T12:00:00.000000Z",
        "updated_at": "2026-03-10T12:00:00.000000Z"
    });
    assert_eq!(*created.data(), expected);
    assert_eq!(*app.get(&place).await.expect(200).data(), expected);
    assert_eq!(*app.get(OPERATORS).await.expect(200).data(), json!([expected]));
    app.advance(1);
    let changed = app.put(&place, &json!({ "name": "Grace", "role": "admin" })).await.expect(200);
    assert_eq!((&changed.data()["name"], &changed.data()["role"]), (&json!("Grace"), &json!("admin")));
    let stale = app.request("PUT", &place).header("if-match", created.header("etag")).json(&json!({ "name": "X" }));
    stale.send().await.refused(412, "stale");
    app.delete(&place).await.expect(200);
    app.get(&place).await.refused(404, "not_found");
    app.delete(&place).await.refused(404, "not_found");
    app.operator("Grace", "viewer").await;
}

#[tokio::test]
async fn a_sign_in_changes_the_entity_tag_and_not_the_revision() {
    let app = TestApp::start().await;
    let id = app.operator("Ada", "viewer").await;
    let (place, links) = (format!("{OPERATORS}/{id}"), [app.link(&id).await, app.link(&id).await]);
    let before = app.get(&place).await.expect(200);
    let mut tag = before.header("etag").to_owned();
    for link in links {
        app.advance(1);
        app.use_link(&link).await.expect(200);
        let read = app.request("GET", &place).header("if-none-match", &tag).send().await.expect(200);
        assert_eq!(read.data()["last_sign_in_at"], json!(app.now()));
        read.header("etag").clone_into(&mut tag);
    }
    let read = app.get(&place).await.expect(200);
    app.request("GET", &place).header("if-none-match", read.header("etag")).send().await.expect(304);
    // The operator is as it was read before, apart from the sign-in.
    let mut sent = before.data().clone();
    sent["name"] = json!("Ada L.");
    let update = app.request("PUT", &place).header("if-match", before.header("etag")).json(&sent);
    let updated = update.send().await.expect(200);
    assert_eq!(updated.data()["last_sign_in_at"], read.data()["last_sign_in_at"]);
    let again = app.request("PUT", &place).header("if-match", read.header("etag")).json(&json!({ "name": "X" }));
    again.send().await.refused(412, "stale");
}

#[tokio::test]
async fn what_only_the_service_sets_is_sent_back_unchanged_or_rejected() {
    let app = TestApp::start().await;
    let place = format!("{OPERATORS}/{}", app.operator("Ada", "viewer").await);
    let read = app.get(&place).await.expect(200);
    let same = app.put(&place, read.data()).await.expect(200);
    assert_eq!((same.data(), same.header("etag")), (read.data(), read.header("etag")));
    for (field, value) in [
        ("id", json!("op_01h455vb4pex5vsknk084sn02q")),
        ("organization_id", json!("org_01h455vb4pex5vsknk084sn02q")),
        ("issuer", json!("https://id.example.com")),
        ("subject", json!("ada")),
        ("created_at", json!("2020-01-01T00:00:00Z")),
    ] {
        let refused = app.put(&place, &json!({ field: value })).await.refused(422, "read_only_field");
        assert_eq!(refused.faults(), [format!("/{field} read_only_field")]);
    }
    assert_eq!(app.get(&place).await.expect(200).data(), read.data());
}

#[tokio::test]
async fn lists_are_paged() {
    let app = TestApp::start().await;
    for number in 0..3 {
        app.operator(&format!("Operator {number}"), "viewer").await;
        app.advance(1);
    }
    let first = app.get("/operators?limit=2").await.expect(200);
    assert_eq!(first.data()[0]["name"], "Operator 2");
    let cursor = first.json["page"]["next_cursor"].as_str().unwrap().to_owned();
    let second = app.get(&format!("/operators?limit=2&cursor={cursor}")).await.expect(200);
    assert_eq!(second.data().as_array().unwrap().len(), 1);
    app.get("/operators?cursor=x").await.refused(400, "invalid_cursor");
    app.get("/operators?name=x").await.refused(400, "unknown_parameter");
}

#[tokio::test]
async fn invalid_fields_are_listed_all_at_once() {
    let app = TestApp::start().await;
    let answer = app.post(OPERATORS, &json!({ "name": "", "role": "owner", "is_active": true, "id": "x" })).await;
    let mut faults = answer.expect(422).faults();
    faults.sort_unstable();
    assert_eq!(faults, ["/id read_only_field", "/is_active read_only_field", "/name too_short", "/role unknown_value"]);
    let empty = app.post(OPERATORS, &json!({})).await.expect(422);
    assert_eq!(empty.faults(), ["/name required", "/role required"]);
    let long = "x".repeat(256);
    app.post(OPERATORS, &json!({ "name": long, "role": "viewer" })).await.refused(422, "too_long");
    app.post(OPERATORS, &json!({ "name": 7, "role": "viewer" })).await.refused(422, "invalid_type");
}

#[tokio::test]
async fn a_name_is_taken_once_in_an_organization_however_many_try() {
    let app = TestApp::start().await;
    let create = || app.request("POST", OPERATORS).json(&json!({ "name": "Ada", "role": "viewer" }));
    let answers = all_at_once((0..8).map(|_| create())).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
    create().send().await.refused(409, "name_taken");
    let other = app.operator("Grace", "viewer").await;
    app.put(&format!("{OPERATORS}/{other}"), &json!({ "name": "Ada" })).await.refused(409, "name_taken");
    let tenant = tenant(&app).await;
    let elsewhere = app.anonymous("POST", OPERATORS).header("client-id", tenant);
    elsewhere.json(&json!({ "name": "Ada", "role": "viewer" })).send().await.expect(201);
}

#[tokio::test]
async fn a_create_with_a_key_is_made_once() {
    let app = TestApp::start().await;
    let create = |name: &str| {
        let body = json!({ "name": name, "role": "viewer" });
        app.request("POST", OPERATORS).header("idempotency-key", "k").json(&body)
    };
    let first = create("Ada").send().await.expect(201);
    let second = create("Ada").send().await.expect(201);
    assert_eq!((second.header("idempotency-replayed"), &second.bytes), ("true", &first.bytes));
    create("Grace").send().await.refused(422, "idempotency_key_reused");
    assert_eq!(app.get(OPERATORS).await.data().as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn an_operator_of_another_organization_is_not_found() {
    let app = TestApp::start().await;
    let operator = app.signed_in_operator("Ada", "admin").await;
    let tenant = tenant(&app).await;
    let call = |method: &str, target: String| app.anonymous(method, &target).header("client-id", &tenant);
    let place = format!("{OPERATORS}/{}", operator.id);
    call("GET", place.clone()).send().await.refused(404, "not_found");
    call("PUT", place.clone()).json(&json!({ "name": "X" })).send().await.refused(404, "not_found");
    call("DELETE", place.clone()).send().await.refused(404, "not_found");
    call("GET", format!("{place}/sessions")).send().await.refused(404, "not_found");
    call("POST", format!("{place}/link")).send().await.refused(404, "not_found");
    let session = operator.session["id"].as_str().unwrap();
    call("DELETE", format!("{place}/sessions/{session}")).send().await.refused(404, "not_found");
    assert!(call("GET", OPERATORS.to_owned()).send().await.data().as_array().unwrap().is_empty());
    operator.get("/operator-session").await.expect(200);
}

#[tokio::test]
async fn no_caller_grants_more_than_it_holds() {
    let app = TestApp::start().await;
    let scopes = [Scope::ClientsWrite, Scope::PlansRead];
    let client = trusted(&app, app.organization, "narrow", &scopes).await;
    let call = |method: &str, target: &str| app.anonymous(method, target).header("client-id", &client);
    let create = call("POST", OPERATORS).json(&json!({ "name": "Ada", "role": "viewer" }));
    let refused = create.send().await.refused(403, "insufficient_scope");
    assert_eq!(refused.json["required_scope"], "subscriptions:read");
    let viewer = app.operator("Viewer", "viewer").await;
    let place = format!("{OPERATORS}/{viewer}");
    call("PUT", &place).json(&json!({ "role": "support" })).send().await.refused(403, "insufficient_scope");
    call("POST", &format!("{place}/link")).send().await.refused(403, "insufficient_scope");
    // Enabling is a grant too; renaming and disabling are none.
    call("PUT", &place).json(&json!({ "name": "Renamed" })).send().await.expect(200);
    call("PUT", &place).json(&json!({ "is_active": false })).send().await.expect(200);
    call("PUT", &place).json(&json!({ "is_active": true })).send().await.refused(403, "insufficient_scope");
    call("DELETE", &place).send().await.expect(200);
}

#[tokio::test]
async fn no_trusted_credential_reaches_a_browser() {
    let app = TestApp::start().await;
    let ada = app.signed_in_operator("Ada", "admin").await;
    let count = || async { app.get("/clients").await.expect(200).data().as_array().unwrap().len() };
    let before = count().await;
    let trusted = json!({ "name": "server", "kind": "trusted", "scopes": ["plans:read"] });
    let rejected = ada.post("/clients", &trusted).await.refused(403, "client_not_for_browsers");
    assert!(!rejected.json.to_string().contains("pk_"));
    assert_eq!(count().await, before, "no client was made");
    let public = json!({ "name": "shop", "kind": "public", "scopes": ["auth"], "origins": ["https://shop.example"] });
    ada.post("/clients", &public).await.expect(201);
}

#[tokio::test]
async fn an_operator_cannot_disable_delete_or_promote_itself() {
    let app = TestApp::start().await;
    let ada = app.signed_in_operator("Ada", "admin").await;
    let place = format!("{OPERATORS}/{}", ada.id);
    ada.put(&place, &json!({ "role": "viewer" })).await.refused(409, "own_operator");
    ada.put(&place, &json!({ "is_active": false })).await.refused(409, "own_operator");
    ada.delete(&place).await.refused(409, "own_operator");
    ada.put(&place, &json!({ "name": "Ada L." })).await.expect(200);
    let other = ada.post(OPERATORS, &json!({ "name": "Grace", "role": "admin" })).await.expect(201);
    let other = format!("{OPERATORS}/{}", other.data()["id"].as_str().unwrap());
    ada.put(&other, &json!({ "is_active": false })).await.expect(200);
    ada.delete(&other).await.expect(200);
}

#[tokio::test]
async fn events_name_the_operator_and_hold_no_name_of_a_person() {
    let app = TestApp::start().await;
    let ada = app.signed_in_operator("Ada Canary", "admin").await;
    app.advance(1);
    let request = ada.request("POST", OPERATORS).header("x-request-id", "req-1");
    let created = request.json(&json!({ "name": "Grace Canary", "role": "viewer" })).send().await.expect(201);
    let grace = format!("{OPERATORS}/{}", created.data()["id"].as_str().unwrap());
    ada.put(&grace, &json!({ "name": "Hopper Canary", "role": "support" })).await.expect(200);
    ada.delete(&grace).await.expect(200);
    let by_ada = |event: &perennial_domain::events::Event| {
        (event.client_id, event.operator_id.map(|id| id.to_string())) == (None, Some(ada.id.clone()))
    };
    let created = events(&app, "operator.created").await;
    assert!(created[0].client_id.is_some() && created[0].operator_id.is_none());
    assert!(by_ada(&created[1]));
    assert_eq!(created[1].request_id.as_deref(), Some("req-1"));
    let updated = &events(&app, "operator.updated").await[0];
    assert!(by_ada(updated));
    let after: serde_json::Value = serde_json::from_str(updated.after.as_deref().unwrap()).unwrap();
    assert_eq!((&after["fields"], &after["role"]), (&json!(["name", "role"]), &json!("support")));
    assert!(by_ada(&events(&app, "operator.deleted").await[0]));
    assert!(by_ada(&events(&app, "operator_session.created").await[0]));
    let links = events(&app, "operator.link_created").await;
    let [link] = &links[..] else { panic!("{links:?}") };
    let after: serde_json::Value = serde_json::from_str(link.after.as_deref().unwrap()).unwrap();
    assert_eq!((&after["id"], &after["fields"]), (&json!(ada.id), &json!([])));
    for event in app.events().await {
        assert!(!format!("{event:?}").contains("Canary"), "{event:?}");
    }
    // A plan that an operator makes has the operator too.
    let plan = json!({ "name": "Pro", "slug": "pro", "price": 1, "billing_cycle": "monthly" });
    ada.post("/subscription-plans", &plan).await.expect(201);
    assert!(by_ada(&events(&app, "plan.created").await[0]));
}

#[tokio::test]
async fn idempotency_keys_belong_to_an_operator() {
    let app = TestApp::start().await;
    let (ada, grace) = (app.signed_in_operator("Ada", "admin").await, app.signed_in_operator("Grace", "admin").await);
    let plan = |slug: &str| json!({ "name": "Pro", "slug": slug, "price": 1, "billing_cycle": "monthly" });
    let create = |operator: &perennial_testkit::SignedInOperator, slug: &str| {
        operator.request("POST", "/subscription-plans").header("idempotency-key", "same").json(&plan(slug))
    };
    create(&ada, "one").send().await.expect(201);
    create(&grace, "two").send().await.expect(201);
    app.request("POST", "/subscription-plans")
        .header("idempotency-key", "same")
        .json(&plan("three"))
        .send()
        .await
        .expect(201);
    assert_eq!(create(&ada, "one").send().await.expect(201).header("idempotency-replayed"), "true");
    create(&ada, "four").send().await.refused(422, "idempotency_key_reused");
}

#[tokio::test]
async fn a_deleted_organization_leaves_no_operator_behind() {
    let app = TestApp::start().await;
    let ada = app.signed_in_operator("Ada", "admin").await;
    perennial_app::organizations::delete(&app.app, app.organization).await.unwrap();
    ada.get("/operator-session").await.refused(401, "operator_session_required");
}
