//! Refresh tokens, one caller at a time: when they rotate, when their predecessor is honored, when they end.

use super::support::*;
use perennial_app::clients::{self, Credential, NewClient, Presents};
use perennial_domain::clients::{ClientKind, ClientName, PublicId};
use perennial_testkit::{Held, TestApp};
use serde_json::json;

const REFRESH: &str = "/authentication/refresh-token";
const GENERATIONS: &str = "SELECT MAX(generation) FROM sessions";

#[tokio::test]
async fn a_refresh_gives_new_tokens_and_leaves_the_session_and_its_access_token_alone() {
    let app = TestApp::start().await;
    let first = app.sign_up("ada@example.com").await;
    app.advance(60);
    let answer = app.refresh(&first.refresh_token).await.expect(200);
    let data = answer.data();
    assert_eq!((data["token_type"].as_str(), data["expires_in"].as_i64()), (Some("Bearer"), Some(3600)));
    assert_eq!(data["expires_at"], "2026-03-10T13:01:00.000000Z");
    assert_eq!(data["refresh_expires_in"], 30 * DAY);
    assert_eq!(answer.header("cache-control"), "no-store");
    let second = Held::of(&answer);
    assert_eq!(second.user, first.user);
    assert_ne!((&second.token, &second.refresh_token), (&first.token, &first.refresh_token));
    for token in [&first.token, &second.token] {
        assert_eq!(app.logged_in(token).await.expect(200).data()["user"], first.user);
    }
    let third = Held::of(&app.refresh(&second.refresh_token).await.expect(200));
    assert_eq!(third.session_id(), first.session_id());
    assert_eq!(count(&app, "SELECT COUNT(*) FROM sessions").await, 1);
}

#[tokio::test]
async fn for_ten_seconds_the_predecessor_returns_the_identical_successor_every_time() {
    let app = TestApp::start().await;
    let first = sign_up(&app, "ada@example.com").await;
    let successor = Held::of(&refresh(&app, &first.refresh_token).await.expect(200));
    for _ in 0..10 {
        app.advance(1);
        let again = Held::of(&refresh(&app, &first.refresh_token).await.expect(200));
        assert_eq!(again.refresh_token, successor.refresh_token);
        check(&app, &again.token).await.expect(200);
    }
    assert_eq!(count(&app, GENERATIONS).await, 1);
    assert_eq!(count(&app, "SELECT COUNT(*) FROM sessions WHERE graces = ''").await, 1, "nothing was counted");
}

#[tokio::test]
async fn the_predecessor_is_honored_late_only_while_its_successor_was_never_presented() {
    let app = TestApp::start().await;
    for wait in [0, 11] {
        let first = sign_up(&app, &format!("ada{wait}@example.com")).await;
        let second = Held::of(&refresh(&app, &first.refresh_token).await.expect(200));
        app.advance(wait);
        let again = Held::of(&refresh(&app, &first.refresh_token).await.expect(200));
        assert_eq!(again.refresh_token, second.refresh_token);
        let third = Held::of(&refresh(&app, &second.refresh_token).await.expect(200));
        refresh(&app, &first.refresh_token).await.refused(401, "refresh_token_reused");
        refresh(&app, &third.refresh_token).await.refused(401, "invalid_refresh_token");
        for token in [&first.token, &second.token, &again.token, &third.token] {
            check(&app, token).await.refused(401, "invalid_token");
        }
    }
}

#[tokio::test]
async fn a_lost_response_is_repeated_three_times_a_day_and_session_and_the_fourth_ends_it() {
    let app = TestApp::start().await;
    let first = sign_up(&app, "ada@example.com").await;
    let successor = Held::of(&refresh(&app, &first.refresh_token).await.expect(200));
    for _ in 0..3 {
        app.advance(11);
        let again = Held::of(&refresh(&app, &first.refresh_token).await.expect(200));
        assert_eq!(again.refresh_token, successor.refresh_token);
    }
    app.advance(11);
    refresh(&app, &first.refresh_token).await.refused(401, "refresh_token_reused");
    check(&app, &successor.token).await.refused(401, "invalid_token");
    refresh(&app, &successor.refresh_token).await.refused(401, "invalid_refresh_token");
}

#[tokio::test]
async fn late_favors_are_counted_over_every_step_and_forgotten_after_a_day() {
    let app = TestApp::start().await;
    let mut held = sign_up(&app, "ada@example.com").await;
    for _ in 0..3 {
        let lost = refresh(&app, &held.refresh_token).await.expect(200);
        app.advance(100);
        held = Held::of(&refresh(&app, &held.refresh_token).await.expect(200));
        assert_eq!(held.refresh_token, Held::of(&lost).refresh_token);
    }
    let last = held.refresh_token.clone();
    let successor = Held::of(&refresh(&app, &last).await.expect(200)).refresh_token;
    // The first favor was done 200 seconds ago; a day after it, and not before, there is room for another.
    app.advance(DAY - 200);
    assert_eq!(Held::of(&refresh(&app, &last).await.expect(200)).refresh_token, successor);
    app.advance(99);
    refresh(&app, &last).await.refused(401, "refresh_token_reused");
}

