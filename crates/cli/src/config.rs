//! The configuration: the file, under the environment and the flags. Nothing below this crate has heard of it.

use crate::arguments::{Place, Serve};
use crate::failure::Failure;
use crate::providers::ProviderEntry;
use crate::public_url;
use ipnet::IpNet;
use perennial_app::limits;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use std::env::VarError;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

const DEFAULT_FILE: &str = "perennial.toml";

/// What `perennial.toml` may say. An unknown key is an error.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Config {
    pub(crate) listen: Option<SocketAddr>,
    pub(crate) metrics_listen: Option<SocketAddr>,
    pub(crate) data_dir: Option<PathBuf>,
    pub(crate) database_url: Option<Secret>,
    pub(crate) master_key_file: Option<PathBuf>,
    /// What our tokens name as their issuer.
    pub(crate) public_url: Option<String>,
    /// The peers whose `x-forwarded-for` is believed.
    pub(crate) trusted_proxies: Vec<Proxy>,
    /// Whether the `local` identity provider answers; on a loopback listener only unless this says so.
    pub(crate) local_provider: Option<bool>,
    pub(crate) providers: Vec<ProviderEntry>,
    pub(crate) postgres: Postgres,
    pub(crate) limits: Limits,
    pub(crate) rate_limits: RateLimits,
}

/// A text that is never printed.
#[derive(Clone)]
pub(crate) struct Secret(pub(crate) String);

impl Secret {
    /// A text that was the one line of a file.
    pub(crate) fn line(text: &str) -> Self {
        Self(text.trim_end_matches(['\r', '\n']).to_owned())
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // The usual error about a value of the wrong type would quote the value.
        match toml::Value::deserialize(deserializer)? {
            toml::Value::String(text) => Ok(Self(text)),
            _ => Err(D::Error::custom("this must be a text in quotes")),
        }
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("(secret)")
    }
}

/// A network, or a single address as a network of one.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Proxy(IpNet);

impl TryFrom<String> for Proxy {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let network = text.parse().or_else(|_| text.parse().map(|address: IpAddr| address.to_canonical().into()));
        network.map(Self).map_err(|_| "a trusted proxy is an address or a network, such as 127.0.0.1 or 10.0.0.0/8")
    }
}

/// How PostgreSQL is spoken to.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Postgres {
    /// `false` for a PgBouncer before 1.21 in transaction mode.
    pub(crate) prepared: bool,
    /// Connections that reads are pipelined down.
    pub(crate) readers: usize,
}

impl Default for Postgres {
    fn default() -> Self {
        Self { prepared: true, readers: 2 }
    }
}

/// The bounds of requests.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Limits {
    pub(crate) body_bytes: usize,
    pub(crate) header_bytes: usize,
    pub(crate) target_bytes: usize,
    pub(crate) json_depth: usize,
    pub(crate) header_seconds: u64,
    pub(crate) body_seconds: u64,
    pub(crate) answer_seconds: u64,
    pub(crate) connections: usize,
    pub(crate) requests_in_flight: usize,
    /// Changes that may wait for the writer.
    pub(crate) queued_changes: usize,
    /// How long the oldest of them, or of the requests that wait for their turn, may have waited when another comes.
    pub(crate) queued_milliseconds: u64,
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
            connections: 10_000,
            requests_in_flight: 1_024,
            queued_changes: 4_096,
            queued_milliseconds: 300,
        }
    }
}

/// How often somebody may try to sign in.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct RateLimits {
    pub(crate) enabled: bool,
    pub(crate) public_per_minute: u32,
    pub(crate) trusted_per_minute: u32,
}

impl Default for RateLimits {
    fn default() -> Self {
        let limits::RateLimits { enabled, public_per_minute, trusted_per_minute } = limits::RateLimits::default();
        Self { enabled, public_per_minute, trusted_per_minute }
    }
}

impl RateLimits {
    pub(crate) fn app(&self) -> limits::RateLimits {
        limits::RateLimits {
            enabled: self.enabled,
            public_per_minute: self.public_per_minute,
            trusted_per_minute: self.trusted_per_minute,
        }
    }
}

