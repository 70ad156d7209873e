//! The service under test, listening on its own socket.

use crate::request::Request;
use crate::store::TestStore;
use perennial_app::background::{self, Job};
use perennial_app::caller::Caller;
use perennial_app::clients::{self, Credential};
use perennial_app::context::{App, AppOptions, Clock, Entropy};
use perennial_app::first_run::{self, FirstRunOptions, Start};
use perennial_app::keys::{Keys, MasterKey};
use perennial_app::lifecycle::LifecycleOptions;
use perennial_app::operators;
use perennial_app::portal::PortalOptions;
use perennial_domain::clients::Origin;
use perennial_domain::events::Event;
use perennial_domain::id::OrganizationId;
use perennial_domain::time::Time;
use perennial_http::server::{Gauges, Server, ServerOptions};
use perennial_http::{Api, ApiOptions, ConsoleOptions, Site};
use perennial_store::{Db, Migration};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::watch;

/// The id of the trusted client of the organization `default`, which holds every scope a trusted client may.
const TRUSTED: &str = "pk_TestTestTestTestTestTestTestTest";
/// The id of its public client.
const PUBLIC: &str = "default";
/// What one-time links begin with.
const BASE_URL: &str = "https://console.example.com";
/// When every test begins.
const START: &str = "2026-03-10T12:00:00Z";

/// The master key of every test that does not choose another.
pub const MASTER_KEY: MasterKey = MasterKey::new([7; 32]);

fn own_keys() -> Keys {
    Keys::derive(&MASTER_KEY)
}

/// How the service under test differs from a usual one.
pub struct TestOptions {
    /// The context's own options.
    pub app: AppOptions,
    /// The API's own options.
    pub api: ApiOptions,
    /// The server's own options.
    pub server: ServerOptions,
}

impl Default for TestOptions {
    fn default() -> Self {
        let console = operators::ConsoleOptions { base_url: BASE_URL.to_owned(), ..Default::default() };
        // The clock of a test is far from the database's, and moves by months.
        let lifecycle = LifecycleOptions { compare_clocks: false, hold_after_days: 0, ..LifecycleOptions::default() };
        let portal = PortalOptions { enabled: true, base_url: BASE_URL.to_owned() };
        let app = AppOptions { local_provider: true, console, lifecycle, portal, ..AppOptions::default() };
        let console = ConsoleOptions { enabled: true, ..ConsoleOptions::default() };
        // A crowd of requests on a slow machine is not what admission control is for.
        let server = ServerOptions { max_wait: Duration::from_mins(1), ..ServerOptions::default() };
        Self { app, api: ApiOptions { console, ..ApiOptions::default() }, server }
    }
}

/// A service under test. Its clock is fixed at 2026-03-10T12:00:00Z until a test moves it.
pub struct TestApp {
    /// The context, for what has no endpoint.
    pub app: Arc<App>,
    /// Where it listens.
    pub address: SocketAddr,
    /// The organization `default`.
    pub organization: OrganizationId,
    /// What its server counts.
    pub gauges: Arc<Gauges>,
    store: TestStore,
    clock: Arc<AtomicI64>,
}

impl TestApp {
    /// Starts one over an empty store.
    pub async fn start() -> Self {
        Self::with(TestOptions::default()).await
    }

    /// Starts one that differs.
    pub async fn with(options: TestOptions) -> Self {
        let clock = Arc::new(AtomicI64::new(Time::parse(START).unwrap().as_micros()));
        Self::over(TestStore::migrated().await, clock, options).await
    }

    /// Starts one over this store, at this time.
    pub async fn over_store(store: TestStore, now: Time, options: TestOptions) -> Self {
        Self::over(store, Arc::new(AtomicI64::new(now.as_micros())), options).await
    }

    /// Starts a second server over the same store and clock, as another machine would; only on PostgreSQL.
    pub async fn second_server(&self) -> Option<Self> {
        self.second_server_with(TestOptions::default()).await
    }

    /// The same, with other options.
    pub async fn second_server_with(&self, options: TestOptions) -> Option<Self> {
        if !self.store.is_postgres() {
            return None;
        }
        Some(Self::over(self.store.clone(), Arc::clone(&self.clock), options).await)
    }

    /// Starts a second server over the same store whose clock differs by so many seconds; only on PostgreSQL.
    pub async fn second_server_with_clock(&self, seconds: i64) -> Option<Self> {
        if !self.store.is_postgres() {
            return None;
        }
        let clock = Arc::new(AtomicI64::new(self.clock.load(Ordering::Relaxed) + seconds * 1_000_000));
        Some(Self::over(self.store.clone(), clock, TestOptions::default()).await)
    }

    /// Starts a second server over the same store whose clock differs by so many seconds, on both engines. On SQLite no
    /// installation has one; a simulation of leases needs it.
    pub async fn rival(&self, seconds: i64) -> Self {
        let clock = Arc::new(AtomicI64::new(self.clock.load(Ordering::Relaxed) + seconds * 1_000_000));
        Self::over(self.store.clone(), clock, TestOptions::default()).await
    }

