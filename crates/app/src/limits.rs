//! Rate limits on sign-in, sign-up and failed refreshes, over a sliding window of one minute.
//! Attempts are counted in memory and shared between servers through the store. If the store fails, no request is rejected.

mod bucket;
pub(crate) mod counter;
mod share;
mod table;
mod window;

pub use bucket::Budget;
pub use counter::RateLimits;
pub use window::{Limited, Standing};

use crate::caller::{Caller, NO_ORGANIZATION, Principal};
use crate::context::App;
use crate::error::Error;
use crate::housekeeping::remove::{BATCH, remove};
use bucket::{Who, bucket};
use counter::{Attempt, Counter};
use perennial_domain::clients::ClientKind;
use perennial_store::rate_limits::{self, Bucket};
use perennial_store::{Change, organizations};
use std::net::IpAddr;
use window::Moment;

/// Counts an attempt, if the budget allows it. Returns `None` if nothing is limited.
pub async fn admit(app: &App, caller: &Caller, budget: Budget, address: IpAddr) -> Result<Option<Standing>, Limited> {
    decide(app, caller, budget, address, Counter::admit).await
}

/// Whether the budget allows an attempt, without counting it.
pub async fn peek(app: &App, caller: &Caller, budget: Budget, address: IpAddr) -> Result<Option<Standing>, Limited> {
    decide(app, caller, budget, address, Counter::peek).await
}

/// Counts an attempt that was already made, whether or not the budget allowed it.
pub fn count(app: &App, caller: &Caller, budget: Budget, address: IpAddr) -> Option<Standing> {
    let attempt = attempt(app, caller, budget, address)?;
    let moment = Moment::of(app.clock.now());
    Some(attempt.counter.count(attempt.bucket, moment))
}

/// Removes shared counts of minutes that no longer matter.
pub async fn sweep(app: &App) -> Result<(), Error> {
    /// Two minutes matter; the rest allows for clock differences between servers.
    const KEPT_SECONDS: i64 = 600;
    if !app.db.is_shared() {
        return Ok(());
    }
    let before = app.clock.now().plus_seconds(-KEPT_SECONDS);
    let organizations = organizations::all(&app.db).await?;
    for organization in organizations.iter().map(|organization| organization.id).chain([NO_ORGANIZATION]) {
        let due = || rate_limits::due(&app.db, organization, before, BATCH);
        remove(app, due, || rate_limits::sweep(Change::new(), organization, before, BATCH)).await?;
    }
    Ok(())
}

/// The decision from memory. `None`: the counts of other servers must be read first.
type FromMemory = fn(&Counter, Bucket, Moment) -> Option<Result<Standing, Limited>>;

async fn decide(
    app: &App,
    caller: &Caller,
    budget: Budget,
    address: IpAddr,
    from_memory: FromMemory,
) -> Result<Option<Standing>, Limited> {
    let Some(attempt) = attempt(app, caller, budget, address) else { return Ok(None) };
    let decision = || from_memory(attempt.counter, attempt.bucket, Moment::of(app.clock.now()));
    if let Some(decision) = decision() {
        return decision.map(Some);
    }
    let _lock = app.limits.lock(attempt.bucket).lock().await;
    loop {
        // The previous holder of the lock may have read the counts.
        if let Some(decision) = decision() {
            return decision.map(Some);
        }
        share::exchange(app, &attempt).await;
    }
}

/// What an attempt counts towards. None: nothing is limited, or the caller has signed in.
fn attempt<'a>(app: &'a App, caller: &Caller, budget: Budget, address: IpAddr) -> Option<Attempt<'a>> {
    if !app.limits.enabled {
        return None;
    }
    let (counter, who) = match &caller.principal {
        Principal::Client(known) => match known.client.kind {
            ClientKind::Public => (&app.limits.public, Who::Address(address)),
            ClientKind::Trusted => (&app.limits.trusted, Who::Client(known.client.id)),
        },
        Principal::Anonymous => (&app.limits.public, Who::Address(address)),
        Principal::Operator(_) | Principal::User(_) | Principal::System(_) => return None,
    };
    let organization = match (budget, who) {
        // The sign-ins of an address count together: those of users of every organization, of operators and of customers.
        (Budget::SignIn, Who::Address(_)) => NO_ORGANIZATION,
        _ => caller.organization(),
    };
    Some(Attempt { counter, organization, bucket: bucket(&app.keys, organization, budget, who) })
}

#[cfg(test)]
mod tests;
