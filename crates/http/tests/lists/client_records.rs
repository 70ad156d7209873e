//! API rules 2.4 (`docs/api.md`): clients over the API.

use super::support::*;
use perennial_app::clients;
use perennial_domain::clients::{ClientPatch, Scope, Scopes};
use perennial_domain::events::EventKind;
use perennial_domain::id::ClientId;
use perennial_testkit::{Answer, Request, TestApp};
use serde_json::{Value, json};

const WITHIN: i64 = 5;

fn text<'a>(record: &'a Value, field: &str) -> &'a str {
    record[field].as_str().unwrap()
}

fn path(record: &Value) -> String {
    format!("/clients/{}", text(record, "id"))
}

async fn created(app: &TestApp, body: &Value) -> Value {
    app.post("/clients", body).await.expect(201).data().clone()
}

fn server(scopes: &Value) -> Value {
    json!({ "name": "server", "kind": "trusted", "scopes": scopes })
}

fn shop() -> Value {
    json!({
        "name": "Shop", "kind": "public", "scopes": ["auth", "plans:read"], "client_id": "shop",
        "origins": ["https://shop.example"]
    })
}

/// A trusted client with these scopes, and a way to call as that client.
struct Holder<'a> {
    app: &'a TestApp,
    id: ClientId,
    credential: String,
}

impl<'a> Holder<'a> {
    async fn new(app: &'a TestApp, name: &str, scopes: &[Scope]) -> Self {
        let id = client(app, app.organization, trusted(name, scopes)).await.id;
        Self { app, id, credential: credential(name) }
    }

    fn request(&self, method: &str, target: &str) -> Request {
        self.app.anonymous(method, target).header("client-id", &self.credential)
    }

    async fn send(&self, method: &str, target: &str, body: &Value) -> Answer {
        self.request(method, target).json(body).send().await
    }
}

#[tokio::test]
async fn the_credential_of_a_trusted_client_is_returned_once_and_works() {
    let app = TestApp::start().await;
    let body = json!({
        "name": "server", "kind": "trusted", "scopes": ["plans:read"], "cidrs": ["127.0.0.0/8", "2001:db8::/32"],
        "expires_at": "2026-04-01T00:00:00Z"
    });
    let answer = app.post("/clients", &body).await.expect(201);
    let record = answer.data().clone();
    let presented = text(&record, "client_id").to_owned();
    assert!(presented.starts_with("pk_") && presented.len() == 35, "{presented}");
    assert_eq!(answer.header("location"), path(&record));
    assert_eq!(answer.header("cache-control"), "no-store");
    let organization = app.organization.to_string();
    let mut expected = json!({
        "id": record["id"], "organization_id": organization, "name": "server", "kind": "trusted", "client_id": null,
        "scopes": ["plans:read"], "origins": [], "cidrs": ["127.0.0.0/8", "2001:db8::/32"], "is_active": true,
        "expires_at": "2026-04-01T00:00:00.000000Z", "disabled_at": null,
        "created_at": "2026-03-10T12:00:00.000000Z", "updated_at": "2026-03-10T12:00:00.000000Z"
    });
    let read = app.get(&path(&record)).await.expect(200);
    assert_eq!(read.data(), &expected);
    assert_eq!(read.header("etag"), answer.header("etag"));
    let updated = app.put(&path(&record), &json!({ "name": "worker" })).await.expect(200);
    let listed = app.get("/clients").await.expect(200);
    for answer in [&read, &updated, &listed] {
        assert!(!String::from_utf8_lossy(&answer.bytes).contains("pk_"));
    }
    expected["client_id"] = json!(presented);
    assert_eq!(record, expected);
    let call = app.anonymous("GET", "/subscription-plans").header("client-id", &presented);
    call.send().await.expect(200);
}

#[tokio::test]
async fn a_public_client_has_a_chosen_or_a_generated_id() {
    let app = TestApp::start().await;
    let record = created(&app, &shop()).await;
    assert_eq!((&record["client_id"], &record["origins"]), (&json!("shop"), &json!(["https://shop.example"])));
    assert_eq!(app.get(&path(&record)).await.expect(200).data(), &record, "it is not a secret");
    for body in [
        json!({ "name": "App", "kind": "public", "scopes": [] }),
        json!({ "name": "App", "kind": "public", "scopes": [], "client_id": null }),
    ] {
        let generated = created(&app, &body).await;
        assert!(text(&generated, "client_id").starts_with("app-"));
    }
    app.post("/clients", &shop()).await.refused(409, "client_id_taken");
    let other = Tenant::new(&app, "other").await;
    other.post("/clients", &shop()).await.refused(409, "client_id_taken");
}

