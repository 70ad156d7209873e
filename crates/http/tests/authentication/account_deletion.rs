//! API rules 3.7 (`docs/api.md`): who may delete it, when, and all that is deleted with it, in one transaction.

use super::support::*;
use perennial_store::Sql;
use perennial_testkit::{Held, TestApp};
use serde_json::{Value, json};

#[tokio::test]
async fn an_account_is_deleted_by_its_own_subject_percent_encoded() {
    let app = TestApp::start().await;
    for (number, subject) in
        ["auth0|64f0/c0ffee", "a%2Fb", "100% Ada", "caf\u{e9} \u{1f511}", "a+b", "..", "a?b#c"].into_iter().enumerate()
    {
        let body = credentials(&app, &format!("ada{number}@example.com"), subject);
        let ada = Held::of(&present(&app, SIGN_UP, &body).await.expect(201));
        assert_eq!(text(&ada.user, "auth_id"), subject);
        // Decoded once, and compared whole.
        for other in [encode(subject).as_str(), &subject.to_uppercase(), &subject[..1]] {
            if other != subject {
                call(&app, "DELETE", &account_of(other), &ada.token).await.refused(403, "not_account_owner");
            }
        }
        let answer = call(&app, "DELETE", &account(&ada), &ada.token).await.expect(200);
        assert_eq!(answer.json, json!({ "data": { "deleted": true } }));
        app.logged_in(&ada.token).await.refused(401, "invalid_token");
    }
}

#[tokio::test]
async fn neither_the_users_id_nor_the_address_names_an_account() {
    let app = TestApp::start().await;
    let ada = app.sign_up("ada@example.com").await;
    for name in [ada.user_id(), ada.session_id(), "ada@example.com", "me", "urn:perennial:local"] {
        call(&app, "DELETE", &account_of(name), &ada.token).await.refused(403, "not_account_owner");
    }
    for raw in ["%zz", "%ff", "%", "%00"] {
        let target = format!("/authentication/delete-my-account/{raw}");
        call(&app, "DELETE", &target, &ada.token).await.refused(403, "not_account_owner");
    }
    app.browser("DELETE", &account(&ada)).send().await.refused(401, "token_required");
    app.logged_in(&ada.token).await.expect(200);
}

#[tokio::test]
async fn a_sign_in_older_than_a_day_is_not_enough_and_a_refresh_does_not_count() {
    let app = TestApp::start().await;
    let ada = app.sign_up("ada@example.com").await;
    app.set_time("2026-03-11T12:00:00Z");
    let fresh = Held::of(&app.refresh(&ada.refresh_token).await.expect(200));
    app.set_time("2026-03-11T12:00:00.000001Z");
    call(&app, "DELETE", &account(&ada), &fresh.token).await.refused(403, "fresh_sign_in_required");
    let again = Held::of(&app.refresh(&fresh.refresh_token).await.expect(200));
    call(&app, "DELETE", &account(&ada), &again.token).await.refused(403, "fresh_sign_in_required");
    // Another's account is another's, however long ago it was.
    call(&app, "DELETE", &account_of("eve"), &again.token).await.refused(403, "not_account_owner");
    let back = app.sign_in("ada@example.com").await;
    call(&app, "DELETE", &account(&ada), &again.token).await.refused(403, "fresh_sign_in_required");
    call(&app, "DELETE", &account(&ada), &back.token).await.expect(200);
    // A day to the microsecond is not over it.
    let bob = app.sign_up("bob@example.com").await;
    app.set_time("2026-03-12T12:00:00.000001Z");
    let bob = Held::of(&app.refresh(&bob.refresh_token).await.expect(200));
    call(&app, "DELETE", &account(&bob), &bob.token).await.expect(200);
}

