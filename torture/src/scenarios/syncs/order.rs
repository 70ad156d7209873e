//! Which rows were on the disk when their responses were sent, according to a trace.
//!
//! A row carries a mark that is found again in the log's bytes, in the database's conversation and in the response.
//! On SQLite a row is safe when a sync of the log that began after the row was written to it has ended well. On
//! PostgreSQL this applies to the commit: after the backend received COMMIT the log is written, then synced, by whichever
//! process, and only then does the backend say that it is done.

use std::collections::HashMap;

use crate::scenario::Engine;
use crate::strace::Call;

const MARK: &str = "row-";
const DIGITS: usize = 9;

/// The text by which a row is found again.
pub(crate) fn mark(number: usize) -> String {
    format!("{MARK}{number:0DIGITS$}")
}

/// The numbers of all rows whose marks are in a text.
pub(crate) fn marks(text: &str) -> impl Iterator<Item = usize> {
    text.match_indices(MARK).filter_map(|(at, _)| text.get(at + MARK.len()..at + MARK.len() + DIGITS)?.parse().ok())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Written,
    Safe,
}

/// A backend between COMMIT and its response.
#[derive(Clone, Copy, Debug, Default)]
struct Commit {
    written: bool,
    synced: bool,
}

#[derive(Debug)]
pub(crate) struct Order {
    engine: Engine,
    rows: HashMap<usize, Stage>,
    /// What each thread that is syncing will have made safe.
    syncing: HashMap<u32, Vec<usize>>,
    /// The statements of each backend since its last commit.
    received: HashMap<u32, Vec<usize>>,
    commits: HashMap<u32, Commit>,
    committing: HashMap<u32, Vec<u32>>,
    pub(crate) answered: usize,
    pub(crate) answered_too_early: Vec<usize>,
    pub(crate) syncs: usize,
    pub(crate) failed_syncs: usize,
}

impl Order {
    pub(crate) fn new(engine: Engine) -> Self {
        Self {
            engine,
            rows: HashMap::new(),
            syncing: HashMap::new(),
            received: HashMap::new(),
            commits: HashMap::new(),
            committing: HashMap::new(),
            answered: 0,
            answered_too_early: Vec::new(),
            syncs: 0,
            failed_syncs: 0,
        }
    }

    pub(crate) fn see(&mut self, call: &Call<'_>) {
        if call.is_sync() {
            self.sync(call);
        } else if call.begins() && call.sends() && call.text.contains("\"HTTP/1.1 2") {
            self.response(call);
        } else {
            match self.engine {
                Engine::Sqlite => self.sqlite(call),
                Engine::Postgres => self.postgres(call),
            }
        }
    }

    fn sqlite(&mut self, call: &Call<'_>) {
        if call.begins() && call.name.starts_with("pwrite") && self.is_log(call) {
            for row in marks(call.text) {
                self.rows.entry(row).or_insert(Stage::Written);
            }
        }
    }

    fn postgres(&mut self, call: &Call<'_>) {
        if call.begins() && call.name.starts_with("pwrite") && self.is_log(call) {
            for commit in self.commits.values_mut() {
                commit.written = true;
            }
        } else if call.ends() && call.name == "recvfrom" {
            self.received.entry(call.thread).or_default().extend(marks(call.text));
            if call.text.contains(r#""Q\0\0\0\vCOMMIT\0""#) {
                self.commits.insert(call.thread, Commit::default());
            }
        } else if call.begins() && call.name == "sendto" && call.text.contains(r"COMMIT\0Z") {
            let is_safe = self.commits.remove(&call.thread).is_some_and(|commit| commit.synced);
            let stage = if is_safe { Stage::Safe } else { Stage::Written };
            let received = self.received.remove(&call.thread).unwrap_or_default();
            self.rows.extend(received.into_iter().map(|row| (row, stage)));
        }
    }

    fn sync(&mut self, call: &Call<'_>) {
        if call.begins() && self.is_log(call) {
            let written = self.rows.iter().filter(|(_, stage)| **stage == Stage::Written).map(|(row, _)| *row);
            self.syncing.insert(call.thread, written.collect());
            let written = self.commits.iter().filter(|(_, commit)| commit.written).map(|(backend, _)| *backend);
            self.committing.insert(call.thread, written.collect());
        }
        if !call.ends() {
            return;
        }
        let (Some(rows), Some(backends)) = (self.syncing.remove(&call.thread), self.committing.remove(&call.thread))
        else {
            return;
        };
        self.syncs += 1;
        if !call.succeeded() {
            self.failed_syncs += 1;
            return;
        }
        if self.engine == Engine::Sqlite {
            self.rows.extend(rows.into_iter().map(|row| (row, Stage::Safe)));
        }
        for backend in backends {
            self.commits.entry(backend).and_modify(|commit| commit.synced = true);
        }
    }

