//! API rules 9 (`docs/api.md`): users, created, read, updated and erased over the API.

use super::support::{Tenant, assert_errors, place, text};
use perennial_testkit::{Answer, TestApp, all_at_once};
use serde_json::{Value, json};

const USERS: &str = "/users";

async fn create(app: &TestApp, body: Value) -> Value {
    app.post(USERS, &body).await.expect(201).data().clone()
}

#[tokio::test]
async fn a_user_is_created_read_updated_and_erased() {
    let app = TestApp::start().await;
    let body = json!({
        "email": " Ada@Example.COM ", "username": "ada", "first_name": "", "last_name": null, "terms": true,
        "notifications": false, "auth_type": "invited"
    });
    let created = app.post(USERS, &body).await.expect(201);
    let user = created.data().clone();
    let expected = json!({
        "id": user["id"], "auth_id": null, "auth_provider": null, "auth_type": "invited",
        "organization_id": app.organization, "email": "ada@example.com", "username": "ada", "first_name": "",
        "last_name": null, "terms": true, "notifications": false, "role": "user", "is_blocked": false,
        "created_at": "2026-03-10T12:00:00.000000Z", "updated_at": "2026-03-10T12:00:00.000000Z"
    });
    assert_eq!(user, expected);
    let path = place(USERS, &user);
    assert_eq!(created.header("location"), path);
    let read = app.get(&path).await.expect(200);
    assert_eq!((read.data(), read.header("etag")), (&user, created.header("etag")));
    app.request("GET", &path).header("if-none-match", read.header("etag")).send().await.expect(304);
    app.advance(1);
    let change = json!({ "first_name": "Ada", "username": null, "email": "ADA@new.example" });
    let updated = app.put(&path, &change).await.expect(200);
    let mut after = user.clone();
    for (field, value) in [("first_name", json!("Ada")), ("username", json!(null)), ("email", json!("ada@new.example"))]
    {
        after[field] = value;
    }
    after["updated_at"] = json!("2026-03-10T12:00:01.000000Z");
    assert_eq!(updated.data(), &after);
    assert_ne!(updated.header("etag"), created.header("etag"));
    let erased = app.delete(&path).await.expect(200);
    assert_eq!(erased.data(), &json!({ "id": user["id"], "deleted": true }));
    for answer in [app.get(&path).await, app.put(&path, &json!({})).await, app.delete(&path).await] {
        answer.refused(404, "not_found");
    }
    // The address can be used again.
    create(&app, json!({ "email": "ada@new.example" })).await;
}

