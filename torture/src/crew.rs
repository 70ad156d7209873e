//! Callers who ask at once: every request is on its way before the first answer is read.

use std::net::SocketAddr;

use perennial_running::{Answer, Connection};

use crate::failure::{Result, could_not};

/// A POST with a JSON body.
#[derive(Clone, Debug)]
pub(crate) struct Post<'a> {
    pub(crate) target: &'a str,
    pub(crate) headers: Vec<(&'a str, &'a str)>,
    pub(crate) body: &'a str,
}

/// So many connections, spread over the servers.
pub(crate) struct Crew(Vec<Connection>);

impl Crew {
    pub(crate) fn open(servers: &[SocketAddr], size: usize) -> Result<Self> {
        let connections = servers.iter().cycle().take(size).map(|address| Connection::open(*address));
        connections.collect::<std::io::Result<_>>().map(Self).map_err(could_not("connect to the server"))
    }

    /// Sends each on a connection of its own; answers in the same order. No more than there are connections.
    pub(crate) fn all(&mut self, posts: &[Post<'_>]) -> Result<Vec<Answer>> {
        assert!(posts.len() <= self.0.len(), "a caller for each request");
        self.ask(posts).map_err(could_not("ask the server"))
    }

    fn ask(&mut self, posts: &[Post<'_>]) -> std::io::Result<Vec<Answer>> {
        for (caller, post) in self.0.iter_mut().zip(posts) {
            caller.send("POST", post.target, &post.headers, Some(post.body))?;
        }
        self.0.iter_mut().take(posts.len()).map(|caller| caller.receive("POST")).collect()
    }
}