    fn response(&mut self, call: &Call<'_>) {
        let Some(row) = marks(call.text).next() else { return };
        self.answered += 1;
        if self.rows.get(&row) != Some(&Stage::Safe) {
            self.answered_too_early.push(row);
        }
    }

    fn is_log(&self, call: &Call<'_>) -> bool {
        let name = match self.engine {
            Engine::Sqlite => "perennial.db-wal>",
            Engine::Postgres => "/pg_wal/",
        };
        // The name of the file comes first; what is written may hold anything.
        call.text.split([',', ')']).next().is_some_and(|file| file.contains(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(engine: Engine, trace: &[&str]) -> Order {
        let mut order = Order::new(engine);
        for line in trace {
            order.see(&Call::parse(line).unwrap());
        }
        order
    }

    const WRITE: &str = r#"1 pwrite64(9</d/perennial.db-wal>, "\0row-000000007\0", 4096, 0) = 4096"#;
    const SYNC: &str = "1 fsync(9</d/perennial.db-wal>) = 0";
    const ANSWER: &str =
        r#"2 writev(7<socket:[1]>, [{iov_base="HTTP/1.1 201 Created\r\nx-request-id: row-000000007"}], 1) = 9"#;

    #[test]
    fn on_sqlite_the_sync_must_begin_after_the_write_and_end_before_the_answer() {
        let good = seen(Engine::Sqlite, &[WRITE, SYNC, ANSWER]);
        assert_eq!((good.answered, good.answered_too_early.len(), good.syncs), (1, 0, 1));
        let begun = "1 fsync(9</d/perennial.db-wal> <unfinished ...>";
        let ended = "1 <... fsync resumed>) = 0";
        let failed = "1 <... fsync resumed>) = -1 EIO (Input/output error) (INJECTED)";
        let other = "1 fsync(8</d/perennial.db>) = 0";
        for bad in [
            vec![WRITE, ANSWER, SYNC],
            vec![SYNC, WRITE, ANSWER],
            vec![begun, WRITE, ended, ANSWER],
            vec![WRITE, begun, ANSWER, ended],
            vec![WRITE, begun, failed, ANSWER],
            vec![WRITE, other, ANSWER],
            vec![ANSWER],
        ] {
            assert_eq!(seen(Engine::Sqlite, &bad).answered_too_early, [7], "{bad:?}");
        }
    }

    #[test]
    fn on_postgresql_the_log_is_written_and_synced_between_commit_and_its_answer() {
        let received = r#"4 recvfrom(9<socket:[2]>, "B\0row-000000007\0", 8192, 0, NULL, NULL) = 20"#;
        let commit = r#"4 recvfrom(9<socket:[2]>, "Q\0\0\0\vCOMMIT\0", 8192, 0, NULL, NULL) = 12"#;
        let write = r#"4 pwrite64(5</p/pg_wal/000000010000000000000001>, "x", 8192, 0) = 8192"#;
        let sync = "4 fdatasync(5</p/pg_wal/000000010000000000000001>) = 0";
        let by_another = "5 fdatasync(5</p/pg_wal/000000010000000000000001>) = 0";
        let done = r#"4 sendto(9<socket:[2]>, "C\0\0\0\vCOMMIT\0Z\0\0\0\5I", 18, 0, NULL, 0) = 18"#;
        for good in
            [vec![received, commit, write, sync, done, ANSWER], vec![received, commit, write, by_another, done, ANSWER]]
        {
            let order = seen(Engine::Postgres, &good);
            assert_eq!((order.answered, order.answered_too_early.len()), (1, 0), "{good:?}");
        }
        for bad in [
            vec![received, write, sync, commit, done, ANSWER],
            vec![received, commit, sync, write, done, ANSWER],
            vec![received, commit, write, done, sync, ANSWER],
            vec![received, commit, write, sync, ANSWER, done],
            vec![commit, write, sync, done, received, ANSWER],
        ] {
            assert_eq!(seen(Engine::Postgres, &bad).answered_too_early, [7], "{bad:?}");
        }
    }
}
