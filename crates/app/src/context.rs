//! The context of every use case: the store, the clock, entropy, the keys, and the state of each module.
//!
//! The context imports the state types from files that do not import the context. So the modules that use it depend on
//! it, and never the other way round.

use crate::activity::Activity;
use crate::analytics::options::AnalyticsOptions;
use crate::background::figures::BackgroundFigures;
use crate::clients::cache::ClientCache;
pub use crate::clock::Clock;
use crate::connections::cache::ConnectionCache;
use crate::connections::figures::ConnectionFigures;
use crate::connections::provider::{Disconnected, Provider};
use crate::entitlement_tokens::options::{EntitlementFigures, EntitlementOptions};
use crate::entitlements::feature_cache::FeatureCache;
pub use crate::entropy::Entropy;
use crate::feed::signal::FeedSignal;
use crate::housekeeping::figures::Figures;
use crate::housekeeping::retention::Retention;
use crate::idempotency::in_flight::InFlight;
use crate::keyed_locks::KeyedLocks;
use crate::keys::Keys;
use crate::lifecycle::failures::ActionFailures;
use crate::lifecycle::state::{LifecycleOptions, LifecycleState};
use crate::limits::counter::{Limits, RateLimits};
use crate::operators::options::ConsoleOptions;
use crate::optimistic::OptimisticCreate;
use crate::plans::cache::PlanCache;
use crate::portal::options::PortalOptions;
use crate::portal::provider_cache::PortalProviders;
use crate::providers::description::Configured;
use crate::providers::verifiers::Verifiers;
use crate::sessions::use_marks::UseMarks;
use crate::signing_keys::cache::KeySetCache;
use crate::usage::figures::UsageFigures;
use perennial_domain::stamp::{Stamp, Stamped};
use perennial_domain::time::Time;
use perennial_domain::webhooks::WebhookOptions;
use perennial_identity::access::AccessTokens;
use perennial_identity::sign_in::RelyingParty;
use perennial_outbound::{Limits as FetchLimits, WebhookClient};
use perennial_store::Db;
pub use perennial_store::{BATCH_SIZES, StoreMetrics, TRACE_TARGET};
use std::sync::{Arc, OnceLock};
use tokio::sync::{Notify, OnceCell, Semaphore};

/// The most requests to webhook endpoints at the same time.
const MAX_WEBHOOK_REQUESTS: usize = 256;

/// The context of every use case.
pub struct App {
    /// The store.
    pub db: Db,
    /// The clock.
    pub clock: Clock,
    /// When this process started.
    pub(crate) started_at: Time,
    /// The source of IDs and secrets.
    pub entropy: Entropy,
    /// The keys derived from the master key.
    pub keys: Keys,
    /// The requests of this server.
    pub activity: Activity,
    /// The figures that background work reports.
    pub background: BackgroundFigures,
    /// The figures that housekeeping reports.
    pub housekeeping: Figures,
    /// The number of usage events by outcome.
    pub usage: UsageFigures,
    /// The number of entitlement tokens.
    pub entitlements: EntitlementFigures,
    pub(crate) options: AppOptions,
    pub(crate) clients: ClientCache,
    pub(crate) in_flight: InFlight,
    pub(crate) verifiers: Verifiers,
    pub(crate) signing: KeySetCache,
    pub(crate) access_tokens: OnceCell<AccessTokens>,
    pub(crate) use_marks: UseMarks,
    pub(crate) limits: Limits,
    pub(crate) locks: KeyedLocks,
    pub(crate) optimistic: OptimisticCreate,
    pub(crate) plans: PlanCache,
    pub(crate) features: FeatureCache,
    pub(crate) action_failures: ActionFailures,
    /// Built from the options at its first use. None: no provider of operators.
    pub(crate) console_provider: OnceLock<Option<Box<RelyingParty>>>,
    pub(crate) portal_providers: PortalProviders,
    pub(crate) feed: FeedSignal,
    pub(crate) lifecycle: LifecycleState,
    /// Requests to webhook endpoints at the same time.
    pub(crate) webhook_permits: Arc<Semaphore>,
    /// Built from the options at its first use.
    pub(crate) webhook_client: OnceLock<Box<WebhookClient>>,
    /// The figures of connections.
    pub connections: ConnectionFigures,
    pub(crate) connection_cache: ConnectionCache,
    /// Wakes the work on hints.
    pub(crate) connection_signal: Notify,
    /// A payment is to be collected.
    pub(crate) collection_signal: Notify,
    /// A connection is to be reconciled.
    pub(crate) reconcile_signal: Notify,
}

