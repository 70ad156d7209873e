//! API rules 22.7 (`docs/api.md`): entitlement tokens.

use data_encoding::BASE64URL_NOPAD;
use perennial_app::context::AppOptions;
use perennial_app::entitlement_tokens::options::EntitlementOptions;
use perennial_app::signing_keys;
use perennial_domain::id::OrganizationId;
use perennial_domain::time::Time;
use perennial_identity::access::InvalidToken;
use perennial_identity::entitlement::{self, Entitled};
use perennial_testkit::{Answer, TestApp, TestOptions};
use serde_json::{Value, json};

const DAY: i64 = 86_400;

async fn prepare(app: &TestApp) -> String {
    app.post("/meters", &json!({ "slug": "calls", "name": "Calls", "aggregation": "sum" })).await.expect(201);
    for feature in [
        json!({ "key": "sso", "name": "SSO", "kind": "boolean" }),
        json!({ "key": "projects", "name": "Projects", "kind": "limit" }),
        json!({ "key": "calls", "name": "Calls", "kind": "quota", "meter": "calls", "period": "month" }),
    ] {
        app.post("/features", &feature).await.expect(201);
    }
    app.plan("pro", json!({ "entitlements": { "sso": true, "projects": "unlimited", "calls": 100 } })).await;
    app.user("ada@example.com").await
}

async fn start() -> (TestApp, String) {
    let app = TestApp::start().await;
    let user = prepare(&app).await;
    (app, user)
}

async fn issue(app: &TestApp, user: &str, body: Value) -> Answer {
    app.post(&format!("/users/{user}/entitlement-token"), &body).await
}

fn part(token: &str, place: usize) -> Value {
    let part = token.split('.').nth(place).unwrap();
    serde_json::from_slice(&BASE64URL_NOPAD.decode(part.as_bytes()).unwrap()).unwrap()
}

fn token(answer: &Answer) -> String {
    answer.data()["token"].as_str().unwrap().to_owned()
}

/// What a device does: the installation's published keys, the issuer and the organization that it was built for.
async fn verified(app: &TestApp, token: &str, organization: OrganizationId) -> Result<Entitled, InvalidToken> {
    let keys = signing_keys::current(&app.app).await.unwrap();
    let issuer = part(token, 1)["iss"].as_str().unwrap().to_owned();
    entitlement::verify(&issuer, &keys, token, organization, None, app.now())
}

fn life(claims: &Value) -> i64 {
    claims["exp"].as_i64().unwrap() - claims["iat"].as_i64().unwrap()
}

#[tokio::test]
async fn a_token_has_the_values_of_now() {
    let (app, user) = start().await;
    app.subscription(&user, "pro", json!({})).await;
    let answer = issue(&app, &user, json!({})).await.expect(200);
    let token = token(&answer);
    let members: Vec<&String> = answer.data().as_object().unwrap().keys().collect();
    assert_eq!(members, ["token", "expires_at", "refresh_after"]);
    let header = part(&token, 0);
    assert_eq!((&header["alg"], &header["typ"]), (&json!("EdDSA"), &json!("ent+jwt")));
    assert!(header["kid"].is_string());
    let claims = part(&token, 1);
    let names: std::collections::BTreeSet<&String> = claims.as_object().unwrap().keys().collect();
    assert_eq!(
        names.into_iter().collect::<Vec<_>>(),
        ["aud", "ent", "exp", "iat", "iss", "jti", "refresh_after", "sub"]
    );
    assert_eq!((&claims["aud"], &claims["sub"]), (&json!(app.organization), &json!(user)));
    assert_eq!(claims["ent"], json!({ "sso": true, "projects": "unlimited", "calls": 100 }));
    let seconds = |name: &str| claims[name].as_i64().unwrap();
    assert_eq!(seconds("iat"), app.now().as_micros() / 1_000_000);
    assert_eq!((seconds("exp") - seconds("iat"), seconds("refresh_after") - seconds("iat")), (DAY, DAY / 4));
    let time = |name: &str| Time::parse(answer.data()[name].as_str().unwrap()).unwrap().as_micros() / 1_000_000;
    assert_eq!((time("expires_at"), time("refresh_after")), (seconds("exp"), seconds("refresh_after")));
    let entitled = verified(&app, &token, app.organization).await.unwrap();
    assert_eq!(entitled.user.to_string(), user);
    // Without a subscription there is nothing in it, and a body is not needed.
    let unknown = app.user("bob@example.com").await;
    let empty = app.request("POST", &format!("/users/{unknown}/entitlement-token")).send().await.expect(200);
    assert_eq!(part(&self::token(&empty), 1)["ent"], json!({}));
}

