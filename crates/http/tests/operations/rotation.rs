//! Rotation of the master key: first every server accepts the next key, then the servers switch to it, then the previous
//! one is removed. Nothing that works before stops working.

use aws_lc_rs::hmac;
use data_encoding::BASE64URL_NOPAD;
use perennial_app::first_run::{self, FirstRunOptions, Start};
use perennial_app::key_rotation::{self, Progress};
use perennial_app::keys::{Keys, MasterKey};
use perennial_app::providers::{self, Description, ProviderKind, Secret, Settings};
use perennial_testkit::{Answer, Held, MASTER_KEY, TestApp};
use serde_json::{Value, json};

const NEW_KEY: MasterKey = MasterKey::new([8; 32]);
const ISSUER: &str = "https://sharing.example.com";
const SECRET: &str = "0123456789abcdef0123456789abcdef";

fn old_key_only() -> Keys {
    Keys::derive(&MASTER_KEY)
}

fn first_step() -> Keys {
    Keys::derive(&MASTER_KEY).accepting(Some(&NEW_KEY), None)
}

fn second_step() -> Keys {
    Keys::derive(&NEW_KEY).accepting(None, Some(&MASTER_KEY))
}

fn third_step() -> Keys {
    Keys::derive(&NEW_KEY)
}

fn provider() -> Description {
    let settings = Settings { audience: vec!["app".to_owned()], ..Settings::default() };
    let secret = Some(Secret::new(SECRET.to_owned()));
    Description { issuer: ISSUER.to_owned(), kind: ProviderKind::JwtSecret, settings, secret }
}

/// A token of the provider, which the server can only verify with the provider's secret.
fn provider_token(app: &TestApp, email: &str) -> String {
    let now = app.now().as_micros() / 1_000_000;
    let claims = json!({
        "iss": ISSUER, "aud": "app", "sub": email, "email": email, "email_verified": true, "iat": now, "exp": now + 3600,
    });
    let encode = |value: &Value| BASE64URL_NOPAD.encode(value.to_string().as_bytes());
    let message = format!("{}.{}", encode(&json!({ "alg": "HS256", "typ": "JWT" })), encode(&claims));
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, SECRET.as_bytes()), message.as_bytes());
    format!("{message}.{}", BASE64URL_NOPAD.encode(tag.as_ref()))
}

async fn sign_up_with_provider(app: &TestApp, email: &str) -> Held {
    let body = json!({ "access_token": provider_token(app, email), "email": email });
    Held::of(&app.request("POST", "/authentication/sign-up").json(&body).send().await.expect(201))
}

async fn refresh(app: &TestApp, held: &Held) -> Answer {
    let body = json!({ "refresh_token": held.refresh_token });
    app.request("POST", "/authentication/refresh-token").json(&body).send().await
}

async fn logged_in(app: &TestApp, held: &Held) {
    app.request("POST", "/authentication/user-logged-in").bearer(&held.token).send().await.expect(200);
}

async fn key_set(app: &TestApp) -> Value {
    app.anonymous("GET", "/.well-known/jwks.json").send().await.expect(200).json
}

async fn first_cursor(app: &TestApp) -> String {
    let page = app.get("/subscription-plans?limit=1").await.expect(200);
    page.json["page"]["next_cursor"].as_str().unwrap().to_owned()
}

async fn follow(app: &TestApp, cursor: &str) -> Answer {
    app.get(&format!("/subscription-plans?limit=1&cursor={cursor}")).await
}

/// A service on the old key alone, with a provider, three plans and what a caller holds.
async fn service() -> TestApp {
    let app = TestApp::start().await;
    providers::add(&app.app, app.organization, &provider()).await.unwrap_or_else(|fault| panic!("{fault}"));
    for slug in ["one", "two", "three"] {
        app.plan(slug, json!({})).await;
    }
    app
}

/// The keys of a server in one step of a rotation.
type Step = fn() -> Keys;

