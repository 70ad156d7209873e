//! The servers under test: one on SQLite, two on one PostgreSQL. Killed and started again, each time on another port.

use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError, RwLock};

use perennial_harness::Server;

use crate::failure::{Result, could_not};
use crate::home::Home;
use crate::scenario::Engine;

pub(crate) struct Servers<'a> {
    home: &'a Home,
    running: Vec<Mutex<Server>>,
    addresses: RwLock<Vec<SocketAddr>>,
}

impl<'a> Servers<'a> {
    pub(crate) fn start(home: &'a Home, engine: Engine) -> Result<Self> {
        let count = match engine {
            Engine::Sqlite => 1,
            Engine::Postgres => 2,
        };
        let running = (0..count).map(|_| home.serve()).collect::<Result<Vec<_>>>()?;
        let addresses = running.iter().map(Server::address).collect();
        Ok(Self { home, running: running.into_iter().map(Mutex::new).collect(), addresses: RwLock::new(addresses) })
    }

    pub(crate) fn count(&self) -> usize {
        self.running.len()
    }

    pub(crate) fn with_first<T>(&self, work: impl FnOnce(&Server) -> T) -> T {
        work(&self.running[0].lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Where a server is now, or was when it was last alive.
    pub(crate) fn address(&self, which: usize) -> SocketAddr {
        self.addresses.read().unwrap_or_else(PoisonError::into_inner)[which]
    }

    /// Takes a server away without a word and starts another in its place.
    pub(crate) fn kill(&self, which: usize) -> Result {
        let mut server = self.running[which].lock().unwrap_or_else(PoisonError::into_inner);
        server.kill().map_err(could_not("kill a server"))?;
        *server = self.home.serve()?;
        self.addresses.write().unwrap_or_else(PoisonError::into_inner)[which] = server.address();
        Ok(())
    }
}
