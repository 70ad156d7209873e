//! API rules 3.7 and 7 (`docs/api.md`): no row, event or log line contains personal data of a deleted user, and no event or
//! log line contains personal data of an existing one.

use super::support::*;
use crate::log;
use perennial_store::Sql;
use perennial_testkit::{Held, TestApp};
use serde_json::json;

/// What is known of the person, each found nowhere else.
const EMAIL: &str = "kanarienvogel@birds.example";
const NEW_EMAIL: &str = "distelfink@birds.example";
const SUBJECT: &str = "auth0|Zaunkoenig/77";
const USERNAME: &str = "Rotkehlchen";
const FIRST_NAME: &str = "Nachtigall";
const LAST_NAME: &str = "Blaumeise";
const AUTH_TYPE: &str = "Gartenrotschwanz";
const USER_AGENT: &str = "Wendehals/5.0";
const ADDRESS: &str = "127.0.0.1";
const PERSON: [&str; 8] = [NEW_EMAIL, SUBJECT, USERNAME, FIRST_NAME, LAST_NAME, AUTH_TYPE, USER_AGENT, ADDRESS];

/// A person who leaves as many traces as the endpoints allow.
async fn live_here(app: &TestApp) -> Held {
    let profile = json!({
        "username": USERNAME, "first_name": FIRST_NAME, "last_name": LAST_NAME, "auth_type": AUTH_TYPE, "terms": true
    });
    let post = |target: &str| app.browser("POST", target).header("user-agent", USER_AGENT);
    let body = with(&credentials(app, EMAIL, SUBJECT), &profile);
    let held = Held::of(&post(SIGN_UP).json(&body).send().await.expect(201));
    app.plan("pro", json!({})).await;
    app.subscription(held.user_id(), "pro", json!({})).await;
    // A rejected request must not leave any either.
    post(SIGN_UP).json(&body).send().await.refused(409, "user_already_exists");
    post(SIGN_UP).json(&credentials(app, EMAIL, "another")).send().await.refused(409, "email_taken");
    let mismatch = json!({ "access_token": app.identity_token(EMAIL, Some(SUBJECT)), "email": NEW_EMAIL });
    post(SIGN_IN).json(&mismatch).send().await.refused(401, "email_mismatch");
    post(SIGN_IN).json(&json!({ "access_token": SUBJECT, "email": EMAIL })).send().await.expect(401);
    post(SIGN_UP).json(&with(&body, &json!({ "username": 1, LAST_NAME: 1 }))).send().await.expect(422);
    post(SIGN_IN).json_text(format!("{{\"{FIRST_NAME}\": 1, \"{FIRST_NAME}\": 2}}")).send().await.expect(400);
    call(app, "DELETE", &account_of(EMAIL), &held.token).await.refused(403, "not_account_owner");
    call(app, "POST", &format!("/authentication/tokens/revoke/{USERNAME}"), &held.token).await.expect(404);
    call(app, "GET", &format!("/authentication/tokens?{USERNAME}={LAST_NAME}"), &held.token).await.expect(400);
    // The address changes, a session is refreshed, listed, used, ended.
    let body = credentials(app, NEW_EMAIL, SUBJECT);
    let held = Held::of(&post(SIGN_IN).json(&body).send().await.expect(200));
    let ended = Held::of(&post(SIGN_IN).json(&body).send().await.expect(200));
    call(app, "POST", LOGOUT, &ended.token).await.expect(200);
    app.advance(120);
    let held = Held::of(&app.refresh(&held.refresh_token).await.expect(200));
    assert_eq!(listed(app, &held.token).await.len(), 2);
    held
}

