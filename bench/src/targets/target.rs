//! A target: a server on loopback, its processes, and the requests that it understands.

use std::net::SocketAddr;

use super::process::Process;
use crate::rows::store::Store;

/// The names of the results.
pub(crate) const SQLITE: &str = "perennial sqlite";
pub(crate) const POSTGRES: &str = "perennial postgres";
/// An earlier build, measured next to this one (`--against`).
pub(crate) const EARLIER_SQLITE: &str = "earlier, sqlite";
pub(crate) const EARLIER_POSTGRES: &str = "earlier, postgres";
pub(crate) const BARE: &str = "bare hyper";
pub(crate) const PARSE: &str = "hyper, parse and answer";
pub(crate) const ONE_TRANSACTION: &str = "one transaction per request";
pub(crate) const FASTIFY_SQLITE: &str = "fastify + better-sqlite3";
pub(crate) const FASTIFY_POSTGRES: &str = "fastify + pg";
pub(crate) const FASTAPI: &str = "fastapi + asyncpg";
pub(crate) const DIRECTUS: &str = "directus";
pub(crate) const BETTER_AUTH: &str = "better-auth";

pub(crate) type Headers = Vec<(String, String)>;

/// The requests that a target understands.
#[derive(Clone, Debug)]
pub(crate) enum Protocol {
    Perennial,
    /// A small service of three calls, with Perennial's paths and plain UUIDs.
    Plain,
    Directus(Headers),
    BetterAuth(Headers),
    /// Always sends the same response.
    Limit,
}

pub(crate) struct Target {
    pub(crate) name: &'static str,
    pub(crate) address: SocketAddr,
    pub(crate) process: Process,
    pub(crate) protocol: Protocol,
    pub(crate) store: Option<Store>,
}

impl Target {
    pub(crate) fn is_peer(&self) -> bool {
        !matches!(self.protocol, Protocol::Perennial | Protocol::Limit)
    }

    /// The root processes of the target: the server and its database.
    pub(crate) fn roots(&self) -> Vec<u32> {
        let database = self.store.as_ref().and_then(Store::cluster).map(|cluster| cluster.pid);
        [self.process.id()].into_iter().chain(database).collect()
    }
}
