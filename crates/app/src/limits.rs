//! Rate limits: how often somebody may try to sign in or up, and to refresh in vain.
//! Counted in memory; servers that share a store tell each other. A store that fails refuses nobody.

mod bucket;
pub(crate) mod counter;
mod share;
mod table;
mod window;

pub use bucket::Budget;
pub use counter::RateLimits;
pub use window::{Limited, Standing};

use crate::caller::Caller;
use crate::context::App;
use crate::error::Error;
use crate::housekeeping::remove::{BATCH, remove};
use bucket::{Who, bucket};
use counter::{Asked, Counter};
use perennial_domain::clients::ClientKind;
use perennial_store::rate_limits::{self, Bucket};
use perennial_store::{Change, organizations};
use std::net::IpAddr;
use window::Moment;

/// Counts an attempt, if there is room for it. Nothing is told where nothing is limited.
pub async fn admit(app: &App, caller: &Caller, budget: Budget, address: IpAddr) -> Result<Option<Standing>, Limited> {
    ask(app, caller, budget, address, Counter::admit).await
}

/// Whether there is room for an attempt, which is not counted.
pub async fn peek(app: &App, caller: &Caller, budget: Budget, address: IpAddr) -> Result<Option<Standing>, Limited> {
    ask(app, caller, budget, address, Counter::peek).await
}

/// Counts an attempt that was made already, whether or not there was room for it.
pub fn count(app: &App, caller: &Caller, budget: Budget, address: IpAddr) -> Option<Standing> {
    let asked = asked(app, caller, budget, address)?;
    let moment = Moment::of(app.clock.now());
    Some(asked.counter.count(asked.bucket, moment))
}

/// Removes what servers told each other in minutes that no longer count.
pub async fn sweep(app: &App) -> Result<(), Error> {
    /// Two minutes count; servers' clocks may differ.
    const KEPT_SECONDS: i64 = 600;
    if !app.db.is_shared() {
        return Ok(());
    }
    let before = app.clock.now().plus_seconds(-KEPT_SECONDS);
    for organization in organizations::all(&app.db).await? {
        let due = || rate_limits::due(&app.db, organization.id, before, BATCH);
        remove(app, due, || rate_limits::sweep(Change::new(), organization.id, before, BATCH)).await?;
    }
    Ok(())
}

/// What memory answers, unless the other servers must be asked first.
type FromMemory = fn(&Counter, Bucket, Moment) -> Option<Result<Standing, Limited>>;

async fn ask(
    app: &App,
    caller: &Caller,
    budget: Budget,
    address: IpAddr,
    from_memory: FromMemory,
) -> Result<Option<Standing>, Limited> {
    let Some(asked) = asked(app, caller, budget, address) else { return Ok(None) };
    let answer = || from_memory(asked.counter, asked.bucket, Moment::of(app.clock.now()));
    if let Some(answer) = answer() {
        return answer.map(Some);
    }
    let _lock = app.limits.lock(asked.bucket).lock().await;
    loop {
        // Whoever had the turn before may have asked for us too.
        if let Some(answer) = answer() {
            return answer.map(Some);
        }
        share::exchange(app, &asked).await;
    }
}

/// What an attempt counts towards. None: nothing is limited, or the caller is the operator.
fn asked<'a>(app: &'a App, caller: &Caller, budget: Budget, address: IpAddr) -> Option<Asked<'a>> {
    if !app.limits.enabled {
        return None;
    }
    let client = &caller.known()?.client;
    let (counter, who) = match client.kind {
        ClientKind::Public => (&app.limits.public, Who::Address(address)),
        ClientKind::Trusted => (&app.limits.trusted, Who::Client(client.id)),
    };
    let organization = caller.organization();
    Some(Asked { counter, organization, bucket: bucket(&app.keys, organization, budget, who) })
}

#[cfg(test)]
mod tests;
