//! An account that is deleted while its person signs in and refreshes and its subscriptions come and change, on one
//! server and on two: of the person nothing is left, and nothing continues without one.

use super::support::*;
use perennial_harness::SeededRandom;
use perennial_testkit::{Answer, Held, Request, TestApp};
use serde_json::json;

const ROUNDS: u64 = 16;
const LEFT_SESSIONS: &str = "
    SELECT COUNT(*) FROM sessions AS s JOIN users AS u ON u.id = s.user_id WHERE u.deleted_at IS NOT NULL";
const LEFT_SUBSCRIPTIONS: &str = "
    SELECT COUNT(*) FROM subscriptions AS s JOIN users AS u ON u.id = s.user_id
    WHERE u.deleted_at IS NOT NULL AND s.deleted_at IS NULL AND s.status NOT IN ('cancelled', 'expired')";

/// What meets a deletion: the sign-ins and refreshes of its person, and subscriptions coming to it and changing.
async fn rush(servers: &[&TestApp], held: &[Held], email: &str, random: &mut SeededRandom) -> Vec<Answer> {
    let app = servers[0];
    let server = |random: &mut SeededRandom| servers[random.index(servers.len())];
    let user = held[0].user_id();
    let stranger = app.user(&format!("bob-{email}")).await;
    let mut requests: Vec<Request> = vec![deleting_account(server(random), &held[0])];
    requests.extend((0..4).map(|_| signing_in(server(random), email)));
    requests.extend(held.iter().map(|held| refreshing(server(random), &held.refresh_token)));
    let new = json!({ "user_id": user, "subscription_plan_id": "pro" });
    requests.extend((0..16).map(|_| server(random).request("POST", "/subscriptions").json(&new)));
    for place in 0..9 {
        let theirs = place % 3 == 2;
        let owner = if theirs { &stranger } else { user };
        let body = json!({ "user_id": owner, "subscription_plan_id": "pro" });
        let made = app.post("/subscriptions", &body).await.expect(201);
        let put = server(random).request("PUT", made.header("location"));
        requests.push(match place % 3 {
            0 => put.json(&json!({ "external_subscription_id": format!("{email}{place}") })),
            1 => put.header("if-match", made.header("etag")).json(&json!({ "status": "past_due" })),
            _ => put.json(&json!({ "user_id": user })),
        });
    }
    mingled(requests, random).await
}

async fn deletion_meets_everything(servers: &[&TestApp]) {
    let app = servers[0];
    app.plan("pro", json!({})).await;
    for round in 0..ROUNDS {
        let email = format!("ada{round}@example.com");
        let held = [sign_up(app, &email).await, sign_in(app, &email).await, sign_in(app, &email).await];
        let answers = rush(servers, &held, &email, &mut SeededRandom::new(300 + round)).await;
        let mut all = held.to_vec();
        for (place, answer) in answers.into_iter().enumerate() {
            match (place, answer.status) {
                (1..8, 200) => all.push(Held::of(&answer)),
                (0 | 24.., 200) | (8..24, 201) => {}
                (8.., 422) => assert_eq!(answer.faults(), ["/user_id not_found"]),
                (1..5, _) => drop(answer.refused(404, "user_not_found")),
                (5..8, _) => drop(answer.refused(401, "invalid_refresh_token")),
                _ => drop(answer.refused(412, "stale")),
            }
        }
        assert_eq!(living(app, &all).await, 0, "a session outlived its person");
    }
    assert_eq!(count(app, LEFT_SESSIONS).await, 0);
    assert_eq!(count(app, LEFT_SUBSCRIPTIONS).await, 0);
    assert_eq!(
        count(app, "SELECT COUNT(*) FROM users WHERE deleted_at IS NOT NULL").await,
        i64::try_from(ROUNDS).unwrap()
    );
}

on_one_and_two_servers!(
    deletion_meets_everything,
    nothing_outlives_a_deleted_account_with_one_server,
    nothing_outlives_a_deleted_account_with_two_servers
);
