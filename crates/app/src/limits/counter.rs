//! The attempts that this server has counted, and the decision whether there is room for one more.

use super::table::Table;
use super::window::{Limited, Moment, Standing, Tally};
use perennial_domain::id::OrganizationId;
use perennial_store::rate_limits::{Bucket, Server};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The number of locks for exchanges with other servers.
const LOCKS: usize = 64;

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

/// The attempts this server knows of.
pub(crate) struct Limits {
    pub(super) enabled: bool,
    pub(super) public: Counter,
    pub(super) trusted: Counter,
    /// Those who wait to tell the other servers; a bucket's wait in one line, so that one of them does it for all.
    locks: Vec<tokio::sync::Mutex<()>>,
    pub(super) server: Server,
}

/// The attempts of one kind of client. Addresses are many and clients are few: a flood of the one must not take the
/// room of the other.
pub(super) struct Counter {
    limit: u32,
    /// How many attempts of a bucket may stay untold.
    allowance: u32,
    table: Mutex<Table>,
}

/// Whose attempts are asked about.
pub(super) struct Asked<'a> {
    pub(super) counter: &'a Counter,
    pub(super) organization: OrganizationId,
    pub(super) bucket: Bucket,
}

/// How many attempts of a bucket a server may keep to itself.
pub(super) fn allowance(limit: u32) -> u32 {
    (limit / 12).saturating_sub(1).max(1)
}

impl Limits {
    /// `is_shared` says whether other servers may count attempts too; `server` tells this one from them.
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
        let tally = table.look(bucket, moment.minute);
        self.judge(&tally, moment).map(|judged| {
            judged?;
            let counted = tally.counted();
            table.keep(bucket, counted);
            Ok(counted.standing(self.limit, moment))
        })
    }

    pub(super) fn peek(&self, bucket: Bucket, moment: Moment) -> Option<Result<Standing, Limited>> {
        self.judge(&self.look(bucket, moment), moment)
    }

    pub(super) fn count(&self, bucket: Bucket, moment: Moment) -> Standing {
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

    /// Takes in what an exchange brought, which may belong to the minute before by now.
    pub(super) fn learn(&self, bucket: Bucket, known: Tally, moment: Moment) {
        let mut table = self.table();
        let tally = table.look(bucket, moment.minute);
        let known = known.at(tally.minute);
        table.keep(bucket, Tally { told: known.told, others: known.others, ..tally });
    }

    pub(super) fn look(&self, bucket: Bucket, moment: Moment) -> Tally {
        self.table().look(bucket, moment.minute)
    }

    pub(super) fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