#[tokio::test]
async fn servers_in_neighboring_steps_accept_each_others_tokens_and_cursors() {
    let app = service().await;
    // Derived one pair at a time: keys are large.
    let steps: [(&str, Step, Step); 3] =
        [("first", old_key_only, first_step), ("second", first_step, second_step), ("third", second_step, third_step)];
    for (step, earlier, later) in steps {
        let (earlier, later) = (app.with_keys(earlier()).await, app.with_keys(later()).await);
        // The later server does in the background what a server does when it starts.
        key_rotation::advance(&later.app).await.unwrap();
        for (number, (from, to)) in [(&earlier, &later), (&later, &earlier)].into_iter().enumerate() {
            let held = sign_up_with_provider(from, &format!("{step}-{number}@example.com")).await;
            logged_in(to, &held).await;
            let successor = Held::of(&refresh(to, &held).await.expect(200));
            refresh(from, &successor).await.expect(200);
            follow(to, &first_cursor(from).await).await.expect(200);
            let local = format!("{step}-{number}-local@example.com");
            let sign_up = to.request("POST", "/authentication/sign-up").json(&from.credentials(&local));
            sign_up.send().await.expect(201);
        }
        assert_eq!(key_set(&earlier).await, key_set(&later).await);
    }
}

#[tokio::test]
async fn a_rotation_ends_no_session_and_leaves_a_store_that_opens_with_the_new_key_alone() {
    let before = service().await;
    let held = sign_up_with_provider(&before, "ada@example.com").await;
    let idle = sign_up_with_provider(&before, "idle@example.com").await;
    let (keys, cursor) = (key_set(&before).await, first_cursor(&before).await);

    let accepting = before.with_keys(first_step()).await;
    assert_eq!(key_rotation::advance(&accepting.app).await.unwrap(), 0, "the next key is not used yet");
    let switched = before.with_keys(second_step()).await;
    assert_eq!(key_rotation::progress(&switched.app).await.unwrap().other, 2);
    assert_eq!(key_rotation::advance(&switched.app).await.unwrap(), 2, "a signing key and a provider's secret");
    assert_eq!(key_rotation::advance(&switched.app).await.unwrap(), 0);
    assert_eq!(key_rotation::advance(&accepting.app).await.unwrap(), 0, "a server that is behind undoes nothing");
    let done = Progress { current: 2, ..Progress::default() };
    assert_eq!(key_rotation::progress(&switched.app).await.unwrap(), done);

    logged_in(&switched, &held).await;
    let held = Held::of(&refresh(&switched, &held).await.expect(200));
    follow(&switched, &cursor).await.expect(200);
    assert_eq!(key_set(&switched).await, keys);

    let after = before.with_keys(third_step()).await;
    assert_eq!(key_rotation::progress(&after.app).await.unwrap(), done);
    logged_in(&after, &held).await;
    refresh(&after, &held).await.expect(200);
    sign_up_with_provider(&after, "bob@example.com").await;
    assert_eq!(key_set(&after).await, keys);
    // What was made under the old key needs it; this is what removing the old key costs.
    refresh(&after, &idle).await.refused(401, "invalid_refresh_token");
    follow(&after, &cursor).await.refused(400, "invalid_cursor");
    refresh(&switched, &idle).await.expect(200);
}

#[tokio::test]
async fn a_server_that_does_not_know_the_stores_key_does_not_start() {
    let app = service().await;
    key_rotation::advance(&app.with_keys(second_step()).await.app).await.unwrap();
    let start = first_run::ensure(&app.app, FirstRunOptions { trusted: None, origins: vec![] }).await.unwrap();
    assert!(matches!(start, Start::OtherKey), "the old key alone no longer opens the store");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_that_seal_again_at_once_do_not_disturb_each_other() {
    let app = service().await;
    let mut servers = Vec::new();
    for _ in 0..4 {
        servers.push(app.with_keys(second_step()).await);
    }
    let sealing: Vec<_> = servers
        .iter()
        .map(|server| {
            let app = std::sync::Arc::clone(&server.app);
            tokio::spawn(async move { key_rotation::advance(&app).await })
        })
        .collect();
    for sealed in sealing {
        sealed.await.unwrap().unwrap();
    }
    let after = app.with_keys(third_step()).await;
    let done = Progress { current: 2, ..Progress::default() };
    assert_eq!(key_rotation::progress(&after.app).await.unwrap(), done);
    sign_up_with_provider(&after, "ada@example.com").await;
}