#[tokio::test]
async fn an_idempotency_key_is_ignored_and_no_credential_is_stored() {
    let app = TestApp::start().await;
    let body = server(&json!(["plans:read"]));
    let send = async || app.request("POST", "/clients").header("idempotency-key", "k").json(&body).send().await;
    let (one, other) = (send().await.expect(201), send().await.expect(201));
    assert_ne!(one.data()["id"], other.data()["id"]);
    assert_ne!(one.data()["client_id"], other.data()["client_id"]);
    assert_eq!(other.header("idempotency-replayed"), "");
    assert_eq!(count(&app, "SELECT COUNT(*) FROM idempotency_keys").await, 0);
    assert!(!format!("{:?}", app.events().await).contains("pk_"), "no event contains a credential");
}

#[tokio::test]
async fn all_errors_of_a_client_are_reported_at_once() {
    let app = TestApp::start().await;
    for (body, faults) in [
        (json!({}), vec!["/name required", "/kind required", "/scopes required"]),
        (
            json!({ "name": "", "kind": "secret", "scopes": "auth" }),
            vec!["/name too_short", "/kind unknown_value", "/scopes invalid_type"],
        ),
        (
            json!({
                "name": "a", "kind": "public", "scopes": ["auth", "plans:eat", "auth", 7], "client_id": "pk_x",
                "origins": ["https://a.com/", "https://b.com", "https://b.com"]
            }),
            vec![
                "/scopes/1 unknown_value",
                "/scopes/2 duplicate_item",
                "/scopes/3 invalid_type",
                "/client_id invalid_format",
                "/origins/0 invalid_format",
                "/origins/2 duplicate_item",
            ],
        ),
        (
            json!({ "name": "a", "kind": "trusted", "scopes": [], "cidrs": ["10.0.0.0", "10.0.0.0/33"], "expires_at": "soon" }),
            vec!["/cidrs/0 invalid_format", "/cidrs/1 invalid_format", "/expires_at invalid_format"],
        ),
        (
            json!({ "name": "a", "kind": "trusted", "scopes": [], "is_active": true, "id": "cli_x", "secret": "s" }),
            vec!["/id read_only_field", "/is_active read_only_field", "/secret unknown_field"],
        ),
        (
            json!({ "name": "a", "kind": "public", "scopes": [], "origins": vec!["https://a.com"; 101] }),
            vec!["/origins too_long"],
        ),
    ] {
        let answer = app.post("/clients", &body).await.expect(422);
        assert_eq!(answer.faults(), faults, "{body}");
    }
    assert_eq!(count(&app, "SELECT COUNT(*) FROM clients").await, 2);
}

#[tokio::test]
async fn a_field_or_a_scope_of_the_other_kind_is_rejected() {
    let app = TestApp::start().await;
    let body = json!({
        "name": "a", "kind": "trusted", "scopes": ["plans:read", "payments:read:own"], "origins": [],
        "client_id": "my-app"
    });
    let answer = app.post("/clients", &body).await.refused(422, "inconsistent");
    assert_eq!(answer.faults(), ["/scopes/1 inconsistent", "/client_id inconsistent", "/origins inconsistent"]);
    let body =
        json!({ "name": "a", "kind": "public", "scopes": ["users:write", "auth", "clients:write"], "cidrs": [] });
    let answer = app.post("/clients", &body).await.refused(422, "inconsistent");
    assert_eq!(answer.faults(), ["/scopes/0 inconsistent", "/scopes/2 inconsistent", "/cidrs inconsistent"]);

    let shop = created(&app, &shop()).await;
    let body = json!({ "scopes": ["plans:write"], "cidrs": ["10.0.0.0/8"], "expires_at": "2027-01-01T00:00:00Z" });
    let answer = app.put(&path(&shop), &body).await.refused(422, "inconsistent");
    assert_eq!(answer.faults(), ["/scopes/0 inconsistent", "/cidrs inconsistent", "/expires_at inconsistent"]);
    let server = created(&app, &server(&json!([]))).await;
    let body = json!({ "origins": ["https://a.com"], "kind": "public", "client_id": "my-app" });
    let answer = app.put(&path(&server), &body).await.refused(422, "invalid_input");
    let faults = ["/kind read_only_field", "/client_id read_only_field", "/origins inconsistent"];
    assert_eq!(answer.faults(), faults);
}