/// The options of the context.
#[derive(Default)]
pub struct AppOptions {
    /// The `iss` of access tokens. The installation's generated name if omitted.
    pub public_url: Option<String>,
    /// Whether every organization has the `local` identity provider, for development and tests.
    pub local_provider: bool,
    /// The limits on sign-in attempts.
    pub rate_limits: RateLimits,
    /// The identity providers of the configuration file. They take precedence over those in the store.
    pub providers: Vec<Configured>,
    /// The timeouts and size limits of requests to identity providers.
    pub provider_limits: FetchLimits,
    /// How long rows are stored that no request needs.
    pub retention: Retention,
    /// The settings of the console.
    pub console: ConsoleOptions,
    /// The settings of webhooks.
    pub webhooks: WebhookOptions,
    /// The settings of the lifecycle.
    pub lifecycle: LifecycleOptions,
    /// The settings of analytics.
    pub analytics: AnalyticsOptions,
    /// The settings of the customer portal.
    pub portal: PortalOptions,
    /// The payment providers. None: no object can be fetched.
    pub payment_providers: Option<Arc<dyn Provider>>,
    /// The settings of entitlement tokens.
    pub entitlements: EntitlementOptions,
}

impl App {
    /// A context over an open, migrated store.
    pub fn new(db: Db, clock: Clock, entropy: Entropy, keys: Keys, options: AppOptions) -> Self {
        let limits = Limits::new(options.rate_limits, db.is_shared(), entropy.bytes());
        let verifiers = Verifiers::new(options.provider_limits);
        Self {
            db,
            started_at: clock.now(),
            clock,
            entropy,
            keys,
            activity: Activity::default(),
            background: BackgroundFigures::default(),
            housekeeping: Figures::default(),
            usage: UsageFigures::default(),
            entitlements: EntitlementFigures::default(),
            options,
            clients: ClientCache::default(),
            in_flight: InFlight::default(),
            verifiers,
            signing: KeySetCache::default(),
            access_tokens: OnceCell::new(),
            use_marks: UseMarks::default(),
            limits,
            locks: KeyedLocks::default(),
            optimistic: OptimisticCreate::default(),
            plans: PlanCache::default(),
            features: FeatureCache::default(),
            action_failures: ActionFailures::default(),
            console_provider: OnceLock::new(),
            portal_providers: PortalProviders::default(),
            feed: FeedSignal::default(),
            lifecycle: LifecycleState::default(),
            webhook_permits: Arc::new(Semaphore::new(MAX_WEBHOOK_REQUESTS)),
            webhook_client: OnceLock::new(),
            connections: ConnectionFigures::default(),
            connection_cache: ConnectionCache::default(),
            connection_signal: Notify::new(),
            collection_signal: Notify::new(),
            reconcile_signal: Notify::new(),
        }
    }

    /// The payment providers.
    pub(crate) fn payment_providers(&self) -> &dyn Provider {
        self.options.payment_providers.as_deref().unwrap_or(&Disconnected)
    }
}

impl App {
    /// The stamp of a change to this record. Every update and every delete takes its `updated_at`, its revision and its
    /// event's `at` from here; `EventId::new` is for creates only.
    pub(crate) fn stamp(&self, record: &impl Stamped, now: Time) -> Stamp {
        record.stamp().next(now, self.entropy.id_bits())
    }
}