#[tokio::test]
async fn a_session_that_is_idle_for_thirty_days_is_over() {
    let app = TestApp::start().await;
    let (in_time, late) = (sign_up(&app, "ada@example.com").await, sign_up(&app, "eve@example.com").await);
    app.advance(30 * DAY - 1);
    let kept = Held::of(&refresh(&app, &in_time.refresh_token).await.expect(200));
    app.advance(1);
    for _ in 0..2 {
        refresh(&app, &late.refresh_token).await.refused(401, "refresh_token_expired");
    }
    app.advance(30 * DAY - 2);
    check(&app, &Held::of(&refresh(&app, &kept.refresh_token).await.expect(200)).token).await.expect(200);
}

#[tokio::test]
async fn a_session_ends_ninety_days_after_signing_in_however_busy_it_is() {
    let app = TestApp::start().await;
    let mut held = sign_up(&app, "ada@example.com").await;
    for left in [30, 30, 3] {
        app.advance(29 * DAY);
        let answer = refresh(&app, &held.refresh_token).await.expect(200);
        assert_eq!(answer.data()["refresh_expires_in"], left * DAY);
        held = Held::of(&answer);
    }
    app.advance(3 * DAY - 1);
    let answer = refresh(&app, &held.refresh_token).await.expect(200);
    assert_eq!(answer.data()["refresh_expires_in"], 1);
    held = Held::of(&answer);
    check(&app, &held.token).await.expect(200);
    app.advance(1);
    check(&app, &held.token).await.refused(401, "invalid_token");
    refresh(&app, &held.refresh_token).await.refused(401, "refresh_token_expired");
}

#[tokio::test]
async fn a_refresh_token_works_with_its_own_client_only_and_another_one_changes_nothing() {
    let app = TestApp::start().await;
    let other = NewClient {
        name: ClientName::parse("other").unwrap(),
        presents: Presents::Public(PublicId::parse("other").unwrap()),
        scopes: ClientKind::Public.scopes(),
        origins: vec![],
        cidrs: vec![],
        expires_at: None,
    };
    clients::create(&app.app, app.organization, other).await.unwrap().unwrap();
    let trusted = Presents::Trusted(Credential::chosen(&"t".repeat(40)).unwrap());
    let trusted = NewClient {
        name: ClientName::parse("second").unwrap(),
        presents: trusted,
        scopes: ClientKind::Trusted.scopes(),
        origins: vec![],
        cidrs: vec![],
        expires_at: None,
    };
    clients::create(&app.app, app.organization, trusted).await.unwrap().unwrap();

    let by_public = app.sign_up("ada@example.com").await;
    let by_trusted = sign_up(&app, "eve@example.com").await;
    let with = |client: &str, held: &Held| {
        let body = json!({ "refresh_token": held.refresh_token });
        app.anonymous("POST", REFRESH).header("client-id", client).json(&body).send()
    };
    refresh(&app, &by_public.refresh_token).await.refused(401, "invalid_refresh_token");
    with("other", &by_public).await.refused(401, "invalid_refresh_token");
    with(&"t".repeat(40), &by_public).await.refused(401, "invalid_refresh_token");
    with(&"t".repeat(40), &by_trusted).await.refused(401, "invalid_refresh_token");
    app.refresh(&by_trusted.refresh_token).await.refused(401, "invalid_refresh_token");
    assert_eq!(count(&app, GENERATIONS).await, 0, "nothing was rotated");
    app.refresh(&by_public.refresh_token).await.expect(200);
    refresh(&app, &by_trusted.refresh_token).await.expect(200);
}

