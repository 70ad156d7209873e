//! The cache of keys against an issuer that rotates, fails, stalls and comes back.

use crate::fixture::{Fixture, ada, at, keyring, verifier};
use perennial_fake_idp::{Key, ResponseMode, Server, token};
use perennial_identity::verify::Rejection;
use rustls::RootCertStore;
use serde_json::json;
use std::time::Duration;

const REFUSED: &str = "invalid_identity_token";
const UNAVAILABLE: &str = "identity_provider_unavailable";
const DAY: i64 = 24 * 3600;

/// A token that is good whenever it is presented.
fn timely(fixture: &Fixture, now: i64) -> String {
    fixture.token(|_, claims| {
        claims["iat"] = json!(crate::fixture::START + now);
        claims["exp"] = json!(crate::fixture::START + now + 60);
    })
}

#[tokio::test]
async fn a_rotated_key_is_found_at_once_and_the_old_one_goes_with_the_next_fetch() {
    let fixture = Fixture::new();
    assert_eq!(fixture.outcome(&fixture.token(|_, _| ()), 0).await, "accepted");
    let next = Key::ed();
    fixture.server.set(|issuer| issuer.keys = vec![next.jwk("k2")]);
    let header = json!({"alg": "EdDSA", "kid": "k2"});
    let rotated = token(&header, &fixture.claims(), |message| next.sign(message));
    assert_eq!(fixture.outcome(&rotated, 5).await, "accepted");
    assert_eq!(fixture.server.seen().keys, 2);
    assert_eq!(fixture.outcome(&fixture.token(|_, _| ()), 40).await, REFUSED, "the issuer took it back");
}

#[tokio::test]
async fn keys_are_kept_ten_minutes() {
    let fixture = Fixture::new();
    for (now, fetches) in [(0, 1), (599, 1), (600, 2), (1199, 2), (1200, 3)] {
        assert_eq!(fixture.outcome(&timely(&fixture, now), now).await, "accepted");
        assert_eq!(fixture.server.seen().keys, fetches, "{now}");
    }
}

#[tokio::test]
async fn max_age_is_honoured_between_five_minutes_and_a_day() {
    for (max_age, kept) in [("max-age=0", 300), ("public, max-age=900", 900), ("max-age=99999999", DAY)] {
        let fixture = Fixture::new();
        fixture.server.set(|issuer| issuer.cache_control = Some(max_age.to_owned()));
        for (now, fetches) in [(0, 1), (kept - 1, 1), (kept, 2)] {
            assert_eq!(fixture.outcome(&timely(&fixture, now), now).await, "accepted");
            assert_eq!(fixture.server.seen().keys, fetches, "{max_age} {now}");
        }
    }
}

#[tokio::test]
async fn an_outage_is_bridged_for_a_day_and_no_longer() {
    let fixture = Fixture::new();
    assert_eq!(fixture.outcome(&timely(&fixture, 0), 0).await, "accepted");
    fixture.server.set(|issuer| issuer.response_mode = ResponseMode::Broken);
    for now in [600, 601, 629] {
        assert_eq!(fixture.outcome(&timely(&fixture, now), now).await, "accepted");
    }
    assert_eq!(fixture.server.seen().keys, 2, "a failure counts for 30 seconds");
    assert_eq!(fixture.outcome(&timely(&fixture, 600 + DAY - 1), 600 + DAY - 1).await, "accepted");
    assert_eq!(fixture.outcome(&timely(&fixture, 700 + DAY), 700 + DAY).await, UNAVAILABLE);
    fixture.server.set(|issuer| issuer.response_mode = ResponseMode::Normal);
    assert_eq!(fixture.outcome(&timely(&fixture, 731 + DAY), 731 + DAY).await, "accepted");
}

#[tokio::test]
async fn an_issuer_that_is_down_from_the_start_is_asked_once_in_30_seconds() {
    let fixture = Fixture::new();
    fixture.server.set(|issuer| issuer.response_mode = ResponseMode::Broken);
    for now in 0..30 {
        assert_eq!(fixture.outcome(&fixture.token(|_, _| ()), now).await, UNAVAILABLE);
    }
    assert_eq!(fixture.server.seen().keys, 1);
    fixture.server.set(|issuer| issuer.response_mode = ResponseMode::Normal);
    assert_eq!(fixture.outcome(&fixture.token(|_, _| ()), 30).await, "accepted");
}

#[tokio::test]
async fn an_issuer_that_nobody_listens_at_is_unavailable() {
    let mut fixture = Fixture::new();
    let token = fixture.token(|_, _| ());
    // A port that was just let go of: nothing is there.
    let gone = Server::start();
    fixture.server.set(|issuer| issuer.discovery = json!({"jwks_uri": format!("{}/keys", gone.url)}));
    drop(gone);
    assert_eq!(fixture.outcome(&token, 0).await, UNAVAILABLE);
    fixture.verifier = verifier(keyring(RootCertStore::empty()), Vec::new());
    assert_eq!(fixture.outcome(&token, 0).await, UNAVAILABLE, "no provider at all");
}

