//! The context of every use case: the store, the clock, the source of ids and secrets, the keys.
//! Nothing else in the program reads a clock or draws a number.

use crate::clients::ClientCache;
use crate::housekeeping::{Figures, Retention};
use crate::idempotency::InFlight;
use crate::keyed_locks::KeyedLocks;
use crate::keys::Keys;
use crate::limits::{Limits, RateLimits};
use crate::optimistic::OptimisticCreate;
use crate::plans::PlanCache;
use crate::providers::{Configured, FetchLimits, Providers};
use crate::sessions::UseMarks;
use crate::signing_keys::SigningKeys;
use perennial_domain::stamp::{Stamp, Stamped};
use perennial_domain::time::Time;
use perennial_identity::access::AccessTokens;
use perennial_store::Db;
pub use perennial_store::{BATCH_SIZES, StoreMetrics, TRACE_TARGET};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::OnceCell;

/// What every use case is given.
pub struct App {
    /// The store.
    pub db: Db,
    /// The clock.
    pub clock: Clock,
    /// Ids and secrets.
    pub entropy: Entropy,
    /// The keys derived from the master key.
    pub keys: Keys,
    /// What housekeeping reports.
    pub housekeeping: Figures,
    pub(crate) options: AppOptions,
    pub(crate) clients: ClientCache,
    pub(crate) in_flight: InFlight,
    pub(crate) providers: Providers,
    pub(crate) signing: SigningKeys,
    pub(crate) access_tokens: OnceCell<AccessTokens>,
    pub(crate) use_marks: UseMarks,
    pub(crate) limits: Limits,
    pub(crate) locks: KeyedLocks,
    pub(crate) optimistic: OptimisticCreate,
    pub(crate) plans: PlanCache,
}

/// What the context is told about its surroundings.
#[derive(Default)]
pub struct AppOptions {
    /// What our tokens say in `iss`; the name the installation gave itself unless there is one.
    pub public_url: Option<String>,
    /// Whether every organization has the `local` identity provider, for development and tests.
    pub local_provider: bool,
    /// How often somebody may try to sign in.
    pub rate_limits: RateLimits,
    /// The identity providers of the operator's file; they come before those in the store.
    pub providers: Vec<Configured>,
    /// How long an identity provider may take to answer.
    pub provider_limits: FetchLimits,
    /// How long rows are stored that no request needs any more.
    pub retention: Retention,
}

impl App {
    /// A context over an open, migrated store.
    pub fn new(db: Db, clock: Clock, entropy: Entropy, keys: Keys, options: AppOptions) -> Self {
        let limits = Limits::new(options.rate_limits, db.is_shared(), entropy.bytes());
        let providers = Providers::new(options.provider_limits);
        Self {
            db,
            clock,
            entropy,
            keys,
            housekeeping: Figures::default(),
            options,
            clients: ClientCache::default(),
            in_flight: InFlight::default(),
            providers,
            signing: SigningKeys::default(),
            access_tokens: OnceCell::new(),
            use_marks: UseMarks::default(),
            limits,
            locks: KeyedLocks::default(),
            optimistic: OptimisticCreate::default(),
            plans: PlanCache::default(),
        }
    }
}

impl App {
    /// The stamp of a change to this record. Every update and every delete takes its `updated_at`, its revision and its
    /// event's `at` from here; `EventId::new` is for creates only.
    pub(crate) fn stamp(&self, record: &impl Stamped, now: Time) -> Stamp {
        record.stamp().next(now, self.entropy.bits())
    }
}

/// Where the time comes from.
#[derive(Clone)]
pub enum Clock {
    /// The machine's clock.
    System,
    /// A clock that stands still until it is moved, in microseconds since 1970.
    Fixed(Arc<AtomicI64>),
}

impl Clock {
    /// The time now; a clock before 1970 or past 9999 is held at the edge.
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the machine's clock")]
    pub fn now(&self) -> Time {
        let micros = match self {
            Self::System => std::time::SystemTime::now()
                .duration_since(std::time::UNIX_EPOCH)
                .map_or(0, |since| i64::try_from(since.as_micros()).unwrap_or(i64::MAX)),
            Self::Fixed(micros) => micros.load(Ordering::Relaxed),
        };
        Time::from_micros(micros.clamp(0, Time::MAX.as_micros())).unwrap_or(Time::MAX)
    }
}

/// Where entropy comes from: a cryptographic generator, seeded by the system or by a test.
pub struct Entropy(Mutex<StdRng>);

impl Entropy {
    /// Seeded by the operating system.
    pub fn from_system() -> Self {
        Self(Mutex::new(rand::make_rng()))
    }

    /// The same numbers for the same seed, for tests.
    pub fn seeded(seed: u64) -> Self {
        Self(Mutex::new(StdRng::seed_from_u64(seed)))
    }

    /// Sixty-four random bits.
    pub fn bits(&self) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).next_u64()
    }

    /// Random bytes.
    pub fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        self.0.lock().unwrap_or_else(PoisonError::into_inner).fill_bytes(&mut bytes);
        bytes
    }
}
