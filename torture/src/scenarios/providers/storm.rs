//! The storm: objects change, webhooks arrive late, twice or never, providers are away, servers are killed, and payments are
//! collected during that time.

use std::time::{Duration, Instant};

use perennial_fake_provider::{Behavior, Fault, Webhook};
use perennial_harness::SeededRandom;

use super::Amount;
use super::account::{Account, Loss};
use super::collecting::Collecting;
use super::limits;
use super::place::{Place, now};
use crate::failure::Result;

/// Webhooks that are on the way at the same time.
const ON_THE_WAY: usize = 12;
/// How long a provider is away.
const AWAY: Duration = Duration::from_secs(1);
/// What a provider asks for, and how long requests may have been on the way before.
const RETRY_AFTER: u64 = 3;
const SENT_BEFORE: Duration = Duration::from_millis(1_500);
/// How long the first request of a pause is waited for.
const PATIENCE: Duration = Duration::from_mins(2);
/// Between the changes of objects whose provider asked for patience.
const BETWEEN_CHANGES: Duration = Duration::from_millis(100);

pub(super) struct Storm<'r> {
    random: &'r mut SeededRandom,
    queue: Vec<(usize, Webhook)>,
    pub(super) changes: usize,
    sent: usize,
    lost: usize,
    again: usize,
    pub(super) pauses: usize,
    pub(super) during_pauses: usize,
}

impl<'r> Storm<'r> {
    pub(super) fn new(random: &'r mut SeededRandom) -> Self {
        Self { random, queue: Vec::new(), changes: 0, sent: 0, lost: 0, again: 0, pauses: 0, during_pauses: 0 }
    }

    pub(super) fn figures(&self) -> String {
        format!("{}, {}, {}", self.sent, self.lost, self.again)
    }

    pub(super) fn run(
        &mut self,
        place: &mut Place<'_>,
        accounts: &mut [Account; 3],
        collecting: &mut Collecting,
        amount: Amount,
    ) -> Result {
        let every = (amount.changes / amount.kills).max(1);
        for step in 0..amount.changes {
            let at = self.random.index(accounts.len());
            let webhook = accounts[at].change(self.random, now(), Loss::Possible);
            self.changes += 1;
            self.post(at, webhook);
            self.deliver(place, accounts, ON_THE_WAY);
            collecting.begin_some(place, &accounts[0], (step + 1) * amount.payments / amount.changes, self.random);
            // A connection that is closed is repeated once by the client itself.
            let fault = self.fault();
            accounts[0].fake.set(|behavior| behavior.faults.extend([fault, fault]));
            if step % every == every / 2 {
                place.kill_one(self.random)?;
            }
            // Each provider is away once in each quarter, one after the other.
            if step % (amount.changes / 4) == amount.changes / 16 * (at % 3 + 1) {
                self.outage(place, accounts, at)?;
            }
        }
        self.deliver(place, accounts, 0);
        // The one whose requests wait for their turns.
        self.pause(place, accounts, 1);
        for account in accounts {
            account.fake.set(|behavior| behavior.faults.clear());
        }
        Ok(())
    }

    /// A webhook that is lost, sent, or sent twice.
    fn post(&mut self, at: usize, webhook: Webhook) {
        match self.random.below(10) {
            0 | 1 => self.lost += 1,
            2 | 3 => {
                self.again += 1;
                self.queue.extend([(at, webhook.clone()), (at, webhook)]);
            }
            _ => self.queue.push((at, webhook)),
        }
    }

    /// Sends webhooks in any order until so many are left.
    fn deliver(&mut self, place: &Place<'_>, accounts: &[Account], left: usize) {
        while self.queue.len() > left {
            let next = self.random.index(self.queue.len());
            let (at, webhook) = self.queue.swap_remove(next);
            if place.deliver(&accounts[at], &webhook, self.random) {
                self.sent += 1;
            } else {
                self.lost += 1;
            }
        }
    }

    /// What goes wrong with a request that writes.
    fn fault(&mut self) -> Option<Fault> {
        let faults = [Fault::LoseRequest, Fault::LoseResponse, Fault::FailBefore, Fault::FailAfter];
        self.random.percent(15).then(|| faults[self.random.index(faults.len())])
    }

    /// A provider that is away for a moment, while a server is killed.
    fn outage(&mut self, place: &mut Place<'_>, accounts: &[Account; 3], at: usize) -> Result {
        let fake = &accounts[at].fake;
        let drops = self.random.percent(50);
        let change = move |behavior: &mut Behavior| {
            behavior.drops = drops;
            behavior.outage = (!drops).then_some(503);
        };
        fake.set(change);
        let over = Instant::now() + AWAY;
        place.kill_one(self.random)?;
        std::thread::sleep(over.saturating_duration_since(Instant::now()));
        fake.set(|behavior| {
            behavior.drops = false;
            behavior.outage = None;
        });
        Ok(())
    }

    /// A provider that asks for patience while its objects change: after its first 429 no server sends anything until then.
    fn pause(&mut self, place: &Place<'_>, accounts: &mut [Account; 3], at: usize) {
        let first = accounts[at].fake.requests();
        accounts[at].fake.set(|behavior| (behavior.retry_after, behavior.allowed) = (Some(RETRY_AFTER), 0));
        let pause = Duration::from_secs(RETRY_AFTER);
        let (mut begin, mut end) = (None, Instant::now() + PATIENCE);
        while Instant::now() < end {
            let webhook = accounts[at].change(self.random, now(), Loss::Possible);
            self.changes += 1;
            self.queue.push((at, webhook));
            self.deliver(place, accounts, 0);
            std::thread::sleep(BETWEEN_CHANGES);
            if begin.is_none() {
                begin = accounts[at].fake.seen_since(first).first().map(|seen| seen.at);
                end = begin.map_or(end, |begin| begin + pause);
            }
        }
        let instants: Vec<Instant> = accounts[at].fake.seen_since(first).iter().map(|seen| seen.at).collect();
        accounts[at].fake.set(open);
        if let Some(begin) = begin {
            self.pauses += 1;
            self.during_pauses += limits::during(&instants, (begin, pause), SENT_BEFORE);
        }
    }
}

fn open(behavior: &mut Behavior) {
    (behavior.retry_after, behavior.allowed) = (None, usize::MAX);
}