    /// Starts another server over the same store and clock with these keys, as after a restart with other settings.
    pub fn with_keys(&self, keys: Keys) -> impl Future<Output = Self> {
        self.with_keys_and(keys, TestOptions::default())
    }

    /// The same, with other options.
    pub fn with_keys_and(&self, keys: Keys, options: TestOptions) -> impl Future<Output = Self> {
        // Keys are large; so would be every future that holds them.
        Box::pin(async move {
            let db = self.store.open().await;
            Self::serve(self.store.clone(), db, Arc::clone(&self.clock), keys, options).await
        })
    }

    /// Starts a server of a later version over the same store and clock, which brings this migration.
    pub async fn upgraded(&self, later: Migration) -> Self {
        let db = self.store.open_later(later).await;
        Self::serve(self.store.clone(), db, Arc::clone(&self.clock), own_keys(), TestOptions::default()).await
    }

    async fn over(store: TestStore, clock: Arc<AtomicI64>, options: TestOptions) -> Self {
        let db = store.open().await;
        Self::serve(store, db, clock, own_keys(), options).await
    }

    async fn serve(store: TestStore, db: Db, clock: Arc<AtomicI64>, keys: Keys, options: TestOptions) -> Self {
        static SEED: AtomicU64 = AtomicU64::new(1);
        // Two servers must not generate the same ids.
        let entropy = Entropy::seeded(SEED.fetch_add(1, Ordering::Relaxed));
        let clock_shown = Clock::Fixed(Arc::clone(&clock));
        let app = Arc::new(App::new(db, clock_shown, entropy, keys, options.app));
        let first_run = FirstRunOptions {
            trusted: Credential::chosen(TRUSTED),
            origins: vec![
                Origin::parse("http://localhost:*").unwrap(),
                Origin::parse("https://app.example.com").unwrap(),
            ],
        };
        let started = first_run::ensure(&app, first_run).await.unwrap();
        assert!(matches!(started, Start::First(_) | Start::Existing));
        let organization = perennial_app::organizations::find(&app, "default").await.unwrap().unwrap().id;
        let server = Server::bind("127.0.0.1:0".parse().unwrap(), options.server).await.unwrap();
        let (address, gauges) = (server.local_addr(), server.gauges());
        let mut api_options = options.api;
        api_options.console.sites.extend(Site::of_listener(address));
        api_options.portal.sites.extend(Site::of_listener(address));
        let api = Arc::new(Api::new(Arc::clone(&app), api_options));
        tokio::spawn(server.serve(api, std::future::pending()));
        let placing = Arc::clone(&app);
        tokio::spawn(async move { perennial_app::feed::place_until_stopped(&placing, std::future::pending()).await });
        Self { app, address, organization, gauges, store, clock }
    }

    /// Runs background work until the sender is dropped or sends true.
    pub fn work<J: Job>(&self, job: J) -> watch::Sender<bool> {
        let (stop, stopping) = watch::channel(false);
        tokio::spawn(background::run(Arc::clone(&self.app), job, stopping));
        stop
    }

    /// Where its rows are.
    pub fn store(&self) -> &TestStore {
        &self.store
    }

    /// A request without a client.
    pub fn anonymous(&self, method: &str, target: &str) -> Request {
        Request::new(self.address, method, target)
    }

    /// A request by the trusted client.
    pub fn request(&self, method: &str, target: &str) -> Request {
        self.anonymous(method, target).header("client-id", TRUSTED)
    }

    /// A request by the public client.
    pub fn browser(&self, method: &str, target: &str) -> Request {
        self.anonymous(method, target).header("client-id", PUBLIC)
    }

    /// The trusted client, for what is called past HTTP.
    pub async fn trusted_caller(&self) -> Caller {
        self.caller(TRUSTED).await
    }

    /// The public client, for what is called past HTTP.
    pub async fn public_caller(&self) -> Caller {
        self.caller(PUBLIC).await
    }

    async fn caller(&self, client_id: &str) -> Caller {
        let known = clients::recognize(&self.app, client_id).await.unwrap().unwrap();
        Caller::new(known, "test")
    }

    /// The time its clock shows.
    pub fn now(&self) -> Time {
        Time::from_micros(self.clock.load(Ordering::Relaxed)).unwrap()
    }

    /// Moves its clock on, or back if negative.
    pub fn advance(&self, seconds: i64) {
        self.clock.fetch_add(seconds * 1_000_000, Ordering::Relaxed);
    }

    /// Sets its clock.
    pub fn set_time(&self, instant: &str) {
        self.clock.store(Time::parse(instant).unwrap().as_micros(), Ordering::Relaxed);
    }

    /// Every event of the organization, oldest first.
    pub async fn events(&self) -> Vec<Event> {
        let mut events = perennial_app::events::list(&self.app, self.organization, None, 10_000).await.unwrap();
        events.reverse();
        events
    }
}
