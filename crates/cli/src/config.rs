//! The configuration: flags override the environment, which overrides the file. Only this crate knows it.
//! These types define the file: the reference, the schema and the errors are derived from them.

mod analytics;
pub(crate) mod config_error;
mod console;
mod entitlements;
pub(crate) mod environment;
mod file;
mod known;
mod lifecycle;
pub(crate) mod load;
mod portal;
pub(crate) mod reference;
pub(crate) mod schema;
pub(crate) mod secret;
pub(crate) mod source;
mod table_environment;
mod telemetry;
mod upkeep;
mod values;
mod webhooks;

pub(crate) use load::Loaded;
pub(crate) use secret::{EnvironmentSecret, Secret, secret_variable, variable};
pub(crate) use telemetry::{CollectorUrl, HEADERS as OTLP_HEADERS, Telemetry};
pub(crate) use values::{AtLeastOne, Interval, Percent, Proxy};

use crate::providers::ProviderEntry;
use crate::public_url::PublicUrl;
use perennial_app::limits;
use serde::{Deserialize, Serialize};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

/// The settings of `perennial.toml`. An unknown key is an error.
#[derive(Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Config {
    pub(crate) listen: SocketAddr,
    pub(crate) metrics_listen: Option<SocketAddr>,
    pub(crate) data_dir: PathBuf,
    pub(crate) database_url: Option<Secret>,
    pub(crate) master_key_file: Option<PathBuf>,
    /// The master key that a rotation will switch to.
    pub(crate) master_key_next_file: Option<PathBuf>,
    /// The master key that a rotation has switched from.
    pub(crate) master_key_previous_file: Option<PathBuf>,
    /// The issuer of access tokens.
    pub(crate) public_url: Option<PublicUrl>,
    /// The proxies whose `x-forwarded-for` is trusted.
    pub(crate) trusted_proxies: Vec<Proxy>,
    /// Whether the `local` identity provider is enabled. By default only with a loopback listener.
    pub(crate) local_provider: Option<bool>,
    /// The time for proxies to notice before the server stops.
    pub(crate) stop_delay_seconds: u16,
    /// The time for the shutdown after that.
    pub(crate) stop_timeout_seconds: AtLeastOne,
    pub(crate) postgres: Postgres,
    pub(crate) limits: Limits,
    pub(crate) rate_limits: RateLimits,
    pub(crate) retention: upkeep::Retention,
    pub(crate) backup: upkeep::Backup,
    pub(crate) console: console::Console,
    pub(crate) portal: portal::Portal,
    pub(crate) webhooks: webhooks::Webhooks,
    pub(crate) events: webhooks::Events,
    pub(crate) lifecycle: lifecycle::Lifecycle,
    pub(crate) analytics: analytics::Analytics,
    pub(crate) entitlements: entitlements::Entitlements,
    pub(crate) telemetry: Telemetry,
    pub(crate) providers: Vec<ProviderEntry>,
    /// The configuration file, if there is one.
    #[serde(skip)]
    pub(crate) file: Option<PathBuf>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 8080)),
            metrics_listen: None,
            data_dir: PathBuf::from("./data"),
            database_url: None,
            master_key_file: None,
            master_key_next_file: None,
            master_key_previous_file: None,
            public_url: None,
            trusted_proxies: Vec::new(),
            local_provider: None,
            stop_delay_seconds: 0,
            stop_timeout_seconds: AtLeastOne(10),
            postgres: Postgres::default(),
            limits: Limits::default(),
            rate_limits: RateLimits::default(),
            retention: upkeep::Retention::default(),
            backup: upkeep::Backup::default(),
            console: console::Console::default(),
            portal: portal::Portal::default(),
            webhooks: webhooks::Webhooks::default(),
            events: webhooks::Events::default(),
            lifecycle: lifecycle::Lifecycle::default(),
            analytics: analytics::Analytics::default(),
            entitlements: entitlements::Entitlements::default(),
            telemetry: Telemetry::default(),
            providers: Vec::new(),
            file: None,
        }
    }
}

/// The connection to PostgreSQL.
#[derive(Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Postgres {
    /// `false` for a PgBouncer before 1.21 in transaction mode.
    pub(crate) prepared: bool,
    /// The number of connections for pipelined reads.
    pub(crate) readers: AtLeastOne,
    pub(crate) lock_timeout_milliseconds: AtLeastOne,
    pub(crate) statement_timeout_milliseconds: AtLeastOne,
    pub(crate) idle_in_transaction_timeout_milliseconds: AtLeastOne,
    pub(crate) conversation_timeout_milliseconds: AtLeastOne,
}