#[tokio::test]
async fn every_session_is_gone_and_address_and_identity_are_free_again() {
    let app = TestApp::start().await;
    let eve = app.sign_up("eve@example.com").await;
    let ada = app.sign_up("ada@example.com").await;
    let other = Held::of(&app.post(SIGN_IN, &app.credentials("ada@example.com")).await.expect(200));
    call(&app, "DELETE", &account(&ada), &ada.token).await.expect(200);
    for held in [&ada, &other] {
        app.request("POST", CHECK).bearer(&held.token).send().await.refused(401, "invalid_token");
        let answer = app.request("POST", LOGOUT).bearer(&held.token).send().await.expect(200);
        assert_eq!(answer.data(), &revoked(0));
    }
    app.refresh(&ada.refresh_token).await.refused(401, "invalid_refresh_token");
    assert_eq!(count(&app, "SELECT COUNT(*) FROM sessions").await, 1, "eve's");
    present(&app, SIGN_IN, &app.credentials("ada@example.com")).await.refused(404, "user_not_found");
    // The address with another identity, the identity with another address.
    present(&app, SIGN_UP, &credentials(&app, "ada@example.com", "another")).await.expect(201);
    let body = credentials(&app, "lovelace@example.com", text(&ada.user, "auth_id"));
    let anew = Held::of(&present(&app, SIGN_UP, &body).await.expect(201));
    assert_ne!(anew.user_id(), ada.user_id());
    app.logged_in(&eve.token).await.expect(200);
}

#[tokio::test]
async fn the_user_stays_as_an_empty_tombstone() {
    let app = TestApp::start().await;
    let profile = json!({
        "username": "ada", "first_name": "Ada", "last_name": "Lovelace", "terms": true, "notifications": true
    });
    let body = with(&app.credentials("ada@example.com"), &profile);
    let ada = Held::of(&present(&app, SIGN_UP, &body).await.expect(201));
    app.plan("pro", json!({})).await;
    call(&app, "DELETE", &account(&ada), &ada.token).await.expect(200);
    let empty = "SELECT COUNT(*) FROM users
                 WHERE deleted_at IS NOT NULL AND email IS NULL AND issuer IS NULL AND subject IS NULL
                   AND auth_type IS NULL AND username IS NULL AND first_name IS NULL AND last_name IS NULL
                   AND terms IS NULL AND notifications IS NULL";
    assert_eq!(count(&app, empty).await, 1);
    assert_eq!(count(&app, "SELECT COUNT(*) FROM users").await, 1);
    let body = json!({ "user_id": ada.user_id(), "subscription_plan_id": "pro" });
    let answer = app.post("/subscriptions", &body).await.refused(422, "not_found");
    assert_eq!(answer.faults(), ["/user_id not_found"], "no subscription can name it any more");
}

#[tokio::test]
async fn subscriptions_end_payments_remain_and_each_change_is_recorded() {
    let app = TestApp::start().await;
    let ada = app.sign_up("ada@example.com").await;
    let eve = app.sign_up("eve@example.com").await;
    app.plan("pro", json!({})).await;
    let (now, ahead) = ("2026-03-10T13:00:00.000000Z", "2026-07-01T00:00:00.000000Z");
    let mut ending = Vec::new();
    for (changes, ends_at) in [
        (json!({}), now),
        (json!({ "status": "on_trial" }), now),
        (json!({ "status": "paused", "external_subscription_id": "ext" }), now),
        (json!({ "status": "incomplete" }), now),
        (json!({ "status": "past_due", "is_active": false }), now),
        (json!({ "status": "unpaid" }), now),
        (json!({ "status": "pending", "starts_at": ahead }), ahead),
        (json!({ "starts_at": ahead }), ahead),
        (json!({ "status": "cancelled", "ends_at": ahead }), now),
        (json!({ "billing_cycle": "lifetime" }), now),
    ] {
        ending.push((app.subscription(ada.user_id(), "pro", changes).await, ends_at));
    }
    let expired = app.subscription(ada.user_id(), "pro", json!({ "status": "expired" })).await;
    let deleted = app.subscription(ada.user_id(), "pro", json!({})).await;
    let payment = app.payment(text(&ending[0].0, "id"), json!({ "status": "paid" })).await;
    app.delete(&format!("/subscriptions/{}", text(&deleted, "id"))).await.expect(200);
    let others = app.subscription(eve.user_id(), "pro", json!({})).await;
    let known = app.events().await;
    app.set_time("2026-03-10T12:59:59Z");
    let ada = Held::of(&app.refresh(&ada.refresh_token).await.expect(200));
    app.set_time("2026-03-10T13:00:00Z");
    call(&app, "DELETE", &account(&ada), &ada.token).await.expect(200);

    let mut expected = vec![format!("session.revoked {}", ada.session_id()), format!("user.deleted {}", ada.user_id())];
    let events = new_events(&app, &known).await;
    for (before, ends_at) in &ending {
        let id = text(before, "id");
        let after = app.get(&format!("/subscriptions/{id}")).await.expect(200).data().clone();
        let status = text(before, "status");
        // What is active follows the status; the one that an operator switched off stays off.
        let is_active = status != "past_due";
        let changes = json!({
            "status": "cancelled", "ends_at": ends_at, "is_active": is_active, "has_access": false, "updated_at": now
        });
        assert_eq!(after, with(before, &changes), "{status}");
        expected.push(format!("subscription.updated {id}"));
        let event = events.iter().find(|event| event.record() == id).unwrap();
        let kept = |text: &Option<String>| serde_json::from_str::<Value>(text.as_ref().unwrap()).unwrap();
        assert_eq!(kept(&event.before)["status"], status);
        assert_eq!(
            (&kept(&event.after)["status"], &kept(&event.after)["ends_at"]),
            (&json!("cancelled"), &json!(ends_at))
        );
    }
    expected.sort_unstable();
    assert_eq!(reported(&events), expected);
    for kept in [&expired, &others] {
        assert_eq!(app.get(&format!("/subscriptions/{}", text(kept, "id"))).await.expect(200).data(), kept);
    }
    let paid = app.get(&format!("/subscription-payments/{}", text(&payment, "id"))).await.expect(200);
    assert_eq!(paid.data(), &payment);
}

