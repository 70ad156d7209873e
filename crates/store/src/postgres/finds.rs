//! Reads by key, combined: reads that arrive while others are in progress are sent as one statement. A statement for
//! thirty keys costs the server and the client little more than one for a single key.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use futures_util::future::join_all;
use tokio::sync::{mpsc, oneshot};
use tokio_postgres::Row;

use super::database_error::DatabaseError;
use super::readers::{Readers, too_many};
use super::value::{Argument, Int};
use crate::metrics::Counters;
use crate::sql::{Rows, Sql};
use crate::value::{Type, Value};

/// The most reads in one statement.
const MOST: usize = 128;
/// How many reads may wait for each worker.
const WAITING: usize = 1024;
/// Statements in progress on each connection: while the server runs one, the next is being sent.
const UNDER_WAY: usize = 2;

type Found = Result<Vec<Row>, DatabaseError>;

/// One read and the caller that waits for it.
struct Find {
    sql: &'static Sql,
    rows: Rows,
    params: Vec<Value>,
    reply: oneshot::Sender<Found>,
}

pub(super) struct Finds {
    inboxes: Vec<mpsc::Sender<Find>>,
    next: AtomicUsize,
}

impl Finds {
    /// Must be called within a tokio runtime. The workers end when the value is dropped.
    pub(super) fn new(readers: &Arc<Readers>, counters: &Arc<Counters>) -> Self {
        let inboxes = (0..readers.count() * UNDER_WAY).map(|_| {
            let (sender, inbox) = mpsc::channel(WAITING);
            tokio::spawn(run_all(Arc::clone(readers), inbox, Arc::clone(counters)));
            sender
        });
        Self { inboxes: inboxes.collect(), next: AtomicUsize::new(0) }
    }

    pub(super) async fn find(&self, sql: &'static Sql, rows: Rows, params: Vec<Value>) -> Found {
        let (reply, received) = oneshot::channel();
        let inbox = &self.inboxes[self.next.fetch_add(1, Relaxed) % self.inboxes.len()];
        let closed = || DatabaseError::Temporary("the store is closing".to_owned());
        inbox.try_send(Find { sql, rows, params, reply }).map_err(|rejected| match rejected {
            mpsc::error::TrySendError::Full(_) => too_many(),
            mpsc::error::TrySendError::Closed(_) => closed(),
        })?;
        received.await.map_err(|_| closed())?
    }
}

async fn run_all(readers: Arc<Readers>, mut inbox: mpsc::Receiver<Find>, counters: Arc<Counters>) {
    let mut finds = Vec::new();
    while inbox.recv_many(&mut finds, MOST).await > 0 {
        finds.retain(|find| !find.reply.is_closed());
        let mut statements = Vec::new();
        while let Some(sql) = finds.first().map(|first| first.sql) {
            let alike = finds.extract_if(.., |find| std::ptr::eq(find.sql, sql)).collect();
            statements.push(run(&readers, sql, alike, &counters));
        }
        join_all(statements).await;
    }
}

/// Runs reads of one statement. If the combined statement fails, one of them may be the cause: each is run alone.
async fn run(readers: &Readers, sql: &Sql, finds: Vec<Find>, counters: &Counters) {
    let results = match together(readers, sql, &finds, counters).await {
        Ok(rows) => rows.into_iter().map(Ok).collect(),
        Err(DatabaseError::Statement(_)) if finds.len() > 1 => {
            let mut results = Vec::with_capacity(finds.len());
            for find in &finds {
                results.push(alone(readers, find, counters).await);
            }
            results
        }
        Err(failure) => vec![Err(failure); finds.len()],
    };
    for (find, result) in finds.into_iter().zip(results) {
        // The caller may have stopped waiting.
        let _ = find.reply.send(result);
    }
}

/// The rows of each, in their order.
async fn together(
    readers: &Readers,
    sql: &Sql,
    finds: &[Find],
    counters: &Counters,
) -> Result<Vec<Vec<Row>>, DatabaseError> {
    let [first, _, ..] = finds else {
        return Ok(vec![alone(readers, &finds[0], counters).await?]);
    };
    counters.statements(1);
    let keys: Vec<&[Value]> = finds.iter().map(|find| find.params.as_slice()).collect();
    rows_of_each(readers, sql, first.rows, &keys).await
}

/// The rows of each key, in the order of the keys, by one statement. There must be a key.
pub(super) async fn rows_of_each(
    readers: &Readers,
    sql: &Sql,
    rows: Rows,
    keys: &[&[Value]],
) -> Result<Vec<Vec<Row>>, DatabaseError> {
    let kinds: Vec<Type> = keys[0].iter().map(Value::kind).collect();
    let text = sql.many(rows, kinds.iter().copied());
    let column = |(position, kind)| Argument::Column(kind, keys.iter().map(|key| &key[position]).collect());
    let arguments: Vec<Argument<'_>> = kinds.into_iter().enumerate().map(column).collect();
    let mut found: Vec<Vec<Row>> = keys.iter().map(|_| Vec::new()).collect();
    for row in readers.query(text, &arguments).await? {
        let place = row.try_get::<_, Int>(row.len() - 1).map_err(|error| DatabaseError::of(&error))?.0;
        let slot = usize::try_from(place - 1).ok().and_then(|place| found.get_mut(place));
        let unexpected = || DatabaseError::Statement(format!("unexpected position {place} in the result"));
        slot.ok_or_else(unexpected)?.push(row);
    }
    Ok(found)
}

async fn alone(readers: &Readers, find: &Find, counters: &Counters) -> Found {
    counters.statements(1);
    let arguments: Vec<Argument<'_>> = find.params.iter().map(Argument::One).collect();
    readers.query(find.sql.postgres(), &arguments).await
}
