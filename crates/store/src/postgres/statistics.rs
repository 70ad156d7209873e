//! The statistics of PostgreSQL's planner.
//!
//! A new table has none. Until autovacuum gathers them, which may take a minute, the planner may choose an index that
//! must be read completely. In that minute an installation can grow a thousandfold. So the writer runs ANALYZE itself,
//! whenever it has written ten times as much as before.

use std::sync::Arc;

use super::database_error::describe;
use super::tls::Target;

/// Below this number of changes any plan is good enough.
const FIRST: u64 = 100;

/// The tables of the schema, quoted. The list is read from the database because the engine does not know the resources.
const TABLES: &str = "SELECT string_agg(quote_ident(relname), ', ') FROM pg_class
     WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace";

pub(super) struct Statistics {
    target: Arc<Target>,
    growth: Growth,
}

impl Statistics {
    pub(super) fn new(target: Arc<Target>) -> Self {
        Self { target, growth: Growth { written: 0, next: FIRST } }
    }

    /// Called after this many changes were committed. ANALYZE runs in the background.
    pub(super) fn written(&mut self, changes: usize) {
        if self.growth.by(changes) {
            tokio::spawn(gather(Arc::clone(&self.target)));
        }
    }
}

/// On a separate connection, which is closed afterwards: a sample takes as long as hundreds of writes.
async fn gather(target: Arc<Target>) {
    let gathered = async {
        let (client, connection) = target.config.connect(target.tls.clone()).await?;
        tokio::spawn(connection);
        let tables: Option<String> = client.query_one(TABLES, &[]).await?.get(0);
        client.batch_execute(&format!("ANALYZE {}", tables.unwrap_or_default())).await
    };
    if let Err(error) = gathered.await {
        tracing::debug!(error = describe(&error), "statistics were not gathered; autovacuum will");
    }
}

struct Growth {
    written: u64,
    next: u64,
}

impl Growth {
    /// Whether ANALYZE is due.
    fn by(&mut self, changes: usize) -> bool {
        self.written += changes as u64;
        let is_due = self.written >= self.next;
        while self.written >= self.next {
            self.next = self.next.saturating_mul(10);
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_power_of_ten_is_due_once() {
        let mut growth = Growth { written: 0, next: FIRST };
        let due: Vec<usize> = (1..=2_000).filter(|_| growth.by(1)).collect();
        assert_eq!(due, [100, 1_000]);
        assert!(growth.by(500_000));
        assert!(!growth.by(1));
        assert_eq!(growth.next, 1_000_000);
    }
}
