//! Callers who ask at once: every request is on its way before the first answer is read.

use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use perennial_harness::{Answer, Connection};

use crate::failure::{Result, could_not};

/// The server closes what is idle for longer than 75 seconds. Who comes with a request at that very moment finds the door
/// closing, so a careful client does not keep a connection that long.
const MOST_IDLE: Duration = Duration::from_secs(30);

/// A POST with a JSON body.
#[derive(Clone, Debug)]
pub(crate) struct Post<'a> {
    pub(crate) target: &'a str,
    pub(crate) headers: Vec<(&'a str, &'a str)>,
    pub(crate) body: &'a str,
}

/// So many connections, spread over the servers.
pub(crate) struct Crew(Vec<Caller>);

struct Caller {
    server: SocketAddr,
    connection: Connection,
    used: Instant,
}

impl Caller {
    fn open(server: SocketAddr) -> io::Result<Self> {
        Ok(Self { server, connection: Connection::open(server)?, used: Instant::now() })
    }

    fn send(&mut self, post: &Post<'_>) -> io::Result<()> {
        if self.used.elapsed() > MOST_IDLE {
            *self = Self::open(self.server)?;
        }
        self.used = Instant::now();
        self.connection.send("POST", post.target, &post.headers, Some(post.body))
    }
}

impl Crew {
    pub(crate) fn open(servers: &[SocketAddr], size: usize) -> Result<Self> {
        let callers = servers.iter().cycle().take(size).map(|server| Caller::open(*server));
        callers.collect::<io::Result<_>>().map(Self).map_err(could_not("connect to the server"))
    }

    /// Sends each on a separate connection; responses in the same order. No more than there are connections.
    pub(crate) fn all(&mut self, posts: &[Post<'_>]) -> Result<Vec<Answer>> {
        assert!(posts.len() <= self.0.len(), "a caller for each request");
        self.ask(posts).map_err(could_not("ask the server"))
    }

    fn ask(&mut self, posts: &[Post<'_>]) -> io::Result<Vec<Answer>> {
        for (caller, post) in self.0.iter_mut().zip(posts) {
            caller.send(post)?;
        }
        self.0.iter_mut().take(posts.len()).map(|caller| caller.connection.receive("POST")).collect()
    }
}
