//! Trace spans: one for each read and each commit, with statement texts and counts, never values.
//! Without a subscriber no span is created, and the check for one is a single comparison.

use crate::sql::Sql;
use tracing::Span;
use tracing::field::Empty;

/// The target of every span of the program. At this level, no log includes them by accident.
pub const TRACE_TARGET: &str = "perennial::trace";

/// A read of one statement; it ends when the span is dropped.
pub(crate) fn read(system: &'static str, sql: &Sql) -> Span {
    tracing::trace_span!(
        target: TRACE_TARGET,
        "store.read",
        otel.kind = "client",
        db.system.name = system,
        db.query.text = sql.postgres(),
    )
}

/// A change, from its place in the queue to the end of its transaction.
pub(crate) fn commit(system: &'static str) -> Span {
    tracing::trace_span!(
        target: TRACE_TARGET,
        "store.commit",
        otel.kind = "client",
        db.system.name = system,
        perennial.queue_micros = Empty,
        perennial.batch_changes = Empty,
    )
}

/// Records how long the change waited in the queue and how many changes its batch has.
pub(crate) fn taken(commit: &Span, waited: std::time::Duration, batch: usize) {
    commit.record("perennial.queue_micros", u64::try_from(waited.as_micros()).unwrap_or(u64::MAX));
    commit.record("perennial.batch_changes", batch);
}
