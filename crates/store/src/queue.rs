//! The bounded queue between callers and the writer, which takes one batch at a time and reports each outcome.
//! It is the same for both engines.

use std::collections::VecDeque;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, oneshot, watch};
use tracing::Span;

use crate::change::Change;
use crate::claims::Claims;
use crate::error::Error;
use crate::metrics::{Counters, QueueLevel};
use crate::spans;

mod age;

use age::Age;

/// The most background changes in one batch with changes of requests: next to full batches, they get a ninth of the writer.
const BACKGROUND_BATCH: usize = 32;
/// The same in a batch without them.
const BACKGROUND_ALONE: usize = 64;

/// The most background changes that wait.
const BACKGROUND_WAITING: usize = 1024;

/// A larger batch saves no more syncs, and a violation would make more changes run twice.
pub(crate) const BATCH: usize = 256;

/// After a batch of so many requests, the writer of PostgreSQL waits a moment, unless half as many are back. A transaction for the
/// first of them alone would make all others wait for it: every third had one change. On SQLite a small transaction costs less.
const LARGE: usize = 16;
const MOMENT: Duration = Duration::from_millis(1);

/// A change and the caller that waits for its outcome.
pub(crate) struct Job {
    pub(crate) change: Change,
    reply: oneshot::Sender<Result<(), Error>>,
    queued_at: Instant,
    span: Span,
}

impl Job {
    /// Whether its caller no longer waits.
    pub(crate) fn is_abandoned(&self) -> bool {
        self.reply.is_closed()
    }

    /// Whether it has waited for longer than its change allows. A wait up to `patience` is accepted for any change.
    pub(crate) fn is_late(&self, patience: Duration) -> bool {
        self.change.within.is_some_and(|within| self.queued_at.elapsed() > within.max(patience))
    }

    pub(crate) fn complete(self, outcome: Result<(), Error>) {
        // The caller holds the last handle of the span, so that it ends when the caller has the outcome.
        drop(self.span);
        // A caller that no longer waits does not change the outcome.
        let _ = self.reply.send(outcome);
    }
}

pub(crate) enum Message {
    Change(Job),
    /// There are background changes.
    Background,
    Close(oneshot::Sender<()>),
}

/// How many changes may wait for the writer, and how long the oldest of them may wait before others are rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    pub changes: usize,
    pub time: Duration,
}

impl Default for Waiting {
    fn default() -> Self {
        Self { changes: 4096, time: Duration::from_millis(300) }
    }
}

/// The callers' side of the queue.
pub(crate) struct Queue {
    sender: mpsc::Sender<Message>,
    background: Arc<Mutex<VecDeque<Job>>>,
    age: Arc<Age>,
    limit: Duration,
}

impl Queue {
    pub(crate) fn new(waiting: Waiting, counters: Arc<Counters>, rule: Rule) -> (Self, Inbox) {
        let capacity = waiting.changes.max(1);
        let (sender, receiver) = mpsc::channel(capacity);
        let age = Arc::new(Age::new());
        let background = Arc::new(Mutex::new(VecDeque::new()));
        let inbox = Inbox {
            receiver,
            background: Arc::clone(&background),
            deferred: VecDeque::new(),
            closing: None,
            last_requests: 0,
            capacity,
            patience: waiting.time,
            age: Arc::clone(&age),
            counters,
            rule,
        };
        (Self { sender, background, age, limit: waiting.time }, inbox)
    }

    /// Hands a change to the writer and waits for its transaction.
    pub(crate) async fn commit(&self, change: Change, span: &Span) -> Result<(), Error> {
        if change.is_empty() {
            return Ok(());
        }
        change.check()?;
        let queued_at = Instant::now();
        let is_background = change.is_background;
        // A change that would wait too long is rejected now, not when the time is over.
        if !is_background && self.age.exceeds(self.limit, queued_at) {
            return Err(Error::Overloaded);
        }
        let (reply, outcome) = oneshot::channel();
        let job = Job { change, reply, queued_at, span: span.clone() };
        if is_background {
            self.accept_background(job)?;
        } else {
            self.sender.try_send(Message::Change(job)).map_err(|refused| match refused {
                mpsc::error::TrySendError::Full(_) => Error::Overloaded,
                mpsc::error::TrySendError::Closed(_) => closed(),
            })?;
        }
        // The writer completes every job. A dropped one means that it stopped between BEGIN and COMMIT.
        outcome.await.unwrap_or(Err(Error::OutcomeUnknown))
    }

