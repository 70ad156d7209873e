//! Servers over one store: together they admit little more than one alone, and they bother the store little.
//! SQLite has one server, which counts in memory.

use super::support::{ADDRESS, Visitor};
use perennial_app::limits;
use perennial_store::Sql;
use perennial_testkit::TestApp;

/// One server, or four where the engine allows several.
async fn servers() -> Vec<TestApp> {
    let mut servers = vec![TestApp::start().await];
    for _ in 0..3 {
        servers.extend(servers[0].second_server().await);
    }
    servers
}

/// How many of so many attempts at each server, all at once, are admitted.
async fn burst(servers: &[TestApp], times: usize) -> usize {
    let mut attempts = Vec::new();
    for _ in 0..times {
        for server in servers {
            let Visitor { caller, budget, address, .. } = Visitor::public(server, ADDRESS).await;
            let app = server.app.clone();
            attempts.push(tokio::spawn(async move { limits::admit(&app, &caller, budget, address).await.is_ok() }));
        }
    }
    let mut admitted = 0;
    for attempt in attempts {
        admitted += usize::from(attempt.await.unwrap());
    }
    admitted
}

async fn rows(app: &TestApp) -> i64 {
    let sql = Sql::new("SELECT COUNT(*) FROM rate_limits");
    app.app.db.one(&sql, &[], |row| row.int(0)).await.unwrap().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn four_servers_together_admit_at_most_a_quarter_more() {
    let servers = servers().await;
    let admitted = burst(&servers, 100).await;
    assert!((60..=75).contains(&admitted), "{admitted} by {} servers", servers.len());
    servers[0].advance(60);
    let admitted = admitted + burst(&servers, 100).await;
    assert!((60..=75).contains(&admitted), "{admitted} across the turn of the minute");
    servers[0].advance(120);
    let admitted = burst(&servers, 100).await;
    assert!((60..=75).contains(&admitted), "{admitted} after all was forgotten");
}

#[tokio::test]
async fn an_address_that_goes_from_server_to_server_is_limited_too() {
    let servers = servers().await;
    let mut admitted = 0;
    for turn in 0..400 {
        admitted += Visitor::public(&servers[turn % servers.len()], ADDRESS).await.attempt(1).await;
    }
    assert!((60..=75).contains(&admitted), "{admitted} by {} servers", servers.len());
}

#[tokio::test]
async fn one_attempt_of_each_address_never_reaches_the_store() {
    let app = TestApp::start().await;
    let before = app.app.db.metrics().statements;
    let visitor = Visitor::public(&app, ADDRESS).await;
    let after_client = app.app.db.metrics().statements;
    assert_eq!(after_client - before, 2, "the client itself is read once");
    for number in 0..1_000_u32 {
        let address = std::net::IpAddr::V4(number.into());
        assert!(limits::admit(&app.app, &visitor.caller, visitor.budget, address).await.is_ok());
    }
    assert_eq!(app.app.db.metrics().statements, after_client);
}

#[tokio::test]
async fn who_is_rejected_is_rejected_from_memory() {
    let app = TestApp::start().await;
    let visitor = Visitor::public(&app, ADDRESS).await;
    assert_eq!(visitor.attempt(60).await, 60);
    let before = app.app.db.metrics().statements;
    assert_eq!(visitor.attempt(1_000).await, 0);
    assert_eq!(app.app.db.metrics().statements, before);
}

#[tokio::test]
async fn a_store_that_fails_rejects_no_attempt_and_the_limit_holds_in_memory() {
    let app = TestApp::start().await;
    let visitor = Visitor::public(&app, ADDRESS).await;
    assert_eq!(visitor.attempt(10).await, 10);
    app.app.db.close().await;
    assert_eq!(visitor.attempt(100).await, 50);
}

#[tokio::test]
async fn shared_counts_are_removed_when_they_expire() {
    let app = TestApp::start().await;
    Visitor::public(&app, ADDRESS).await.attempt(20).await;
    let reported = i64::from(app.store().is_postgres());
    assert_eq!(rows(&app).await, reported);
    limits::sweep(&app.app).await.unwrap();
    assert_eq!(rows(&app).await, reported);
    app.advance(661);
    limits::sweep(&app.app).await.unwrap();
    assert_eq!(rows(&app).await, 0);
}
