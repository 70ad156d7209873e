//! Servers of one store that are killed again and again while writers work, each at a random moment of a round.
//! After a round all are back, and every write has its final response.

use std::net::SocketAddr;
use std::os::unix::process::ExitStatusExt;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use perennial_harness::{SeededRandom, Server};

use crate::failure::{Result, could_not};
use crate::home::{self, Home};
use crate::threads;
use crate::writer::journal::Journal;
use crate::writer::{self, Writer};

const WRITERS: u64 = 32;
const SIGKILL: i32 = 9;

/// Where the servers are now, for those that call them at the same time.
pub(crate) type Addresses = Arc<Mutex<Vec<SocketAddr>>>;

pub(crate) struct KilledServers<'a> {
    home: &'a Home,
    servers: Vec<Server>,
    writers: Vec<Writer>,
    random: SeededRandom,
    addresses: Addresses,
}

/// What a round has measured.
#[derive(Clone, Copy)]
pub(crate) struct Round {
    pub(crate) kills: usize,
    pub(crate) slowest_restart: Duration,
}

impl<'a> KilledServers<'a> {
    pub(crate) fn start(home: &'a Home, count: usize, seed: u64) -> Result<Self> {
        let servers = (0..count).map(|_| home.serve()).collect::<Result<Vec<_>>>()?;
        let user = home.user("killed@example.com")?;
        home::create_plan(&servers[0], writer::PLAN)?;
        let random = SeededRandom::new(seed);
        let writers = (0..WRITERS).map(|number| Writer::new(number, random.part(number), &user, home.directory()));
        let writers = writers.collect::<Result<Vec<_>>>()?;
        let addresses = Arc::new(Mutex::new(servers.iter().map(Server::address).collect()));
        Ok(Self { home, servers, writers, random, addresses })
    }

    pub(crate) fn addresses(&self) -> Addresses {
        Arc::clone(&self.addresses)
    }

    pub(crate) fn servers(&self) -> &[Server] {
        &self.servers
    }

    /// The writes that were acknowledged.
    pub(crate) fn written(&self) -> usize {
        self.writers.iter().map(Writer::written).sum()
    }

    pub(crate) fn into_journals(self) -> Vec<Journal> {
        self.writers.into_iter().map(Writer::into_journal).collect()
    }

    /// Lets the writers work, kills one server after another, starts them again and completes the open writes.
    pub(crate) fn kill_each(&mut self) -> Result<Round> {
        let kills = self.kill_under_load()?;
        let mut slowest_restart = Duration::ZERO;
        for server in &mut self.servers {
            let start = Instant::now();
            *server = self.home.serve()?;
            slowest_restart = slowest_restart.max(start.elapsed());
        }
        *threads::lock(&self.addresses) = self.servers.iter().map(Server::address).collect();
        self.with_writers(Writer::settle)?;
        Ok(Round { kills, slowest_restart })
    }

    fn kill_under_load(&mut self) -> Result<usize> {
        let Self { servers, writers, random, .. } = self;
        let at: Vec<SocketAddr> = servers.iter().map(Server::address).collect();
        std::thread::scope(|scope| {
            let work = writers.iter_mut().zip(at.iter().cycle());
            let working: Vec<_> = work.map(|(writer, address)| scope.spawn(move || writer.work(*address))).collect();
            let mut kills = 0;
            for server in servers {
                std::thread::sleep(Duration::from_millis(random.between(50, 2_000)));
                let status = server.kill().map_err(could_not("kill a server"))?;
                kills += usize::from(status.signal() == Some(SIGKILL));
            }
            threads::join(working)?;
            Ok(kills)
        })
    }

    fn with_writers(&mut self, work: fn(&mut Writer, SocketAddr) -> Result) -> Result {
        let at: Vec<SocketAddr> = self.servers.iter().map(Server::address).collect();
        std::thread::scope(|scope| {
            let writers = self.writers.iter_mut().zip(at.iter().cycle());
            threads::join(writers.map(|(writer, address)| scope.spawn(move || work(writer, *address))).collect())
                .map(drop)
        })
    }
}
