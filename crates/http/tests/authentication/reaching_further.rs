//! Attacks 16, 19, 20 and 21, each test named after its attack: learning or touching what is not the caller's.

use super::support::*;
use perennial_app::clients::{self, Credential, NewClient, Presents};
use perennial_domain::clients::{ClientName, Scope, Scopes};
use perennial_testkit::{Held, Request, TestApp, TestOptions};
use serde_json::{Value, json};

/// Sends each request and compares the responses: nothing but the request's ID differs, and each took
/// as many statements.
#[track_caller]
fn alike(answers: &[(perennial_testkit::Answer, u64)]) {
    let reported: Vec<_> = answers.iter().map(|(answer, cost)| (without_request_id(answer), cost)).collect();
    for other in &reported[1..] {
        assert_eq!(&reported[0], other);
    }
}

async fn all_alike(app: &TestApp, requests: Vec<Request>) -> (perennial_testkit::Answer, u64) {
    let mut answers = Vec::new();
    for request in requests {
        answers.push(cost(app, request).await);
    }
    alike(&answers);
    answers.remove(0)
}

/// Row 16.
#[tokio::test]
async fn enumeration_of_clients() {
    let app = TestApp::start().await;
    let (disabled, expired) = ("pk_disabled_disabled_disabled_disabled", "pk_expired_expired_expired_expired_ex");
    let made = client(&app, app.organization, disabled, &[Scope::Auth]).await;
    clients::disable(&app.app, app.organization, made.id).await.unwrap();
    let off = client(&app, app.organization, "off-web", &[Scope::Auth]).await;
    clients::disable(&app.app, app.organization, off.id).await.unwrap();
    let new = NewClient {
        name: ClientName::parse("expired").unwrap(),
        presents: Presents::Trusted(Credential::chosen(expired).unwrap()),
        scopes: Scopes::of(&[Scope::Auth]),
        origins: vec![],
        cidrs: vec![],
        expires_at: Some(app.now()),
    };
    clients::create(&app.app, app.organization, new).await.unwrap().unwrap();
    for target in [SIGN_IN, CHECK, REFRESH] {
        // What was seen lately costs nothing, for anyone: they are looked at once it is forgotten.
        app.advance(10);
        let unknown = "pk_nobody_nobody_nobody_nobody_nobody";
        let ids = [unknown, disabled, expired, "off-web", "unknown", "pk_", "!", "no such client"];
        let requests = ids.map(|id| app.anonymous("POST", target).header("client-id", id)).to_vec();
        let (answer, statements) = all_alike(&app, requests).await;
        answer.refused(401, "invalid_client");
        assert_eq!(statements, 1);
        let bytes = app.anonymous("POST", target).header("client-id", b"\xff\xfe").send().await;
        let known = app.anonymous("POST", target).header("client-id", unknown).send().await;
        assert_eq!(without_request_id(&bytes), without_request_id(&known));
    }
}

/// Row 16.
#[tokio::test]
async fn enumeration_of_users() {
    // The limits count attempts for any user, and sometimes share them with other servers: a further statement.
    let mut options = TestOptions::default();
    options.app.rate_limits.enabled = false;
    let app = TestApp::with(options).await;
    let ada = app.sign_up("ada@example.com").await;
    app.user("made@example.com").await;
    let stranger = |email: &str| app.browser("POST", SIGN_IN).json(&credentials(&app, email, "stranger"));
    // The address of a user, of one who has not signed up, and of none.
    let requests = ["ada@example.com", "made@example.com", "unknown@example.com"].map(stranger).to_vec();
    all_alike(&app, requests).await.0.refused(404, "user_not_found");
    // Another user's token with these addresses.
    let mismatch = |email: &str| {
        let body = json!({ "access_token": app.identity_token("eve@example.com", None), "email": email });
        app.browser("POST", SIGN_IN).json(&body)
    };
    let requests = ["ada@example.com", "made@example.com", "unknown@example.com"].map(mismatch).to_vec();
    all_alike(&app, requests).await.0.refused(401, "email_mismatch");
    // A refresh token of a session that has ended, of a person who is gone, and of another client.
    let ended = app.sign_in("ada@example.com").await;
    call(&app, "POST", LOGOUT, &ended.token).await.expect(200);
    let gone = app.sign_up("gone@example.com").await;
    call(&app, "DELETE", &account(&gone), &gone.token).await.expect(200);
    let other = Held::of(&app.post(SIGN_IN, &app.credentials("ada@example.com")).await.expect(200));
    let refresh = |held: &Held| app.browser("POST", REFRESH).json(&json!({ "refresh_token": held.refresh_token }));
    all_alike(&app, vec![refresh(&ended), refresh(&gone), refresh(&other)])
        .await
        .0
        .refused(401, "invalid_refresh_token");
    let check = |held: &Held| app.browser("POST", CHECK).bearer(&held.token);
    let (answer, _) = all_alike(&app, vec![check(&ended), check(&gone)]).await;
    answer.refused(401, "invalid_token");
    app.logged_in(&ada.token).await.expect(200);
}