#[tokio::test]
async fn an_update_merges_and_the_whole_record_can_be_sent_back() {
    let app = TestApp::start().await;
    for body in [shop(), server(&json!(["plans:read"]))] {
        let record = created(&app, &body).await;
        let read = app.get(&path(&record)).await.expect(200);
        let same = app.put(&path(&record), read.data()).await.expect(200);
        assert_eq!((same.data(), same.header("etag")), (read.data(), read.header("etag")), "nothing changes");
        app.advance(1);
        let updated = app.put(&path(&record), &json!({ "scopes": ["auth"] })).await.expect(200);
        let mut expected = read.data().clone();
        expected["scopes"] = json!(["auth"]);
        expected["updated_at"] = updated.data()["updated_at"].clone();
        assert_eq!(updated.data(), &expected);
        let stale = app.request("PUT", &path(&record)).header("if-match", read.header("etag"));
        stale.json(&json!({ "name": "late" })).send().await.refused(412, "stale");
        let fresh = app.request("PUT", &path(&record)).header("if-match", updated.header("etag"));
        let renamed = fresh.json(&json!({ "name": "new" })).send().await.expect(200);
        let again = app.request("GET", &path(&record)).header("if-none-match", renamed.header("etag"));
        again.send().await.expect(304);
    }
}

#[tokio::test]
async fn puts_of_different_fields_at_once_all_apply() {
    let app = TestApp::start().await;
    let record = created(&app, &shop()).await;
    let requests = [json!({ "name": "New" }), json!({ "scopes": [] }), json!({ "origins": [] })];
    let requests = requests.iter().map(|body| app.request("PUT", &path(&record)).json(body));
    for answer in all_at_once(requests).await {
        answer.expect(200);
    }
    let read = app.get(&path(&record)).await.expect(200);
    let fields = ["name", "scopes", "origins"].map(|field| read.data()[field].clone());
    assert_eq!(fields, [json!("New"), json!([]), json!([])]);
}

#[tokio::test]
async fn a_disabled_client_stops_within_five_seconds_and_stays_disabled() {
    let app = TestApp::start().await;
    let record = created(&app, &server(&json!(["plans:read"]))).await;
    let other_server = app.second_server().await;
    let call = async |server: &TestApp| {
        let request = server.anonymous("GET", "/subscription-plans").header("client-id", text(&record, "client_id"));
        request.send().await
    };
    for server in [Some(&app), other_server.as_ref()].into_iter().flatten() {
        call(server).await.expect(200);
    }
    let disabled = app.put(&path(&record), &json!({ "is_active": false })).await.expect(200);
    assert_eq!(disabled.data()["is_active"], false);
    assert_eq!(disabled.data()["disabled_at"], disabled.data()["updated_at"]);
    app.advance(WITHIN);
    for server in [Some(&app), other_server.as_ref()].into_iter().flatten() {
        call(server).await.refused(401, "invalid_client");
    }
    for body in [json!({ "is_active": true }), json!({ "name": "new" }), json!({ "scopes": [] })] {
        app.put(&path(&record), &body).await.refused(409, "client_disabled");
    }
    for body in [json!({}), json!({ "is_active": false }), disabled.data().clone()] {
        let same = app.put(&path(&record), &body).await.expect(200);
        assert_eq!(same.data(), disabled.data(), "nothing changes");
    }
    app.put(&path(&record), &json!({ "is_active": null })).await.refused(422, "not_nullable");
}

#[tokio::test]
async fn no_caller_grants_a_scope_that_it_does_not_hold() {
    let app = TestApp::start().await;
    let caller = Holder::new(&app, "limited", &[Scope::ClientsWrite, Scope::PlansRead]).await;
    let target = client(&app, app.organization, trusted("target", &[Scope::UsersWrite])).await;
    let target = format!("/clients/{}", target.id);
    let denied = |answer: Answer, scope: &str| {
        let answer = answer.refused(403, "insufficient_scope");
        assert_eq!(answer.json["required_scope"], scope);
    };
    let events = app.events().await.len();
    let body = server(&json!(["plans:read", "payments:write"]));
    denied(caller.send("POST", "/clients", &body).await, "payments:write");
    for scopes in [json!(["users:write", "payments:write"]), json!(["payments:write"])] {
        denied(caller.send("PUT", &target, &json!({ "scopes": scopes })).await, "payments:write");
    }
    assert_eq!(app.events().await.len(), events, "nothing was changed");
    // A scope that the target holds already is not granted by the caller, and any scope can be removed.
    let body = json!({ "scopes": ["users:write", "plans:read", "auth"] });
    let kept = caller.send("PUT", &target, &body).await.expect(200);
    assert_eq!(kept.data()["scopes"], json!(["auth", "plans:read", "users:write"]));
    caller.send("PUT", &target, &json!({ "scopes": ["plans:read"] })).await.expect(200);
    denied(caller.send("PUT", &target, &json!({ "scopes": ["users:write"] })).await, "users:write");
    let own =
        json!(["auth", "subscriptions:read:own", "payments:read:own", "invoices:read:own", "entitlements:read:own"]);
    let public = json!({ "name": "app", "kind": "public", "scopes": own });
    caller.send("POST", "/clients", &public).await.expect(201);
    let escalated = caller.send("POST", "/clients", &server(&json!(["clients:write", "plans:read"]))).await;
    let escalated = escalated.expect(201);
    let request = app.anonymous("POST", "/clients").header("client-id", text(escalated.data(), "client_id"));
    denied(request.json(&server(&json!(["payments:write"]))).send().await, "payments:write");
}

