//! Every wait for PostgreSQL is bounded, and a change that waits does not block others.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use futures_util::future::join_all;
use perennial_store::{Change, Db, Error, PostgresOptions, PostgresTimeouts, organizations};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::support::*;

/// Forwards connections to PostgreSQL and can spoil what is sent to it.
#[derive(Clone, Default)]
struct Relay {
    /// Makes every BEGIN a text that the server rejects.
    breaks_begin: Arc<AtomicBool>,
    /// From the message with this text on, nothing of the connection is forwarded. It stays open.
    silent_from: Arc<std::sync::Mutex<Option<&'static str>>>,
    silenced: Arc<AtomicUsize>,
}

impl Relay {
    async fn start(&self, server: SocketAddr) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let relay = self.clone();
        tokio::spawn(async move {
            while let Ok((caller, _)) = listener.accept().await {
                let server = TcpStream::connect(server).await.unwrap();
                tokio::spawn(relay.clone().forward(caller, server));
            }
        });
        address
    }

    async fn forward(self, caller: TcpStream, server: TcpStream) {
        let (mut from_caller, mut to_caller) = caller.into_split();
        let (mut from_server, mut to_server) = server.into_split();
        let responses = tokio::spawn(async move { tokio::io::copy(&mut from_server, &mut to_caller).await });
        let mut buffer = vec![0; 64 << 10];
        while let Ok(length @ 1..) = from_caller.read(&mut buffer).await {
            let sent = &mut buffer[..length];
            let silent_from = *self.silent_from.lock().unwrap();
            if silent_from.is_some_and(|text| position(sent, text).is_some()) {
                self.silenced.fetch_add(1, SeqCst);
                std::future::pending::<()>().await;
            }
            if self.breaks_begin.load(SeqCst)
                && let Some(at) = position(sent, "BEGIN")
            {
                sent[at] = b'X';
            }
            to_server.write_all(sent).await.unwrap();
        }
        responses.abort();
    }

    fn silent_from(&self, text: Option<&'static str>) {
        *self.silent_from.lock().unwrap() = text;
    }
}

fn position(sent: &[u8], text: &str) -> Option<usize> {
    sent.windows(text.len()).position(|window| window == text.as_bytes())
}

const SHORT: PostgresTimeouts = PostgresTimeouts {
    lock: Duration::from_millis(300),
    statement: Duration::from_secs(5),
    idle_in_transaction: Duration::from_millis(500),
    conversation: Duration::from_millis(1500),
};

/// For tests in which PostgreSQL always responds, however busy the machine is: only locks time out.
const SHORT_LOCK: PostgresTimeouts = PostgresTimeouts {
    statement: Duration::from_mins(1),
    idle_in_transaction: Duration::from_mins(1),
    conversation: Duration::from_secs(70),
    ..SHORT
};

async fn with_short_locks(place: &Place) -> Db {
    let options = PostgresOptions { timeouts: SHORT_LOCK, waiting: patient(), ..PostgresOptions::new(place.url()) };
    Db::open_postgres(options).await.unwrap()
}

