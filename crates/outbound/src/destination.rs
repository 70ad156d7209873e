//! Where webhooks may be sent: to public addresses over https, and to the private networks that the operator lists.
//!
//! A URL is checked when it is stored. That check only helps the caller: a name can lead elsewhere later, so every
//! connection checks the very address that it uses (`webhook/connector.rs`).

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use ipnet::IpNet;
use tokio::time::timeout;
use url::{Host, Url};

use crate::address::Place;
use crate::lookup::Lookup;

/// How long a name may take to resolve when a URL is checked.
const LOOKUP: Duration = Duration::from_secs(2);

/// The networks that `private_networks` may list parts of: loopback, private, shared and unique local addresses.
const ALLOWABLE: [&str; 7] =
    ["127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "::1/128", "fc00::/7"];

/// A network that webhooks can never be sent to, or that needs no permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} is not inside a loopback, private, shared or unique local network")]
pub struct NotPrivate(pub IpNet);

/// Why a URL must not be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// It is not a URL, or its scheme is another.
    #[error("must be an https URL")]
    Scheme,
    /// It holds a user name or a password, which would appear in logs.
    #[error("must not contain a user name or a password")]
    UserInfo,
    /// A fragment is never sent.
    #[error("must not contain a fragment")]
    Fragment,
    /// Its host is an address, or a name of addresses, that must not be connected to.
    #[error("must lead to a public address, or into a network that the operator of the service allows")]
    Address,
    /// Plain http is for the listed networks.
    #[error("must be an https URL: http is allowed inside the private networks that the operator of the service lists")]
    PlainHttp,
}

/// The private networks that webhooks may be sent to. By default none.
#[derive(Clone, Debug, Default)]
pub struct Destinations {
    private_networks: Arc<[IpNet]>,
}

impl Destinations {
    /// Public addresses, and these networks.
    pub fn new(private_networks: &[IpNet]) -> Result<Self, NotPrivate> {
        let allowable = allowable();
        let is_allowable = |network: &IpNet| allowable.iter().any(|whole| whole.contains(network));
        match private_networks.iter().find(|network| !is_allowable(network)) {
            Some(network) => Err(NotPrivate(*network)),
            None => Ok(Self { private_networks: private_networks.into() }),
        }
    }

    /// Public addresses, and every private network: for the receiver of a developer.
    pub fn with_private_networks() -> Self {
        Self { private_networks: allowable().into() }
    }

    /// Checks a URL without looking up its name.
    pub fn check(&self, text: &str) -> Result<Url, UrlError> {
        let url = Url::parse(text).map_err(|_| UrlError::Scheme)?;
        let is_plain = match url.scheme() {
            "https" => false,
            "http" => true,
            _ => return Err(UrlError::Scheme),
        };
        if has_user_info(text) {
            return Err(UrlError::UserInfo);
        }
        if url.fragment().is_some() {
            return Err(UrlError::Fragment);
        }
        match address(&url) {
            Some(address) if self.allows(address, false) && is_plain && !self.allows(address, true) => {
                Err(UrlError::PlainHttp)
            }
            Some(address) if !self.allows(address, is_plain) => Err(UrlError::Address),
            None if is_plain && self.private_networks.is_empty() => Err(UrlError::PlainHttp),
            _ => Ok(url),
        }
    }

    /// Checks a URL and the addresses of its name. A name that does not resolve now is accepted over https: it may
    /// resolve later.
    pub async fn check_resolved(&self, text: &str, lookup: &Lookup) -> Result<(), UrlError> {
        let url = self.check(text)?;
        let Some(Host::Domain(name)) = url.host() else { return Ok(()) };
        let is_plain = url.scheme() == "http";
        let found = timeout(LOOKUP, lookup(name.to_owned())).await;
        let found = found.ok().and_then(Result::ok).unwrap_or_default();
        if found.iter().any(|address| self.allows(*address, is_plain)) {
            return Ok(());
        }
        match is_plain {
            true => Err(UrlError::PlainHttp),
            false if found.is_empty() => Ok(()),
            false => Err(UrlError::Address),
        }
    }

    /// Whether a connection to this address may be opened, with http or with https.
    pub(crate) fn allows(&self, address: IpAddr, is_plain: bool) -> bool {
        // `::ffff:127.0.0.1` leads to 127.0.0.1.
        let address = address.to_canonical();
        match Place::of(address) {
            Place::Public => !is_plain,
            Place::Private => self.private_networks.iter().any(|network| network.contains(&address)),
            Place::Never => false,
        }
    }
}

/// Whether a URL has user info, which may be empty. The parser drops empty user info, and reads backslashes as slashes.
fn has_user_info(text: &str) -> bool {
    let (_, rest) = text.split_once(':').unwrap_or_default();
    let authority = rest.trim_start_matches(['/', '\\', '\t', '\n', '\r']);
    authority.split(['/', '\\', '?', '#']).next().is_some_and(|authority| authority.contains('@'))
}

fn allowable() -> [IpNet; 7] {
    ALLOWABLE.map(|network| network.parse().expect("the networks are constants"))
}