    fn accept_background(&self, job: Job) -> Result<(), Error> {
        let mut waiting = self.background.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() >= BACKGROUND_WAITING {
            return Err(Error::Overloaded);
        }
        // Under the lock, so that a closed queue never holds a job.
        if self.sender.is_closed() {
            return Err(closed());
        }
        // The first wakes the writer. A full queue needs no message: its writer is awake.
        if waiting.is_empty() {
            let _ = self.sender.try_send(Message::Background);
        }
        waiting.push_back(job);
        Ok(())
    }

    /// Waits until the writer has committed what is queued.
    pub(crate) async fn close(&self) {
        let (done, finished) = oneshot::channel();
        if self.sender.send(Message::Close(done)).await.is_ok() {
            let _ = finished.await;
        }
    }

    /// How full it is.
    pub(crate) fn level(&self) -> QueueLevel {
        let capacity = self.sender.max_capacity();
        let background = self.background.lock().unwrap_or_else(PoisonError::into_inner).len();
        let oldest = self.age.oldest(Instant::now());
        QueueLevel { waiting: capacity - self.sender.capacity(), background, capacity, oldest }
    }
}

fn closed() -> Error {
    Error::Unavailable("the store is closed".to_owned())
}

/// Which changes may share a transaction.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rule {
    /// All: the engine runs them one after the other, so each sees those before it.
    Serial,
    /// Only those that do not touch each other: the engine runs them phase by phase.
    Disjoint,
}

/// The writer's side of the queue.
pub(crate) struct Inbox {
    receiver: mpsc::Receiver<Message>,
    background: Arc<Mutex<VecDeque<Job>>>,
    /// Changes that conflicted with one of the batch before. They are taken before the queue.
    deferred: VecDeque<Job>,
    closing: Option<oneshot::Sender<()>>,
    /// The changes of requests in the last batch.
    last_requests: usize,
    capacity: usize,
    patience: Duration,
    age: Arc<Age>,
    counters: Arc<Counters>,
    rule: Rule,
}

impl Inbox {
    /// The next batch, or `None` once the queue is closed and empty.
    pub(crate) async fn next(&mut self) -> Option<Vec<Job>> {
        self.age.writing(None);
        loop {
            let first = if self.is_idle() { Some(self.receiver.recv().await?) } else { None };
            if self.awaits_more() {
                tokio::time::sleep(MOMENT).await;
            }
            let batch = self.gather(first);
            if !batch.is_empty() {
                return Some(batch);
            }
        }
    }

    /// The same for a writer on a separate thread, without the moment.
    pub(crate) fn next_blocking(&mut self) -> Option<Vec<Job>> {
        self.age.writing(None);
        loop {
            let first = if self.is_idle() { Some(self.receiver.blocking_recv()?) } else { None };
            let batch = self.gather(first);
            if !batch.is_empty() {
                return Some(batch);
            }
        }
    }

    /// Reports to the caller of `close` that the writer has finished.
    pub(crate) fn finished(&mut self) {
        if let Some(done) = self.closing.take() {
            let _ = done.send(());
        }
    }