/// A store behind a relay.
async fn relayed(place: &Place) -> (Db, Relay) {
    let config: tokio_postgres::Config = place.url().parse().unwrap();
    let relay = Relay::default();
    let address = relay.start(SocketAddr::from(([127, 0, 0, 1], config.get_ports()[0]))).await;
    let (user, name) = (config.get_user().unwrap(), config.get_dbname().unwrap());
    let url = format!("postgres://{user}@{address}/{name}?sslmode=disable");
    let options = PostgresOptions { timeouts: SHORT, waiting: patient(), ..PostgresOptions::new(url) };
    (Db::open_postgres(options).await.unwrap(), relay)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_written_behind_a_begin_that_failed() {
    let Some(place) = Place::postgres().await else { return };
    let (db, relay) = relayed(&place).await;
    db.commit(child(Change::new(), 1, 0)).await.unwrap();
    relay.breaks_begin.store(true, SeqCst);
    let outcomes = join_all((10..20).map(|number| db.commit(child(Change::new(), number, 0)))).await;
    for outcome in outcomes {
        assert!(matches!(outcome, Err(Error::Unavailable(_))), "{outcome:?}");
    }
    relay.breaks_begin.store(false, SeqCst);
    assert_eq!(count(&db, "SELECT COUNT(*) FROM children").await, 1);
    assert_eq!(count(&db, "SELECT COUNT(*) FROM journal").await, 1);
    db.commit(child(Change::new(), 2, 0)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_row_locked_by_others_stops_no_other_change() {
    let Some(place) = Place::postgres().await else { return };
    let db = with_short_locks(&place).await;
    for number in [1, 2] {
        db.commit(parent(number)).await.unwrap();
    }
    let other = connect(&place.url()).await;
    let locked = u128::from_be_bytes(id(1));
    other.batch_execute(&format!("BEGIN; SELECT 1 FROM parents WHERE id = '{locked:032x}' FOR UPDATE")).await.unwrap();
    for round in 0..3 {
        let numbers = round * 100..round * 100 + 40;
        let unrelated = numbers.map(|number| db.commit(child(Change::new(), number, 0)));
        let related = (0..12).map(|_| db.commit(increment(Change::new(), 1)));
        let (unrelated, related) = tokio::join!(join_all(unrelated), join_all(related));
        assert!(unrelated.iter().all(Result::is_ok), "{unrelated:?}");
        assert!(related.iter().all(|outcome| matches!(outcome, Err(Error::Unavailable(_)))), "{related:?}");
    }
    other.batch_execute("COMMIT").await.unwrap();
    db.commit(increment(Change::new(), 1)).await.unwrap();
    assert_eq!(count(&db, "SELECT CAST(SUM(n) AS BIGINT) FROM parents").await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_row_inserted_but_not_committed_elsewhere_stops_no_other_change() {
    let Some(place) = Place::postgres().await else { return };
    let db = with_short_locks(&place).await;
    let other = connect(&place.url()).await;
    let taken = u128::from_be_bytes(id(7));
    let insert = format!("BEGIN; INSERT INTO children VALUES ('{taken:032x}', '{taken:032x}', 'other')");
    other.batch_execute(&insert).await.unwrap();
    let changes = (0..20).map(|number| db.commit(child(Change::new(), number, 0)));
    for (number, outcome) in join_all(changes).await.into_iter().enumerate() {
        match number {
            7 => assert!(matches!(outcome, Err(Error::Unavailable(_))), "{outcome:?}"),
            _ => assert_eq!(outcome, Ok(()), "{number}"),
        }
    }
    // A lock that is released in time was worth waiting for.
    let waiting = tokio::spawn({
        let db = db.clone();
        async move { db.commit(child(Change::new(), 7, 0)).await }
    });
    let waits = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    until(async || count(&db, waits).await > 0).await;
    other.batch_execute("ROLLBACK").await.unwrap();
    waiting.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_that_falls_silent_is_replaced_and_its_locks_are_released() {
    let Some(place) = Place::postgres().await else { return };
    let (db, relay) = relayed(&place).await;
    db.commit(parent(1)).await.unwrap();
    // The guard has locked the row by then; COMMIT never arrives at the server.
    relay.silent_from(Some("; COMMIT"));
    let outcome = db.commit(increment(Change::new(), 1)).await;
    assert_eq!(outcome, Err(Error::OutcomeUnknown));
    relay.silent_from(None);
    db.commit(increment(Change::new(), 1)).await.unwrap();
    assert_eq!(count(&db, "SELECT n FROM parents").await, 1);

    // In the middle of a transaction it is certain that nothing was committed, so the change is run again.
    relay.silent_from(Some("journal"));
    let changing = tokio::spawn({
        let db = db.clone();
        async move { db.commit(child(increment(Change::new(), 1), 5, 1)).await }
    });
    until(async || relay.silenced.load(SeqCst) == 2).await;
    relay.silent_from(None);
    changing.await.unwrap().unwrap();
    assert_eq!(count(&db, "SELECT n FROM parents").await, 2);
    assert_eq!(count(&db, "SELECT COUNT(*) FROM journal").await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reads_do_not_pile_up_while_the_server_is_silent() {
    let Some(place) = Place::empty_postgres().await else { return };
    let (db, relay) = relayed(&place).await;
    db.migrate().await.unwrap();
    relay.silent_from(Some("organizations"));
    let reads = (0..20_000).map(|_| organizations::by_name(&db, "unknown"));
    let outcomes = join_all(reads).await;
    assert!(outcomes.iter().all(|outcome| matches!(outcome, Err(Error::Unavailable(_)))));
    let rejected = |outcome: &&Result<_, Error>| format!("{outcome:?}").contains("too many reads wait");
    let rejected = outcomes.iter().filter(rejected).count();
    assert!(rejected > 10_000, "only {rejected} of 20,000 were rejected");
    relay.silent_from(None);
    assert_eq!(organizations::by_name(&db, "unknown").await, Ok(None));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_oldest_change_has_an_age_until_its_outcome_is_known() {
    let Some(place) = Place::postgres().await else { return };
    let (db, relay) = relayed(&place).await;
    db.commit(parent(1)).await.unwrap();
    until(async || db.metrics().oldest_change.is_zero()).await;
    relay.silent_from(Some("; COMMIT"));
    let changing = tokio::spawn({
        let db = db.clone();
        async move { db.commit(increment(Change::new(), 1)).await }
    });
    until(async || db.metrics().oldest_change > Duration::from_millis(200)).await;
    relay.silent_from(None);
    assert_eq!(changing.await.unwrap(), Err(Error::OutcomeUnknown));
    until(async || db.metrics().oldest_change.is_zero()).await;
}
