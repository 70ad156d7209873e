//! The statistics of PostgreSQL's planner.
//!
//! A new table has none. Until autovacuum gathers them, which may take a minute, the planner may choose an index that
//! must be read completely. In that minute an installation can grow a thousandfold. So the writer runs ANALYZE itself,
//! whenever it has written ten times as much as before.
//!
//! ANALYZE continues after the end of the server that began it. Only one runs at a time, and only on tables that need it:
//! otherwise servers that are restarted again and again would begin more than the database can finish.

use std::sync::Arc;

use super::database_error::describe;
use super::tls::Target;

/// Below this number of changes any plan is good enough.
const FIRST: u64 = 100;

/// The tables of the schema that have no statistics or have doubled since, quoted; none while they are being gathered. The list
/// is read from the database because the engine does not know the resources.
const TABLES: &str = "SELECT string_agg(quote_ident(c.relname), ', ')
     FROM pg_class AS c LEFT JOIN pg_stat_user_tables AS s ON s.relid = c.oid
     WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
         AND (c.reltuples <= 0 OR s.n_mod_since_analyze > c.reltuples)
         AND NOT EXISTS (SELECT 1 FROM pg_stat_progress_analyze AS p WHERE p.datname = current_database())";

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
        match client.query_one(TABLES, &[]).await?.get::<_, Option<String>>(0) {
            Some(tables) => client.batch_execute(&format!("ANALYZE {tables}")).await,
            None => Ok(()),
        }
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
