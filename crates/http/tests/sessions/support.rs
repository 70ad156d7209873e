//! What several of these tests share. Crowds come through the trusted client, whose rate limit is wide.

use data_encoding::BASE64URL_NOPAD;
use perennial_harness::SeededRandom;
use perennial_store::{Change, Sql};
pub(crate) use perennial_testkit::all_at_once;
use perennial_testkit::{Answer, Held, Request, TestApp};
use serde_json::{Value, json};

pub(crate) const DAY: i64 = 24 * 3600;

/// Signs a user up with the trusted client.
pub(crate) async fn sign_up(app: &TestApp, email: &str) -> Held {
    let request = app.request("POST", "/authentication/sign-up").json(&app.credentials(email));
    Held::of(&request.send().await.expect(201))
}

/// The request that signs a user in with the trusted client.
pub(crate) fn signing_in(app: &TestApp, email: &str) -> Request {
    app.request("POST", "/authentication/sign-in").json(&app.credentials(email))
}

/// Signs a user in with the trusted client.
pub(crate) async fn sign_in(app: &TestApp, email: &str) -> Held {
    Held::of(&signing_in(app, email).send().await.expect(200))
}

/// What refreshes with the trusted client.
pub(crate) fn refreshing(app: &TestApp, refresh_token: &str) -> Request {
    app.request("POST", "/authentication/refresh-token").json(&json!({ "refresh_token": refresh_token }))
}

/// Refreshes with the trusted client.
pub(crate) async fn refresh(app: &TestApp, refresh_token: &str) -> Answer {
    refreshing(app, refresh_token).send().await
}

/// Asks, with the trusted client, who holds the token.
pub(crate) async fn check(app: &TestApp, token: &str) -> Answer {
    app.request("POST", "/authentication/user-logged-in").bearer(token).send().await
}

/// A call of a person with a token, through the trusted client.
pub(crate) fn call(app: &TestApp, method: &str, target: &str, token: &str) -> Request {
    app.request(method, target).bearer(token)
}

/// Ends every session of the token's user.
pub(crate) fn revoking_all(app: &TestApp, token: &str) -> Request {
    call(app, "POST", "/authentication/tokens/revoke-all", token)
}

/// What deletes the account of this person.
pub(crate) fn deleting_account(app: &TestApp, held: &Held) -> Request {
    let auth_id = held.user["auth_id"].as_str().unwrap();
    call(app, "DELETE", &format!("/authentication/delete-my-account/{auth_id}"), &held.token)
}

/// Puts them into another order, the same for the same seed; returns the original positions.
pub(crate) fn shuffled<T>(items: Vec<T>, random: &mut SeededRandom) -> Vec<(usize, T)> {
    let mut items: Vec<(usize, T)> = items.into_iter().enumerate().collect();
    for place in (1..items.len()).rev() {
        items.swap(place, random.index(place + 1));
    }
    items
}

/// Sends all of them at once in a shuffled order; the responses are in the order of the requests.
pub(crate) async fn mingled(requests: Vec<Request>, random: &mut SeededRandom) -> Vec<Answer> {
    let (places, requests): (Vec<usize>, Vec<Request>) = shuffled(requests, random).into_iter().unzip();
    let mut answers: Vec<(usize, Answer)> = places.into_iter().zip(all_at_once(requests).await).collect();
    answers.sort_by_key(|(place, _)| *place);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

/// One part of a JWT, unverified: 0 the header, 1 the claims.
pub(crate) fn part(token: &str, place: usize) -> Value {
    let text = token.split('.').nth(place).unwrap();
    serde_json::from_slice(&BASE64URL_NOPAD.decode(text.as_bytes()).unwrap()).unwrap()
}

/// A number from the database itself.
pub(crate) async fn count(app: &TestApp, sql: &'static str) -> i64 {
    app.app.db.one(&Sql::new(sql), &[], |row| row.int(0)).await.unwrap().unwrap()
}

/// Changes the database past the service.
pub(crate) async fn execute(app: &TestApp, sql: &'static Sql) {
    app.app.db.commit(Change::new().execute_any(sql, vec![])).await.unwrap();
}

/// How many of these have an active session; access and refresh token must agree.
pub(crate) async fn living(app: &TestApp, all: &[Held]) -> usize {
    let mut living = 0;
    for held in all {
        let checked = check(app, &held.token).await;
        let refreshed = refresh(app, &held.refresh_token).await;
        if checked.status == 200 {
            refreshed.expect(200);
            living += 1;
        } else {
            checked.refused(401, "invalid_token");
            refreshed.refused(401, "invalid_refresh_token");
        }
    }
    living
}

/// Runs a test on one server, and on two where the store can have two.
macro_rules! on_one_and_two_servers {
    ($race:ident, $one:ident, $two:ident) => {
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $one() {
            $race(&[&TestApp::start().await]).await;
        }

        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $two() {
            let app = TestApp::start().await;
            if let Some(other_server) = app.second_server().await {
                $race(&[&app, &other_server]).await;
            }
        }
    };
}
pub(crate) use on_one_and_two_servers;
