//! Callers who ask at once: every request is on its way before the first answer is read.

use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use perennial_harness::{Answer, Connection};

use crate::failure::{Failure, Result, could_not};

/// How often a request that got 503 is sent again, and after which pause.
const ATTEMPTS: usize = 500;
const PAUSE: Duration = Duration::from_millis(20);

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
pub(crate) struct Crew {
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

impl Crew {
    pub(crate) fn open(servers: &[SocketAddr], size: usize) -> Result<Self> {
        let callers = servers.iter().cycle().take(size).map(|server| Caller::open(*server));
        let callers = callers.collect::<io::Result<_>>().map_err(could_not("connect to the server"))?;
        Ok(Self { callers, refused: 0 })
    }

    /// How many requests got 503 and were sent again.
    pub(crate) fn refused(&self) -> usize {
        self.refused
    }

    /// Sends each on a separate connection; responses in the same order. No more than there are connections. A server that
    /// is busy for a moment refuses with 503; as a client would, the crew sends these requests again.
    pub(crate) fn all(&mut self, posts: &[Post<'_>]) -> Result<Vec<Answer>> {
        assert!(posts.len() <= self.callers.len(), "a caller for each request");
        let complaint = || could_not("ask the server");
        let mut answers = self.ask(posts).map_err(complaint())?;
        for _ in 0..ATTEMPTS {
            let refused: Vec<usize> = (0..answers.len()).filter(|at| answers[*at].status == 503).collect();
            if refused.is_empty() {
                return Ok(answers);
            }
            self.refused += refused.len();
            std::thread::sleep(PAUSE);
            let again: Vec<Post<'_>> = refused.iter().map(|at| posts[*at].clone()).collect();
            for (at, answer) in refused.into_iter().zip(self.ask(&again).map_err(complaint())?) {
                answers[at] = answer;
            }
        }
        Err(Failure::new(format!("a request was refused {ATTEMPTS} times with 503")))
    }

    fn ask(&mut self, posts: &[Post<'_>]) -> io::Result<Vec<Answer>> {
        for (caller, post) in self.callers.iter_mut().zip(posts) {
            caller.send(post)?;
        }
        self.callers.iter_mut().take(posts.len()).map(|caller| caller.connection.receive("POST")).collect()
    }
}
