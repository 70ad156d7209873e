//! The console: where operators are served, how long their sessions last, and their identity provider.

use super::{AtLeastOne, Config, Proxy, Secret};
use crate::failure::Failure;
use crate::public_url::PublicUrl;
use perennial_app::operators::{ConsoleOptions, ProviderSettings, SessionLimits};
use perennial_app::sessions;
use perennial_http::Site;
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;
use std::path::PathBuf;
use url::Url;

/// The settings of the console.
#[derive(Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Console {
    /// Whether operators are served. By default only with a loopback listener.
    pub(crate) enabled: Option<bool>,
    /// The address of a separate listener.
    pub(crate) listen: Option<SocketAddr>,
    pub(crate) hosts: Vec<HostName>,
    pub(crate) cidrs: Vec<Proxy>,
    pub(crate) idle_minutes: AtLeastOne,
    pub(crate) max_hours: AtLeastOne,
    pub(crate) fresh_minutes: AtLeastOne,
    /// The issuer of the identity provider.
    pub(crate) provider: Option<String>,
    pub(crate) client_id: Option<String>,
    pub(crate) client_secret_file: Option<PathBuf>,
}

impl Default for Console {
    fn default() -> Self {
        Self {
            enabled: None,
            listen: None,
            hosts: Vec::new(),
            cidrs: Vec::new(),
            idle_minutes: AtLeastOne(30),
            max_hours: AtLeastOne(12),
            fresh_minutes: AtLeastOne(15),
            provider: None,
            client_id: None,
            client_secret_file: None,
        }
    }
}

impl Config {
    /// Whether operators are served.
    pub(crate) fn console_enabled(&self) -> bool {
        self.console.enabled.unwrap_or_else(|| self.listen.ip().is_loopback())
    }

    /// Whether browsers reach this service over https.
    pub(super) fn is_https(&self) -> bool {
        self.public_url.as_ref().is_some_and(|url| url.url().scheme() == "https")
    }

    /// The error of the console's settings, if there is one.
    pub(crate) fn console_fault(&self) -> Option<Failure> {
        let listen = self.console.listen.unwrap_or(self.listen);
        if self.console_enabled() && !listen.ip().is_loopback() && !self.is_https() {
            return Some(Failure::new(format!(
                "[console] is enabled and listens on {listen}, but browsers send its cookie over https only: set an https \
                 `public_url`, listen on loopback, or set `enabled = false` in [console]"
            )));
        }
        self.console_provider().err()
    }

    /// The identity provider of operators, if there is one.
    pub(crate) fn console_provider(&self) -> Result<Option<ProviderSettings>, Failure> {
        let Console { provider, client_id, client_secret_file, .. } = &self.console;
        let (issuer, client_id) = match (provider, client_id) {
            (None, None) if client_secret_file.is_none() => return Ok(None),
            (Some(issuer), Some(client_id)) => (issuer.clone(), client_id.clone()),
            _ => return Err(Failure::new("[console] needs `provider` and `client_id` together: set both, or neither")),
        };
        let read = |path: &PathBuf| {
            let text = std::fs::read_to_string(path).map_err(|error| {
                Failure::new(format!("the file {} of [console] cannot be read: {error}", path.display()))
            })?;
            Ok::<_, Failure>(sessions::Secret::new(Secret::line(&text).0))
        };
        let client_secret = client_secret_file.as_ref().map(read).transpose()?;
        let settings = ProviderSettings { issuer, client_id, client_secret };
        settings.check().map_err(|fault| Failure::new(format!("`provider` of [console]: {fault}")))?;
        Ok(Some(settings))
    }

    /// The settings of sessions and links for a console that listens on `address`.
    pub(crate) fn console_options(&self, provider: Option<ProviderSettings>, address: SocketAddr) -> ConsoleOptions {
        let Console { idle_minutes, max_hours, fresh_minutes, .. } = &self.console;
        let limits = SessionLimits {
            idle_seconds: i64::from(idle_minutes.0) * 60,
            max_seconds: i64::from(max_hours.0) * 3_600,
            fresh_seconds: i64::from(fresh_minutes.0) * 60,
        };
        ConsoleOptions { limits, base_url: self.console_url(address), provider }
    }

