//! The customer portal: whether it is served, and where.

use super::Config;
use super::console::public_site;
use crate::failure::Failure;
use perennial_app::portal::PortalOptions;
use perennial_http::Site;
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;

/// The settings of the customer portal.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Portal {
    /// Whether customers are served. By default only with a loopback listener.
    pub(crate) enabled: Option<bool>,
}

impl Config {
    /// Whether customers are served.
    pub(crate) fn portal_enabled(&self) -> bool {
        self.portal.enabled.unwrap_or_else(|| self.listen.ip().is_loopback())
    }

    /// The error of the portal's settings, if there is one.
    pub(crate) fn portal_fault(&self) -> Option<Failure> {
        let listen = self.listen;
        if self.portal_enabled() && !listen.ip().is_loopback() && !self.is_https() {
            return Some(Failure::new(format!(
                "[portal] is enabled and listens on {listen}, but browsers send its cookie over https only: set an https \
                 `public_url`, listen on loopback, or set `enabled = false` in [portal]"
            )));
        }
        None
    }

    /// The settings of links for a portal that listens on `address`.
    pub(crate) fn portal_options(&self, address: SocketAddr) -> PortalOptions {
        PortalOptions { enabled: self.portal_enabled(), base_url: self.console_url(address) }
    }

    /// Where customers are served, if the portal listens on `address`. Hosts of the console count unless it is separate.
    pub(crate) fn portal_access(&self, address: SocketAddr) -> perennial_http::PortalOptions {
        let mut sites = Site::of_listener(address);
        sites.extend(self.public_url.as_ref().and_then(|url| public_site(&url.url())));
        if self.console.listen.is_none() {
            sites.extend(self.console.hosts.iter().map(|host| Site::https(&host.0)));
        }
        perennial_http::PortalOptions { sites, is_https: self.is_https() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str) -> Config {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn the_portal_is_enabled_on_loopback_and_needs_https_elsewhere() {
        assert!(config("").portal_enabled() && config("").portal_fault().is_none());
        let remote = "listen = \"0.0.0.0:8080\"\n";
        assert!(!config(remote).portal_enabled() && config(remote).portal_fault().is_none());
        let enabled = "[portal]\nenabled = true\n";
        assert!(config(&format!("{remote}{enabled}")).portal_fault().is_some());
        assert!(config(&format!("{remote}public_url = \"http://a.example\"\n{enabled}")).portal_fault().is_some());
        assert!(config(&format!("{remote}public_url = \"https://a.example\"\n{enabled}")).portal_fault().is_none());
        assert!(!config("[portal]\nenabled = false\n").portal_enabled());
    }

    #[test]
    fn the_hosts_of_a_separate_console_are_not_the_portal_s() {
        let shared = "public_url = \"https://b.example.com\"\n[console]\nhosts = [\"c.example.com\"]\n";
        let sites = |text: &str| config(text).portal_access("127.0.0.1:8080".parse().unwrap()).sites.len();
        assert_eq!(sites(shared), 5);
        assert_eq!(sites(&format!("{shared}listen = \"127.0.0.1:9\"\n")), 4);
    }
}
