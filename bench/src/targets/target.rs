//! A target: a server on loopback, whom it costs, and how it is spoken to.

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

/// How a target is spoken to.
#[derive(Clone, Debug)]
pub(crate) enum Speech {
    Perennial,
    /// A small service of three calls, with Perennial's paths and plain UUIDs.
    Plain,
    Directus(Headers),
    BetterAuth(Headers),
    /// Answers always the same.
    Limit,
}

pub(crate) struct Target {
    pub(crate) name: &'static str,
    pub(crate) address: SocketAddr,
    pub(crate) process: Process,
    pub(crate) speech: Speech,
    pub(crate) store: Option<Store>,
}

impl Target {
    pub(crate) fn is_peer(&self) -> bool {
        !matches!(self.speech, Speech::Perennial | Speech::Limit)
    }

    /// The heads of the families that the whole target consists of: the server and its database.
    pub(crate) fn roots(&self) -> Vec<u32> {
        let database = self.store.as_ref().and_then(Store::cluster).map(|cluster| cluster.pid);
        [self.process.id()].into_iter().chain(database).collect()
    }
}
