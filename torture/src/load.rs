//! Writers and readers at work while the database is restarted or replaced: changes of payments and of subscriptions,
//! creates without a key that are sent once, creates with a key that are sent until they are acknowledged.
//! Every write has a unique number, which `ledger` looks for in the store.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use crate::caller::{Caller, create_subscription};
use crate::failure::{Failure, Result};
use crate::ledger::{Entry, Outcome};
use crate::responses::Responses;
use crate::threads;

const READ_PAUSE: Duration = Duration::from_millis(5);
/// The numbers of one caller's writes; no other caller's are among them.
const NUMBERS: u64 = 1_000_000;

#[derive(Clone, Copy)]
pub(crate) enum Work {
    ChangePayment,
    ChangeSubscription,
    Create,
    CreateWithKey,
    Read,
}

/// How many callers do what.
pub(crate) type Callers = &'static [(Work, usize)];

pub(crate) struct Load<'a> {
    address: SocketAddr,
    callers: Callers,
    user: &'a str,
    plan: &'static str,
    responses: &'a Responses,
    /// Distinguishes the numbers of one load from those of another.
    part: u64,
    served: Vec<AtomicU64>,
    is_stopped: AtomicBool,
}

impl<'a> Load<'a> {
    /// Callers for the server at this address, with a subscription each of this user to this plan.
    pub(crate) fn new(
        address: SocketAddr,
        callers: Callers,
        (user, plan): (&'a str, &'static str),
        responses: &'a Responses,
        part: u64,
    ) -> Self {
        let count: usize = callers.iter().map(|(_, count)| count).sum();
        let served = (0..count).map(|_| AtomicU64::new(0)).collect();
        Self { address, callers, user, plan, responses, part, served, is_stopped: AtomicBool::new(false) }
    }

    /// Runs all callers while `outages` happen.
    pub(crate) fn during(self, outages: impl FnOnce(&Self) -> Result) -> Result<Vec<Entry>> {
        let load = &self;
        let work = load.callers.iter().flat_map(|(work, count)| std::iter::repeat_n(*work, *count));
        std::thread::scope(|scope| {
            let callers = work.enumerate().map(|(at, work)| scope.spawn(move || load.work(at, work))).collect();
            let outcome = outages(load);
            load.is_stopped.store(true, Relaxed);
            let entries = threads::join(callers)?;
            outcome.map(|()| entries.into_iter().flatten().collect())
        })
    }

    /// Lets the database go and come back, then waits until every caller has been served again.
    pub(crate) fn outage(&self, happens: impl FnOnce() -> Result) -> Result {
        self.responses.outage(self.address, &self.served, happens)
    }

    fn work(&self, at: usize, work: Work) -> Result<Vec<Entry>> {
        let mut caller = Caller::new(self.address, self.responses);
        let subscription = create_subscription(self.address, self.user, self.plan)?;
        let first = (self.part * 1_000 + at as u64) * NUMBERS;
        let is_stopped = || self.is_stopped.load(Relaxed);
        let payment = caller.insist(&subscription, first, is_stopped);
        let payment = payment.ok_or_else(|| Failure::new("a caller could not create its payment"))?;
        for number in first + 1.. {
            if is_stopped() {
                break;
            }
            let is_served = match work {
                Work::ChangePayment => caller.change(&payment, number) == Outcome::Acknowledged,
                Work::ChangeSubscription => caller.rename(&subscription, number) == Outcome::Acknowledged,
                Work::Create => caller.create(&subscription, number, None).is_some(),
                Work::CreateWithKey => caller.insist(&subscription, number, is_stopped).is_some(),
                Work::Read => {
                    std::thread::sleep(READ_PAUSE);
                    let (outcome, _) = caller.send("GET", &format!("/subscriptions/{subscription}"), None, None);
                    outcome == Outcome::Acknowledged
                }
            };
            self.served[at].fetch_add(u64::from(is_served), Relaxed);
        }
        Ok(caller.entries)
    }
}