static NO_END: Sql = Sql::split(
    "CREATE TRIGGER no_end BEFORE INSERT ON events WHEN NEW.kind = 'user.deleted'
     BEGIN SELECT RAISE(ABORT, 'not today'); END",
    "ALTER TABLE events ADD CONSTRAINT no_end CHECK (kind <> 'user.deleted') NOT VALID",
);

#[tokio::test]
async fn it_happens_as_a_whole_or_not_at_all() {
    let app = TestApp::start().await;
    let ada = app.sign_up("ada@example.com").await;
    app.plan("pro", json!({})).await;
    let subscription = app.subscription(ada.user_id(), "pro", json!({})).await;
    execute(&app, &NO_END).await;
    let events = app.events().await;
    call(&app, "DELETE", &account(&ada), &ada.token).await.refused(500, "internal");
    assert_eq!(app.events().await, events);
    assert_eq!(app.logged_in(&ada.token).await.expect(200).data()["user"], ada.user);
    let kept = app.get(&format!("/subscriptions/{}", text(&subscription, "id"))).await.expect(200);
    assert_eq!(kept.data(), &subscription);
    app.refresh(&ada.refresh_token).await.expect(200);
}

#[tokio::test]
async fn a_subscription_made_in_the_same_moment_ends_too_or_is_rejected() {
    let app = TestApp::start().await;
    app.plan("pro", json!({})).await;
    let other_server = app.second_server().await;
    for round in 0..10 {
        let ada = app.sign_up(&format!("ada{round}@example.com")).await;
        app.subscription(ada.user_id(), "pro", json!({})).await;
        let body = json!({ "user_id": ada.user_id(), "subscription_plan_id": "pro" });
        let server =
            |number: usize| if number.is_multiple_of(2) { &app } else { other_server.as_ref().unwrap_or(&app) };
        let mut requests: Vec<_> =
            (0..6).map(|number| server(number).request("POST", "/subscriptions").json(&body)).collect();
        requests.insert(3, app.browser("DELETE", &account(&ada)).bearer(&ada.token));
        for (number, answer) in all_at_once(requests).await.into_iter().enumerate() {
            match number {
                3 => assert_eq!(answer.expect(200).data(), &json!({ "deleted": true })),
                _ => assert!([201, 422].contains(&answer.status), "{}", answer.json),
            }
        }
    }
    let open = "SELECT COUNT(*) FROM subscriptions WHERE status <> 'cancelled'";
    assert_eq!(count(&app, open).await, 0);
}

#[tokio::test]
async fn of_many_deletions_at_once_one_deletes() {
    let app = TestApp::start().await;
    let ada = app.sign_up("ada@example.com").await;
    app.plan("pro", json!({})).await;
    app.subscription(ada.user_id(), "pro", json!({})).await;
    let answers = all_at_once((0..8).map(|_| app.browser("DELETE", &account(&ada)).bearer(&ada.token))).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
    for answer in answers.into_iter().filter(|answer| answer.status != 200) {
        answer.refused(401, "invalid_token");
    }
    let events = app.events().await;
    for kind in ["user.deleted", "session.revoked", "subscription.updated"] {
        assert_eq!(events.iter().filter(|event| event.kind.as_str() == kind).count(), 1, "{kind}");
    }
}
