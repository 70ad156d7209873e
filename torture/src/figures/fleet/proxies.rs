//! What stands before the servers and what stands behind them: HAProxy and PgBouncer, each with the file of `deploy/` in
//! which nothing but addresses is exchanged.

use std::fs::{self, File};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::member::Member;
use crate::cluster::free_port;
use crate::failure::{Failure, Result, could_not};
use crate::home::Home;

const HAPROXY: &str = include_str!("../../../../deploy/haproxy.cfg");
const PGBOUNCER: &str = include_str!("../../../../deploy/pgbouncer.ini");
const LIMIT: Duration = Duration::from_secs(10);

/// A process that listens; dropping it kills it.
struct Listening {
    child: Child,
    address: SocketAddr,
}

impl Listening {
    fn start(command: &mut Command, address: SocketAddr, log: &Path) -> Result<Self> {
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
}

impl Drop for Listening {
    fn drop(&mut self) {
        // It may have ended already, which is as well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(super) struct Proxy(Listening);

impl Proxy {
    pub(super) fn start(home: &Home, members: &[Member]) -> Result<Self> {
        let address = loopback(free_port()?);
        let mut text = exchange(HAPROXY, "bind :8080", &format!("bind {address}"))?;
        for (number, member) in members.iter().enumerate() {
            text = exchange(&text, &format!("10.0.0.1{}:8080", number + 1), &member.address().to_string())?;
        }
        let file = home.directory().join("haproxy.cfg");
        fs::write(&file, text).map_err(could_not("write haproxy.cfg"))?;
        let mut command = Command::new(program("haproxy")?);
        command.arg("-db").arg("-f").arg(&file);
        Listening::start(&mut command, address, &home.directory().join("haproxy.log")).map(Self)
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.0.address
    }
}

pub(super) struct Pooler(Listening);

impl Pooler {
    pub(super) fn start(home: &Home) -> Result<Self> {
        let cluster = home.cluster.as_ref().ok_or_else(|| Failure::new("a fleet needs PostgreSQL"))?;
        let address = loopback(free_port()?);
        let host = cluster.host().replace(':', " port=");
        let mut text = PGBOUNCER.to_owned();
        for (from, to) in [
            ("host=10.0.0.20 port=5432 dbname=perennial", format!("host={host} dbname=postgres user=postgres")),
            ("listen_port = 6432", format!("listen_port = {}", address.port())),
            // The cluster of the figure lets everybody in.
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

    pub(super) fn url(&self) -> String {
        format!("postgres://perennial@{}/perennial", self.0.address)
    }
}

/// A file of `deploy/` in which something else stands in place of what it says for everyone.
fn exchange(text: &str, from: &str, to: &str) -> Result<String> {
    match text.matches(from).count() {
        1 => Ok(text.replace(from, to)),
        count => Err(Failure::new(format!("`{from}` stands {count} times in a file of deploy/, not once"))),
    }
}

fn loopback(port: u16) -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, port))
}

/// Daemons are kept where only root's PATH leads.
fn program(name: &str) -> Result<PathBuf> {
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
