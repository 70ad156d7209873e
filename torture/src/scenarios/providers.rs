//! R19: servers are killed while three payment providers change their objects, lose and repeat webhooks, and are away for a
//! while. In the end every record is what its provider has, no webhook waits, no server exceeded the shared limit of requests,
//! and every payment that was collected was charged exactly once.

mod account;
mod collecting;
mod compare;
mod item;
mod limits;
mod objects;
mod place;
mod storm;
mod sweeps;

use std::time::{Duration, Instant};

use perennial_fake_provider::Kind;
use perennial_harness::SeededRandom;

use crate::failure::Result;
use crate::home::Home;
use crate::rows;
use crate::scenario::{Measured, Run};
use account::Account;
use collecting::Collecting;
use place::Place;
use storm::Storm;

const WAITING: &str = "SELECT COUNT(*) FROM connection_inbox WHERE state = 'waiting'";
const FAILED: &str = "SELECT COUNT(*) FROM connection_inbox WHERE state = 'failed'";
/// Every object at a provider that is linked, to find one record with two links and the reverse.
const LINKS: &str = "SELECT COUNT(*) - COUNT(DISTINCT record_id) FROM connection_links WHERE object <> 'customer'";

/// How much of it.
#[derive(Clone, Copy)]
pub(super) struct Amount {
    /// Subscriptions at each provider, each with a payment.
    subscriptions: usize,
    changes: usize,
    kills: usize,
    payments: usize,
    /// Kills of a sweep at its pages. On PostgreSQL each waits for a lease.
    page_kills: usize,
    /// How long the rest may take after the storm.
    drain: Duration,
    /// How often a collection is killed at each of its steps.
    step_kills: usize,
}

const QUICK: Amount = Amount {
    subscriptions: 44,
    changes: 120,
    kills: 2,
    payments: 30,
    page_kills: 1,
    drain: Duration::from_mins(3),
    step_kills: 0,
};
const USUAL: Amount = Amount {
    subscriptions: 200,
    changes: 2_000,
    kills: 25,
    payments: 500,
    page_kills: 18,
    drain: Duration::from_mins(10),
    step_kills: 1,
};
const FULL: Amount = Amount {
    subscriptions: 1_000,
    changes: 20_000,
    kills: 200,
    payments: 10_000,
    page_kills: 100,
    drain: Duration::from_hours(1),
    step_kills: 10,
};

pub(crate) fn run(run: &Run) -> Result<Vec<Measured>> {
    let amount = run.size.choose(QUICK, USUAL, FULL);
    let mut random = SeededRandom::new(run.seed);
    let home = Home::new(run)?;
    let now = place::now();
    // The first and the last have the most that a connection can have; the second keeps its servers waiting.
    let new = |kind, limit| Account::new(kind, limit, amount.subscriptions, now);
    let mut accounts = [new(Kind::Stripe, 6_000), new(Kind::Paddle, 600), new(Kind::LemonSqueezy, 6_000)];
    let mut place = Place::start(&home, &mut accounts)?;
    let mut collecting = Collecting::create(&place, &accounts[0], amount.payments)?;

    // Before the storm: behind its requests a collection would not come to a step in time.
    let steps = collecting.kill_at_steps(&mut place, &accounts[0], amount.step_kills)?;
    let mut storm = Storm::new(&mut random);
    storm.run(&mut place, &mut accounts, &mut collecting, amount)?;
    collecting.drain(&place, &accounts, amount.drain)?;
    let found = compare::all(&place, &accounts)?;
    let mut measured = vec![
        Measured::at_least("kills", place.kills, amount.kills + steps),
        Measured::at_least("changes at the providers", storm.changes, amount.changes),
        Measured::new("webhooks sent, lost, sent again", storm.figures(), "any", true),
        Measured::at_least("records", found.records, 6 * amount.subscriptions),
        Measured::none("records that differ from the provider's", found.different),
        Measured::none("records that are missing", found.missing),
        Measured::none("records that exist twice", found.twice),
        Measured::none("links to the same record", rows::count(&home, LINKS)?),
        Measured::none("webhooks that still wait", rows::count(&home, WAITING)?),
        Measured::none("webhooks that failed", rows::count(&home, FAILED)?),
        Measured::at_least("pauses that a provider asked for", storm.pauses, 1),
        Measured::none("requests during a pause that the provider asked for", storm.during_pauses),
    ];
    measured.extend(collecting.measure(&place, &accounts[0], steps)?);
    measured.extend(sweeps::run(&mut place, &mut accounts[2], &mut random, amount)?);
    for account in &accounts {
        let instants: Vec<Instant> = account.fake.seen().iter().map(|seen| seen.at).collect();
        let what = format!("requests to {} over the limit of {} a minute", account.name, account.requests_per_minute);
        measured.push(Measured::none(what, limits::excess(&instants, account.requests_per_minute)));
    }
    Ok(measured)
}
