//! The installation's signing keys: who can verify with them, when they change, how many servers make them (security
//! row 36), and that the database gives none away.

use super::support::*;
use aws_lc_rs::signature::{ED25519, UnparsedPublicKey};
use data_encoding::BASE64URL_NOPAD;
use perennial_app::context::{App, AppOptions, Clock, Entropy};
use perennial_app::first_run::{self, FirstRunOptions, Start};
use perennial_app::keys::{Keys, MasterKey};
use perennial_app::signing_keys;
use perennial_domain::time::Time;
use perennial_testkit::{Held, TestApp, TestStore};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

const JWKS: &str = "/.well-known/jwks.json";
const MONTH: i64 = 30 * DAY;

/// The names of the published keys, oldest first.
async fn published(app: &TestApp) -> Vec<String> {
    let answer = app.anonymous("GET", JWKS).send().await.expect(200);
    assert_eq!(answer.header("content-type"), "application/json");
    // A client that caches the set for this long knows a key long before it is used.
    assert_eq!(answer.header("cache-control"), "public, max-age=3600");
    names(&answer.json)
}

fn names(set: &Value) -> Vec<String> {
    set["keys"].as_array().unwrap().iter().map(|key| key["kid"].as_str().unwrap().to_owned()).collect()
}

fn signer(held: &Held) -> String {
    part(&held.token, 0)["kid"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn anybody_can_verify_a_token_with_the_published_keys_alone() {
    let app = TestApp::start().await;
    let held = sign_up(&app, "ada@example.com").await;
    let set = app.anonymous("GET", JWKS).send().await.expect(200).json;
    let key = set["keys"].as_array().unwrap().iter().find(|key| key["kid"] == signer(&held)).unwrap();
    assert_eq!(
        (key["kty"].as_str(), key["crv"].as_str(), key["alg"].as_str()),
        (Some("OKP"), Some("Ed25519"), Some("EdDSA"))
    );
    let decode = |text: &str| BASE64URL_NOPAD.decode(text.as_bytes()).unwrap();
    let public = UnparsedPublicKey::new(&ED25519, decode(key["x"].as_str().unwrap()));
    let (signed, signature) = held.token.rsplit_once('.').unwrap();
    public.verify(signed.as_bytes(), &decode(signature)).unwrap();
    assert!(public.verify(signed.to_lowercase().as_bytes(), &decode(signature)).is_err());
    assert_eq!(part(&held.token, 0)["typ"], "at+jwt");
    assert_eq!(part(&held.token, 1)["aud"], app.organization.to_string());
}

/// When a key is no longer published: 30 days and 60 seconds after the next one began to sign (N9).
const PUBLISHED_FOR: i64 = MONTH + 60;

#[tokio::test]
async fn for_a_hundred_days_every_key_is_published_a_day_before_it_signs_and_until_its_last_token_expired() {
    let app = TestApp::start().await;
    let started = app.now();
    let go_to = |seconds: i64| app.advance(seconds - app.now().seconds_since(started));
    let mut signing = signer(&sign_up(&app, "ada@example.com").await);
    assert_eq!(published(&app).await, [signing.clone()]);
    // The names of replaced keys, and when they were replaced.
    let mut replaced: Vec<(String, i64)> = Vec::new();
    let with_replaced = |replaced: &[(String, i64)], now: i64, signing: &[&str]| -> Vec<String> {
        let still = replaced.iter().filter(|(_, since)| now < since + PUBLISHED_FOR).map(|(kid, _)| kid.clone());
        still.chain(signing.iter().map(|&kid| kid.to_owned())).collect()
    };
    for term in 1..=3 {
        let switch = term * MONTH;
        for day in 1..29 {
            let now = switch - MONTH + day * DAY;
            go_to(now);
            assert_eq!(published(&app).await, with_replaced(&replaced, now, &[&signing]), "day {day} of term {term}");
            assert_eq!(signer(&sign_in(&app, "ada@example.com").await), signing);
        }
        go_to(switch - DAY - 1);
        assert_eq!(published(&app).await, with_replaced(&replaced, switch - DAY - 1, &[&signing]));
        app.advance(61);
        let new = published(&app).await.pop().unwrap();
        assert_eq!(published(&app).await, with_replaced(&replaced, switch - DAY + 60, &[&signing, &new]));
        // Made a minute late, it signs a minute late: a day's notice is a day's notice.
        let switch = switch + 60;
        go_to(switch - 1);
        let last = sign_in(&app, "ada@example.com").await;
        assert_eq!(signer(&last), signing);
        go_to(switch);
        let first = sign_in(&app, "ada@example.com").await;
        assert_eq!(signer(&first), new);
        assert_eq!(signer(&Held::of(&refresh(&app, &last.refresh_token).await.expect(200))), new);
        go_to(switch + 3598);
        check(&app, &last.token).await.expect(200);
        go_to(switch + 3599);
        check(&app, &last.token).await.refused(401, "invalid_token");
        check(&app, &first.token).await.expect(200);
        replaced.push((signing, switch));
        assert_eq!(published(&app).await, with_replaced(&replaced, switch + 3599, &[&new]));
        signing = new;
    }
    let (last, since) = replaced.last().unwrap().clone();
    go_to(since + PUBLISHED_FOR - DAY - 61);
    assert_eq!(published(&app).await, [last.clone(), signing.clone()]);
    go_to(since + PUBLISHED_FOR - 1);
    let [kept, _, next] = published(&app).await.try_into().unwrap();
    assert_eq!(kept, last, "its last second");
    go_to(since + PUBLISHED_FOR);
    assert_eq!(published(&app).await, [signing, next]);
    go_to(since + PUBLISHED_FOR + DAY + 4);
    assert_eq!(published(&app).await.len(), 2);
    assert_eq!(count(&app, "SELECT COUNT(*) FROM signing_keys").await, 2, "spent keys are gone");
}

/// A server's context over a store and a clock that others may use too.
async fn server(store: &TestStore, seed: u64, master: u8, clock: &Arc<AtomicI64>) -> Arc<App> {
    let keys = Keys::derive(&MasterKey::new([master; 32]));
    let clock = Clock::Fixed(Arc::clone(clock));
    Arc::new(App::new(store.open().await, clock, Entropy::seeded(seed), keys, AppOptions::default()))
}

fn fresh_clock() -> Arc<AtomicI64> {
    Arc::new(AtomicI64::new(Time::parse("2026-03-10T12:00:00Z").unwrap().as_micros()))
}

async fn rows(app: &App) -> i64 {
    let sql = perennial_store::Sql::new("SELECT COUNT(*) FROM signing_keys");
    app.db.one(&sql, &[], |row| row.int(0)).await.unwrap().unwrap()
}

/// What each server publishes at the same time.
async fn all_published(servers: &[Arc<App>]) -> Vec<Vec<String>> {
    let ask = |app: Arc<App>| tokio::spawn(async move { signing_keys::published(&app).await.unwrap() });
    let asked: Vec<_> = servers.iter().cloned().map(ask).collect();
    let mut sets = Vec::new();
    for set in asked {
        sets.push(names(&serde_json::from_str(&set.await.unwrap()).unwrap()));
    }
    sets
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn eight_servers_starting_at_once_make_one_first_key_and_later_one_successor() {
    let (store, clock) = (TestStore::migrated().await, fresh_clock());
    let mut servers = Vec::new();
    for seed in 0..8 {
        servers.push(server(&store, seed, 7, &clock).await);
    }
    let run = |app: Arc<App>| {
        tokio::spawn(async move {
            let options = FirstRunOptions { trusted: None, origins: vec![] };
            matches!(first_run::ensure(&app, options).await.unwrap(), Start::First(_))
        })
    };
    let starting: Vec<_> = servers.iter().cloned().map(run).collect();
    let mut first_runs = 0;
    for start in starting {
        first_runs += usize::from(start.await.unwrap());
    }
    assert_eq!(first_runs, 1);
    for (days, expected) in [(0, 1), (29, 2), (30, 2), (32, 2), (58, 2), (59, 3), (62, 2)] {
        let now = Time::parse("2026-03-10T12:00:00Z").unwrap().plus_seconds(days * DAY);
        clock.store(now.as_micros(), Ordering::Relaxed);
        let sets = all_published(&servers).await;
        assert!(sets.iter().all(|set| *set == sets[0]), "day {days}: {sets:?}");
        assert_eq!(
            (sets[0].len(), rows(&servers[0]).await),
            (usize::try_from(expected).unwrap(), expected),
            "day {days}"
        );
    }
}

#[tokio::test]
async fn a_server_with_another_master_key_can_neither_sign_nor_spoil_the_keys() {
    let (store, clock) = (TestStore::migrated().await, fresh_clock());
    let owner = server(&store, 1, 7, &clock).await;
    first_run::ensure(&owner, FirstRunOptions { trusted: None, origins: vec![] }).await.unwrap();
    let before = signing_keys::published(&owner).await.unwrap();
    let stranger = server(&store, 2, 8, &clock).await;
    let start = first_run::ensure(&stranger, FirstRunOptions { trusted: None, origins: vec![] }).await.unwrap();
    assert!(matches!(start, Start::OtherKey));
    for days in [0, 29, 400] {
        let now = Time::parse("2026-03-10T12:00:00Z").unwrap().plus_seconds(days * DAY);
        clock.store(now.as_micros(), Ordering::Relaxed);
        assert!(signing_keys::published(&stranger).await.is_err());
        assert_eq!(rows(&stranger).await, 1);
    }
    clock.store(Time::parse("2026-03-10T12:00:00Z").unwrap().as_micros(), Ordering::Relaxed);
    let again = server(&store, 3, 7, &clock).await;
    assert_eq!(signing_keys::published(&again).await.unwrap(), before);
}