#[tokio::test]
async fn all_errors_of_a_user_are_reported_at_once() {
    let app = TestApp::start().await;
    let long = "é".repeat(256);
    let body = json!({
        "email": "ada", "username": long, "first_name": 1, "last_name": "a\u{0}", "terms": "yes", "notifications": 0,
        "auth_type": "t".repeat(65), "id": "usr_1", "auth_id": "x", "auth_provider": "x", "organization_id": "x",
        "role": "admin", "is_blocked": true, "created_at": "x", "updated_at": "x", "color": "red"
    });
    let types = [
        "/email invalid_format",
        "/username too_long",
        "/first_name invalid_type",
        "/last_name invalid_text",
        "/terms invalid_type",
        "/notifications invalid_type",
        "/auth_type too_long",
        "/color unknown_field",
    ];
    let read_only =
        |fields: &[&'static str]| fields.iter().map(|field| format!("/{field} read_only_field")).collect::<Vec<_>>();
    let on_create = read_only(&[
        "id",
        "auth_id",
        "auth_provider",
        "organization_id",
        "role",
        "is_blocked",
        "created_at",
        "updated_at",
    ]);
    let expected: Vec<&str> = types.into_iter().chain(on_create.iter().map(String::as_str)).collect();
    assert_errors(app.post(USERS, &body).await, &expected, "create");
    let path = place(USERS, &create(&app, json!({ "email": "ada@example.com" })).await);
    let on_update = read_only(&["id", "auth_id", "auth_provider", "organization_id", "role", "created_at"]);
    let expected: Vec<&str> = types.into_iter().chain(on_update.iter().map(String::as_str)).collect();
    assert_errors(app.put(&path, &body).await, &expected, "update");
    assert_errors(app.post(USERS, &json!({})).await, &["/email required"], "no address");
    assert_errors(app.post(USERS, &json!({ "email": null })).await, &["/email not_nullable"], "null");
    let nulls = json!({ "email": null, "is_blocked": null });
    assert_errors(app.put(&path, &nulls).await, &["/email not_nullable", "/is_blocked not_nullable"], "nulls");
}

#[tokio::test]
async fn a_whole_user_can_be_sent_back_and_nothing_is_written() {
    let app = TestApp::start().await;
    let held = app.sign_up("ada@example.com").await;
    let made = create(&app, json!({ "email": "made@example.com" })).await;
    for path in [format!("/users/{}", held.user_id()), place(USERS, &made)] {
        let read = app.get(&path).await.expect(200);
        let events = app.events().await.len();
        app.advance(1);
        let again = app.put(&path, read.data()).await.expect(200);
        assert_eq!((again.data(), again.header("etag")), (read.data(), read.header("etag")));
        assert_eq!(app.events().await.len(), events);
    }
}

#[tokio::test]
async fn an_address_belongs_to_one_user_of_an_organization() {
    let app = TestApp::start().await;
    create(&app, json!({ "email": "ada@example.com" })).await;
    let eve = place(USERS, &create(&app, json!({ "email": "eve@example.com" })).await);
    app.post(USERS, &json!({ "email": "ADA@example.com" })).await.refused(409, "email_taken");
    app.put(&eve, &json!({ "email": "ADA@example.com" })).await.refused(409, "email_taken");
    // Validation comes first, and the user's own address is no conflict.
    app.put(&eve, &json!({ "email": "ADA@example.com", "terms": 1 })).await.expect(422);
    app.put(&eve, &json!({ "email": "EVE@example.com" })).await.expect(200);
    let requests = (0..16).map(|_| app.request("POST", USERS).json(&json!({ "email": "bob@example.com" })));
    let answers = all_at_once(requests).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
    assert_eq!(answers.iter().filter(|answer| answer.json["code"] == "email_taken").count(), 15);
    let other = Tenant::create(&app, "USD").await;
    let body = json!({ "email": "bob@example.com" });
    other.request("POST", USERS).json(&body).send().await.expect(201);
}

#[tokio::test]
async fn an_idempotency_key_creates_one_user_on_every_server() {
    let app = TestApp::start().await;
    let other_server = app.second_server().await;
    let body = json!({ "email": "ada@example.com" });
    let servers = (0..16).map(|number| other_server.as_ref().filter(|_| number % 2 == 0).unwrap_or(&app));
    let requests = servers.map(|server| server.request("POST", USERS).header("idempotency-key", "k").json(&body));
    let answers: Vec<Answer> = all_at_once(requests).await.into_iter().map(|answer| answer.expect(201)).collect();
    assert!(answers.iter().all(|answer| answer.bytes == answers[0].bytes));
    assert_eq!(answers.iter().filter(|answer| answer.header("idempotency-replayed").is_empty()).count(), 1);
    let other = app.request("POST", USERS).header("idempotency-key", "k").json(&json!({ "email": "eve@example.com" }));
    other.send().await.refused(422, "idempotency_key_reused");
    let created = app.events().await.into_iter().filter(|event| event.kind.as_str() == "user.created").count();
    assert_eq!(created, 1);
}

#[tokio::test]
async fn a_stale_user_is_neither_updated_nor_erased() {
    let app = TestApp::start().await;
    let created = app.post(USERS, &json!({ "email": "ada@example.com" })).await.expect(201);
    let path = place(USERS, created.data());
    app.put(&path, &json!({ "terms": true })).await.expect(200);
    let stale = created.header("etag");
    let put = app.request("PUT", &path).header("if-match", stale).json(&json!({ "terms": false })).send().await;
    put.refused(412, "stale");
    app.request("DELETE", &path).header("if-match", stale).send().await.refused(412, "stale");
    let current = app.get(&path).await.expect(200);
    assert_eq!(current.data()["terms"], json!(true));
    app.request("DELETE", &path).header("if-match", current.header("etag")).send().await.expect(200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn updates_of_different_fields_at_once_all_apply() {
    let app = TestApp::start().await;
    let other_server = app.second_server().await;
    let path = place(USERS, &create(&app, json!({ "email": "ada@example.com" })).await);
    let fields = [
        ("username", json!("ada")),
        ("first_name", json!("Ada")),
        ("last_name", json!("L")),
        ("terms", json!(true)),
        ("notifications", json!(true)),
        ("auth_type", json!("t")),
        ("is_blocked", json!(true)),
        ("email", json!("ada@new.example")),
    ];
    let requests = fields.iter().enumerate().map(|(number, (field, value))| {
        let server = other_server.as_ref().filter(|_| number % 2 == 0).unwrap_or(&app);
        server.request("PUT", &path).json(&json!({ *field: value }))
    });
    for answer in all_at_once(requests).await {
        answer.expect(200);
    }
    let user = app.get(&path).await.expect(200);
    for (field, value) in &fields {
        assert_eq!(&user.data()[*field], value, "{field}");
    }
}

/// An attack: another organization's user is as good as none, and `me` names no user here.
#[tokio::test]
async fn another_organizations_user_is_not_found() {
    let app = TestApp::start().await;
    let held = app.sign_up("ada@example.com").await;
    let user = app.get(&format!("/users/{}", held.user_id())).await.expect(200);
    let other = Tenant::create(&app, "USD").await;
    let events = app.events().await.len();
    for id in [held.user_id(), "me", "usr_1", "usr_01h455vb4pex5vsknk084sn02q", text(user.data(), "organization_id")] {
        let path = format!("/users/{id}");
        let session = format!("{path}/sessions/{}", held.session_id());
        for (method, target) in [
            ("GET", path.clone()),
            ("PUT", path.clone()),
            ("DELETE", path.clone()),
            ("GET", format!("{path}/sessions")),
            ("DELETE", format!("{path}/sessions")),
            ("DELETE", session),
        ] {
            let request = other.request(method, &target);
            let request = if method == "PUT" { request.json(&json!({ "is_blocked": true })) } else { request };
            request.send().await.refused(404, "not_found");
        }
    }
    let list = other.request("GET", &format!("/users?id={}", held.user_id())).send().await.expect(200);
    assert_eq!(list.data(), &json!([]));
    assert_eq!(app.events().await.len(), events);
    assert_eq!(app.get(&format!("/users/{}", held.user_id())).await.expect(200).data(), user.data());
    app.logged_in(&held.token).await.expect(200);
}
