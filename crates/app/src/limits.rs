//! Rate limits: how often somebody may try to sign in or up, and to refresh in vain.
//! Counted in memory; servers that share a store tell each other. A store that fails refuses nobody.

mod share;
mod table;
mod window;

use crate::caller::Caller;
use crate::context::App;
use crate::error::Error;
use crate::housekeeping::{self, BATCH};
use crate::keys::Keys;
use perennial_domain::clients::ClientKind;
use perennial_domain::id::{ClientId, OrganizationId};
use perennial_store::rate_limits::{self, Bucket, Server};
use perennial_store::{Change, organizations};
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use table::Table;
use window::{Moment, Tally};

/// How many buckets at once may be told of.
const TURNS: usize = 64;

/// What is limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// Attempts to sign in and to sign up, together.
    SignIn,
    /// Refreshes that failed.
    FailedRefresh,
}

/// How much of each budget there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimits {
    /// Whether anything is limited.
    pub enabled: bool,
    /// Attempts a minute from one address, with an organization's public clients.
    pub public_per_minute: u32,
    /// Attempts a minute of one trusted client, wherever it is.
    pub trusted_per_minute: u32,
}

impl Default for RateLimits {
    fn default() -> Self {
        Self { enabled: true, public_per_minute: 60, trusted_per_minute: 6_000 }
    }
}

/// Where somebody stands with a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Attempts a minute.
    pub limit: u32,
    /// Attempts that are left now.
    pub remaining: u32,
    /// Seconds until more are: until the minute turns or, if none is left, until there is room for one.
    pub reset_seconds: u64,
}

/// A budget is used up; the standing says for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limited(pub Standing);

/// The attempts this server knows of.
pub(crate) struct Limits {
    enabled: bool,
    public: Counter,
    trusted: Counter,
    /// Those who wait to tell the other servers; a bucket's wait in one line, so that one of them does it for all.
    turns: Vec<tokio::sync::Mutex<()>>,
    server: Server,
}

/// The attempts of one kind of client. Addresses are many and clients are few: a flood of the one must not take the
/// room of the other.
struct Counter {
    limit: u32,
    /// How many attempts of a bucket may stay untold.
    allowance: u32,
    table: Mutex<Table>,
}

/// Whose attempts are asked about.
struct Asked<'a> {
    counter: &'a Counter,
    organization: OrganizationId,
    bucket: Bucket,
}

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
    let asked = Asked::new(app, caller, budget, address)?;
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
        housekeeping::remove(app, due, || rate_limits::sweep(Change::new(), organization.id, before, BATCH)).await?;
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
    let Some(asked) = Asked::new(app, caller, budget, address) else { return Ok(None) };
    let answer = || from_memory(asked.counter, asked.bucket, Moment::of(app.clock.now()));
    if let Some(answer) = answer() {
        return answer.map(Some);
    }
    let _turn = app.limits.turn(asked.bucket).lock().await;
    loop {
        // Whoever had the turn before may have asked for us too.
        if let Some(answer) = answer() {
            return answer.map(Some);
        }
        share::exchange(app, &asked).await;
    }
}

impl Limits {
    /// `is_shared` says whether other servers may count attempts too; `server` tells this one from them.
    pub(crate) fn new(options: RateLimits, is_shared: bool, server: Server) -> Self {
        let counter = |limit: u32| Counter {
            limit,
            allowance: if is_shared { share::allowance(limit) } else { u32::MAX },
            table: Mutex::default(),
        };
        Self {
            enabled: options.enabled,
            public: counter(options.public_per_minute),
            trusted: counter(options.trusted_per_minute),
            turns: (0..TURNS).map(|_| tokio::sync::Mutex::default()).collect(),
            server,
        }
    }

    fn turn(&self, bucket: Bucket) -> &tokio::sync::Mutex<()> {
        &self.turns[usize::from(bucket[1]) % self.turns.len()]
    }
}

impl Counter {
    fn admit(&self, bucket: Bucket, moment: Moment) -> Option<Result<Standing, Limited>> {
        let mut table = self.table();
        let tally = table.look(bucket, moment.minute);
        self.judge(&tally, moment).map(|judged| {
            judged?;
            let counted = tally.counted();
            table.keep(bucket, counted);
            Ok(counted.standing(self.limit, moment))
        })
    }

    fn peek(&self, bucket: Bucket, moment: Moment) -> Option<Result<Standing, Limited>> {
        self.judge(&self.look(bucket, moment), moment)
    }

    fn count(&self, bucket: Bucket, moment: Moment) -> Standing {
        let mut table = self.table();
        let counted = table.look(bucket, moment.minute).counted();
        table.keep(bucket, counted);
        counted.standing(self.limit, moment)
    }

    /// Whether there is room for one more. What is over by what is known needs no second opinion.
    fn judge(&self, tally: &Tally, moment: Moment) -> Option<Result<Standing, Limited>> {
        let standing = tally.standing(self.limit, moment);
        if standing.remaining == 0 {
            return Some(Err(Limited(standing)));
        }
        (tally.untold() < self.allowance).then_some(Ok(standing))
    }

    fn look(&self, bucket: Bucket, moment: Moment) -> Tally {
        self.table().look(bucket, moment.minute)
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'a> Asked<'a> {
    /// None: nothing is limited, or the caller is the operator.
    fn new(app: &'a App, caller: &Caller, budget: Budget, address: IpAddr) -> Option<Self> {
        if !app.limits.enabled {
            return None;
        }
        let client = &caller.known()?.client;
        let (counter, who) = match client.kind {
            ClientKind::Public => (&app.limits.public, Who::Address(address)),
            ClientKind::Trusted => (&app.limits.trusted, Who::Client(client.id)),
        };
        let organization = caller.organization();
        Some(Self { counter, organization, bucket: bucket(&app.keys, organization, budget, who) })
    }
}

/// Who is counted together.
#[derive(Clone, Copy)]
enum Who {
    Client(ClientId),
    Address(IpAddr),
}

/// A digest under a key of ours, so that neither the store nor a dump of it tells an address.
fn bucket(keys: &Keys, organization: OrganizationId, budget: Budget, who: Who) -> Bucket {
    let budget = match budget {
        Budget::SignIn => b"sign-in",
        Budget::FailedRefresh => b"refresh",
    };
    let who = match who {
        Who::Client(id) => id.bytes().to_vec(),
        Who::Address(address) => match address.to_canonical() {
            IpAddr::V4(address) => address.octets().to_vec(),
            // Whoever has one address of a /64 has them all.
            IpAddr::V6(address) => address.octets()[..8].to_vec(),
        },
    };
    // What varies in length comes last; a client, a network and an address differ in theirs.
    keys.digest_attempt(&[&organization.bytes(), budget, &who])
}

#[cfg(test)]
mod tests;
