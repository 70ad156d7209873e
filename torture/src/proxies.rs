//! Programs that stand in front of a server or of a database, each with the file of `deploy/` in which nothing but addresses
//! is exchanged.

use std::fs::{self, File};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::cluster::free_port;
use crate::failure::{Failure, Result, could_not};
use crate::home::Home;

const PGBOUNCER: &str = include_str!("../../deploy/pgbouncer.ini");
const LIMIT: Duration = Duration::from_secs(10);

/// A process that listens; dropping it kills it.
pub(crate) struct Listening {
    child: Child,
    address: SocketAddr,
}

impl Listening {
    pub(crate) fn start(command: &mut Command, address: SocketAddr, log: &Path) -> Result<Self> {
        let complaint = || could_not(format!("write {}", log.display()));
        let file = File::create(log).map_err(complaint())?;
        let other = file.try_clone().map_err(complaint())?;
        let child =
            command.stdin(Stdio::null()).stdout(other).stderr(file).spawn().map_err(could_not("run a proxy"))?;
        let mut process = Self { child, address };
        let deadline = Instant::now() + LIMIT;
        while TcpStream::connect(address).is_err() {
            let ended = process.child.try_wait().is_ok_and(|status| status.is_some());
            if ended || Instant::now() > deadline {
                let said = fs::read_to_string(log).unwrap_or_default();
                return Err(Failure::new(format!("a proxy did not listen on {address}; it said:\n{said}")));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(process)
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        // It may have ended already, which is as well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) struct Pooler(Listening);

impl Pooler {
    /// A pooler in front of the database at this address, run by the account that owns the cluster of `home`.
    pub(crate) fn start(home: &Home, database: SocketAddr) -> Result<Self> {
        let cluster = home.cluster()?;
        let address = loopback(free_port()?);
        let host = format!("{} port={}", database.ip(), database.port());
        let mut text = PGBOUNCER.to_owned();
        for (from, to) in [
            ("host=10.0.0.20 port=5432 dbname=perennial", format!("host={host} dbname=postgres user=postgres")),
            ("listen_port = 6432", format!("listen_port = {}", address.port())),
            // The cluster of the scenario lets everybody in.
            ("auth_type = scram-sha-256", "auth_type = any".to_owned()),
            ("auth_file = /etc/pgbouncer/userlist.txt\n", String::new()),
        ] {
            text = exchange(&text, from, &to)?;
        }
        let file = cluster.directory().join("pgbouncer.ini");
        fs::write(&file, text).map_err(could_not("write pgbouncer.ini"))?;
        // It refuses to be root, as PostgreSQL does.
        let mut command = cluster.command(&program("pgbouncer")?.to_string_lossy());
        let log = home.directory().join("pgbouncer.log");
        Listening::start(command.arg(&file), address, &log).map(Self)
    }

    pub(crate) fn url(&self) -> String {
        format!("postgres://perennial@{}/perennial", self.0.address())
    }
}

/// A file of `deploy/` with one text replaced.
pub(crate) fn exchange(text: &str, from: &str, to: &str) -> Result<String> {
    match text.matches(from).count() {
        1 => Ok(text.replace(from, to)),
        count => Err(Failure::new(format!("`{from}` occurs {count} times in a file of deploy/, not once"))),
    }
}

pub(crate) fn loopback(port: u16) -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, port))
}

/// Daemons may be outside of the PATH of users.
pub(crate) fn program(name: &str) -> Result<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let directories = std::env::split_paths(&path).chain(["/usr/sbin", "/usr/local/sbin"].map(PathBuf::from));
    let found = directories.map(|directory| directory.join(name)).find(|path| path.is_file());
    found.ok_or_else(|| Failure::new(format!("`{name}` is not installed; install the package `{name}`")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_to_be_exchanged_stands_there_once() {
        assert_eq!(exchange("bind :8080\n", ":8080", ":1").unwrap(), "bind :1\n");
        assert!(exchange("bind :8080 :8080", ":8080", ":1").is_err());
        assert!(exchange("bind :80", ":8080", ":1").is_err());
    }
}
