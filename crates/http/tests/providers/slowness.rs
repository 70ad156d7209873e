//! An issuer that does not respond delays its own users by the timeout, and no others.

use super::support::{
    SIGN_IN, SIGN_UP, Service, UNAVAILABLE, adas_token, at_acme, claims, found_acme, header, introspection, issuer,
    oidc, options, sign_in, sign_up,
};
use perennial_app::providers::FetchLimits;
use perennial_fake_idp::{Issuer, ResponseMode};
use perennial_testkit::{Answer, TestApp};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

/// Longer than any test: a response did not wait for a timeout.
const PATIENT: FetchLimits = FetchLimits { connect: Duration::from_mins(10), total: Duration::from_mins(10) };
const IMPATIENT: FetchLimits = FetchLimits { connect: Duration::from_millis(50), total: Duration::from_millis(50) };

/// Two issuers with a key each; the second, another organization's, is well.
fn two_issuers() -> (Issuer, Issuer) {
    let (slow, well) = (issuer(), issuer());
    slow.rotate("k1", "EdDSA");
    well.rotate("k1", "EdDSA");
    (slow, well)
}

#[tokio::test]
async fn a_silent_issuer_costs_the_timeout_and_no_more() {
    let service = Service::with(|issuer, options| {
        options.app.provider_limits = IMPATIENT;
        issuer.set(|behavior| behavior.response_mode = ResponseMode::Silent);
    })
    .await;
    let token = service.token(|_, _| ());
    let sign_up = sign_up(&service.app, &token);
    let answer = tokio::time::timeout(Duration::from_secs(20), sign_up).await.expect("it is given up");
    assert_eq!(answer.refused(503, UNAVAILABLE).header("retry-after"), "1");
    // Once, or not at all if even that took too long.
    assert!(service.issuer.seen().keys <= 1);
}

#[tokio::test]
async fn while_keys_are_fetched_again_only_the_triggering_request_waits() {
    let service = Service::with(|_, options| options.app.provider_limits = PATIENT).await;
    sign_up(&service.app, &service.token(|_, _| ())).await.expect(201);
    service.issuer.set(|behavior| behavior.response_mode = ResponseMode::Waiting);
    service.app.advance(600);
    let token = service.token(|_, _| ());
    let others = async {
        service.issuer.asked_for_keys(2).await;
        for _ in 0..5 {
            sign_in(&service.app, &token).await.expect(200);
        }
        service.issuer.set(|behavior| behavior.response_mode = ResponseMode::Broken);
    };
    let (first, ()) = tokio::join!(sign_in(&service.app, &token), others);
    first.expect(200);
}

#[tokio::test]
async fn while_an_issuer_is_silent_other_organizations_and_other_providers_go_on() {
    let (slow, well) = two_issuers();
    let mut options =
        options(vec![("default", oidc(&slow.url)), ("default", oidc(&well.url)), ("acme", oidc(&well.url))]);
    options.app.provider_limits = PATIENT;
    let app = Arc::new(TestApp::with(options).await);
    found_acme(&app).await;
    slow.set(|behavior| behavior.response_mode = ResponseMode::Waiting);
    let (waiting, held_up) = (Arc::clone(&app), adas_token(&app, &slow));
    let waiting = tokio::spawn(async move { sign_up(&waiting, &held_up).await });
    slow.asked_for_keys(1).await;
    at_acme(&app, SIGN_UP, &adas_token(&app, &well)).await.expect(201);
    at_acme(&app, SIGN_IN, &adas_token(&app, &well)).await.expect(200);
    app.sign_up("bob@example.com").await;
    let mut carol = claims(&app, &well.url);
    carol["email"] = json!("carol@example.com");
    let carol = well.token("k1", &header(), &carol);
    app.post(SIGN_UP, &json!({ "access_token": carol, "email": "carol@example.com" })).await.expect(201);
    assert!(!waiting.is_finished());
    slow.set(|behavior| behavior.response_mode = ResponseMode::Normal);
    waiting.await.unwrap().expect(201);
    assert_eq!(slow.seen().keys, 1);
}

#[tokio::test]
async fn a_flood_of_requests_to_a_silent_provider_delays_no_others() {
    let (silent, well) = two_issuers();
    let mut options = options(vec![("default", introspection(&silent.url)), ("acme", oidc(&well.url))]);
    options.app.provider_limits = PATIENT;
    let app = Arc::new(TestApp::with(options).await);
    found_acme(&app).await;
    silent.set(|behavior| behavior.response_mode = ResponseMode::Waiting);
    let mut flood: JoinSet<Answer> = JoinSet::new();
    for number in 0..200 {
        let app = Arc::clone(&app);
        flood.spawn(async move { sign_in(&app, &format!("opaque-{number}")).await });
    }
    // Requests over the limit are rejected at once; the others wait.
    flood.join_next().await.unwrap().unwrap().refused(503, UNAVAILABLE);
    at_acme(&app, SIGN_UP, &adas_token(&app, &well)).await.expect(201);
    silent.set(|behavior| {
        behavior.response_mode = ResponseMode::Normal;
        behavior.introspection = json!({ "active": false });
    });
    let mut answers = flood.join_all().await;
    answers.retain(|answer| answer.status == 401);
    assert!(!answers.is_empty(), "some were asked about");
}
