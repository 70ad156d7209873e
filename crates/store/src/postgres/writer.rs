//! The one writer: a task that drains the queue, one batch per transaction.
//!
//! Every wait is bounded: a change whose lock another transaction holds leaves the batch for the lane of blocked
//! changes.

use std::sync::Arc;

use super::blocked::{BlockedLane, Caution};
use super::committer::{Committer, Failed};
use super::connection::Slot;
use super::statistics::Statistics;
use super::{plan, replay};
use crate::change::Change;
use crate::error::Error;
use crate::metrics::Counters;
use crate::queue::{Failure, Inbox, Job};

pub(super) fn start(
    slot: Slot,
    blocked: BlockedLane,
    mut inbox: Inbox,
    mut statistics: Statistics,
    counters: Arc<Counters>,
    failure: Failure,
) {
    let committer = Committer::new(slot, counters);
    tokio::spawn(async move {
        let _watch = failure.watch_for_panic();
        while let Some(batch) = inbox.next().await {
            let changes = batch.len();
            for job in write(&committer, batch, blocked.caution()).await {
                blocked.accept(job);
            }
            statistics.written(changes);
        }
        blocked.finish().await;
        committer.close();
        inbox.finished();
    });
}

/// Writes a batch and reports the outcome of its changes, except for those it returns: they need a lock that is held.
async fn write(committer: &Committer, batch: Vec<Job>, caution: &Caution) -> Vec<Job> {
    committer.counters().batch(batch.len());
    let lock = caution.lock_timeout(committer.timeouts());
    let outcome = {
        let changes: Vec<&Change> = batch.iter().map(|job| &job.change).collect();
        committer.together(&plan::batch(&changes), lock).await
    };
    match outcome {
        Ok(()) => batch.into_iter().for_each(|job| job.complete(Ok(()))),
        Err(Failed::Locked(_)) if batch.len() == 1 => {
            committer.counters().replay();
            return batch;
        }
        Err(Failed::Apart(error)) if batch.len() == 1 => reject(batch, &error),
        Err(Failed::Apart(_) | Failed::Locked(_)) => {
            committer.counters().replay();
            return replay::run(committer, batch, lock).await;
        }
        Err(Failed::Over(error)) => {
            tracing::warn!(%error, changes = batch.len(), "a batch was not written");
            reject(batch, &error);
        }
    }
    Vec::new()
}

fn reject(batch: Vec<Job>, error: &Error) {
    for job in batch {
        job.complete(Err(error.clone()));
    }
}
