//! A second server that follows the first, so that a commit is on two disks, and that can take its place.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use super::{Cluster, LIMIT, run};
use crate::failure::{Failure, Result, could_not};
use crate::scenario::Run;

/// Every server process applies new settings a moment after the reload.
const SETTINGS_SPREAD: Duration = Duration::from_millis(300);

impl Cluster {
    /// A follower of `primary`.
    pub(crate) fn following(run: &Run, primary: &Self) -> Result<Self> {
        let mut cluster = Self::place(run)?;
        cluster.follow(primary)?;
        Ok(cluster)
    }

    /// Throws away what was here, takes a copy of the primary and follows it. From then on the primary acknowledges a
    /// commit only after it is on this disk too.
    pub(crate) fn follow(&mut self, primary: &Self) -> Result {
        let data = self.directory.join("data");
        if data.exists() {
            fs::remove_dir_all(&data).map_err(could_not("remove a stopped PostgreSQL"))?;
        }
        let settings = ["--pgdata=data", "--write-recovery-conf", "--wal-method=stream", "--checkpoint=fast"];
        run(self.command("pg_basebackup").args(settings).args(["--dbname", &primary.url()]))?;
        self.start_again()?;
        // Not before the copy was made: after the promotion it would require a standby too.
        primary.query("ALTER SYSTEM SET synchronous_standby_names = '*'")?;
        primary.query("SELECT pg_reload_conf()")?;
        let deadline = Instant::now() + LIMIT;
        while primary.query("SELECT COUNT(*) FROM pg_stat_replication WHERE sync_state = 'sync'")?.trim() != "1" {
            if Instant::now() > deadline {
                return Err(Failure::new("the second PostgreSQL did not follow the first within a minute"));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        std::thread::sleep(SETTINGS_SPREAD);
        Ok(())
    }

    /// Stops following and takes writes. Returns when it does.
    pub(crate) fn promote(&self) -> Result {
        match self.query("SELECT pg_promote(true, 60)")?.trim() {
            "t" => Ok(()),
            _ => Err(self.not_started("was not promoted within a minute")),
        }
    }

    /// Host and port, as one of several in a URL.
    pub(crate) fn host(&self) -> String {
        self.address().to_string()
    }

    pub(crate) fn address(&self) -> SocketAddr {
        SocketAddr::from((Ipv4Addr::LOCALHOST, self.port))
    }
}
