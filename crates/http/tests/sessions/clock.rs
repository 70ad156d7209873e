//! Clocks that go wrong (attack 35): five minutes off or stepping back, nothing panics, nothing is accepted
//! early, and sessions continue.

use super::support::*;
use perennial_testkit::{Answer, Held, TestApp};

/// What a user gets with the tokens from before the clock stepped back, and with a new sign-in.
async fn goes_on(app: &TestApp, held: &Held) -> Held {
    let renewed = Held::of(&refresh(app, &held.refresh_token).await.expect(200));
    assert_eq!(renewed.session_id(), held.session_id());
    for new in [&renewed, &sign_in(app, "ada@example.com").await] {
        check(app, &new.token).await.expect(200);
        let kid = part(&new.token, 0)["kid"].clone();
        let set = app.anonymous("GET", "/.well-known/jwks.json").send().await.expect(200).json;
        assert!(set["keys"].as_array().unwrap().iter().any(|key| key["kid"] == kid), "signed with a hidden key");
    }
    renewed
}

async fn steps_back(seconds: i64) {
    let app = TestApp::start().await;
    let held = sign_up(&app, "ada@example.com").await;
    let credentials = app.credentials("ada@example.com");
    app.advance(-seconds);
    check(&app, &held.token).await.refused(401, "invalid_token");
    let early = app.request("POST", "/authentication/sign-in").json(&credentials).send().await;
    early.refused(401, "invalid_identity_token");
    let renewed = goes_on(&app, &held).await;
    app.advance(seconds);
    check(&app, &held.token).await.expect(200);
    let expired: Answer = check(&app, &renewed.token).await;
    if seconds < 3600 {
        expired.expect(200)
    } else {
        expired.refused(401, "invalid_token")
    };
    goes_on(&app, &renewed).await;
}

#[tokio::test]
async fn a_clock_that_steps_back_five_minutes_accepts_nothing_early_and_sessions_go_on() {
    steps_back(300).await;
}

#[tokio::test]
async fn a_clock_that_steps_back_two_days_accepts_nothing_early_and_sessions_go_on() {
    steps_back(2 * DAY).await;
}

#[tokio::test]
async fn a_clock_that_steps_back_over_a_change_of_keys_leaves_one_to_sign_with() {
    for (later, step) in [(3661, 300), (3661, 7200), (2 * DAY, 3 * DAY), (2 * DAY, 20 * DAY)] {
        let app = TestApp::start().await;
        let mut held = sign_up(&app, "ada@example.com").await;
        for days in [29, 1] {
            app.advance(days * DAY);
            held = Held::of(&refresh(&app, &held.refresh_token).await.expect(200));
        }
        app.advance(later);
        held = goes_on(&app, &held).await;
        app.advance(-step);
        check(&app, &held.token).await.refused(401, "invalid_token");
        let held = goes_on(&app, &held).await;
        app.advance(step);
        goes_on(&app, &held).await;
    }
}

#[tokio::test]
async fn a_clock_that_steps_back_does_not_make_the_predecessor_free_again() {
    let app = TestApp::start().await;
    let first = sign_up(&app, "ada@example.com").await;
    app.advance(600);
    refresh(&app, &first.refresh_token).await.expect(200);
    for _ in 0..3 {
        app.advance(-60);
        refresh(&app, &first.refresh_token).await.expect(200);
    }
    app.advance(-60);
    refresh(&app, &first.refresh_token).await.refused(401, "refresh_token_reused");
}

#[tokio::test]
async fn a_session_that_was_over_when_it_was_ended_does_not_come_back_with_the_clock() {
    for path in ["revoke-all", "revoke-all-except-current", "revoke/{id}"] {
        let app = TestApp::start().await;
        let old = sign_up(&app, "ada@example.com").await;
        app.advance(30 * DAY);
        let new = sign_in(&app, "ada@example.com").await;
        refresh(&app, &old.refresh_token).await.refused(401, "refresh_token_expired");
        let kept = i64::from(path != "revoke-all");
        let target = format!("/authentication/tokens/{}", path.replace("{id}", old.session_id()));
        let answer = call(&app, "POST", &target, &new.token).send().await.expect(200);
        assert_eq!(answer.data()["revoked"], 1 - kept, "{path}: what was over is not counted");
        app.advance(-300);
        refresh(&app, &old.refresh_token).await.refused(401, "invalid_refresh_token");
        let live = count(&app, "SELECT COUNT(*) FROM sessions WHERE revoked_at IS NULL").await;
        assert_eq!(live, kept);
    }
}
