//! `perennial demo`, and the demo of `perennial serve --demo`.

use super::progress::Bar;
use crate::arguments::Demo as Flags;
use crate::config::Config;
use crate::failure::Failure;
use crate::{output, storage};
use perennial_app::context::Clock;
use perennial_domain::number::Number;
use perennial_domain::time::Time;
use perennial_store::Db;
use perennial_transfer::demo::{self, Demo, DemoOptions};
use serde_json::json;

const DAY_MICROS: i64 = 86_400_000_000;

pub(super) async fn run(config: &Config, flags: &Flags, json: bool) -> Result<(), Failure> {
    let options = options(flags)?;
    // Opened as a server opens it: no other process may use a SQLite store that is being filled.
    let db = storage::open_server(config).await?;
    db.migrate().await?;
    let mut bar = Bar::new(json, options.subscriptions());
    let outcome = demo::fill(&db, options, |made| bar.show(made.subscriptions, made.records())).await;
    bar.clear();
    db.close().await;
    let made = match outcome? {
        Demo::Made(made) => Some(made),
        Demo::AlreadyThere => None,
        Demo::Occupied => return Err(occupied()),
    };
    output::print(json, &json!({ "made": made }), || match made {
        Some(made) => format!(
            "Made {} plans, {} users, {} subscriptions, {} payments and {} events.\n\
             `perennial serve` serves them, `perennial subscription list` shows them.",
            made.plans, made.users, made.subscriptions, made.payments, made.events
        ),
        None => "The demo is there already; nothing was changed.".to_owned(),
    })
}

/// Fills a store before its first run. A demo store does not change.
pub(crate) async fn fill_if_empty(db: &Db) -> Result<(), Failure> {
    db.migrate().await?;
    let options = DemoOptions { seed: 1, scale_hundredths: 100, until: today() };
    match demo::fill(db, options, |_| {}).await? {
        Demo::Made(made) => tracing::info!(subscriptions = made.subscriptions, events = made.events, "created a demo"),
        Demo::AlreadyThere => {}
        Demo::Occupied => return Err(occupied()),
    }
    Ok(())
}

fn occupied() -> Failure {
    Failure::new("this store holds data that is no demo: name another --data-dir or --database-url for one")
}

fn options(flags: &Flags) -> Result<DemoOptions, Failure> {
    let until = crate::commands::flags::read_flag("until", flags.until.as_deref(), Time::parse)?;
    let scale = Number::parse(&flags.scale).and_then(|number| number.scaled(2).ok());
    let scale =
        scale.and_then(|hundredths| u64::try_from(hundredths).ok()).filter(|scale| (1..=100_000).contains(scale));
    let scale_hundredths =
        scale.ok_or_else(|| Failure::new("--scale must be a number from 0.01 to 1000 with at most two decimals"))?;
    let until = until.unwrap_or_else(today);
    if until < Time::from_micros(366 * DAY_MICROS).unwrap_or(Time::MAX) {
        return Err(Failure::new("--until must be in 1971 or later"));
    }
    Ok(DemoOptions { seed: flags.seed, scale_hundredths, until })
}

/// The beginning of this day, so that all demos of a day are equal.
fn today() -> Time {
    let now = Clock::System.now().as_micros();
    Time::from_micros(now - now % DAY_MICROS).unwrap_or(Time::MAX)
}
