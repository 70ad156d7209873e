//! The figures of the contracts: everything that the specifications of the capabilities name with a number, measured on both
//! engines in one run. A figure that cannot be measured is reported with its reason and stops no other.

mod analytics;
mod compared;
mod connections;
mod entitlements;
mod events;
mod figures;
mod fixture;
mod goals;
mod invoices;
mod ledger;
mod management;
mod receiver;
mod renewals;
pub(crate) mod report;
mod usage;
mod webhooks;

use std::fs;
use std::time::Instant;

use crate::failure::{Failure, Result, could_not};
use crate::options::Options;
use crate::parts::PARTS;
use crate::rows::cluster::Cluster;
use crate::rows::dataset::Dataset;
use crate::targets::perennial::Home;
use crate::targets::target::{POSTGRES, SQLITE};
use figures::Figures;
use fixture::Fixture;

/// Those that are measured on one store with many rows.
const OF_ROWS: [&str; 8] =
    ["usage", "bill", "invoices", "pdf", "webhooks", "entitlements", "management", "connections"];
/// Those that need a history: they are measured on demo data.
const OF_HISTORY: [&str; 3] = ["events", "analytics", "ledger"];

/// Webhooks may be sent to loopback.
const SETTINGS: &str = "[webhooks]\nprivate_networks = [\"127.0.0.0/8\"]\n";
/// The rows of another organization's requests next to renewals.
const BYSTANDERS: u64 = 1_000;

pub(crate) async fn run(options: &Options) -> Result {
    if options.place.exists() {
        fs::remove_dir_all(&options.place).map_err(could_not(format!("empty {}", options.place.display())))?;
    }
    fs::create_dir_all(&options.place).map_err(could_not(format!("create {}", options.place.display())))?;
    let mut figures = Figures::default();
    if options.wants_engine("sqlite") {
        engine(options, SQLITE, None, &mut figures).await;
    }
    if options.wants_engine("postgres") {
        match options.cluster("perennial") {
            Some(cluster) => engine(options, POSTGRES, Some(&cluster), &mut figures).await,
            None => fail_all(&mut figures, POSTGRES, &PARTS, &Failure::new("no PostgreSQL was given")),
        }
    }
    report::write(options, &figures)
}

/// Everything on one engine. A store that cannot be prepared fails its parts only.
async fn engine(options: &Options, engine: &'static str, cluster: Option<&Cluster>, figures: &mut Figures) {
    let wanted = |parts: &[&'static str]| -> Vec<&'static str> {
        parts.iter().copied().filter(|part| options.wants(part)).collect()
    };
    let parts = wanted(&OF_ROWS);
    if !parts.is_empty() {
        let dataset = Dataset { rows: options.rows };
        match home(options, cluster, "rows").and_then(|home| Fixture::loaded(options, home, dataset)) {
            Ok(fixture) => on(fixture, &parts, figures).await,
            Err(failure) => fail_all(figures, engine, &parts, &failure),
        }
    }
    let parts = wanted(&OF_HISTORY);
    if !parts.is_empty() {
        match history(options, cluster, figures) {
            Ok(fixture) => on(fixture, &parts, figures).await,
            Err(failure) => fail_all(figures, engine, &parts, &failure),
        }
    }
    // A server that still reads the events of many renewals is not idle; a quick run judges nothing and uses one store.
    let parts = wanted(&["renewals", "idle"]);
    for parts in if options.quick { vec![parts.as_slice()] } else { parts.chunks(1).collect() } {
        let Some(name) = parts.first() else { continue };
        let dataset = Dataset { rows: BYSTANDERS.min(options.rows) };
        match home(options, cluster, name).and_then(|home| Fixture::loaded(options, home, dataset)) {
            Ok(fixture) => on(fixture, parts, figures).await,
            Err(failure) => fail_all(figures, engine, parts, &failure),
        }
    }
    if options.wants("compared")
        && let Err(failure) = compared(options, cluster, figures).await
    {
        figures.fail(engine, "compared", &failure);
    }
}

/// Measures the parts one after another and removes their store.
async fn on(mut fixture: Fixture<'_>, parts: &[&'static str], figures: &mut Figures) {
    for part in parts {
        println!("\n{part}, {}", fixture.engine());
        let start = Instant::now();
        if let Err(failure) = measure(part, &mut fixture, figures).await {
            figures.fail(fixture.engine(), part, &failure);
        }
        println!("{part}, {}: {:.1} s", fixture.engine(), start.elapsed().as_secs_f64());
    }
    if let Err(failure) = fixture.remove() {
        println!("a store could not be removed: {failure}");
    }
}

async fn measure(part: &str, fixture: &mut Fixture<'_>, figures: &mut Figures) -> Result {
    match part {
        "usage" => usage::measure(fixture, figures).await,
        "bill" => usage::bill(fixture, figures).await,
        "invoices" => invoices::measure(fixture, figures).await,
        "pdf" => invoices::pdf(fixture, figures).await,
        "webhooks" => webhooks::measure(fixture, figures).await,
        "entitlements" => entitlements::measure(fixture, figures).await,
        "management" => management::measure(fixture, figures).await,
        "connections" => connections::measure(fixture, figures).await,
        "events" => events::measure(fixture, figures).await,
        "analytics" => analytics::measure(fixture, figures).await,
        "ledger" => ledger::measure(fixture, figures).await,
        "renewals" => renewals::measure(fixture, figures).await,
        "idle" => renewals::idle(fixture, figures),
        _ => Err(Failure::new(format!("`{part}` is no part"))),
    }
}

fn fail_all(figures: &mut Figures, engine: &'static str, parts: &[&'static str], failure: &Failure) {
    for part in parts {
        figures.fail(engine, part, failure);
    }
}

/// An empty store; on PostgreSQL a separate database.
fn home(options: &Options, cluster: Option<&Cluster>, name: &str) -> Result<Home> {
    let engine = if cluster.is_some() { "postgres" } else { "sqlite" };
    let cluster = cluster.map(|cluster| cluster.database(&format!("bench_{name}"))).transpose()?;
    let home = Home::new(&options.perennial, options.place.join(format!("{name}-{engine}")), cluster)?;
    home.configure(SETTINGS)?;
    Ok(home)
}

/// A store with a year of generated data, whose ledger has read it.
fn history<'run>(options: &'run Options, cluster: Option<&Cluster>, figures: &mut Figures) -> Result<Fixture<'run>> {
    let home = home(options, cluster, "history")?;
    println!("\ngenerating {} subscriptions with their history in {}", options.rows, home.name());
    home.start()?.process.end()?;
    home.json(&["demo", "--scale", &ledger::scale(options.rows)])?;
    let fixture = Fixture::start(options, home, Dataset { rows: options.rows })?;
    ledger::catch_up(&fixture, figures)?;
    Ok(fixture)
}

async fn compared(options: &Options, cluster: Option<&Cluster>, figures: &mut Figures) -> Result {
    let earlier = options.against.as_ref().ok_or_else(|| Failure::new("no earlier program (`--against`)"))?;
    let name = if cluster.is_some() { "earlier-postgres" } else { "earlier-sqlite" };
    let other = match cluster {
        Some(_) => Some(options.cluster("earlier").ok_or_else(|| Failure::new("no PostgreSQL for it"))?),
        None => None,
    };
    let earlier = Home::earlier(earlier, options.place.join(name), other)?;
    compared::measure(options, home(options, cluster, "compared")?, earlier, figures).await
}