impl Default for Postgres {
    fn default() -> Self {
        Self {
            prepared: true,
            readers: AtLeastOne(2),
            lock_timeout_milliseconds: AtLeastOne(2_000),
            statement_timeout_milliseconds: AtLeastOne(5_000),
            idle_in_transaction_timeout_milliseconds: AtLeastOne(5_000),
            conversation_timeout_milliseconds: AtLeastOne(7_000),
        }
    }
}

impl Postgres {
    pub(crate) fn timeouts(&self) -> perennial_store::PostgresTimeouts {
        let time = |milliseconds: AtLeastOne| Duration::from_millis(milliseconds.0.into());
        perennial_store::PostgresTimeouts {
            lock: time(self.lock_timeout_milliseconds),
            statement: time(self.statement_timeout_milliseconds),
            idle_in_transaction: time(self.idle_in_transaction_timeout_milliseconds),
            conversation: time(self.conversation_timeout_milliseconds),
        }
    }
}

/// The limits of requests.
#[derive(Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Limits {
    pub(crate) body_bytes: usize,
    pub(crate) header_bytes: usize,
    pub(crate) target_bytes: usize,
    pub(crate) json_depth: usize,
    pub(crate) header_seconds: u64,
    pub(crate) body_seconds: u64,
    pub(crate) answer_seconds: u64,
    pub(crate) connections: AtLeastOne,
    pub(crate) requests_in_flight: AtLeastOne,
    /// Changes that may wait for the writer.
    pub(crate) queued_changes: AtLeastOne,
    /// The maximum age of the oldest waiting change or request at which another one is admitted.
    pub(crate) queued_milliseconds: u64,
    /// How long a change may have no outcome before `/readyz` returns 503.
    pub(crate) stuck_milliseconds: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes: 256 * 1024,
            header_bytes: 16 * 1024,
            target_bytes: 8 * 1024,
            json_depth: 32,
            header_seconds: 10,
            body_seconds: 30,
            answer_seconds: 30,
            connections: AtLeastOne(10_000),
            requests_in_flight: AtLeastOne(1_024),
            queued_changes: AtLeastOne(4_096),
            queued_milliseconds: 300,
            stuck_milliseconds: 3_000,
        }
    }
}

/// The rate limits of sign-in.
#[derive(Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct RateLimits {
    pub(crate) enabled: bool,
    pub(crate) public_per_minute: AtLeastOne,
    pub(crate) trusted_per_minute: AtLeastOne,
}

impl Default for RateLimits {
    fn default() -> Self {
        let limits::RateLimits { enabled, public_per_minute, trusted_per_minute } = limits::RateLimits::default();
        Self {
            enabled,
            public_per_minute: AtLeastOne(public_per_minute),
            trusted_per_minute: AtLeastOne(trusted_per_minute),
        }
    }
}

impl RateLimits {
    pub(crate) fn app(&self) -> limits::RateLimits {
        limits::RateLimits {
            enabled: self.enabled,
            public_per_minute: self.public_per_minute.0,
            trusted_per_minute: self.trusted_per_minute.0,
        }
    }
}

impl Config {
    pub(crate) fn api(&self) -> perennial_http::ApiOptions {
        perennial_http::ApiOptions {
            body: perennial_http::BodyLimits {
                bytes: self.limits.body_bytes,
                depth: self.limits.json_depth,
                timeout: Duration::from_secs(self.limits.body_seconds),
            },
            answer_timeout: Duration::from_secs(self.limits.answer_seconds),
            stuck_after: Duration::from_millis(self.limits.stuck_milliseconds),
            trusted_proxies: self.trusted_proxies.iter().map(Proxy::network).collect(),
            console: perennial_http::ConsoleOptions::default(),
            portal: perennial_http::PortalOptions::default(),
        }
    }

    /// How long rows are stored. `[retention] events_days` is an earlier name of `[events] keep_days`, which overrides it.
    pub(crate) fn retention(&self) -> perennial_app::housekeeping::Retention {
        let retention = self.retention.app();
        let keep_days = Some(self.events.keep_days.0).filter(|days| *days > 0);
        perennial_app::housekeeping::Retention { events_days: keep_days.or(retention.events_days), ..retention }
    }

    /// The variables of whole tables.
    pub(crate) fn table_variables(&self) -> Vec<String> {
        let webhooks = table_environment::names("webhooks", &self.webhooks);
        let events = table_environment::names("events", &self.events);
        let lifecycle = table_environment::names("lifecycle", &self.lifecycle);
        let entitlements = table_environment::names("entitlements", &self.entitlements);
        webhooks.into_iter().chain(events).chain(lifecycle).chain(entitlements).collect()
    }