#[tokio::test]
async fn of_an_erased_person_no_row_no_event_and_no_log_line_is_left() {
    log::listen();
    let app = TestApp::start().await;
    let held = live_here(&app).await;
    let before = dump(&app).await;
    for known in PERSON {
        let places = places(&before, known);
        assert!(!places.is_empty(), "{known} is nowhere: the dump does not look where it must");
        assert!(places.iter().all(|place| !place.starts_with("events.")), "{known} in {places:?}");
    }
    let request = app.browser("DELETE", &account(&held)).header("x-request-id", "der-letzte-gruss");
    request.bearer(&held.token).send().await.expect(200);
    let after = dump(&app).await;
    for known in PERSON.into_iter().chain([EMAIL]) {
        assert_eq!(places(&after, known), Vec::<&str>::new(), "{known} is still there");
        assert_eq!(places(&after, &hex(known)), Vec::<&str>::new(), "{known} is still there, as bytes");
    }
    assert!(!places(&after, "der-letzte-gruss").is_empty(), "the event of the deletion is there");
    assert!(!log::lines("der-letzte-gruss").is_empty(), "the log is being listened to");
    for known in [EMAIL, NEW_EMAIL, SUBJECT, USERNAME, FIRST_NAME, LAST_NAME, AUTH_TYPE, USER_AGENT, "Zaunkoenig"] {
        assert_eq!(log::lines(known), Vec::<String>::new());
    }
}

fn hex(text: &str) -> String {
    data_encoding::HEXLOWER.encode(text.as_bytes())
}

/// Rows that the database rejects, and might quote in its error.
static NO_USER: Sql = Sql::split(
    "CREATE TRIGGER no_user BEFORE INSERT ON users BEGIN SELECT RAISE(ABORT, 'no users today'); END",
    "ALTER TABLE users ADD CONSTRAINT no_user CHECK (email IS NULL) NOT VALID",
);
static NO_SESSION: Sql = Sql::split(
    "CREATE TRIGGER no_session BEFORE INSERT ON sessions BEGIN SELECT RAISE(ABORT, 'no sessions today'); END",
    "ALTER TABLE sessions ADD CONSTRAINT no_session CHECK (user_agent IS NULL) NOT VALID",
);

#[tokio::test]
async fn a_failure_of_the_store_is_logged_without_the_row_it_was_about() {
    log::listen();
    for (number, refusal) in [&NO_USER, &NO_SESSION].into_iter().enumerate() {
        let app = TestApp::start().await;
        execute(&app, refusal).await;
        let (email, id) = (format!("eisvogel{number}@birds.example"), format!("sturmvogel-{number}"));
        let body = with(&app.credentials(&email), &json!({ "username": "Pirol", "first_name": "Stieglitz" }));
        let request = app.browser("POST", SIGN_UP).header("user-agent", "Kiebitz/1").header("x-request-id", &id);
        let answer = request.json(&body).send().await.refused(500, "internal");
        assert_eq!(answer.json["detail"], "The server's log has the cause under this request_id.");
        assert!(log::lines(&id).iter().any(|line| line.starts_with("ERROR") && line.contains("cause=")));
        for known in ["eisvogel", "pirol", "stieglitz", "kiebitz"] {
            assert_eq!(log::lines(known), Vec::<String>::new());
        }
    }
}

/// A row that is gone may live on in the free space of its file, and in every backup of it.
#[tokio::test]
async fn of_an_erased_person_nothing_is_left_in_the_database_file() {
    let app = TestApp::start().await;
    let held = live_here(&app).await;
    let eve = app.sign_up("zilpzalp@birds.example").await;
    call(&app, "DELETE", &account(&held), &held.token).await.expect(200);
    app.app.db.close().await;
    let files = app.store().files();
    let holds = |wanted: &str| files.windows(wanted.len()).any(|window| window == wanted.as_bytes());
    assert_eq!(holds(text(&eve.user, "email")), !app.store().is_postgres(), "PostgreSQL keeps its files to itself");
    for known in [EMAIL, NEW_EMAIL, SUBJECT, USERNAME, FIRST_NAME, LAST_NAME, AUTH_TYPE, USER_AGENT] {
        assert!(!holds(known), "{known}");
    }
}

#[tokio::test]
async fn two_people_are_not_taken_for_one_when_one_is_erased() {
    let app = TestApp::start().await;
    let held = live_here(&app).await;
    let eve = app.sign_up("eve@example.com").await;
    call(&app, "DELETE", &account(&held), &held.token).await.expect(200);
    assert_eq!(app.logged_in(&eve.token).await.expect(200).data()["user"], eve.user);
    assert_eq!(listed(&app, &eve.token).await.len(), 1);
}
