//! What the store tells whoever traces a request: a span for each read and each commit, with texts and counts, never values.
//! While nobody listens none is made, and asking whether somebody does is one comparison.

use crate::sql::Sql;
use tracing::Span;
use tracing::field::Empty;

/// The target of every span of the program. At the level of the macro's name no log asks for them by accident.
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

/// The writer took the change up, after so long, together with the others of its batch.
pub(crate) fn taken(commit: &Span, waited: std::time::Duration, batch: usize) {
    commit.record("perennial.queue_micros", u64::try_from(waited.as_micros()).unwrap_or(u64::MAX));
    commit.record("perennial.batch_changes", batch);
}