    /// The address of `/metrics` for an API that listens on `api`.
    pub(crate) fn metrics_listen(&self, api: SocketAddr) -> SocketAddr {
        // If the system chooses the API's port, it chooses the port of the metrics too.
        let next_port = if self.listen.port() == 0 { 0 } else { api.port().checked_add(1).unwrap_or(0) };
        self.metrics_listen.unwrap_or_else(|| SocketAddr::from((Ipv4Addr::LOCALHOST, next_port)))
    }

    /// Whether the `local` provider is enabled. By default only with a loopback listener.
    pub(crate) fn local_provider(&self) -> bool {
        self.local_provider.unwrap_or(self.listen.ip().is_loopback())
    }

    pub(crate) fn stop_delay(&self) -> Duration {
        Duration::from_secs(self.stop_delay_seconds.into())
    }

    pub(crate) fn stop_timeout(&self) -> Duration {
        Duration::from_secs(self.stop_timeout_seconds.0.into())
    }

    /// The limits of the HTTP server. A tenth of the shutdown time is for closing the store.
    pub(crate) fn server(&self) -> perennial_http::server::ServerOptions {
        perennial_http::server::ServerOptions { drain_timeout: self.stop_timeout() * 9 / 10, ..self.limits.server() }
    }
}

impl Limits {
    pub(crate) fn waiting(&self) -> perennial_store::Waiting {
        let time = Duration::from_millis(self.queued_milliseconds);
        perennial_store::Waiting { changes: self.queued_changes.count(), time }
    }

    fn server(&self) -> perennial_http::server::ServerOptions {
        perennial_http::server::ServerOptions {
            header_timeout: Duration::from_secs(self.header_seconds),
            body_timeout: Duration::from_secs(self.body_seconds),
            max_connections: self.connections.count(),
            max_in_flight: self.requests_in_flight.count(),
            max_wait: Duration::from_millis(self.queued_milliseconds),
            max_header_bytes: self.header_bytes,
            max_target_bytes: self.target_bytes,
            ..Default::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_file_has_the_limits_of_the_contract() {
        let config: Config = toml::from_str("").unwrap();
        assert_eq!(config.listen.to_string(), "127.0.0.1:8080");
        assert_eq!(config.limits.body_bytes, 262_144);
        assert!(config.postgres.prepared);
    }

    #[test]
    fn a_trusted_proxy_is_an_address_or_a_network() {
        let config: Config =
            toml::from_str("trusted_proxies = [\"10.0.0.0/8\", \"127.0.0.1\", \"::ffff:127.0.0.2\", \"::1\"]").unwrap();
        let networks: Vec<String> = config.api().trusted_proxies.iter().map(ToString::to_string).collect();
        assert_eq!(networks, ["10.0.0.0/8", "127.0.0.1/32", "127.0.0.2/32", "::1/128"]);
        assert!(toml::from_str::<Config>("").unwrap().api().trusted_proxies.is_empty());
    }

    #[test]
    fn rate_limits_are_on_unless_they_are_switched_off() {
        let limits = |text: &str| toml::from_str::<Config>(text).unwrap().rate_limits.app();
        assert_eq!(limits(""), limits::RateLimits::default());
        assert!(!limits("[rate_limits]\nenabled = false").enabled);
        let chosen = limits("[rate_limits]\npublic_per_minute = 5\ntrusted_per_minute = 7");
        assert_eq!((chosen.enabled, chosen.public_per_minute, chosen.trusted_per_minute), (true, 5, 7));
    }

    #[test]
    fn keep_days_overrides_its_earlier_name() {
        let days = |text: &str| toml::from_str::<Config>(text).unwrap().retention().events_days;
        assert_eq!(days(""), None);
        assert_eq!(days("[retention]\nevents_days = 7"), Some(7));
        assert_eq!(days("[events]\nkeep_days = 90"), Some(90));
        assert_eq!(days("[events]\nkeep_days = 90\n[retention]\nevents_days = 7"), Some(90));
    }

    #[test]
    fn a_url_is_never_printed_nor_serialised() {
        let config: Config = toml::from_str("database_url = \"postgres://u:hunter2@h/d\"").unwrap();
        assert!(!format!("{config:?}").contains("hunter2"));
        assert_eq!(serde_json::to_value(&config).unwrap()["database_url"], "(secret)");
    }
}