#[tokio::test]
async fn an_invalid_refresh_token_is_rejected_and_ends_no_session() {
    let app = TestApp::start().await;
    let held = sign_up(&app, "ada@example.com").await;
    let good = &held.refresh_token;
    let body = good.strip_prefix("prt_").unwrap();
    let mut forged: Vec<String> = vec![
        "prt_".into(),
        " ".into(),
        "x".into(),
        body.into(),
        format!("prx_{body}"),
        format!("PRT_{body}"),
        format!("prt_prt_{body}"),
        format!(" {good}"),
        format!("{good} "),
        format!("{good}\n"),
        format!("{good}="),
        format!("{good}A"),
        format!("{good}\0"),
        format!("\0{good}"),
        format!("prt_{}", "A".repeat(8 * 1024)),
        format!("prt_{}", "é".repeat(100)),
        good.replace(body, &body.replace(|letter: char| letter.is_ascii_alphanumeric(), "\u{ff21}")),
        "🦀".repeat(30),
        "' OR 1=1 --".into(),
        held.token.clone(),
        held.session_id().into(),
    ];
    forged.extend([1, 10, 37, 73].map(|length| good[..length].to_owned()));
    for place in (4..good.len()).step_by(3) {
        let mut flipped = good.clone().into_bytes();
        flipped[place] = if flipped[place] == b'A' { b'B' } else { b'A' };
        forged.push(String::from_utf8(flipped).unwrap());
    }
    for text in forged {
        assert_ne!(&text, good);
        refresh(&app, &text).await.refused(401, "invalid_refresh_token");
    }
    assert_eq!(count(&app, GENERATIONS).await, 0);
    refresh(&app, good).await.expect(200);
}

#[tokio::test]
async fn a_body_without_a_refresh_token_has_its_errors_listed() {
    let app = TestApp::start().await;
    let good = sign_up(&app, "ada@example.com").await.refresh_token;
    for (body, fault) in [
        (json!({}), "/refresh_token required"),
        (json!({ "refresh_token": null }), "/refresh_token not_nullable"),
        (json!({ "refresh_token": 7 }), "/refresh_token invalid_type"),
        (json!({ "refresh_token": [good] }), "/refresh_token invalid_type"),
        (json!({ "refresh_token": "" }), "/refresh_token too_short"),
        (json!({ "refresh_token": good, "scope": "x" }), "/scope unknown_field"),
    ] {
        let answer = app.post(REFRESH, &body).await.expect(422);
        assert_eq!(answer.faults(), [fault], "{body}");
    }
    app.request("POST", REFRESH).json_text("{").send().await.refused(400, "malformed_json");
    let twice = format!(r#"{{"refresh_token":"{good}","refresh_token":"{good}"}}"#);
    app.request("POST", REFRESH).json_text(twice).send().await.expect(400);
    app.request("POST", REFRESH).raw("refresh_token=x").send().await.expect(415);
    refresh(&app, &good).await.expect(200);
}

#[tokio::test]
async fn whatever_ends_a_session_ends_its_refresh_token() {
    let app = TestApp::start().await;
    let one = sign_up(&app, "ada@example.com").await;
    let two = sign_in(&app, "ada@example.com").await;
    let rotated = Held::of(&refresh(&app, &two.refresh_token).await.expect(200));
    call(&app, "POST", "/authentication/tokens/logout", &two.token).send().await.expect(200);
    let three = sign_in(&app, "ada@example.com").await;
    let revoke = format!("/authentication/tokens/revoke/{}", three.session_id());
    call(&app, "POST", &revoke, &one.token).send().await.expect(200);
    let four = sign_in(&app, "ada@example.com").await;
    call(&app, "POST", "/authentication/tokens/revoke-all-except-current", &one.token).send().await.expect(200);
    let kept = Held::of(&refresh(&app, &one.refresh_token).await.expect(200));
    revoking_all(&app, &kept.token).send().await.expect(200);
    let five = sign_in(&app, "ada@example.com").await;
    deleting_account(&app, &five).send().await.expect(200);
    // Neither the newest token nor its predecessor, within the ten seconds.
    for dead in [&two, &rotated, &three, &four, &one, &kept, &five] {
        refresh(&app, &dead.refresh_token).await.refused(401, "invalid_refresh_token");
        check(&app, &dead.token).await.refused(401, "invalid_token");
    }
}

#[tokio::test]
async fn refreshing_does_not_make_a_sign_in_fresh() {
    let app = TestApp::start().await;
    let first = sign_up(&app, "ada@example.com").await;
    app.advance(DAY);
    let still_fresh = sign_up(&app, "eve@example.com").await;
    let refreshed = Held::of(&refresh(&app, &first.refresh_token).await.expect(200));
    assert_eq!(part(&refreshed.token, 1)["auth_time"], part(&first.token, 1)["auth_time"]);
    assert_eq!(part(&refreshed.token, 1)["iat"].as_i64(), Some(app.now().as_micros() / 1_000_000));
    app.advance(1);
    deleting_account(&app, &refreshed).send().await.refused(403, "fresh_sign_in_required");
    let again = sign_in(&app, "ada@example.com").await;
    deleting_account(&app, &again).send().await.expect(200);
    app.advance(DAY - 1);
    let refreshed = Held::of(&refresh(&app, &still_fresh.refresh_token).await.expect(200));
    deleting_account(&app, &refreshed).send().await.expect(200);
}