/// N8: `ent` equals the answer of `/users/{id}/entitlements` at the same instant.
#[tokio::test]
async fn a_token_equals_the_answer_about_entitlements() {
    let (app, user) = start().await;
    let overrides = [json!({}), json!({ "projects": 3, "sso": false }), json!({ "projects": 7, "calls": 5 })];
    for (number, grants) in overrides.into_iter().enumerate() {
        let ends_at = app.now().plus_seconds(1_000 * (i64::try_from(number).unwrap() + 1));
        let subscription = app.subscription(&user, "pro", json!({ "entitlements": grants, "ends_at": ends_at })).await;
        // What is used of a quota is not in the token.
        let event = json!({ "id": "e", "subscription_id": subscription["id"], "meter": "calls", "value": 3 });
        app.post("/usage-events", &json!({ "events": [event] })).await.expect(200);
    }
    for _ in 0..4 {
        let answer = app.get(&format!("/users/{user}/entitlements")).await.expect(200);
        let found = answer.data()["entitlements"].as_object().unwrap().clone();
        let values: serde_json::Map<String, Value> =
            found.into_iter().map(|(key, found)| (key, found["value"].clone())).collect();
        let claims = part(&token(&issue(&app, &user, json!({})).await.expect(200)), 1);
        assert_eq!(claims["ent"], Value::Object(values));
        app.advance(1_000);
    }
}

#[tokio::test]
async fn a_token_ends_when_access_does() {
    let (app, user) = start().await;
    app.subscription(&user, "pro", json!({ "ends_at": app.now().plus_seconds(3_600) })).await;
    let claims = part(&token(&issue(&app, &user, json!({})).await.expect(200)), 1);
    assert_eq!(
        (life(&claims), claims["refresh_after"].as_i64().unwrap()),
        (3_600, claims["iat"].as_i64().unwrap() + 900)
    );
    let short = part(&token(&issue(&app, &user, json!({ "ttl_seconds": 60 })).await.expect(200)), 1);
    assert_eq!(life(&short), 60);
    // A quota that resets does not end it: a token has the limit and not the use.
    let other = app.user("bob@example.com").await;
    app.subscription(&other, "pro", json!({})).await;
    let month = part(&token(&issue(&app, &other, json!({ "ttl_seconds": 2_592_000 })).await.expect(200)), 1);
    assert_eq!(life(&month), 30 * DAY);
}

#[tokio::test]
async fn the_grace_is_added_to_access_and_not_to_what_was_asked_for() {
    let usual = TestOptions::default();
    let entitlements = EntitlementOptions { grace_seconds: 600 };
    let app = TestApp::with(TestOptions { app: AppOptions { entitlements, ..usual.app }, ..usual }).await;
    let user = prepare(&app).await;
    app.subscription(&user, "pro", json!({ "ends_at": app.now().plus_seconds(3_600) })).await;
    let life_of =
        async |ttl: i64| life(&part(&token(&issue(&app, &user, json!({ "ttl_seconds": ttl })).await.expect(200)), 1));
    assert_eq!((life_of(DAY).await, life_of(4_200).await, life_of(4_000).await), (4_200, 4_200, 4_000));
}

#[tokio::test]
async fn the_lifetime_is_checked() {
    let (app, user) = start().await;
    for wrong in [json!(59), json!(0), json!(-1), json!(2_592_001), json!(90.5)] {
        let answer = issue(&app, &user, json!({ "ttl_seconds": wrong })).await.expect(422);
        assert_eq!(answer.json["errors"][0]["pointer"], "/ttl_seconds", "{wrong}");
    }
    issue(&app, &user, json!({ "ttl_seconds": "60" })).await.refused(422, "invalid_type");
    issue(&app, &user, json!({ "ttl": 60 })).await.refused(422, "unknown_field");
    issue(&app, "usr_01h455vb4pex5vsknk084sn02q", json!({})).await.refused(404, "not_found");
    issue(&app, "usr_01h455vb4pex5vsknk084sn02q", json!({ "ttl_seconds": 1 })).await.refused(404, "not_found");
    issue(&app, "unknown", json!({})).await.refused(404, "not_found");
    app.delete(&format!("/users/{user}")).await.expect(200);
    issue(&app, &user, json!({})).await.refused(404, "not_found");
}

#[tokio::test]
async fn a_user_gets_their_own_token_for_a_day_at_most() {
    let (app, other) = start().await;
    let client = json!({ "name": "app", "kind": "public", "client_id": "shop-app",
        "scopes": ["auth", "entitlements:read:own"], "origins": [] });
    app.post("/clients", &client).await.expect(201);
    let credentials = app.credentials("eve@example.com");
    let signed_up = app.anonymous("POST", "/authentication/sign-up").header("client-id", "shop-app").json(&credentials);
    let held = perennial_testkit::Held::of(&signed_up.send().await.expect(201));
    let ask = |user: &str, ttl: i64| {
        let target = format!("/users/{user}/entitlement-token");
        let request = app.anonymous("POST", &target).header("client-id", "shop-app").bearer(&held.token);
        request.json(&json!({ "ttl_seconds": ttl })).send()
    };
    let answer = ask("me", DAY).await.expect(200);
    assert_eq!(part(&token(&answer), 1)["sub"], held.user_id());
    ask(held.user_id(), 60).await.expect(200);
    let refused = ask("me", DAY + 1).await.refused(422, "out_of_range");
    assert_eq!(refused.faults(), ["/ttl_seconds out_of_range"]);
    ask(&other, 60).await.refused(404, "not_found");
    let without = app.anonymous("POST", "/users/me/entitlement-token").header("client-id", "shop-app");
    without.json(&json!({})).send().await.refused(401, "token_required");
}

