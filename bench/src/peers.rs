//! The peers: what a team would run instead, each a small honest service in `bench/peers`, at pinned versions.
//! One that cannot be had is reported as absent, with the reason, and the run goes on.

mod install;
mod start;

use crate::contestants::contestant::{BETTER_AUTH, Contestant, DIRECTUS, FASTAPI, FASTIFY_POSTGRES, FASTIFY_SQLITE};
use crate::failure::Result;
use crate::options::Options;
use crate::results::Results;
use crate::rows::dataset::Dataset;

type Start = fn(&Options, Dataset, &mut Results) -> Result<Contestant>;

const PEERS: [(&str, Start); 5] = [
    (FASTIFY_SQLITE, start::fastify_sqlite),
    (FASTIFY_POSTGRES, start::fastify_postgres),
    (FASTAPI, start::fastapi),
    (DIRECTUS, start::directus),
    (BETTER_AUTH, start::better_auth),
];

/// Installs, loads and starts all of them that can be had.
pub(crate) fn start_all(options: &Options, dataset: Dataset, results: &mut Results) -> Vec<Contestant> {
    let mut contestants = Vec::new();
    for (name, start) in PEERS {
        if !options.peers {
            results.absent(name, "peers take part with --peers");
            continue;
        }
        println!("preparing {name}");
        match start(options, dataset, results) {
            Ok(contestant) => contestants.push(contestant),
            Err(failure) => {
                println!("{name} is absent: {failure}");
                results.absent(name, failure.to_string());
            }
        }
    }
    contestants
}