    /// The URL that one-time links begin with.
    pub(crate) fn console_url(&self, address: SocketAddr) -> String {
        self.public_url.clone().map_or_else(|| format!("http://{address}"), PublicUrl::into_text)
    }

    /// Where operators are served, if the console listens on `address`.
    pub(crate) fn console_access(&self, address: SocketAddr) -> perennial_http::ConsoleOptions {
        let mut sites = Site::of_listener(address);
        sites.extend(self.public_url.as_ref().and_then(|url| public_site(&url.url())));
        sites.extend(self.console.hosts.iter().map(|host| Site::https(&host.0)));
        perennial_http::ConsoleOptions {
            enabled: self.console_enabled(),
            is_separate: self.console.listen.is_some(),
            sites,
            cidrs: self.console.cidrs.iter().map(Proxy::network).collect(),
            is_https: self.is_https(),
            directory: None,
        }
    }
}

/// The site of the public URL. Plain http counts on this machine only, which the listener's sites cover.
pub(super) fn public_site(url: &Url) -> Option<Site> {
    let host = url.host_str().filter(|_| url.scheme() == "https")?;
    Some(Site::https(&url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))))
}

/// A host as browsers send it, with its port if it is not the usual one.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(try_from = "String")]
#[serde(into = "String")]
pub(crate) struct HostName(pub(super) String);

impl TryFrom<String> for HostName {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let url = Url::parse(&format!("https://{text}")).ok();
        let spelt = url.map(|url| url.as_str().trim_end_matches('/').replacen("https://", "", 1));
        if spelt.as_deref() == Some(text.as_str()) && !text.contains(['/', '@', '?', '#']) {
            Ok(Self(text))
        } else {
            Err(
                "a host of the console is a name in lower case, with a port if it is not 443, such as billing.example.com",
            )
        }
    }
}

impl From<HostName> for String {
    fn from(host: HostName) -> Self {
        host.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str) -> Config {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn the_console_is_enabled_on_loopback_and_needs_https_elsewhere() {
        assert!(config("").console_enabled() && config("").console_fault().is_none());
        let remote = "listen = \"0.0.0.0:8080\"\n";
        assert!(!config(remote).console_enabled() && config(remote).console_fault().is_none());
        let enabled = "[console]\nenabled = true\n";
        assert!(config(&format!("{remote}{enabled}")).console_fault().is_some());
        assert!(config(&format!("{remote}public_url = \"http://a.example\"\n{enabled}")).console_fault().is_some());
        assert!(config(&format!("{remote}public_url = \"https://a.example\"\n{enabled}")).console_fault().is_none());
        assert!(config(&format!("{remote}{enabled}listen = \"127.0.0.1:9\"\n")).console_fault().is_none());
    }

    #[test]
    fn a_provider_is_complete_or_absent() {
        let fault = |text: &str| config(&format!("[console]\n{text}")).console_fault().is_some();
        assert!(fault("provider = \"https://id.example.com\"") && fault("client_id = \"x\""));
        assert!(fault("client_secret_file = \"/nowhere\""));
        assert!(!fault("provider = \"https://id.example.com\"\nclient_id = \"x\""));
        assert!(fault("provider = \"http://id.example.com\"\nclient_id = \"x\""));
        assert!(fault("provider = \"https://id.example.com\"\nclient_id = \"x\"\nclient_secret_file = \"/nowhere\""));
    }

    #[test]
    fn hosts_have_one_spelling() {
        for host in ["billing.example.com", "localhost:8443", "[::1]:8443"] {
            assert!(HostName::try_from(host.to_owned()).is_ok(), "{host}");
        }
        for host in ["", "https://a", "A.example", "a/b", "a:443", "u@a", "a?b", "a b"] {
            assert!(HostName::try_from(host.to_owned()).is_err(), "{host}");
        }
    }

    #[test]
    fn sites_are_the_listener_the_public_url_and_the_hosts() {
        let config = config("public_url = \"https://b.example.com/x\"\n[console]\nhosts = [\"c.example.com\"]\n");
        let sites = config.console_access("127.0.0.1:8080".parse().unwrap()).sites;
        let origins: Vec<String> = sites.iter().map(Site::origin).collect();
        assert_eq!(
            origins,
            [
                "http://localhost:8080",
                "http://127.0.0.1:8080",
                "http://[::1]:8080",
                "https://b.example.com",
                "https://c.example.com"
            ]
        );
    }
}
