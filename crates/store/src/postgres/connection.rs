//! A connection with its prepared statements, and a slot that replaces the connection when it is lost.
//! Nothing here relies on the session: behind a pooler every transaction may use another server process.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use futures_util::future::join3;
use tokio::task::AbortHandle;
use tokio_postgres::types::{ToSql, Type as Wire};
use tokio_postgres::{Client, Row, Statement};

use super::database_error::{DatabaseError, describe};
use super::pause::Pause;
use super::timeouts::PostgresTimeouts;
use super::tls::Target;
use super::value::Argument;
use crate::error::Error;
use crate::metrics::Counters;

/// The most prepared statements per connection. Lists can be composed in many ways, so there must be a bound.
const STATEMENTS: usize = 512;

pub(super) struct Connection {
    client: Client,
    /// The task that reads and writes the socket.
    driver: AbortHandle,
    /// `None` when statements must not be prepared.
    statements: Option<Mutex<HashMap<String, Statement>>>,
}

/// A statement in progress; it is sent when it is first polled.
pub(super) type Pending<'a> = Pin<Box<dyn Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>>;

impl Connection {
    async fn open(target: &Target, prepared: bool) -> Result<Self, tokio_postgres::Error> {
        let (client, connection) = target.config.connect(target.tls.clone()).await?;
        let driver = tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(error = describe(&error), "a connection to PostgreSQL ended");
            }
        });
        Ok(Self { client, driver: driver.abort_handle(), statements: prepared.then(Mutex::default) })
    }

    pub(super) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    pub(super) async fn query(
        &self,
        text: &str,
        arguments: &[Argument<'_>],
    ) -> Result<Vec<Row>, tokio_postgres::Error> {
        match self.prepare(text, arguments).await? {
            Some(statement) => self.client.query(&statement, &references(arguments)).await,
            None => self.client.query_typed(text, &typed(arguments)).await,
        }
    }

    /// The rows of a statement in a transaction that begins with this text. All is sent at once.
    pub(super) async fn query_within(&self, opening: &str, text: &str) -> Result<Vec<Row>, tokio_postgres::Error> {
        self.prepare(text, &[]).await?;
        let commit = self.client.batch_execute("COMMIT");
        let (opened, rows, ended) = join3(self.client.batch_execute(opening), self.query(text, &[]), commit).await;
        opened?;
        let rows = rows?;
        ended.map(|()| rows)
    }

    /// The number of rows a statement touched, or for a SELECT found.
    pub(super) fn execute<'a>(&'a self, text: &'a str, arguments: &'a [Argument<'a>]) -> Pending<'a> {
        let known = self.cache().and_then(|statements| statements.get(text).cloned());
        Box::pin(async move {
            match known {
                Some(statement) => self.client.execute(&statement, &references(arguments)).await,
                None => self.client.execute_typed(text, &typed(arguments)).await,
            }
        })
    }

    /// A text without parameters and rows, such as BEGIN.
    pub(super) fn control<'a>(&'a self, text: &'a str) -> Pending<'a> {
        Box::pin(async move { self.client.batch_execute(text).await.map(|()| 0) })
    }

    /// Prepares a statement unless it is known; `None` if statements are not prepared.
    pub(super) async fn prepare(
        &self,
        text: &str,
        arguments: &[Argument<'_>],
    ) -> Result<Option<Statement>, tokio_postgres::Error> {
        let known = match self.cache() {
            Some(statements) => statements.get(text).cloned(),
            None => return Ok(None),
        };
        if known.is_some() {
            return Ok(known);
        }
        let types: Vec<Wire> = arguments.iter().map(Argument::wire).collect();
        let statement = self.client.prepare_typed(text, &types).await?;
        if let Some(mut statements) = self.cache() {
            if statements.len() >= STATEMENTS {
                statements.clear();
            }
            statements.insert(text.to_owned(), statement.clone());
        }
        Ok(Some(statement))
    }

    pub(super) fn forget_statements(&self) {
        if let Some(mut statements) = self.cache() {
            statements.clear();
        }
    }

    fn cache(&self) -> Option<MutexGuard<'_, HashMap<String, Statement>>> {
        let statements = self.statements.as_ref()?;
        // A panic cannot leave a map of finished statements half changed.
        Some(statements.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn references<'a>(arguments: &'a [Argument<'a>]) -> Vec<&'a (dyn ToSql + Sync)> {
    arguments.iter().map(|argument| argument as _).collect()
}

fn typed<'a>(arguments: &'a [Argument<'a>]) -> Vec<(&'a (dyn ToSql + Sync), Wire)> {
    let pair = |argument: &'a Argument<'a>| (argument as &(dyn ToSql + Sync), argument.wire());
    arguments.iter().map(pair).collect()
}

/// Sends all statements in order without waiting in between, then collects their results in the same order.
pub(super) async fn pipelined(mut pending: Vec<Pending<'_>>) -> Vec<Result<u64, tokio_postgres::Error>> {
    let mut early: Vec<_> = std::future::poll_fn(|context| {
        let polled = pending.iter_mut().map(|future| future.as_mut().poll(context));
        Poll::Ready(polled.collect())
    })
    .await;
    let mut results = Vec::with_capacity(pending.len());
    for (future, early) in pending.into_iter().zip(early.drain(..)) {
        results.push(match early {
            Poll::Ready(result) => result,
            Poll::Pending => future.await,
        });
    }
    results
}

/// Holds a connection and opens another when it is lost. While the server does not respond, callers fail immediately
/// and only one of them retries, after the pause.
pub(super) struct Slot {
    target: Arc<Target>,
    prepared: bool,
    timeouts: PostgresTimeouts,
    counters: Arc<Counters>,
    pause: Arc<Pause>,
    current: Mutex<Option<Arc<Connection>>>,
    /// Locked while connecting; whether there was a connection before.
    connecting: tokio::sync::Mutex<bool>,
}

impl Slot {
    pub(super) fn new(
        target: Arc<Target>,
        prepared: bool,
        timeouts: PostgresTimeouts,
        counters: Arc<Counters>,
        pause: Arc<Pause>,
    ) -> Self {
        let (current, connecting) = (Mutex::default(), tokio::sync::Mutex::default());
        Self { target, prepared, timeouts, counters, pause, current, connecting }
    }

    pub(super) fn timeouts(&self) -> PostgresTimeouts {
        self.timeouts
    }

    pub(super) async fn connection(&self) -> Result<Arc<Connection>, Error> {
        if let Some(connection) = self.live() {
            return Ok(connection);
        }
        let mut connected = self.connecting.lock().await;
        if let Some(connection) = self.live() {
            return Ok(connection);
        }
        if let Some(reason) = self.pause.reason() {
            return Err(Error::Unavailable(reason));
        }
        // The driver limits the time to connect, but not the time until the server responds.
        // Boxed: it is rare and large, and every read would carry its size.
        let mut opening = Box::pin(Connection::open(&self.target, self.prepared));
        let opened = self.timeouts.deadline().within(opening.as_mut()).await;
        let opened = opened.and_then(|opened| opened.map_err(|error| DatabaseError::Lost(describe(&error))));
        match opened {
            Ok(connection) => {
                self.pause.end();
                self.counters.reconnects.fetch_add(u64::from(*connected), Relaxed);
                *connected = true;
                let connection = Arc::new(connection);
                *self.lock() = Some(Arc::clone(&connection));
                Ok(connection)
            }
            Err(failure) => {
                let error = failure.error();
                if let Error::Unavailable(reason) = &error {
                    self.pause.begin(reason);
                }
                Err(error)
            }
        }
    }

    /// Removes a connection that no longer works, although its socket may still be open.
    pub(super) fn discard(&self, connection: &Arc<Connection>) {
        let mut current = self.lock();
        if current.as_ref().is_some_and(|held| Arc::ptr_eq(held, connection)) {
            *current = None;
        }
    }

    /// Closes a connection that does not respond: nothing more is read from it or written to it.
    pub(super) fn abandon(&self, connection: &Arc<Connection>) {
        self.discard(connection);
        connection.driver.abort();
    }

    pub(super) fn close(&self) {
        *self.lock() = None;
    }

    /// The connection, if there is one now.
    pub(super) fn live(&self) -> Option<Arc<Connection>> {
        self.lock().as_ref().filter(|connection| !connection.is_closed()).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<Connection>>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a statement can be sent again on a new connection or after it was prepared again.
pub(super) fn recoverable(failure: &DatabaseError) -> bool {
    matches!(failure, DatabaseError::Lost(_) | DatabaseError::Timeout(_) | DatabaseError::Stale(_))
}
