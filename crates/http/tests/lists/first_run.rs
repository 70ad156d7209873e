//! API rules 2.3 (`docs/api.md`): one organization and one set of clients, however many servers start.

use perennial_app::clients::{self, Credential};
use perennial_app::context::{App, AppOptions, Clock, Entropy};
use perennial_app::first_run::{self, FirstRunOptions, Start};
use perennial_app::keys::{Keys, MasterKey};
use perennial_app::organizations;
use perennial_domain::clients::{ClientKind, Origin};
use perennial_domain::time::Time;
use perennial_testkit::TestStore;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;

/// A server's context over a store that others may use too.
async fn server(store: &TestStore, seed: u64, master: u8) -> Arc<App> {
    let now = Time::parse("2026-03-10T12:00:00Z").unwrap().as_micros();
    let clock = Clock::Fixed(Arc::new(AtomicI64::new(now)));
    let keys = Keys::derive(&MasterKey::new([master; 32]));
    Arc::new(App::new(store.open().await, clock, Entropy::seeded(seed), keys, AppOptions::default()))
}

fn options() -> FirstRunOptions {
    FirstRunOptions { trusted: None, origins: vec![Origin::parse("http://localhost:*").unwrap()] }
}

#[tokio::test]
async fn an_empty_store_gets_one_organization_and_one_client_of_each_kind() {
    let store = TestStore::create().await;
    let app = server(&store, 1, 7).await;
    let Start::First(first) = first_run::ensure(&app, options()).await.unwrap() else { panic!("the store was empty") };
    assert_eq!((first.organization.name.as_str(), first.public.as_str()), ("default", "default"));
    let trusted = first.trusted.expose();
    assert!(trusted.starts_with("pk_") && trusted.len() == 35);
    for (presented, kind) in [(trusted, ClientKind::Trusted), ("default", ClientKind::Public)] {
        let known = clients::recognize(&app, presented).await.unwrap().unwrap();
        assert_eq!((known.client.kind, known.client.scopes), (kind, kind.scopes()));
        assert_eq!(known.organization, first.organization);
    }
    let events = perennial_app::events::list(&app, first.organization.id, None, 100).await.unwrap();
    let mut kinds: Vec<&str> = events.iter().map(|event| event.kind.as_str()).collect();
    kinds.sort_unstable();
    assert_eq!(kinds, ["client.created", "client.created", "organization.created"]);
}

#[tokio::test]
async fn a_second_run_changes_nothing() {
    let store = TestStore::create().await;
    let app = server(&store, 1, 7).await;
    first_run::ensure(&app, options()).await.unwrap();
    let before = organizations::list(&app).await.unwrap();
    for app in [app, server(&store, 2, 7).await] {
        let trusted = Credential::chosen(&"another-credential".repeat(2));
        let again = first_run::ensure(&app, FirstRunOptions { trusted, ..options() }).await.unwrap();
        assert!(matches!(again, Start::Existing));
        assert_eq!(organizations::list(&app).await.unwrap(), before);
        assert_eq!(clients::list(&app, before[0].id).await.unwrap().len(), 2);
        assert!(clients::recognize(&app, &"another-credential".repeat(2)).await.unwrap().is_none());
    }
}

#[tokio::test]
async fn a_chosen_trusted_id_is_the_one_that_works() {
    let store = TestStore::create().await;
    let app = server(&store, 1, 7).await;
    let chosen = "a-credential-the-operator-has-chosen";
    let options = FirstRunOptions { trusted: Credential::chosen(chosen), ..options() };
    let Start::First(first) = first_run::ensure(&app, options).await.unwrap() else { panic!("the store was empty") };
    assert_eq!(first.trusted.expose(), chosen);
    assert!(clients::recognize(&app, chosen).await.unwrap().is_some());
}

#[tokio::test]
async fn a_server_with_another_master_key_does_not_start() {
    let store = TestStore::create().await;
    first_run::ensure(&*server(&store, 1, 7).await, options()).await.unwrap();
    let stranger = server(&store, 2, 8).await;
    assert!(matches!(first_run::ensure(&stranger, options()).await.unwrap(), Start::OtherKey));
    assert_eq!(organizations::list(&stranger).await.unwrap().len(), 1);
    let familiar = server(&store, 3, 7).await;
    assert!(matches!(first_run::ensure(&familiar, options()).await.unwrap(), Start::Existing));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn eight_servers_at_once_make_one_set() {
    let store = TestStore::create().await;
    let mut servers = Vec::new();
    for seed in 0..8 {
        servers.push(server(&store, seed, 7).await);
    }
    let starting: Vec<_> = servers
        .iter()
        .cloned()
        .map(|app| tokio::spawn(async move { first_run::ensure(&app, options()).await.unwrap() }))
        .collect();
    let mut made = Vec::new();
    for start in starting {
        match start.await.unwrap() {
            Start::First(first) => made.push(first),
            Start::Existing => {}
            Start::OtherKey => panic!("they have one master key"),
        }
    }
    assert_eq!(made.len(), 1, "one of them was first");
    for app in &servers {
        assert_eq!(organizations::list(app).await.unwrap(), [made[0].organization.clone()]);
        assert_eq!(clients::list(app, made[0].organization.id).await.unwrap().len(), 2);
        assert!(clients::recognize(app, made[0].trusted.expose()).await.unwrap().is_some());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_master_keys_at_once_one_has_the_store() {
    let store = TestStore::create().await;
    let (one, other) = (server(&store, 1, 7).await, server(&store, 2, 8).await);
    let (one, other) = tokio::join!(first_run::ensure(&one, options()), first_run::ensure(&other, options()));
    let starts = (one.unwrap(), other.unwrap());
    assert!(matches!(starts, (Start::First(_), Start::OtherKey) | (Start::OtherKey, Start::First(_))));
}
