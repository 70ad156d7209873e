//! Growth: the same work at ten thousand rows and at ten million. What does not grow with the store does not get slow.

use std::fs;

use crate::contestants::contestant::{POSTGRES, SQLITE};
use crate::contestants::perennial::Home;
use crate::failure::{Result, could_not};
use crate::figures;
use crate::options::Options;
use crate::results::Results;
use crate::rounds::{Entry, measure};
use crate::rows::cluster::Cluster;
use crate::rows::dataset::Dataset;
use crate::works::{self, Work};

pub(crate) const WORKS: [Work; 7] =
    [Work::Plan, Work::Subscription, Work::Session, Work::ListUser, Work::ListStatus, Work::Create, Work::Update];
const SIZES: [u64; 4] = [10_000, 100_000, 1_000_000, 10_000_000];
const QUICK_WORKS: [Work; 2] = [Work::Subscription, Work::Create];
const QUICK: [u64; 2] = [200, 400];
const ROUNDS: u64 = 3;

/// The sizes of this run, smallest first.
pub(crate) fn sizes(options: &Options) -> Vec<u64> {
    if options.quick {
        return QUICK.to_vec();
    }
    SIZES.into_iter().filter(|size| *size <= options.growth).collect()
}

/// The name under which a work of this size is kept.
pub(crate) fn name(work: Work, size: u64) -> String {
    format!("{} at {size}", work.name())
}

/// Runs alone: the stores of the other parts are gone by now, and each size's goes before the next one comes.
pub(crate) async fn run(options: &Options, results: &mut Results) -> Result {
    for size in sizes(options) {
        for cluster in [None, options.cluster("perennial")].into_iter().take(1 + usize::from(options.has_postgres())) {
            let engine = if cluster.is_some() { POSTGRES } else { SQLITE };
            println!("growth: {engine} with {size} rows");
            one(options, results, Dataset { rows: size }, cluster).await?;
        }
    }
    Ok(())
}

async fn one(options: &Options, results: &mut Results, dataset: Dataset, cluster: Option<Cluster>) -> Result {
    if let Some(cluster) = &cluster {
        cluster.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public")?;
    }
    let directory = options.place.join("growth");
    let home = Home::new(&options.perennial, directory.clone(), cluster)?;
    home.fill(dataset)?;
    let contestant = home.start()?;
    let rounds = if options.quick { 1 } else { ROUNDS };
    for work in WORKS.into_iter().filter(|work| !options.quick || QUICK_WORKS.contains(work)) {
        let Some(fire) = works::fire(work, &contestant, dataset, Some(&home))? else { continue };
        let entries = [Entry { contestant: &contestant, fire }];
        for round in 0..rounds {
            measure(results, (&name(work, dataset.rows), work), &entries, round, options.pace()).await?;
        }
    }
    let mixed = works::fire(Work::Mixed, &contestant, dataset, Some(&home))?;
    if let Some(fire) = mixed {
        let entries = [Entry { contestant: &contestant, fire }];
        measure(results, (&name(Work::Mixed, dataset.rows), Work::Mixed), &entries, 0, options.pace()).await?;
        figures::memory(&format!("memory under the mixed load at {} rows", dataset.rows), &contestant, results);
    }
    contestant.process.end()?;
    fs::remove_dir_all(&directory).map_err(could_not("remove a store"))
}
