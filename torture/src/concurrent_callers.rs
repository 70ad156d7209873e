//! Concurrent callers: all requests are sent before the first response is read.

use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use perennial_harness::{Connection, Response};

use crate::failure::{Failure, Result, could_not};

/// How often a request that got 503 is sent again, and after which pause.
const ATTEMPTS: usize = 500;
const PAUSE: Duration = Duration::from_millis(20);

/// The server closes a connection that was idle for 75 seconds. A request at that moment fails, so a client must not use a
/// connection that was idle for so long.
const MOST_IDLE: Duration = Duration::from_secs(30);

/// A POST with a JSON body.
#[derive(Clone, Debug)]
pub(crate) struct Post<'a> {
    pub(crate) target: &'a str,
    pub(crate) headers: Vec<(&'a str, &'a str)>,
    pub(crate) body: &'a str,
}

/// So many connections, spread over the servers.
pub(crate) struct ConcurrentCallers {
    callers: Vec<Caller>,
    refused: usize,
}

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

impl ConcurrentCallers {
    pub(crate) fn open(servers: &[SocketAddr], size: usize) -> Result<Self> {
        let callers = servers.iter().cycle().take(size).map(|server| Caller::open(*server));
        let callers = callers.collect::<io::Result<_>>().map_err(could_not("connect to the server"))?;
        Ok(Self { callers, refused: 0 })
    }

    /// How many requests got 503 and were sent again.
    pub(crate) fn refused(&self) -> usize {
        self.refused
    }

    /// Sends each request on a separate connection and returns the responses in the same order. Requests that a busy server
    /// rejects with 503 are sent again, as a client would.
    pub(crate) fn send_all(&mut self, posts: &[Post<'_>]) -> Result<Vec<Response>> {
        assert!(posts.len() <= self.callers.len(), "a caller for each request");
        let complaint = || could_not("call the server");
        let mut responses = self.exchange(posts).map_err(complaint())?;
        for _ in 0..ATTEMPTS {
            let refused: Vec<usize> = (0..responses.len()).filter(|at| responses[*at].status == 503).collect();
            if refused.is_empty() {
                return Ok(responses);
            }
            self.refused += refused.len();
            std::thread::sleep(PAUSE);
            let again: Vec<Post<'_>> = refused.iter().map(|at| posts[*at].clone()).collect();
            for (at, response) in refused.into_iter().zip(self.exchange(&again).map_err(complaint())?) {
                responses[at] = response;
            }
        }
        Err(Failure::new(format!("a request was refused {ATTEMPTS} times with 503")))
    }

    fn exchange(&mut self, posts: &[Post<'_>]) -> io::Result<Vec<Response>> {
        for (caller, post) in self.callers.iter_mut().zip(posts) {
            caller.send(post)?;
        }
        self.callers.iter_mut().take(posts.len()).map(|caller| caller.connection.receive("POST")).collect()
    }
}
