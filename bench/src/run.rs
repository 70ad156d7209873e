//! A whole run, part after part.

use std::fs;

use crate::disk;
use crate::failure::{Result, could_not};
use crate::footprint;
use crate::growth;
use crate::limits::LimitKind;
use crate::load::call;
use crate::load::generator::Source;
use crate::load::request::Request;
use crate::options::Options;
use crate::peers;
use crate::pgbench::{self, Scripts};
use crate::report;
use crate::results::Results;
use crate::rounds::{Entry, measure};
use crate::rows::dataset::Dataset;
use crate::slow_sync;
use crate::targets::limit as limits;
use crate::targets::perennial::Home;
use crate::targets::target::{Protocol, SQLITE, Target};
use crate::workloads::{self, Workload};

pub(crate) async fn run(options: &Options) -> Result {
    if options.place.exists() {
        fs::remove_dir_all(&options.place).map_err(could_not(format!("empty {}", options.place.display())))?;
    }
    fs::create_dir_all(&options.place).map_err(could_not(format!("create {}", options.place.display())))?;
    let dataset = Dataset { rows: options.rows };
    let mut results = Results::default();
    if options.wants("disk") {
        disk::measure(options, &mut results)?;
    }
    footprint::binary_size(options, &mut results)?;
    if Workload::ALL.iter().any(|workload| options.wants(workload.name())) || options.wants("start") {
        workloads(options, dataset, &mut results).await?;
        // The next part takes long: write the results so far.
        report::document::write(options, &results)?;
    }
    if options.wants("slow-sync") {
        slow_sync::run(options, &mut results).await?;
    }
    if options.wants("growth") {
        growth::run(options, &mut results).await?;
    }
    println!("\n{}", report::goals_table(&results, &growth::sizes(options)).terminal());
    if options.quick {
        println!("\n{}", report::document::SMOKE);
    }
    for (name, reason) in &results.absent {
        println!("absent: {name}: {reason}");
    }
    report::document::write(options, &results)
}

async fn workloads(options: &Options, dataset: Dataset, results: &mut Results) -> Result {
    let setup = Setup::prepare(options, dataset, results)?;
    for workload in Workload::ALL {
        if options.wants(workload.name()) {
            setup.measure(workload, options, dataset, results).await?;
        }
    }
    for target in setup.targets.iter().filter(|target| matches!(target.protocol, Protocol::Perennial)) {
        if options.wants("mixed") {
            footprint::memory("memory under the mixed load", target, results);
        }
        footprint::peak_memory(target, results);
    }
    setup.end()
}

/// The targets, which run until the end.
struct Setup {
    homes: Vec<Home>,
    targets: Vec<Target>,
    pgbench: Option<Scripts>,
}

impl Setup {
    fn prepare(options: &Options, dataset: Dataset, results: &mut Results) -> Result<Self> {
        let mut homes = vec![Home::new(&options.perennial, options.place.join("sqlite"), None)?];
        match options.cluster("perennial") {
            Some(cluster) => homes.push(Home::new(&options.perennial, options.place.join("postgres"), Some(cluster))?),
            None => results.absent("perennial postgres", "no PostgreSQL was given"),
        }
        if let Some(earlier) = &options.against {
            homes.push(Home::earlier(earlier, options.place.join("earlier-sqlite"), None)?);
            if let Some(cluster) = options.cluster("earlier") {
                homes.push(Home::earlier(earlier, options.place.join("earlier-postgres"), Some(cluster))?);
            }
        }
        let mut targets = Vec::new();
        for home in &homes {
            println!("loading {} rows into {}", dataset.rows, home.name());
            home.fill(dataset)?;
            targets.push(footprint::start(home, options.rounds, results)?);
        }
        targets.extend(peers::start_all(options, dataset, results));
        let pgbench = prepare_pgbench(options, dataset, results)?;
        Ok(Self { homes, targets, pgbench })
    }

    /// Ends all targets and removes their stores: the next part needs the disk.
    fn end(self) -> Result {
        for target in self.targets {
            target.process.end()?;
        }
        for home in self.homes {
            fs::remove_dir_all(&home.directory).map_err(could_not("remove a store"))?;
        }
        Ok(())
    }

    async fn measure(&self, workload: Workload, options: &Options, dataset: Dataset, results: &mut Results) -> Result {
        println!("\n{} ({})", workload.title(), workload.name());
        let mut sources = Vec::new();
        for target in &self.targets {
            let home = self.homes.iter().find(|home| home.name() == target.name);
            if let Some(source) = workloads::source(workload, target, dataset, home)? {
                sources.push((target, source));
            }
        }
        let limit = limit(workload, options, &sources)?;
        let mut entries = Vec::new();
        if let Some((target, source)) = &limit {
            entries.push(Entry { target, source: source.clone() });
        }
        entries.extend(sources.into_iter().map(|(target, source)| Entry { target, source }));
        for round in 0..options.rounds {
            measure(results, (workload.name(), workload), &entries, round, options.pace()).await?;
            if let (Some(pgbench), Workload::Subscription | Workload::Create) = (&self.pgbench, workload) {
                pgbench.measure(results, workload.name(), options)?;
            }
        }
        if workload == Workload::Session {
            self.refuse_ended_sessions(results)?;
        }
        println!("{}", report::work_table(results, workload.name()).terminal());
        Ok(())
    }

    fn refuse_ended_sessions(&self, results: &mut Results) -> Result {
        for home in &self.homes {
            if let Some(target) = self.targets.iter().find(|target| target.name == home.name()) {
                home.refuses_ended_session(target.address)?;
                results.prove(format!("ended sessions refused at once, {}", home.name()), 1);
            }
        }
        Ok(())
    }
}

/// The least that this workload can cost: a server that sends a response of Perennial. Requests that cannot be sent
/// twice, or that differ too much from each other, have none.
fn limit(workload: Workload, options: &Options, sources: &[(&Target, Source)]) -> Result<Option<(Target, Source)>> {
    let Some((model, Source::Any(requests))) = sources.iter().find(|(target, _)| target.name == SQLITE) else {
        return Ok(None);
    };
    if workload == Workload::Mixed {
        return Ok(None);
    }
    let response = call::expect(model.address, &requests[0])?;
    let kind = if workload.has_body() { LimitKind::Parse } else { LimitKind::Bare };
    let directory = options.place.join("limits").join(workload.name());
    let target = limits::start(&kind, &response, &directory, None)?;
    let blind = requests.iter().map(Request::blind).collect();
    Ok(Some((target, Source::Any(std::sync::Arc::new(blind)))))
}

/// Its database is made and filled as Perennial's own is.
fn prepare_pgbench(options: &Options, dataset: Dataset, results: &mut Results) -> Result<Option<Scripts>> {
    if !options.wants("subscription") && !options.wants("create") {
        return Ok(None);
    }
    let Some(cluster) = options.cluster("pgbench").filter(pgbench::is_there) else {
        results.absent("pgbench", "the program or a PostgreSQL for it was not found");
        return Ok(None);
    };
    println!("loading {} rows for pgbench", dataset.rows);
    let directory = options.place.join("pgbench");
    Home::new(&options.perennial, directory.clone(), Some(cluster.clone()))?.fill(dataset)?;
    Scripts::write(cluster, dataset, &directory).map(Some)
}
