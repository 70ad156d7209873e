//! An issuer that rotates its keys, fails, goes away and comes back, and floods of unknown keys.

use super::support::{
    DAY, REFUSED, Service, UNAVAILABLE, adas_token, issuer, oidc, options, outcome, sign_in, sign_up,
};
use perennial_fake_idp::{ResponseMode, b64};
use perennial_testkit::TestApp;
use serde_json::json;

#[tokio::test]
async fn a_rotated_key_works_at_once_after_one_refetch_and_the_old_one_no_more() {
    let service = Service::start().await;
    let old = service.token(|_, _| ());
    assert_eq!(service.outcome(&old).await, "accepted");
    assert_eq!(service.issuer.seen().keys, 1);
    service.issuer.rotate("k2", "ES256");
    let header = json!({ "alg": "ES256", "kid": "k2" });
    let new = service.issuer.token("k2", &header, &service.claims());
    for _ in 0..3 {
        assert_eq!(service.outcome(&new).await, "accepted");
    }
    assert_eq!(service.issuer.seen().keys, 2);
    for _ in 0..3 {
        assert_eq!(service.outcome(&old).await, REFUSED);
    }
    assert_eq!(service.issuer.seen().keys, 3, "one look for the key that was withdrawn");
}

#[tokio::test]
async fn keys_are_fetched_again_when_their_time_is_up() {
    let service = Service::with(|issuer, _| {
        issuer.set(|behavior| behavior.cache_control = Some("public, max-age=900".to_owned()));
    })
    .await;
    sign_up(&service.app, &service.token(|_, _| ())).await.expect(201);
    for (seconds, fetches) in [(899, 1), (1, 2), (899, 2), (1, 3)] {
        service.app.advance(seconds);
        assert_eq!(service.outcome(&service.token(|_, _| ())).await, "accepted");
        assert_eq!(service.issuer.seen().keys, fetches);
    }
}

#[tokio::test]
async fn an_issuer_that_goes_away_is_bridged_for_a_day_and_no_longer() {
    let service = Service::start().await;
    let moments = [600, 601, 3600, 600 + DAY - 1, 600 + DAY, 700 + DAY];
    let tokens = moments.map(|seconds| service.token_in(seconds));
    let Service { app, issuer } = service;
    drop(issuer);
    let mut then = 0;
    for (moment, token) in moments.into_iter().zip(tokens) {
        app.advance(moment - then);
        then = moment;
        let answer = sign_in(&app, &token).await;
        if moment < 600 + DAY {
            answer.expect(200);
        } else {
            assert_eq!(answer.refused(503, UNAVAILABLE).header("retry-after"), "1", "{moment}");
        }
    }
}

#[tokio::test]
async fn an_issuer_that_was_never_there_is_unavailable_and_the_others_are_not() {
    let gone = issuer();
    gone.rotate("k1", "EdDSA");
    let app = TestApp::with(options(vec![("default", oidc(&gone.url))])).await;
    let token = adas_token(&app, &gone);
    drop(gone);
    for _ in 0..2 {
        assert_eq!(sign_up(&app, &token).await.refused(503, UNAVAILABLE).header("retry-after"), "1");
        app.advance(31);
    }
    app.sign_up("bob@example.com").await;
}

#[tokio::test]
async fn an_issuer_that_fails_is_called_once_in_thirty_seconds_and_recovers() {
    let service = Service::with(|issuer, _| issuer.set(|behavior| behavior.response_mode = ResponseMode::Broken)).await;
    for _ in 0..30 {
        sign_up(&service.app, &service.token(|_, _| ())).await.refused(503, UNAVAILABLE);
        service.app.advance(1);
    }
    assert_eq!(service.issuer.seen().keys, 1);
    service.issuer.set(|behavior| behavior.response_mode = ResponseMode::Normal);
    sign_up(&service.app, &service.token(|_, _| ())).await.expect(201);
    assert_eq!(service.issuer.seen().keys, 2);
}

#[tokio::test]
async fn a_failing_issuer_recovers_after_its_keys_are_too_old() {
    let service = Service::start().await;
    service.issuer.set(|behavior| behavior.response_mode = ResponseMode::Broken);
    service.app.advance(2 * DAY);
    assert_eq!(service.outcome(&service.token(|_, _| ())).await, UNAVAILABLE);
    service.issuer.set(|behavior| behavior.response_mode = ResponseMode::Normal);
    service.app.advance(29);
    assert_eq!(service.outcome(&service.token(|_, _| ())).await, UNAVAILABLE, "a failure counts for 30 seconds");
    service.app.advance(1);
    assert_eq!(service.outcome(&service.token(|_, _| ())).await, "accepted");
}

#[tokio::test]
async fn attack_6_two_thousand_random_kids_cost_one_refetch_in_thirty_seconds() {
    let service = Service::start().await;
    let good = service.token(|_, _| ());
    let (_, rest) = good.split_once('.').unwrap();
    for half in 1..=2 {
        let flood = (0..1_000).map(|number| {
            let header = json!({ "alg": "EdDSA", "kid": format!("random-{half}-{number}") });
            format!("{}.{rest}", b64(header.to_string().as_bytes()))
        });
        for forged in flood {
            assert_eq!(service.outcome(&forged).await, REFUSED);
        }
        assert_eq!(service.issuer.seen().keys, 1 + half, "the first fetch, and one for each half of the flood");
        assert_eq!(outcome(&sign_in(&service.app, &good).await), "accepted", "who has a key is not held up");
        service.app.advance(30);
    }
}