/// Row 16.
#[tokio::test]
async fn enumeration_of_accounts() {
    let app = TestApp::start().await;
    let eve = app.sign_up("eve@example.com").await;
    let ada = app.sign_up("ada@example.com").await;
    app.plan("pro", json!({})).await;
    let changes = json!({ "external_subscription_id": "ext" });
    let subscription = app.subscription(ada.user_id(), "pro", changes).await;
    let payment = app.payment(text(&subscription, "id"), json!({})).await;
    app.logged_in(&eve.token).await.expect(200);
    let as_eve = |method: &str, target: &str| app.browser(method, target).bearer(&eve.token);
    let subject = text(&ada.user, "auth_id");
    let accounts = [subject, "unknown", ada.user_id()].map(|subject| as_eve("DELETE", &account_of(subject))).to_vec();
    all_alike(&app, accounts).await.0.refused(403, "not_account_owner");
    let unknown_of = |kind: &str| format!("{kind}_{UNKNOWN_ID}");
    for (method, collection, id, unknown) in [
        ("POST", "/authentication/tokens/revoke", ada.session_id(), unknown_of("ses")),
        ("GET", "/subscriptions", text(&subscription, "id"), unknown_of("sub")),
        ("GET", "/subscription-payments", text(&payment, "id"), unknown_of("pay")),
    ] {
        let requests = [id, &unknown].map(|id| as_eve(method, &format!("{collection}/{id}"))).to_vec();
        all_alike(&app, requests).await.0.refused(404, "not_found");
    }
    for (parameter, value, nobody) in
        [("user_id", ada.user_id(), unknown_of("usr")), ("external_subscription_id", "ext", "none".to_owned())]
    {
        let requests = [value, &nobody].map(|id| as_eve("GET", &format!("/subscriptions?{parameter}={id}"))).to_vec();
        assert_eq!(all_alike(&app, requests).await.0.expect(200).data(), &json!([]));
    }
}

/// Row 19.
#[tokio::test]
async fn another_persons_account_subscription_and_organization() {
    let app = TestApp::start().await;
    let other = Tenant::new(&app).await;
    let ada = app.sign_up("ada@example.com").await;
    let eve = app.sign_up("eve@example.com").await;
    let theirs = other.sign_up("eve@example.com").await;
    app.plan("pro", json!({})).await;
    let subscription =
        format!("/subscriptions/{}", text(&app.subscription(ada.user_id(), "pro", json!({})).await, "id"));
    let (known, known_there) = (app.events().await, other.events().await);
    for request in [app.browser("DELETE", &account(&ada)), app.request("DELETE", &account(&ada))] {
        request.bearer(&eve.token).send().await.refused(403, "not_account_owner");
    }
    // The same subject in another organization is another person.
    assert_eq!(theirs.user["auth_id"], eve.user["auth_id"]);
    for request in [other.browser("DELETE", &account(&eve)), other.request("DELETE", &account(&eve))] {
        request.bearer(&eve.token).send().await.refused(401, "invalid_token");
    }
    call(&app, "GET", &subscription, &eve.token).await.refused(404, "not_found");
    for (method, body) in [("PUT", json!({ "status": "paused" })), ("DELETE", Value::Null)] {
        let request = app.browser(method, &subscription).bearer(&eve.token).json(&body);
        request.send().await.refused(403, "insufficient_scope");
    }
    other.request("GET", &subscription).send().await.refused(404, "not_found");
    let answer = other.browser("GET", &subscription).bearer(&theirs.token).send().await;
    answer.refused(404, "not_found");
    assert_eq!((app.events().await, other.events().await), (known, known_there));
    app.logged_in(&ada.token).await.expect(200);
}