#[tokio::test]
async fn a_slow_issuer_costs_the_time_out_and_stale_keys_bridge_it() {
    let fixture = Fixture::new();
    assert_eq!(fixture.outcome(&timely(&fixture, 0), 0).await, "accepted");
    fixture.server.set(|issuer| issuer.response_mode = ResponseMode::Silent);
    // From here the runtime's timers run out as soon as there is nothing else to do: no real seconds pass.
    tokio::time::pause();
    let unknown = fixture.token(|header, _| header["kid"] = json!("k9"));
    for (token, now, outcome) in [(timely(&fixture, 600), 600, "accepted"), (unknown, 640, UNAVAILABLE)] {
        let answered = tokio::time::timeout(Duration::from_mins(1), fixture.outcome(&token, now)).await;
        assert_eq!(answered, Ok(outcome), "{now}");
    }
}

#[tokio::test]
async fn a_document_beyond_256_kib_or_100_keys_is_not_used() {
    const BOUND: usize = 256 * 1024;
    for (response_mode, outcome) in
        [(ResponseMode::Long(BOUND), "accepted"), (ResponseMode::Long(BOUND + 1), UNAVAILABLE)]
    {
        let fixture = Fixture::new();
        fixture.server.set(|issuer| issuer.response_mode = response_mode);
        assert_eq!(fixture.outcome(&fixture.token(|_, _| ()), 0).await, outcome);
    }
    for (others, outcome) in [(99, "accepted"), (100, UNAVAILABLE)] {
        let fixture = Fixture::new();
        let key = Key::ed();
        let keys = (0..others).map(|number| key.jwk(&format!("other-{number}")));
        fixture.server.set(|issuer| issuer.keys.extend(keys));
        assert_eq!(fixture.outcome(&fixture.token(|_, _| ()), 0).await, outcome, "{others}");
    }
}

#[tokio::test]
async fn twenty_callers_at_once_make_one_fetch() {
    let fixture = Fixture::new();
    fixture.server.set(|issuer| issuer.response_mode = ResponseMode::Waiting);
    let token = fixture.token(|_, _| ());
    let open = async {
        fixture.server.asked_for_keys(1).await;
        fixture.server.set(|issuer| issuer.response_mode = ResponseMode::Normal);
        "accepted"
    };
    let calls = futures_util::future::join_all((0..20).map(|_| fixture.outcome(&token, 0)));
    let (outcomes, _) = tokio::join!(calls, open);
    assert!(outcomes.iter().all(|outcome| *outcome == "accepted"));
    assert_eq!(fixture.server.seen().keys, 1);
}

#[tokio::test]
async fn while_keys_are_fetched_again_nobody_else_waits() {
    let fixture = Fixture::new();
    assert_eq!(fixture.outcome(&timely(&fixture, 0), 0).await, "accepted");
    fixture.server.set(|issuer| issuer.response_mode = ResponseMode::Waiting);
    let token = timely(&fixture, 600);
    let others = async {
        fixture.server.asked_for_keys(2).await;
        // The issuer answers only after these: they cannot have waited for it.
        for _ in 0..20 {
            assert_eq!(fixture.outcome(&token, 600).await, "accepted");
        }
        fixture.server.set(|issuer| issuer.response_mode = ResponseMode::Normal);
    };
    let (first, ()) = tokio::join!(fixture.outcome(&token, 600), others);
    assert_eq!(first, "accepted");
    // Had they waited, the fetch would have run into its time-out, and this would ask again.
    assert_eq!(fixture.outcome(&timely(&fixture, 640), 640).await, "accepted");
    assert_eq!(fixture.server.seen().keys, 2);
}

#[tokio::test]
async fn a_caller_who_hangs_up_does_not_end_the_fetch() {
    let fixture = Fixture::new();
    fixture.server.set(|issuer| issuer.response_mode = ResponseMode::Waiting);
    let token = fixture.token(|_, _| ());
    tokio::select! {
        outcome = fixture.outcome(&token, 0) => panic!("the issuer has not answered yet: {outcome}"),
        () = fixture.server.asked_for_keys(1) => {}
    }
    fixture.server.set(|issuer| issuer.response_mode = ResponseMode::Normal);
    assert_eq!(fixture.outcome(&token, 0).await, "accepted");
    assert_eq!(fixture.server.seen().keys, 1);
}

#[tokio::test]
async fn clocks_may_differ_by_a_minute() {
    let fixture = Fixture::new();
    let token = fixture.token(|_, claims| claims["nbf"] = claims["iat"].clone());
    for (now, outcome) in [(-61, REFUSED), (-60, "accepted"), (3659, "accepted"), (3660, REFUSED), (-300, REFUSED)] {
        assert_eq!(fixture.outcome(&token, now).await, outcome, "{now}");
    }
}

#[tokio::test]
async fn a_clock_that_steps_back_neither_panics_nor_accepts_early() {
    let fixture = Fixture::new();
    for now in [DAY, 0, -300, DAY, 300, -crate::fixture::START] {
        let early = timely(&fixture, now + 61);
        assert_eq!(fixture.verifier.verify(&early, &ada(), at(now)).await.err().map(Rejection::code), Some(REFUSED));
        assert_eq!(fixture.outcome(&timely(&fixture, now), now).await, "accepted");
    }
}
