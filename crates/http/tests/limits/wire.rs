//! Rate limits over a socket: what counts, what is returned, and when attempts are accepted again.

use perennial_http::ApiOptions;
use perennial_testkit::{Answer, Held, TestApp, TestOptions};
use serde_json::json;

const SIGN_IN: &str = "/authentication/sign-in";
const REFRESH: &str = "/authentication/refresh-token";
const ADA: &str = "ada@example.com";

fn seconds(answer: &Answer) -> i64 {
    answer.header("retry-after").parse().unwrap()
}

#[tokio::test]
async fn the_sixty_first_sign_in_of_a_public_client_in_a_minute_is_rejected_until_there_is_room() {
    let app = TestApp::start().await;
    let sign_in = || app.browser("POST", SIGN_IN).json(&app.credentials(ADA)).send();
    app.sign_up(ADA).await;
    for left in (0..59).rev() {
        let answer = sign_in().await.expect(200);
        assert_eq!(answer.header("ratelimit-policy"), "\"sign-in\";q=60;w=60");
        assert!(answer.header("ratelimit").starts_with(&format!("\"sign-in\";r={left};t=")), "signing up counts too");
        assert_eq!(answer.header("retry-after"), "");
    }
    let refused = sign_in().await.refused(429, "rate_limited");
    assert_eq!(refused.header("ratelimit-policy"), "\"sign-in\";q=60;w=60");
    assert_eq!(refused.header("ratelimit"), "\"sign-in\";r=0;t=61");
    assert_eq!(refused.header("retry-after"), "61");
    let sign_up = app.browser("POST", "/authentication/sign-up").json(&app.credentials("bob@example.com"));
    sign_up.send().await.refused(429, "rate_limited");
    app.post(SIGN_IN, &app.credentials(ADA)).await.expect(200);
    app.advance(seconds(&refused) - 1);
    sign_in().await.refused(429, "rate_limited");
    app.advance(1);
    sign_in().await.expect(200);
}

#[tokio::test]
async fn attempts_that_prove_nothing_count_as_those_that_do() {
    let app = TestApp::start().await;
    let guess = || app.browser("POST", SIGN_IN).json(&json!({ "access_token": "guess", "email": ADA })).send();
    for _ in 0..30 {
        guess().await.refused(401, "invalid_identity_token");
        app.browser("POST", SIGN_IN).json(&json!({})).send().await.expect(422);
    }
    guess().await.refused(429, "rate_limited");
}

#[tokio::test]
async fn a_refresh_that_works_costs_nothing() {
    let app = TestApp::start().await;
    let mut ada = app.sign_up(ADA).await;
    for _ in 0..70 {
        let answer = app.refresh(&ada.refresh_token).await.expect(200);
        assert_eq!((answer.header("ratelimit"), answer.header("retry-after")), ("", ""));
        ada = Held::of(&answer);
    }
    let failed = app.refresh("prt_guess").await.refused(401, "invalid_refresh_token");
    assert_eq!(failed.header("ratelimit"), "\"refresh\";r=59;t=60");
}

#[tokio::test]
async fn sixty_failed_refreshes_reject_every_refresh_from_that_address_and_use_no_token() {
    let app = TestApp::start().await;
    let ada = app.sign_up(ADA).await;
    for left in (0..60).rev() {
        let failed = app.refresh("prt_guess").await.refused(401, "invalid_refresh_token");
        assert_eq!(failed.header("ratelimit-policy"), "\"refresh\";q=60;w=60");
        assert!(failed.header("ratelimit").starts_with(&format!("\"refresh\";r={left};t=")));
    }
    let refused = app.refresh("prt_guess").await.refused(429, "rate_limited");
    assert_eq!(refused.header("ratelimit"), "\"refresh\";r=0;t=61");
    // The limit applies before the token is checked: a response must not reveal whether a guess was right.
    let turned_away = app.refresh(&ada.refresh_token).await.refused(429, "rate_limited");
    assert_eq!(turned_away.header("retry-after"), "61");
    app.sign_in(ADA).await;
    app.logged_in(&ada.token).await.expect(200);
    app.advance(seconds(&turned_away));
    app.refresh(&ada.refresh_token).await.expect(200);
}

#[tokio::test]
async fn a_refresh_that_is_rejected_for_its_form_counts_like_one_with_a_wrong_token() {
    let app = TestApp::start().await;
    let refresh = |query: &str| app.browser("POST", &format!("{REFRESH}{query}"));
    for left in (0..10).map(|round| 59 - 6 * round) {
        let rejected = [
            refresh("").json_text("{").send().await.refused(400, "malformed_json"),
            refresh("").json_text("{\"a\":1,\"a\":2}").send().await.refused(400, "duplicate_key"),
            refresh("").json(&json!({})).send().await.refused(422, "required"),
            refresh("").json(&json!({ "refresh_token": 1, "more": 2 })).send().await.expect(422),
            refresh("?x").json(&json!({ "refresh_token": "x" })).send().await.refused(400, "unknown_parameter"),
            refresh("").raw("{}").send().await.refused(415, "unsupported_media_type"),
        ];
        for (answer, left) in rejected.iter().zip((0..=left).rev()) {
            assert!(
                answer.header("ratelimit").starts_with(&format!("\"refresh\";r={left};t=")),
                "{:?}",
                answer.headers
            );
        }
    }
    refresh("").json_text("{").send().await.refused(429, "rate_limited");
}

/// How many of a hundred sign-ins over one socket address are admitted, each with its own `x-forwarded-for`.
async fn admitted(trusted_proxies: &[&str], forwarded_for: impl Fn(u8) -> String) -> usize {
    let trusted_proxies = trusted_proxies.iter().map(|network| network.parse().unwrap()).collect();
    let api = ApiOptions { trusted_proxies, ..ApiOptions::default() };
    let app = TestApp::with(TestOptions { api, ..TestOptions::default() }).await;
    let mut admitted = 0;
    for number in 0..100 {
        let guess = app.browser("POST", SIGN_IN).json(&json!({ "access_token": "guess", "email": ADA }));
        let answer = guess.header("x-forwarded-for", forwarded_for(number)).send().await;
        assert!([401, 429].contains(&answer.status), "{}", answer.json);
        admitted += usize::from(answer.status == 401);
    }
    admitted
}

#[tokio::test]
async fn attack_17_naming_other_addresses_does_not_escape_the_limit() {
    let spoofed = |number| format!("198.51.100.{number}");
    assert_eq!(admitted(&[], spoofed).await, 60);
    assert_eq!(admitted(&["10.0.0.0/8"], spoofed).await, 60);
    let in_front = |number| format!("198.51.100.{number}, 203.0.113.5");
    assert_eq!(admitted(&["127.0.0.0/8"], in_front).await, 60, "what the caller sent to the proxy is ignored");
}

#[tokio::test]
async fn behind_a_trusted_proxy_each_forwarded_address_has_its_own_limit() {
    assert_eq!(admitted(&["127.0.0.0/8"], |number| format!("198.51.100.{number}")).await, 100);
    assert_eq!(admitted(&["127.0.0.0/8"], |number| format!("198.51.100.{}", number % 2)).await, 100);
    assert_eq!(admitted(&["127.0.0.0/8"], |_| "198.51.100.7".to_owned()).await, 60);
}
