//! The attempts that this server has counted, and the decision whether there is room for one more.

use super::table::Table;
use super::window::{Limited, Moment, Standing, Tally};
use perennial_domain::id::OrganizationId;
use perennial_store::rate_limits::{Bucket, Server};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The number of locks for exchanges with other servers.
const LOCKS: usize = 64;

/// The limits of the budgets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimits {
    /// Whether limits apply.
    pub enabled: bool,
    /// Attempts per minute from one address, with an organization's public clients.
    pub public_per_minute: u32,
    /// Attempts per minute of one trusted client, from any address.
    pub trusted_per_minute: u32,
}

impl Default for RateLimits {
    fn default() -> Self {
        Self { enabled: true, public_per_minute: 60, trusted_per_minute: 6_000 }
    }
}

/// The attempts that this server knows of.
pub(crate) struct Limits {
    pub(super) enabled: bool,
    pub(super) public: Counter,
    pub(super) trusted: Counter,
    /// Locks for exchanges with other servers. One request per bucket exchanges counts for all that wait.
    locks: Vec<tokio::sync::Mutex<()>>,
    pub(super) server: Server,
}

/// The attempts of one kind of client. There are many addresses and few clients: a flood of addresses must not take the
/// memory of the clients.
pub(super) struct Counter {
    limit: u32,
    /// The number of attempts of a bucket that may be unknown to other servers.
    allowance: u32,
    table: Mutex<Table>,
}

/// The counter and bucket of an attempt.
pub(super) struct Attempt<'a> {
    pub(super) counter: &'a Counter,
    pub(super) organization: OrganizationId,
    pub(super) bucket: Bucket,
}

/// The number of attempts of a bucket that a server may count before it shares them.
pub(super) fn allowance(limit: u32) -> u32 {
    (limit / 12).saturating_sub(1).max(1)
}

impl Limits {
    /// `is_shared`: other servers may count attempts too. `server` identifies this one.
    pub(crate) fn new(options: RateLimits, is_shared: bool, server: Server) -> Self {
        let counter = |limit: u32| Counter {
            limit,
            allowance: if is_shared { allowance(limit) } else { u32::MAX },
            table: Mutex::default(),
        };
        Self {
            enabled: options.enabled,
            public: counter(options.public_per_minute),
            trusted: counter(options.trusted_per_minute),
            locks: (0..LOCKS).map(|_| tokio::sync::Mutex::default()).collect(),
            server,
        }
    }

    /// The lock for exchanges about a bucket.
    pub(super) fn lock(&self, bucket: Bucket) -> &tokio::sync::Mutex<()> {
        &self.locks[usize::from(bucket[1]) % self.locks.len()]
    }
}

impl Counter {
    pub(super) fn admit(&self, bucket: Bucket, moment: Moment) -> Option<Result<Standing, Limited>> {
        let mut table = self.table();
        let tally = table.get(bucket, moment.minute);
        self.judge(&tally, moment).map(|judged| {
            judged?;
            let counted = tally.counted();
            table.put(bucket, counted);
            Ok(counted.standing(self.limit, moment))
        })
    }

    pub(super) fn peek(&self, bucket: Bucket, moment: Moment) -> Option<Result<Standing, Limited>> {
        self.judge(&self.get(bucket, moment), moment)
    }

    pub(super) fn count(&self, bucket: Bucket, moment: Moment) -> Standing {
        let mut table = self.table();
        let counted = table.get(bucket, moment.minute).counted();
        table.put(bucket, counted);
        counted.standing(self.limit, moment)
    }

    /// Whether the budget allows one more attempt. If the known counts exceed it, other servers need not be read.
    fn judge(&self, tally: &Tally, moment: Moment) -> Option<Result<Standing, Limited>> {
        let standing = tally.standing(self.limit, moment);
        if standing.remaining == 0 {
            return Some(Err(Limited(standing)));
        }
        (tally.unreported() < self.allowance).then_some(Ok(standing))
    }

    /// Stores the result of an exchange, which may belong to the previous minute by now.
    pub(super) fn learn(&self, bucket: Bucket, known: Tally, moment: Moment) {
        let mut table = self.table();
        let tally = table.get(bucket, moment.minute);
        let known = known.at(tally.minute);
        table.put(bucket, Tally { reported: known.reported, others: known.others, ..tally });
    }

    pub(super) fn get(&self, bucket: Bucket, moment: Moment) -> Tally {
        self.table().get(bucket, moment.minute)
    }

    pub(super) fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