#[tokio::test]
async fn a_client_can_change_and_disable_itself() {
    let app = TestApp::start().await;
    let caller = Holder::new(&app, "self", &[Scope::ClientsWrite]).await;
    let target = format!("/clients/{}", caller.id);
    caller.send("PUT", &target, &json!({ "is_active": false })).await.expect(200);
    app.advance(WITHIN);
    caller.request("GET", "/clients").send().await.refused(401, "invalid_client");
    let enabled = clients::enable(&app.app, app.organization, caller.id).await.unwrap();
    assert!(enabled.disabled_at.is_none(), "the command line can undo it");
    app.advance(WITHIN);
    caller.request("GET", "/clients").send().await.expect(200);
}

#[tokio::test]
async fn clients_are_listed_newest_first_page_by_page() {
    let app = TestApp::start().await;
    let mut records = app.get("/clients").await.expect(200).data().as_array().unwrap().clone();
    assert_eq!(records.len(), 2);
    for number in 0..5 {
        app.advance(1);
        let record = created(&app, &json!({ "name": format!("{number}"), "kind": "public", "scopes": [] })).await;
        records.insert(0, record);
    }
    for limit in [1, 2, 7, 50] {
        assert_eq!(follow(&app, "/clients", limit).await, records, "{limit}");
    }
    let first = app.get("/clients?limit=1").await.expect(200);
    let cursor = next_cursor(&first).unwrap();
    let other = Tenant::new(&app, "other").await;
    let target = format!("/clients?cursor={cursor}");
    other.request("GET", &target).send().await.refused(400, "invalid_cursor");
    assert_eq!(other.request("GET", "/clients").send().await.expect(200).data().as_array().unwrap().len(), 1);
    app.get("/clients?kind=public").await.refused(400, "unknown_parameter");
}

#[tokio::test]
async fn a_client_of_another_organization_is_not_found() {
    let app = TestApp::start().await;
    let record = created(&app, &shop()).await;
    let other = Tenant::new(&app, "other").await;
    for target in [path(&record), "/clients/cli_x".to_owned(), "/clients/shop".to_owned()] {
        other.request("GET", &target).send().await.refused(404, "not_found");
        let put = other.request("PUT", &target).json(&json!({ "is_active": false }));
        put.send().await.refused(404, "not_found");
    }
    assert_eq!(app.get(&path(&record)).await.expect(200).data(), &record);
}

#[tokio::test]
async fn an_event_has_the_record_that_the_api_returns() {
    let app = TestApp::start().await;
    let record = created(&app, &shop()).await;
    app.advance(1);
    let disabled = app.put(&path(&record), &json!({ "is_active": false })).await.expect(200);
    let parsed = |stored: &Option<String>| serde_json::from_str::<Value>(stored.as_deref().unwrap()).unwrap();
    let events = app.events().await;
    let found: Vec<_> = events.iter().filter(|event| event.record() == text(&record, "id")).collect();
    assert_eq!(parsed(&found[0].after), record);
    assert_eq!((parsed(&found[1].before), parsed(&found[1].after)), (record, disabled.data().clone()));
}

#[tokio::test]
async fn changes_name_their_client_and_request_in_the_event() {
    let app = TestApp::start().await;
    let caller = Holder::new(&app, "manager", &[Scope::ClientsWrite]).await;
    let body = json!({ "name": "App", "kind": "public", "scopes": ["auth"] });
    let create = caller.request("POST", "/clients").header("x-request-id", "one").json(&body);
    let record = create.send().await.expect(201).data().clone();
    let update = caller.request("PUT", &path(&record)).header("x-request-id", "two").json(&json!({ "name": "New" }));
    update.send().await.expect(200);
    let id = text(&record, "id").parse().unwrap();
    let patch = ClientPatch { scopes: Some(Scopes::default().into()), ..ClientPatch::default() };
    clients::update(&app.app, app.organization, id, &patch).await.unwrap();
    let events = app.events().await;
    let found: Vec<_> = events.iter().filter(|event| event.record() == text(&record, "id")).collect();
    let seen: Vec<_> = found.iter().map(|event| (event.kind, event.client_id, event.request_id.as_deref())).collect();
    assert_eq!(
        seen,
        [
            (EventKind::ClientCreated, Some(caller.id), Some("one")),
            (EventKind::ClientUpdated, Some(caller.id), Some("two")),
            (EventKind::ClientUpdated, None, None),
        ]
    );
    assert!(found[1].before.as_deref().unwrap().contains("App") && found[1].after.as_deref().unwrap().contains("New"));
}
