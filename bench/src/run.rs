//! A whole run, part after part.

use std::fs;

use crate::contestants::contestant::{Contestant, SQLITE, Speech};
use crate::contestants::limit as limits;
use crate::contestants::perennial::Home;
use crate::disk;
use crate::failure::{Result, could_not};
use crate::figures;
use crate::growth;
use crate::limits::Deed;
use crate::load::call;
use crate::load::generator::Fire;
use crate::load::shot::Shot;
use crate::options::Options;
use crate::peers;
use crate::pgbench::{self, Scripts};
use crate::report;
use crate::results::Results;
use crate::rounds::{Entry, measure};
use crate::rows::dataset::Dataset;
use crate::slow_sync;
use crate::works::{self, Work};

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
    figures::binary_size(options, &mut results)?;
    if Work::ALL.iter().any(|work| options.wants(work.name())) || options.wants("start") {
        works(options, dataset, &mut results).await?;
        // What comes next takes long; what is known by now is kept.
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

async fn works(options: &Options, dataset: Dataset, results: &mut Results) -> Result {
    let field = Field::prepare(options, dataset, results)?;
    for work in Work::ALL {
        if options.wants(work.name()) {
            field.measure(work, options, dataset, results).await?;
        }
    }
    for contestant in field.contestants.iter().filter(|contestant| matches!(contestant.speech, Speech::Perennial)) {
        if options.wants("mixed") {
            figures::memory("memory under the mixed load", contestant, results);
        }
        figures::peak_memory(contestant, results);
    }
    field.end()
}

/// Everyone who stays for the whole run.
struct Field {
    homes: Vec<Home>,
    contestants: Vec<Contestant>,
    pgbench: Option<Scripts>,
}

impl Field {
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
        let mut contestants = Vec::new();
        for home in &homes {
            println!("loading {} rows into {}", dataset.rows, home.name());
            home.fill(dataset)?;
            contestants.push(figures::start(home, options.rounds, results)?);
        }
        contestants.extend(peers::start_all(options, dataset, results));
        let pgbench = prepare_pgbench(options, dataset, results)?;
        Ok(Self { homes, contestants, pgbench })
    }

    /// Ends everyone and gives their disk back: the growth needs it.
    fn end(self) -> Result {
        for contestant in self.contestants {
            contestant.process.end()?;
        }
        for home in self.homes {
            fs::remove_dir_all(&home.directory).map_err(could_not("remove a store"))?;
        }
        Ok(())
    }

    async fn measure(&self, work: Work, options: &Options, dataset: Dataset, results: &mut Results) -> Result {
        println!("\n{} ({})", work.title(), work.name());
        let mut fires = Vec::new();
        for contestant in &self.contestants {
            let home = self.homes.iter().find(|home| home.name() == contestant.name);
            if let Some(fire) = works::fire(work, contestant, dataset, home)? {
                fires.push((contestant, fire));
            }
        }
        let limit = limit(work, options, &fires)?;
        let mut entries = Vec::new();
        if let Some((contestant, fire)) = &limit {
            entries.push(Entry { contestant, fire: fire.clone() });
        }
        entries.extend(fires.into_iter().map(|(contestant, fire)| Entry { contestant, fire }));
        for round in 0..options.rounds {
            measure(results, (work.name(), work), &entries, round, options.pace()).await?;
            if let (Some(pgbench), Work::Subscription | Work::Create) = (&self.pgbench, work) {
                pgbench.turn(results, work.name(), options)?;
            }
        }
        if work == Work::Session {
            self.refuse_ended_sessions(results)?;
        }
        println!("{}", report::work_table(results, work.name()).terminal());
        Ok(())
    }

    fn refuse_ended_sessions(&self, results: &mut Results) -> Result {
        for home in &self.homes {
            if let Some(contestant) = self.contestants.iter().find(|contestant| contestant.name == home.name()) {
                home.refuses_ended_session(contestant.address)?;
                results.prove(format!("ended sessions refused at once, {}", home.name()), 1);
            }
        }
        Ok(())
    }
}

/// The least that this work can cost: a server that gives the answer Perennial gave. Requests that cannot be sent
/// twice, or that differ too much from each other, have none.
fn limit(work: Work, options: &Options, fires: &[(&Contestant, Fire)]) -> Result<Option<(Contestant, Fire)>> {
    let Some((model, Fire::Any(shots))) = fires.iter().find(|(contestant, _)| contestant.name == SQLITE) else {
        return Ok(None);
    };
    if work == Work::Mixed {
        return Ok(None);
    }
    let answer = call::expect(model.address, &shots[0])?;
    let deed = if work.has_body() { Deed::Parse } else { Deed::Bare };
    let directory = options.place.join("limits").join(work.name());
    let contestant = limits::start(&deed, &answer, &directory, None)?;
    let blind = shots.iter().map(Shot::blind).collect();
    Ok(Some((contestant, Fire::Any(std::sync::Arc::new(blind)))))
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