impl Config {
    /// The file, if there is one, under the flags and the environment.
    pub(crate) fn load(place: &Place) -> Result<Self, Failure> {
        let mut config = match &place.config {
            Some(path) => Self::read(path)?,
            None if Path::new(DEFAULT_FILE).exists() => Self::read(Path::new(DEFAULT_FILE))?,
            None => Self::default(),
        };
        if let Some(directory) = &place.data_dir {
            config.data_dir = Some(directory.clone());
        }
        if let Some(url) = &place.database_url {
            config.database_url = Some(Secret(url.clone()));
        }
        Ok(config)
    }

    /// The same under the flags of `serve`.
    pub(crate) fn with_serve(mut self, flags: &Serve) -> Result<Self, Failure> {
        self.listen = flags.listen.or(self.listen);
        self.metrics_listen = flags.metrics_listen.or(self.metrics_listen);
        let public_url = flags.public_url.clone().or(self.public_url);
        self.public_url = public_url.as_deref().map(public_url::parse).transpose()?;
        if self.limits.connections == 0 || self.limits.requests_in_flight == 0 || self.limits.queued_changes == 0 {
            return Err(Failure::new(
                "the limits connections, requests_in_flight and queued_changes must be at least 1",
            ));
        }
        if self.rate_limits.public_per_minute == 0 || self.rate_limits.trusted_per_minute == 0 {
            return Err(Failure::new(
                "the rate limits public_per_minute and trusted_per_minute must be at least 1; enabled = false lifts them",
            ));
        }
        Ok(self)
    }

    pub(crate) fn api(&self) -> perennial_http::ApiOptions {
        perennial_http::ApiOptions {
            body: perennial_http::BodyLimits {
                bytes: self.limits.body_bytes,
                depth: self.limits.json_depth,
                timeout: Duration::from_secs(self.limits.body_seconds),
            },
            answer_timeout: Duration::from_secs(self.limits.answer_seconds),
            trusted_proxies: self.trusted_proxies.iter().map(|proxy| proxy.0).collect(),
        }
    }

    pub(crate) fn listen(&self) -> SocketAddr {
        self.listen.unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], 8080)))
    }

    pub(crate) fn data_dir(&self) -> &Path {
        self.data_dir.as_deref().unwrap_or(Path::new("./data"))
    }

    fn read(path: &Path) -> Result<Self, Failure> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| Failure::new(format!("the configuration {} cannot be read: {error}", path.display())))?;
        // The error's own text quotes the line, which may hold a password.
        toml::from_str(&text).map_err(|error| {
            let line = error.span().map_or(1, |span| text[..span.start].matches('\n').count() + 1);
            let reason = error.message().replace('\n', ", ");
            Failure::new(format!("the configuration {} is wrong in line {line}: {reason}", path.display()))
        })
    }
}

/// An environment variable; one that is no text is refused, not ignored.
pub(crate) fn variable(name: &str) -> Result<Option<String>, Failure> {
    match std::env::var(name) {
        Ok(text) => Ok(Some(text)),
        Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(_)) => Err(Failure::new(format!("{name} must be text, and holds other bytes"))),
    }
}

impl Limits {
    pub(crate) fn waiting(&self) -> perennial_store::Waiting {
        perennial_store::Waiting { changes: self.queued_changes, time: Duration::from_millis(self.queued_milliseconds) }
    }

    pub(crate) fn server(&self) -> perennial_http::server::ServerOptions {
        perennial_http::server::ServerOptions {
            header_timeout: Duration::from_secs(self.header_seconds),
            body_timeout: Duration::from_secs(self.body_seconds),
            // One second of the ten is for the store to close.
            drain_timeout: Duration::from_secs(9),
            max_connections: self.connections,
            max_in_flight: self.requests_in_flight,
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
    fn an_unknown_key_is_named() {
        let error = toml::from_str::<Config>("lissten = \"127.0.0.1:1\"").unwrap_err();
        assert!(error.to_string().contains("lissten"));
    }

    #[test]
    fn an_empty_file_has_the_limits_of_the_contract() {
        let config: Config = toml::from_str("").unwrap();
        assert_eq!(config.listen().to_string(), "127.0.0.1:8080");
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
    fn a_url_is_never_printed() {
        let config: Config = toml::from_str("database_url = \"postgres://u:hunter2@h/d\"").unwrap();
        assert!(!format!("{config:?}").contains("hunter2"));
    }
}
