//! URLs that may be called, and how far each may lead. They come from an operator, or from a document to which the
//! operator's rules apply.

use url::{Host, Url};

/// Why a URL may not be called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EndpointError {
    /// It is not an http or https URL, or it has credentials or a fragment.
    Malformed(String),
    /// Plain http is allowed to a loopback host only.
    PlainHttp(String),
}

/// Where an endpoint may lead. By default to the internet, over https.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Reach {
    /// Private networks and this machine too.
    pub private_addresses: bool,
    /// Plain http too, and not only to a loopback host.
    pub plain_http: bool,
}

/// A URL that may be called.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Endpoint {
    url: Url,
    reach: Reach,
}

impl Endpoint {
    /// Reads a URL.
    pub fn parse(text: &str, reach: Reach) -> Result<Self, EndpointError> {
        let malformed = || EndpointError::Malformed(text.to_owned());
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
            "http" => Err(EndpointError::PlainHttp(text.to_owned())),
            _ => Err(malformed()),
        }
    }

    /// The URL.
    pub const fn url(&self) -> &Url {
        &self.url
    }

    /// How far it may lead.
    pub const fn reach(&self) -> Reach {
        self.reach
    }
}
