//! Growth: the same workload at ten thousand rows and at ten million. What does not grow with the store does not get slow.

use std::fs;

use crate::failure::{Result, could_not};
use crate::footprint;
use crate::options::Options;
use crate::results::Results;
use crate::rounds::{Entry, measure};
use crate::rows::cluster::Cluster;
use crate::rows::dataset::Dataset;
use crate::targets::perennial::Home;
use crate::targets::target::{POSTGRES, SQLITE};
use crate::workloads::{self, Workload};

pub(crate) const WORKLOADS: [Workload; 7] = [
    Workload::Plan,
    Workload::Subscription,
    Workload::Session,
    Workload::ListUser,
    Workload::ListStatus,
    Workload::Create,
    Workload::Update,
];
const SIZES: [u64; 4] = [10_000, 100_000, 1_000_000, 10_000_000];
const QUICK_WORKS: [Workload; 2] = [Workload::Subscription, Workload::Create];
const QUICK: [u64; 2] = [200, 400];
const ROUNDS: u64 = 3;

/// The sizes of this run, smallest first.
pub(crate) fn sizes(options: &Options) -> Vec<u64> {
    if options.quick {
        return QUICK.to_vec();
    }
    SIZES.into_iter().filter(|size| *size <= options.growth).collect()
}

/// The name of the result of a workload of this size.
pub(crate) fn name(workload: Workload, size: u64) -> String {
    format!("{} at {size}", workload.name())
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
    let target = home.start()?;
    let rounds = if options.quick { 1 } else { ROUNDS };
    for workload in WORKLOADS.into_iter().filter(|workload| !options.quick || QUICK_WORKS.contains(workload)) {
        let Some(source) = workloads::source(workload, &target, dataset, Some(&home))? else { continue };
        let entries = [Entry { target: &target, source }];
        for round in 0..rounds {
            measure(results, (&name(workload, dataset.rows), workload), &entries, round, options.pace()).await?;
        }
    }
    let mixed = workloads::source(Workload::Mixed, &target, dataset, Some(&home))?;
    if let Some(source) = mixed {
        let entries = [Entry { target: &target, source }];
        measure(results, (&name(Workload::Mixed, dataset.rows), Workload::Mixed), &entries, 0, options.pace()).await?;
        footprint::memory(&format!("memory under the mixed load at {} rows", dataset.rows), &target, results);
    }
    target.process.end()?;
    fs::remove_dir_all(&directory).map_err(could_not("remove a store"))
}
