//! One server of the fleet: always at the same address, in a separate directory.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use perennial_harness::{Connection, Server};

use crate::failure::{Failure, Result, could_not};
use crate::home::Home;
use crate::proxies::Pooler;

/// Longer than the proxy's checks need to notice.
pub(super) const STOP_DELAY_SECONDS: u64 = 2;
const LIMIT: Duration = Duration::from_secs(30);
/// Below the range of ephemeral ports, so that no other process takes it while the server is stopped.
const FIRST_PORT: u16 = 20_000;

pub(super) struct Member {
    directory: PathBuf,
    address: SocketAddr,
    server: Option<Server>,
}

impl Member {
    pub(super) fn start(home: &Home, pooler: &Pooler, number: usize) -> Result<Self> {
        let directory = home.directory().join(format!("server-{number}"));
        fs::create_dir(&directory).map_err(could_not("create a server's directory"))?;
        fs::write(directory.join("perennial.toml"), settings()).map_err(could_not("write perennial.toml"))?;
        let mut member = Self { directory, address: free_address()?, server: None };
        member.start_again(home, pooler)?;
        Ok(member)
    }

    pub(super) fn start_again(&mut self, home: &Home, pooler: &Pooler) -> Result {
        let complaint = || could_not("run a server of the fleet");
        let mut command = home.command();
        command.current_dir(&self.directory).env("PERENNIAL_DATABASE_URL", pooler.url()).args([
            "serve",
            "--listen",
            &self.address.to_string(),
        ]);
        let mut server = Server::start(&mut command, &self.directory.join("server.log")).map_err(complaint())?;
        server.wait_until_ready(LIMIT).map_err(complaint())?;
        self.server = Some(server);
        Ok(())
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(super) fn server(&self) -> Result<&Server> {
        self.server.as_ref().ok_or_else(away)
    }

    /// The server, to be ended.
    pub(super) fn take(&mut self) -> Result<Server> {
        self.server.take().ok_or_else(away)
    }

    /// Until the proxy has sent it a client's request. It counts from 0 since it was started.
    pub(super) fn wait_until_it_carries(&self) -> Result {
        let deadline = Instant::now() + LIMIT;
        let metrics = self.server()?.metrics().ok_or_else(|| Failure::new("a server has no metrics"))?;
        while Instant::now() < deadline {
            let page = Connection::open(metrics).and_then(|mut one| one.call("GET", "/metrics", &[], None));
            let page = page.map_err(could_not("read a server's metrics"))?;
            if String::from_utf8_lossy(&page.body).contains("route=\"/subscriptions") {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Err(Failure::new(format!("the proxy sent nothing to {} within {LIMIT:?} of its return", self.address)))
    }
}

/// As in `docs/operate.md`; the scenario does not test rate limits.
pub(super) fn settings() -> String {
    format!(
        "trusted_proxies = [\"127.0.0.1\"]\nstop_delay_seconds = {STOP_DELAY_SECONDS}\n\
         [postgres]\nprepared = false\n[rate_limits]\nenabled = false\n"
    )
}

fn away() -> Failure {
    Failure::new("this server of the fleet is not running")
}

/// The API's port, and the next one for the metrics.
fn free_address() -> Result<SocketAddr> {
    let free = |port: u16| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok();
    let ports = (FIRST_PORT..FIRST_PORT + 10_000).step_by(2);
    let found = ports.into_iter().find(|port| free(*port) && free(*port + 1));
    found
        .map(|port| SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
        .ok_or_else(|| Failure::new("there are no two free ports between 20000 and 30000"))
}
