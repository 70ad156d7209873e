//! The peers: what a team would run instead, each a small service in `bench/peers`, at pinned versions.
//! An unavailable peer is reported with the reason, and the run continues.

mod install;
mod start;

use crate::failure::Result;
use crate::options::Options;
use crate::results::Results;
use crate::rows::dataset::Dataset;
use crate::targets::target::{BETTER_AUTH, DIRECTUS, FASTAPI, FASTIFY_POSTGRES, FASTIFY_SQLITE, Target};

type Start = fn(&Options, Dataset, &mut Results) -> Result<Target>;

const PEERS: [(&str, Start); 5] = [
    (FASTIFY_SQLITE, start::fastify_sqlite),
    (FASTIFY_POSTGRES, start::fastify_postgres),
    (FASTAPI, start::fastapi),
    (DIRECTUS, start::directus),
    (BETTER_AUTH, start::better_auth),
];

/// Installs, loads and starts all of them that can be had.
pub(crate) fn start_all(options: &Options, dataset: Dataset, results: &mut Results) -> Vec<Target> {
    let mut targets = Vec::new();
    for (name, start) in PEERS {
        if !options.peers {
            results.absent(name, "peers take part with --peers");
            continue;
        }
        println!("preparing {name}");
        match start(options, dataset, results) {
            Ok(target) => targets.push(target),
            Err(failure) => {
                println!("{name} is absent: {failure}");
                results.absent(name, failure.to_string());
            }
        }
    }
    targets
}
