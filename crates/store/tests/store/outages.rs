//! A database that goes away and comes back, as callers of the store see it.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use perennial_store::{Change, Db, Error, PostgresOptions, Sql};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::support::*;

static ONE: Sql = Sql::new("SELECT CAST(1 AS BIGINT)");

/// A proxy in front of a server that can be closed: then it drops all connections, old and new.
struct Proxy {
    address: SocketAddr,
    open: watch::Sender<bool>,
}

impl Proxy {
    async fn before(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let open = watch::Sender::new(true);
        let state = open.subscribe();
        tokio::spawn(async move {
            loop {
                let (mut caller, _) = listener.accept().await.unwrap();
                let mut state = state.clone();
                tokio::spawn(async move {
                    if !*state.borrow() {
                        return;
                    }
                    let mut server = TcpStream::connect(server).await.unwrap();
                    tokio::select! {
                        _ = tokio::io::copy_bidirectional(&mut caller, &mut server) => {}
                        _ = state.wait_for(|open| !open) => {}
                    }
                });
            }
        });
        Self { address, open }
    }

    fn set_open(&self, open: bool) {
        self.open.send_replace(open);
    }
}

/// A store with several readers, behind a proxy.
async fn behind_a_proxy(place: &Place) -> (Db, Proxy) {
    let config: tokio_postgres::Config = place.url().parse().unwrap();
    let proxy = Proxy::before(SocketAddr::from(([127, 0, 0, 1], config.get_ports()[0]))).await;
    let (user, name) = (config.get_user().unwrap(), config.get_dbname().unwrap());
    let url = format!("postgres://{user}@{}/{name}?sslmode=disable", proxy.address);
    let db = Db::open_postgres(PostgresOptions { readers: 4, ..PostgresOptions::new(url) }).await.unwrap();
    (db, proxy)
}

async fn read(db: &Db) -> Result<Option<i64>, Error> {
    db.one(&ONE, &[], |row| row.int(0)).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_connection_that_gets_through_opens_the_way_for_the_others() {
    let Some(place) = Place::postgres().await else {
        return;
    };
    let (db, proxy) = behind_a_proxy(&place).await;
    for _ in 0..8 {
        read(&db).await.unwrap();
    }
    proxy.set_open(false);
    // Long enough for the pause between two attempts to have grown.
    let end = Instant::now() + Duration::from_millis(900);
    while Instant::now() < end {
        for outcome in [read(&db).await.map(drop), db.commit(child(Change::new(), 1, 0)).await] {
            assert!(matches!(outcome, Err(Error::Unavailable(_))), "{outcome:?}");
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    proxy.set_open(true);
    until(async || read(&db).await.is_ok()).await;
    for number in 0..12 {
        assert_eq!(read(&db).await, Ok(Some(1)));
        db.commit(child(Change::new(), 10 + number, 0)).await.unwrap();
    }
}