#[tokio::test]
async fn a_token_larger_than_8_kib_is_not_issued() {
    let (app, user) = start().await;
    let mut grants = serde_json::Map::new();
    for number in 0..100 {
        let key = format!("{}-{number}", "a".repeat(90));
        app.post("/features", &json!({ "key": key, "name": "F", "kind": "boolean" })).await.expect(201);
        grants.insert(key, json!(true));
    }
    app.subscription(&user, "pro", json!({ "entitlements": grants })).await;
    issue(&app, &user, json!({})).await.refused(409, "token_too_large");
}

#[tokio::test]
async fn an_access_token_is_no_entitlement_token_nor_the_other_way_round() {
    let (app, _) = start().await;
    let held = app.sign_up("eve@example.com").await;
    let token = token(&issue(&app, held.user_id(), json!({})).await.expect(200));
    assert!(verified(&app, &token, app.organization).await.is_ok());
    assert!(verified(&app, &held.token, app.organization).await.is_err());
    app.logged_in(&held.token).await.expect(200);
    app.logged_in(&token).await.refused(401, "invalid_token");
    let own = app.browser("GET", "/users/me/entitlements").bearer(&token).send().await;
    assert!(matches!(own.status, 401 | 403), "{}", own.status);
}

/// Security rows: a token of another organization, and one without a signature.
#[tokio::test]
async fn a_token_of_another_organization_or_without_a_signature_is_not_accepted() {
    let (app, user) = start().await;
    let token = token(&issue(&app, &user, json!({})).await.expect(200));
    assert!(verified(&app, &token, OrganizationId::from_bytes([9; 16])).await.is_err());
    let mut header = part(&token, 0);
    header["alg"] = json!("none");
    let header = BASE64URL_NOPAD.encode(header.to_string().as_bytes());
    let claims = token.split('.').nth(1).unwrap();
    assert!(verified(&app, &format!("{header}.{claims}."), app.organization).await.is_err());
    let (signed, _) = token.rsplit_once('.').unwrap();
    assert!(verified(&app, &format!("{signed}."), app.organization).await.is_err());
    let forged = BASE64URL_NOPAD.encode(token_claims_with(&token, "sso", json!(true)).to_string().as_bytes());
    let parts: Vec<&str> = token.split('.').collect();
    assert!(verified(&app, &format!("{}.{forged}.{}", parts[0], parts[2]), app.organization).await.is_err());
}

fn token_claims_with(token: &str, feature: &str, value: Value) -> Value {
    let mut claims = part(token, 1);
    claims["ent"][feature] = value;
    claims
}

/// Drill 4: 30 days, signed just before a rotation, verified on the last day with the published keys.
#[tokio::test]
async fn a_token_of_thirty_days_survives_a_rotation() {
    let (app, user) = start().await;
    app.subscription(&user, "pro", json!({})).await;
    signing_keys::rotate(&app.app, false).await.unwrap();
    let token = token(&issue(&app, &user, json!({ "ttl_seconds": 2_592_000 })).await.expect(200));
    let published = async || {
        let set = app.anonymous("GET", "/.well-known/jwks.json").send().await.expect(200).json;
        let kid = part(&token, 0)["kid"].clone();
        set["keys"].as_array().unwrap().iter().any(|key| key["kid"] == kid)
    };
    app.advance(61);
    let next = self::token(&issue(&app, &user, json!({})).await.expect(200));
    assert_ne!(part(&next, 0)["kid"], part(&token, 0)["kid"], "another key signs now");
    app.advance(30 * DAY - 62);
    assert!(published().await);
    assert!(verified(&app, &token, app.organization).await.is_ok());
    app.advance(1);
    assert!(verified(&app, &token, app.organization).await.is_err(), "it has expired");
}

#[tokio::test]
async fn issued_tokens_are_counted() {
    let (app, user) = start().await;
    issue(&app, &user, json!({})).await.expect(200);
    issue(&app, &user, json!({ "ttl_seconds": 1 })).await.expect(422);
    issue(&app, &user, json!({ "ttl_seconds": 60 })).await.expect(200);
    assert_eq!(app.app.entitlements.tokens(), 2);
}
