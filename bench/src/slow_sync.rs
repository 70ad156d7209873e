//! Creates on a disk whose syncs take two milliseconds longer, compared with a service with a transaction per request.
//! The delay comes from a small library that is loaded before the C library's own: no privilege, no kernel module.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use crate::failure::{Failure, Result, could_not};
use crate::limits::LimitKind;
use crate::load::call;
use crate::load::generator::Source;
use crate::load::request::Request;
use crate::options::Options;
use crate::report;
use crate::results::Results;
use crate::rounds::{Entry, measure};
use crate::rows::dataset::Dataset;
use crate::targets::limit;
use crate::targets::perennial::Home;
use crate::workloads::{self, Workload};

/// The name of the results.
pub(crate) const NAME: &str = "create, syncs 2 ms slower";
/// Few rows are enough: what is slow here is the disk.
const ROWS: u64 = 10_000;

pub(crate) async fn run(options: &Options, results: &mut Results) -> Result {
    println!("\nSubscription create, every sync 2 ms slower (slow-sync)");
    let library = match compile(options) {
        Ok(library) => library,
        Err(failure) => {
            results.absent(NAME, failure.to_string());
            return Ok(());
        }
    };
    let dataset = Dataset { rows: ROWS.min(options.rows) };
    let mut home = Home::new(&options.perennial, options.place.join("slow"), None)?;
    home.fill(dataset)?;
    home.preload = Some(library.clone());
    let perennial = home.start()?;
    let Some(Source::Any(requests)) = workloads::source(Workload::Create, &perennial, dataset, Some(&home))? else {
        return Err(Failure::new("Perennial has no creates"));
    };
    let response = call::expect(perennial.address, &requests[0])?;
    let directory = options.place.join("slow-one");
    let kind = LimitKind::OneTransaction(directory.join("store.db"));
    let one = limit::start(&kind, &response, &directory, Some(&library))?;
    let blind = requests.iter().map(Request::blind).collect();
    let entries = [
        Entry { target: &perennial, source: Source::Any(Arc::clone(&requests)) },
        Entry { target: &one, source: Source::Any(Arc::new(blind)) },
    ];
    for round in 0..options.rounds {
        measure(results, (NAME, Workload::Create), &entries, round, options.pace()).await?;
    }
    println!("{}", report::work_table(results, NAME).terminal());
    Ok(())
}

fn compile(options: &Options) -> Result<PathBuf> {
    let library = options.place.join("slow_sync.so");
    let output = Command::new("cc")
        .args(["-O2", "-shared", "-fPIC", "-o"])
        .arg(&library)
        .arg(options.source.join("slow_sync.c"))
        .arg("-ldl")
        .output()
        .map_err(could_not("run cc"))?;
    if output.status.success() {
        return Ok(library);
    }
    Err(Failure::new(format!("cc refused: {}", String::from_utf8_lossy(&output.stderr).trim())))
}
