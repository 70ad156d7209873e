//! The ways in which a writer gets stuck.

use std::io::Write;
use std::process::{Child, ChildStdin, Stdio};
use std::time::{Duration, Instant};

use perennial_harness::{Server, signal};

use crate::cluster::Cluster;
use crate::failure::{Failure, Result, could_not};
use crate::relay::Relay;

const LIMIT: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(50);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Case {
    /// The writer's connection dies silently in the middle of a transaction.
    DeadConnection,
    /// Another server is frozen while it holds the lock of a record.
    FrozenServer,
    /// An operator's session holds the lock of a record.
    OperatorLock,
    /// An import that has not committed holds an external id.
    OpenImport,
    /// The writer's backend hangs.
    HungBackend,
}

impl Case {
    pub(super) const ALL: [Self; 5] =
        [Self::DeadConnection, Self::FrozenServer, Self::OperatorLock, Self::OpenImport, Self::HungBackend];
    /// Each case takes as long as the limits it waits for.
    pub(super) const QUICK: [Self; 2] = [Self::DeadConnection, Self::OperatorLock];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::DeadConnection => "a, dead connection",
            Self::FrozenServer => "b, frozen server",
            Self::OperatorLock => "c, operator's lock",
            Self::OpenImport => "c, open import",
            Self::HungBackend => "d, hung backend",
        }
    }

    /// Whether the whole writer waits, and not one record's changes only.
    pub(super) fn stops_the_writer(self) -> bool {
        matches!(self, Self::DeadConnection | Self::HungBackend)
    }
}

/// What holds the writer up. Dropping it lets everything continue.
pub(super) enum Obstacle<'a> {
    Held(&'a Relay),
    Frozen { relay: &'a Relay, server: &'a Server },
    Session { psql: Child, stdin: Option<ChildStdin> },
    Stopped { backend: u32 },
}

impl<'a> Obstacle<'a> {
    /// The connection that has sent the marker, held right before its COMMIT.
    pub(super) fn hold(relay: &'a Relay) -> Result<Self> {
        held(relay).map(|_| Self::Held(relay))
    }

    /// The server whose connection is held, frozen.
    pub(super) fn freeze(relay: &'a Relay, server: &'a Server) -> Result<Self> {
        held(relay)?;
        server.signal("STOP");
        Ok(Self::Frozen { relay, server })
    }

    /// The backend of the held connection, stopped before it gets its COMMIT.
    pub(super) fn stop_backend(relay: &Relay, cluster: &Cluster) -> Result<Self> {
        let port = held(relay)?;
        let found = cluster.query(&format!("SELECT pid FROM pg_stat_activity WHERE client_port = {port}"))?;
        let backend = found.trim().parse().map_err(|_| Failure::new("the held connection has no backend"))?;
        signal(backend, "STOP");
        relay.release();
        Ok(Self::Stopped { backend })
    }

    /// A session of an operator that ran this and did not commit.
    pub(super) fn session(cluster: &Cluster, sql: &str) -> Result<Self> {
        let mut command = cluster.command("psql");
        command.args(["--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--dbname", &cluster.url()]);
        command.env("PGAPPNAME", "operator").stdin(Stdio::piped()).stdout(Stdio::null());
        let mut psql = command.spawn().map_err(could_not("run `psql`"))?;
        let mut stdin = psql.stdin.take();
        if let Some(stdin) = &mut stdin {
            writeln!(stdin, "BEGIN; {sql};").map_err(could_not("talk to `psql`"))?;
        }
        wait(
            cluster,
            "SELECT COUNT(*) FROM pg_stat_activity WHERE application_name = 'operator' \
              AND state = 'idle in transaction' AND query NOT LIKE 'BEGIN%'",
        )?;
        Ok(Self::Session { psql, stdin })
    }
}

impl Drop for Obstacle<'_> {
    fn drop(&mut self) {
        match self {
            Self::Held(relay) => relay.cut(),
            Self::Frozen { relay, server } => {
                server.signal("CONT");
                relay.cut();
            }
            Self::Session { psql, stdin } => {
                drop(stdin.take());
                let _ = psql.wait();
            }
            Self::Stopped { backend } => {
                signal(*backend, "CONT");
            }
        }
    }
}

/// Until a transaction waits for a lock.
pub(super) fn wait_for_a_blocked_one(cluster: &Cluster) -> Result {
    wait(cluster, "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
}

fn held(relay: &Relay) -> Result<u16> {
    relay.wait_until_held(LIMIT).ok_or_else(|| Failure::new("no COMMIT came by to be held"))
}

fn wait(cluster: &Cluster, count: &str) -> Result {
    let deadline = Instant::now() + LIMIT;
    while cluster.query(count)?.trim() == "0" {
        if Instant::now() > deadline {
            return Err(Failure::new(format!("`{count}` was 0 for {LIMIT:?}")));
        }
        std::thread::sleep(PAUSE);
    }
    Ok(())
}
