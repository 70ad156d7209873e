//! The CPU of creates and reads next to that of an earlier build (`--against`).

use super::figures::Figures;
use super::fixture::medians;
use crate::failure::{Failure, Result};
use crate::load::generator::Source;
use crate::measure::statistics::ratio;
use crate::options::Options;
use crate::rounds::measure_to_the_end;
use crate::rows::dataset::Dataset;
use crate::targets::perennial::Home;
use crate::targets::target::Target;
use crate::workloads::{self, Workload};

pub(super) async fn measure(options: &Options, home: Home, earlier: Home, figures: &mut Figures) -> Result {
    let dataset = Dataset { rows: options.rows };
    let mut targets = Vec::new();
    for home in [&home, &earlier] {
        println!("\nloading {} rows into {}", dataset.rows, home.name());
        home.fill(dataset)?;
        targets.push(home.start()?);
    }
    for (workload, key) in [(Workload::Create, "create-cpu"), (Workload::Subscription, "read-cpu")] {
        let mut rounds = [Vec::new(), Vec::new()];
        let sources =
            [source(workload, &targets[0], dataset, &home)?, source(workload, &targets[1], dataset, &earlier)?];
        for _ in 0..options.rounds {
            for (index, target) in targets.iter().enumerate() {
                rounds[index].push(measure_to_the_end(target, &sources[index], options.pace()).await?.round);
            }
        }
        let [new, old] = rounds.map(|rounds| medians(&rounds).cpu_micros);
        let factor = new.zip(old).and_then(|(new, old)| ratio(new, old));
        figures.add(home.name(), key, factor.ok_or_else(|| Failure::new("no CPU time was measured"))?);
    }
    targets.into_iter().try_for_each(|target| target.process.end())
}

fn source(workload: Workload, target: &Target, dataset: Dataset, home: &Home) -> Result<Source> {
    workloads::source(workload, target, dataset, Some(home))?.ok_or_else(|| Failure::new("no such requests"))
}