/// Row 20.
#[tokio::test]
async fn a_trusted_id_used_from_a_browser() {
    let app = TestApp::start().await;
    let ada = app.sign_up("ada@example.com").await;
    let known = app.events().await;
    for (header, value) in [
        ("origin", ORIGIN),
        ("origin", "null"),
        ("origin", "http://localhost:3000"),
        ("sec-fetch-site", "same-origin"),
        ("sec-fetch-site", "none"),
    ] {
        for (method, target) in [
            ("POST", SIGN_UP.to_owned()),
            ("POST", SIGN_IN.to_owned()),
            ("POST", REFRESH.to_owned()),
            ("POST", CHECK.to_owned()),
            ("GET", TOKENS.to_owned()),
            ("POST", LOGOUT.to_owned()),
            ("POST", REVOKE_ALL.to_owned()),
            ("POST", REVOKE_OTHERS.to_owned()),
            ("POST", session(&ada)),
            ("DELETE", account(&ada)),
            ("GET", "/subscriptions".to_owned()),
        ] {
            let request = app.request(method, &target).header(header, value).bearer(&ada.token);
            let answer = request.json(&app.credentials("eve@example.com")).send().await;
            let answer = answer.refused(403, "client_not_for_browsers");
            assert!(answer.headers.keys().all(|name| !name.as_str().starts_with("access-control-")), "{target}");
        }
    }
    assert_eq!(app.events().await, known);
    app.logged_in(&ada.token).await.expect(200);
}

/// Row 21.
#[tokio::test]
async fn mass_assignment() {
    let app = TestApp::start().await;
    let other = Tenant::new(&app).await;
    let (somebody, organization) = (app.user("made@example.com").await, other.organization.to_string());
    let body = app.credentials("ada@example.com");
    for (member, value) in [
        ("id", json!(somebody)),
        ("created_at", json!("2020-01-01T00:00:00Z")),
        ("updated_at", json!("2020-01-01T00:00:00Z")),
        ("organization_id", json!(organization)),
        ("role", json!("admin")),
        ("auth_id", json!("root")),
        ("auth_provider", json!("https://accounts.example.com")),
        ("auth_token_status_id", json!(format!("ses_{UNKNOWN_ID}"))),
        ("email_verified", json!(true)),
        ("client_id", json!(TRUSTED)),
        ("user", json!({ "role": "admin" })),
        ("__proto__", json!({ "role": "admin" })),
    ] {
        for target in [SIGN_UP, SIGN_IN] {
            let answer = present(&app, target, &with(&body, &json!({ member: value }))).await;
            assert_eq!(answer.refused(422, "unknown_field").faults(), [format!("/{member} unknown_field")]);
        }
    }
    let ada = app.sign_up("ada@example.com").await;
    assert_eq!((text(&ada.user, "role"), ada.user_id() == somebody), ("user", false));
    let plan = app.plan("pro", json!({})).await;
    let subscription = app.subscription(ada.user_id(), "pro", json!({})).await;
    let payment = app.payment(text(&subscription, "id"), json!({})).await;
    let known = app.events().await;
    for (collection, record, immutable) in [
        ("/subscription-plans", &plan, &["id", "created_at", "slug", "name", "currency"][..]),
        ("/subscriptions", &subscription, &["id", "created_at"]),
        ("/subscription-payments", &payment, &["id", "created_at"]),
    ] {
        let path = format!("{collection}/{}", text(record, "id"));
        for member in immutable {
            let answer = app.put(&path, &json!({ *member: "other" })).await.refused(422, "read_only_field");
            assert_eq!(answer.faults(), [format!("/{member} read_only_field")], "{path}");
        }
        for member in ["organization_id", "revision", "deleted_at"] {
            app.put(&path, &json!({ member: organization })).await.refused(422, "unknown_field");
        }
        assert_eq!(app.get(&path).await.expect(200).data(), record);
    }
    assert_eq!(app.events().await, known);
}