    /// Whether nothing is left to write but what the queue may hold.
    fn is_idle(&self) -> bool {
        self.deferred.is_empty() && self.background.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// Whether most callers of the last batch are expected in a moment.
    fn awaits_more(&self) -> bool {
        self.last_requests >= LARGE && self.receiver.len() < self.last_requests / 2 && self.closing.is_none()
    }

    /// The next background change, if this batch may have one more.
    fn receive_background(&mut self, of_requests: usize, taken: &mut usize) -> Option<Job> {
        // Between two batches of requests there is often a moment without any.
        let is_quiet = of_requests == 0 && self.last_requests == 0;
        let most = if is_quiet { BACKGROUND_ALONE } else { BACKGROUND_BATCH };
        if *taken == most {
            return None;
        }
        *taken += 1;
        self.background.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }

    fn gather(&mut self, mut first: Option<Message>) -> Vec<Job> {
        let mut batch = Vec::new();
        let mut claims = Claims::default();
        let mut earlier = std::mem::take(&mut self.deferred);
        let mut latest = None;
        let mut late = Vec::new();
        let (mut of_requests, mut of_background) = (0, 0);
        // The bound prevents that many changes of one row move here from the queue, which would then reject nothing.
        while self.deferred.len() < self.capacity {
            let received = (of_requests < BATCH).then(|| {
                earlier.pop_front().or_else(|| {
                    let job = self.receive(&mut first)?;
                    latest = Some(job.queued_at);
                    Some(job)
                })
            });
            let Some(job) = received.flatten().or_else(|| self.receive_background(of_requests, &mut of_background))
            else {
                break;
            };
            if job.is_abandoned() {
                continue;
            }
            if job.is_late(self.patience) {
                late.push(job);
                continue;
            }
            if self.rule == Rule::Serial || claims.admit(&job.change) {
                of_requests += usize::from(!job.change.is_background);
                batch.push(job);
            } else {
                self.deferred.push_back(job);
            }
        }
        self.deferred.append(&mut earlier);
        // Deferred changes wait for each other, so their age is not that of the queue. A writer that took nothing from
        // the queue was busy with them, and leaves the age as it was.
        if self.receiver.is_empty() {
            self.age.taken(None);
        } else if latest.is_some() {
            self.age.taken(latest);
        }
        self.last_requests = of_requests;
        let of_requests = batch.iter().filter(|job| !job.change.is_background);
        self.age.writing(of_requests.map(|job| job.queued_at).min());
        self.counters.deferred.store(self.deferred.len(), Relaxed);
        // After the age, so that a caller that tries again is not rejected for the change that just ended.
        for job in late {
            job.complete(Err(Error::Overloaded));
        }
        for job in batch.iter().filter(|job| !job.span.is_disabled()) {
            spans::taken(&job.span, job.queued_at.elapsed(), batch.len());
        }
        batch
    }

    fn receive(&mut self, first: &mut Option<Message>) -> Option<Job> {
        loop {
            match first.take().or_else(|| self.receiver.try_recv().ok())? {
                Message::Change(job) => return Some(job),
                Message::Background => {}
                Message::Close(done) => {
                    self.receiver.close();
                    self.closing = Some(done);
                }
            }
        }
    }
}

/// Reports to the rest of the program that the writer has failed for good.
#[derive(Clone)]
pub(crate) struct Failure(watch::Sender<Option<String>>);

impl Failure {
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(None))
    }

    pub(crate) fn raise(&self, reason: &str) {
        tracing::error!(reason, "the writer of the store has failed");
        self.0.send_if_modified(|current| {
            let first = current.is_none();
            if first {
                *current = Some(reason.to_owned());
            }
            first
        });
    }

    pub(crate) fn reason(&self) -> Option<String> {
        self.0.borrow().clone()
    }

    pub(crate) async fn wait(&self) -> String {
        let mut receiver = self.0.subscribe();
        let reason = receiver.wait_for(Option::is_some).await.map(|reason| reason.clone());
        match reason {
            Ok(reason) => reason.unwrap_or_default(),
            // `self` holds a sender, so the channel cannot close while we wait.
            Err(_) => std::future::pending().await,
        }
    }

    /// Raises the failure when dropped in a panic, so that a writer cannot die unnoticed.
    pub(crate) fn watch_for_panic(&self) -> PanicWatch {
        PanicWatch(self.clone())
    }
}

pub(crate) struct PanicWatch(Failure);

impl Drop for PanicWatch {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.raise("the writer panicked");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::Sql;
    use futures_util::future::{join, join_all};

    static WRITTEN: Sql = Sql::new("DELETE FROM t");

    /// Commits so many changes at once.
    async fn commit(queue: &Queue, changes: usize) {
        let span = Span::none();
        let change = || Change::new().execute_any(&WRITTEN, Vec::new());
        let outcomes = join_all((0..changes).map(|_| queue.commit(change(), &span))).await;
        assert!(outcomes.iter().all(Result::is_ok), "{outcomes:?}");
    }

    async fn write(inbox: &mut Inbox) -> usize {
        let batch = inbox.next().await.unwrap();
        let changes = batch.len();
        for job in batch {
            job.complete(Ok(()));
        }
        changes
    }

    /// The sizes of the batches of so many changes, and then of one change with another one right after it.
    async fn batches(first: usize) -> Vec<usize> {
        let (queue, mut inbox) = Queue::new(Waiting::default(), Arc::default(), Rule::Serial);
        let writing = async {
            let mut sizes = Vec::new();
            while sizes.iter().sum::<usize>() < first + 2 {
                sizes.push(write(&mut inbox).await);
            }
            sizes
        };
        let calling = async {
            commit(&queue, first).await;
            let second = async {
                tokio::task::yield_now().await;
                commit(&queue, 1).await;
            };
            join(commit(&queue, 1), second).await;
        };
        // Polled in this order.
        join(calling, writing).await.1
    }

    #[tokio::test]
    async fn after_a_large_batch_a_change_waits_a_moment_for_others() {
        assert_eq!(batches(LARGE).await, [LARGE, 2]);
        assert_eq!(batches(LARGE - 1).await, [LARGE - 1, 1, 1]);
    }
}
