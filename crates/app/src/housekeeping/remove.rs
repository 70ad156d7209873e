//! Removal of rows that are due, in small changes. The changes of requests go first.

use crate::context::App;
use crate::error::Error;
use perennial_store::{self as store, Change};
use std::time::Duration;

/// The number of rows that one change removes: a few milliseconds of the writer's time.
pub(crate) const BATCH: i64 = 500;
/// The pause between two changes. SQLite's busy handler looks at most 25 ms apart in its first tenth of a second, so a
/// writer in another process finds the lock free in this time.
const PAUSE: Duration = Duration::from_millis(30);
/// The number of consecutive pauses while requests wait for the writer. Then rows are removed anyway.
const PAUSES: u32 = 20;

/// Removes rows until none is due. `due` reads the next ones and `change` removes them. Returns the number of rows.
pub(crate) async fn remove<T, F>(app: &App, due: impl Fn() -> F, change: impl Fn() -> Change) -> Result<u64, Error>
where
    T: PartialEq,
    F: Future<Output = Result<Vec<T>, store::Error>>,
{
    let mut removed = 0;
    let mut batch = due().await?;
    while !batch.is_empty() {
        commit(app, &change).await?;
        let next = due().await?;
        // Another server is removing these rows, or another transaction has locked them. The next run tries again.
        if next.first() == batch.first() {
            break;
        }
        removed += batch.len() as u64;
        batch = next;
        if !batch.is_empty() {
            pause(app).await;
        }
    }
    Ok(removed)
}

/// Commits the change as soon as the writer has room for it.
pub(super) async fn commit(app: &App, change: impl Fn() -> Change) -> Result<(), Error> {
    loop {
        match app.db.commit(change()).await {
            Err(store::Error::Overloaded) => pause(app).await,
            committed => return Ok(committed?),
        }
    }
}

/// Lets the changes of requests go first.
pub(super) async fn pause(app: &App) {
    for _ in 0..PAUSES {
        tokio::time::sleep(PAUSE).await;
        if app.db.metrics().queue_depth == 0 {
            return;
        }
    }
}
