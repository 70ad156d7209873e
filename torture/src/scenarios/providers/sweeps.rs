//! Sweeps: the servers are away while everything at Lemon Squeezy changes, whose webhooks are lost for good. One sweep finds it
//! all, also if it is killed at each page. If half of the subscriptions are gone or canceled, no user loses access.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use perennial_harness::SeededRandom;
use serde_json::Value;

use super::account::{Account, Loss};
use super::item::Status;
use super::place::{Place, now};
use super::{Amount, WAITING, compare};
use crate::failure::{Failure, Result, could_not};
use crate::rows;
use crate::scenario::Measured;

const LIMIT: Duration = Duration::from_mins(3);
const POLL: Duration = Duration::from_millis(20);
const SWEPT: &str = "SELECT COUNT(*) FROM connection_states WHERE sweep IS NOT NULL";

pub(super) fn run(
    place: &mut Place<'_>,
    account: &mut Account,
    random: &mut SeededRandom,
    amount: Amount,
) -> Result<Vec<Measured>> {
    place.kill_all()?;
    let lost = (0..amount.subscriptions * 5).map(|_| account.change(random, now(), Loss::Never)).count();
    place.restart()?;
    let (kills, repeated) = kill_at_pages(place, account, amount)?;
    let different = differing(place, account)?;
    let mut measured = vec![
        Measured::at_least("webhooks that were lost while the servers were away", lost, amount.subscriptions * 5),
        Measured::at_least("kills of a sweep at a page", kills, 1),
        Measured::none("pages that were read again from the beginning", repeated),
        Measured::none("records that differ after the sweep", different),
    ];
    measured.extend(guard(place, account)?);
    Ok(measured)
}

/// The requests for pages that a sweep sends, in order: all lists are compared, then applied.
fn pages(account: &Account, page_size: usize) -> Vec<String> {
    let each = |list: &str, objects: usize| -> Vec<String> {
        let last = objects.div_ceil(page_size).max(1);
        (1..=last).map(|page| format!("GET /v1/{list} page[number]={page}&")).collect()
    };
    let count = account.items.len();
    let once =
        [each("subscriptions", count), each("orders", 0), each("subscription-invoices", count), each("variants", 1)];
    let once = once.concat();
    [once.clone(), once].concat()
}

/// Begins a sweep with the operator's command, and kills the process that continues it at one page after the other. Returns the kills, and
/// the pages that were read again although a later one had been read.
fn kill_at_pages(place: &mut Place<'_>, account: &Account, amount: Amount) -> Result<(usize, usize)> {
    let mut page_size = 0;
    account.fake.set(|behavior| page_size = behavior.page_size);
    let pages = pages(account, page_size);
    let begin = account.fake.requests();
    let most = amount.page_kills.min(pages.len() - 1);
    let mut kills = 0;
    stall(account, Some(&pages[1]));
    let mut command = start(place)?;
    let step = (pages.len() / (most + 1)).max(1);
    for (number, page) in pages.iter().enumerate().skip(1).step_by(step) {
        if kills == most {
            break;
        }
        stall(account, Some(page));
        // A page of the comparison is read again when the lists are applied.
        let is_second = number >= pages.len() / 2;
        wait_for(account, begin, page, 1 + usize::from(is_second))?;
        if kills == 0 {
            command.kill().and_then(|()| command.wait()).map_err(could_not("kill the command"))?;
        }
        place.kill_all()?;
        kills += 1;
        stall(account, None);
        place.restart()?;
    }
    stall(account, None);
    let deadline = Instant::now() + LIMIT;
    while rows::count(place.home, SWEPT)? + rows::count(place.home, WAITING)? > 0 {
        if Instant::now() > deadline {
            return Err(Failure::new("the sweep did not end"));
        }
        std::thread::sleep(POLL);
    }
    let mut read: Vec<String> = account
        .fake
        .seen_since(begin)
        .iter()
        .map(perennial_fake_provider::Seen::line)
        .filter(|line| line.contains(" page[number]="))
        .collect();
    read.dedup();
    Ok((kills, read.len().abs_diff(pages.len())))
}

fn start(place: &Place<'_>) -> Result<Child> {
    let mut command = place.home.command();
    command.args(["connection", "reconcile", "lemon-squeezy"]).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().map_err(could_not("run the command"))
}

fn stall(account: &Account, page: Option<&String>) {
    account.fake.set(|behavior| behavior.stall = page.cloned());
}

/// Waits until a page was requested for so many passes: repeated requests after a kill follow each other.
fn wait_for(account: &Account, begin: usize, page: &str, passes: usize) -> Result {
    let deadline = Instant::now() + LIMIT;
    loop {
        let mut lines: Vec<String> = account
            .fake
            .seen_since(begin)
            .iter()
            .map(perennial_fake_provider::Seen::line)
            .filter(|line| line.contains(" page[number]="))
            .collect();
        lines.dedup();
        if lines.iter().filter(|line| line.starts_with(page)).count() >= passes {
            return Ok(());
        }
        if Instant::now() > deadline {
            return Err(Failure::new(format!("the sweep did not come to {page}")));
        }
        std::thread::sleep(POLL);
    }
}

fn differing(place: &Place<'_>, account: &Account) -> Result<usize> {
    let found = compare::all(place, std::slice::from_ref(account))?;
    Ok(found.different + found.missing + found.twice)
}

/// Half of the subscriptions are gone, then back and expired.
fn guard(place: &Place<'_>, account: &mut Account) -> Result<Vec<Measured>> {
    for item in &mut account.items {
        item.status = if item.status == Status::Expired { Status::Expired } else { Status::Active };
    }
    account.items.iter().for_each(|item| account.put(item));
    place.reconcile(account, &["--yes"])?;
    let before = account.subscriptions();
    let half = account.items.len() / 2;
    (0..half).for_each(|number| account.forget(number));
    let gone = place.reconcile(account, &[])?;
    let lost_by_absence = compare::subscriptions(place, &before)?;
    for item in account.items.iter_mut().filter(|item| item.status == Status::Active).take(half) {
        item.status = Status::Expired;
    }
    account.items.iter().for_each(|item| account.put(item));
    let stopped = place.reconcile(account, &[])?;
    let lost_by_sweep = compare::subscriptions(place, &before)?;
    place.reconcile(account, &["--yes"])?;
    let missing = gone["differences"].as_array().into_iter().flatten().filter(|one| one["missing"] == true).count();
    Ok(vec![
        Measured::at_least("subscriptions that the provider lost, reported", missing, half.min(50)),
        Measured::none("subscriptions changed because they are gone there", lost_by_absence),
        Measured::new(
            "a sweep that would end the access of half is stopped",
            &stopped["stopped"],
            "true",
            stopped["stopped"] == Value::Bool(true),
        ),
        Measured::none("subscriptions changed by the stopped sweep", lost_by_sweep),
        Measured::none("records that differ after `reconcile --yes`", differing(place, account)?),
    ])
}