fn address(url: &Url) -> Option<IpAddr> {
    match url.host()? {
        Host::Ipv4(address) => Some(IpAddr::V4(address)),
        Host::Ipv6(address) => Some(IpAddr::V6(address)),
        Host::Domain(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lookup;

    fn destinations(networks: &[&str]) -> Destinations {
        let networks: Vec<IpNet> = networks.iter().map(|network| network.parse().unwrap()).collect();
        Destinations::new(&networks).unwrap()
    }

    #[test]
    fn a_url_is_judged_by_its_scheme_its_parts_and_its_address() {
        let none = destinations(&[]);
        let local = destinations(&["127.0.0.0/8", "10.1.0.0/16", "::1/128"]);
        let (never, plain) = (Err(UrlError::Address), Err(UrlError::PlainHttp));
        for (url, without, with) in [
            ("https://example.com/hook?a=b", Ok(()), Ok(())),
            ("https://example.com:8443", Ok(()), Ok(())),
            ("https://8.8.8.8/", Ok(()), Ok(())),
            ("https://[2606:4700::1111]/", Ok(()), Ok(())),
            ("https://[::ffff:8.8.8.8]/", Ok(()), Ok(())),
            ("http://8.8.8.8/", plain, plain),
            ("http://[::ffff:8.8.8.8]/", plain, plain),
            ("http://example.com/", plain, Ok(())),
            ("http://127.0.0.1:9000/", never, Ok(())),
            ("https://127.0.0.1:9000/", never, Ok(())),
            ("http://0x7f000001/", never, Ok(())),
            ("http://2130706433/", never, Ok(())),
            ("http://127.1/", never, Ok(())),
            ("http://[::1]/", never, Ok(())),
            ("http://[::ffff:127.0.0.1]/", never, Ok(())),
            ("http://10.1.2.3/", never, Ok(())),
            ("http://10.2.2.3/", never, never),
            ("https://192.168.1.1/", never, never),
            ("https://100.64.0.1/", never, never),
            ("https://[fd00::1]/", never, never),
            ("https://169.254.169.254/", never, never),
            ("https://[::ffff:169.254.169.254]/", never, never),
            ("https://0.0.0.0/", never, never),
            ("https://[fe80::1]/", never, never),
            ("https://224.0.0.1/", never, never),
            ("https://192.0.2.1/", never, never),
            ("https://[64:ff9b::7f00:1]/", never, never),
            ("https://[2002:7f00:1::]/", never, never),
            ("https://[2001::1]/", never, never),
            ("https://user@example.com/", Err(UrlError::UserInfo), Err(UrlError::UserInfo)),
            ("https://@example.com/", Err(UrlError::UserInfo), Err(UrlError::UserInfo)),
            ("https://:@example.com/", Err(UrlError::UserInfo), Err(UrlError::UserInfo)),
            ("https:\\\\@example.com\\", Err(UrlError::UserInfo), Err(UrlError::UserInfo)),
            ("https://:secret@example.com/", Err(UrlError::UserInfo), Err(UrlError::UserInfo)),
            ("https://example.com/#", Err(UrlError::Fragment), Err(UrlError::Fragment)),
            ("ftp://example.com/", Err(UrlError::Scheme), Err(UrlError::Scheme)),
            ("file:///etc/passwd", Err(UrlError::Scheme), Err(UrlError::Scheme)),
            ("example.com", Err(UrlError::Scheme), Err(UrlError::Scheme)),
            ("https://", Err(UrlError::Scheme), Err(UrlError::Scheme)),
            ("", Err(UrlError::Scheme), Err(UrlError::Scheme)),
        ] {
            assert_eq!(none.check(url).map(|_| ()), without, "{url}");
            assert_eq!(local.check(url).map(|_| ()), with, "{url} with private networks");
        }
    }

    #[test]
    fn only_private_networks_can_be_listed() {
        let new = |network: &str| Destinations::new(&[network.parse().unwrap()]).is_ok();
        for network in ["127.0.0.0/8", "127.0.0.1/32", "10.0.0.0/9", "100.64.0.0/10", "::1/128", "fd12::/16"] {
            assert!(new(network), "{network}");
        }
        for network in ["0.0.0.0/0", "8.8.8.0/24", "10.0.0.0/7", "169.254.0.0/16", "::/0", "fe80::/10", "::/127"] {
            assert!(!new(network), "{network}");
        }
        assert!(!new("::ffff:127.0.0.0/104"), "a mapped address is judged by its IPv4 address");
    }

    #[tokio::test]
    async fn a_name_is_judged_by_its_addresses() {
        let local = destinations(&["10.0.0.0/8"]);
        let check = async |url: &str, found: &'static [&'static str]| {
            let lookup = lookup::fixed(found.iter().map(|address| address.parse().unwrap()).collect());
            local.check_resolved(url, &lookup).await
        };
        assert_eq!(check("https://a.example/", &["8.8.8.8"]).await, Ok(()));
        assert_eq!(check("https://a.example/", &["127.0.0.1", "8.8.8.8"]).await, Ok(()));
        assert_eq!(check("https://a.example/", &["127.0.0.1", "169.254.169.254"]).await, Err(UrlError::Address));
        assert_eq!(check("https://a.example/", &[]).await, Ok(()));
        assert_eq!(check("http://a.example/", &["10.1.1.1"]).await, Ok(()));
        assert_eq!(check("http://a.example/", &["8.8.8.8"]).await, Err(UrlError::PlainHttp));
        assert_eq!(check("http://a.example/", &[]).await, Err(UrlError::PlainHttp));
    }
}
