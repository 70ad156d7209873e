//! URLs that may be fetched, and how far each may lead. They come from the operator, or from a document that is held to
//! the operator's rules.

use crate::provider_fault::ProviderFault;
use url::{Host, Url};

/// Where a provider's endpoints may lead. By default to the internet, over https.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Reach {
    /// Private networks and this machine too.
    pub private_addresses: bool,
    /// Plain http too, and not only to a loopback host.
    pub plain_http: bool,
}

/// A URL that may be fetched.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Endpoint {
    url: Url,
    reach: Reach,
}

impl Endpoint {
    pub(crate) fn parse(text: &str, reach: Reach) -> Result<Self, ProviderFault> {
        let malformed = || ProviderFault::Url(text.to_owned());
        let url = Url::parse(text).map_err(|_| malformed())?;
        let host = url.host().ok_or_else(malformed)?;
        let bare = url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
        let loopback = match host {
            Host::Domain(name) => name == "localhost",
            Host::Ipv4(address) => address.is_loopback(),
            Host::Ipv6(address) => address.is_loopback(),
        };
        match url.scheme() {
            _ if !bare => Err(malformed()),
            "https" => Ok(Self { url, reach }),
            "http" if loopback || reach.plain_http => Ok(Self { url, reach }),
            "http" => Err(ProviderFault::PlainHttp(text.to_owned())),
            _ => Err(malformed()),
        }
    }

    pub(crate) const fn url(&self) -> &Url {
        &self.url
    }

    pub(crate) const fn reach(&self) -> Reach {
        self.reach
    }
}
