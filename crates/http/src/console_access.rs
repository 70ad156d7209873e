//! When an operator's cookie counts, and the cookies themselves. Every rule about cookies of operators is in this file.
//!
//! A browser sends a cookie with requests that any page makes. So a cookie is read only with `x-perennial-console: 1`, which
//! a page of another origin cannot send: CORS never allows it. Then the host must be ours, so that a rebound name does not
//! reach the cookie; and the browser must report that the page is of the same origin.

use http::header::{COOKIE, HOST, ORIGIN};
use http::{HeaderMap, HeaderName, HeaderValue, Uri};
use std::net::{IpAddr, SocketAddr};

use crate::headers::{CLIENT_ID, SEC_FETCH_SITE};

pub(crate) const CONSOLE: HeaderName = HeaderName::from_static("x-perennial-console");

/// A session's cookie: 32 bytes in base64url without padding.
const COOKIE_LENGTH: usize = 43;

/// A host that the console is served at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// As in the header `Host`, in lower case.
    host: String,
    is_secure: bool,
}

impl Site {
    /// A host that browsers reach over https.
    pub fn https(host: &str) -> Self {
        Self { host: host.to_ascii_lowercase(), is_secure: true }
    }

    /// A loopback host that browsers reach over plain http.
    pub fn loopback(host: &str) -> Self {
        Self { host: host.to_ascii_lowercase(), is_secure: false }
    }

    /// The sites of a listener: its address, and on loopback the names of this machine with its port.
    pub fn of_listener(address: SocketAddr) -> Vec<Self> {
        if !is_loopback(address.ip()) {
            return vec![Self::https(&address.to_string())];
        }
        let port = address.port();
        let names = ["localhost", "127.0.0.1", "[::1]"];
        let mut sites: Vec<Self> = names.iter().map(|name| Self::loopback(&format!("{name}:{port}"))).collect();
        if !sites.iter().any(|site| site.host == address.to_string()) {
            sites.push(Self::loopback(&address.to_string()));
        }
        sites
    }

    /// The origin of its pages.
    pub fn origin(&self) -> String {
        format!("{}://{}", self.scheme(), self.host)
    }

    const fn scheme(&self) -> &'static str {
        if self.is_secure { "https" } else { "http" }
    }

    fn has_origin(&self, origin: &str) -> bool {
        let host = origin.strip_prefix(self.scheme()).and_then(|rest| rest.strip_prefix("://"));
        host == Some(self.host.as_str())
    }
}

fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

/// A cookie of the console or of the customer portal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConsoleCookie {
    /// The session of an operator.
    Session,
    /// The sealed state of a sign-in at the identity provider.
    SignIn,
    /// The session of a user of the portal.
    Portal,
    /// The sealed state of a user's sign-in at the identity provider.
    PortalSignIn,
}

impl ConsoleCookie {
    /// Browsers accept the prefix `__Host-` only over https, from the host itself and for all its paths.
    const fn name(self, site: &Site) -> &'static str {
        match (self, site.is_secure) {
            (Self::Session, true) => "__Host-perennial-operator",
            (Self::Session, false) => "perennial-operator",
            (Self::SignIn, true) => "__Host-perennial-oidc",
            (Self::SignIn, false) => "perennial-oidc",
            (Self::Portal, true) => "__Host-perennial-portal",
            (Self::Portal, false) => "perennial-portal",
            (Self::PortalSignIn, true) => "__Host-perennial-portal-oidc",
            (Self::PortalSignIn, false) => "perennial-portal-oidc",
        }
    }

    /// The provider's redirect comes from another site, so the cookie of a sign-in must be sent with it. Customers come to the
    /// portal from links of other sites.
    const fn attributes(self) -> &'static str {
        match self {
            Self::Session => "HttpOnly; SameSite=Strict; Path=/",
            Self::Portal => "HttpOnly; SameSite=Lax; Path=/",
            Self::SignIn | Self::PortalSignIn => "HttpOnly; SameSite=Lax; Path=/; Max-Age=600",
        }
    }

    /// The header `Set-Cookie` with this value.
    pub(crate) fn set(self, site: &Site, value: &str) -> HeaderValue {
        self.header(site, value, self.attributes())
    }

    /// The header `Set-Cookie` that removes it.
    pub(crate) fn expire(self, site: &Site) -> HeaderValue {
        let attributes = match self {
            Self::Session => "HttpOnly; SameSite=Strict; Path=/; Max-Age=0",
            _ => "HttpOnly; SameSite=Lax; Path=/; Max-Age=0",
        };
        self.header(site, "", attributes)
    }

    fn header(self, site: &Site, value: &str, attributes: &str) -> HeaderValue {
        let secure = if site.is_secure { "; Secure" } else { "" };
        let text = format!("{}={value}; {attributes}{secure}", self.name(site));
        let mut header = HeaderValue::try_from(text).expect("cookies of the console are base64");
        header.set_sensitive(true);
        header
    }

    /// The value in the request. `None` if there is none, or if there are two: another page of the host may have set one.
    pub(crate) fn read<'a>(self, site: &Site, headers: &'a HeaderMap) -> Option<&'a str> {
        let name = self.name(site);
        let texts = headers.get_all(COOKIE).into_iter().filter_map(|value| value.to_str().ok());
        let pairs = texts.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let mut values = pairs.filter(|(known, _)| *known == name).map(|(_, value)| value);
        match (values.next(), values.next()) {
            (Some(value), None) => Some(value),
            _ => None,
        }
    }
}

/// Whether the cookie of a request counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision<'a> {
    /// The request is not one of the console: cookies are ignored.
    NotConsole,
    /// The host is not ours: 421.
    Misdirected,
    /// A client's ID was sent too: 400.
    Ambiguous,
    /// The page is of another origin, or that cannot be excluded: 403.
    CrossSite,
    /// The request comes from a page of the console.
    SameOrigin {
        /// The site that it was sent to.
        site: &'a Site,
        /// The session's cookie, if it can be one.
        cookie: Option<&'a str>,
    },
}

/// Decides about a request. The order of the checks is part of the API.
pub fn decide<'a>(uri: &Uri, headers: &'a HeaderMap, sites: &'a [Site]) -> Decision<'a> {
    if !is_console(headers) {
        return Decision::NotConsole;
    }
    let Some(site) = site_of(uri, headers, sites) else { return Decision::Misdirected };
    if headers.contains_key(CLIENT_ID) {
        return Decision::Ambiguous;
    }
    if !is_same_origin(headers, site) {
        return Decision::CrossSite;
    }
    let cookie = ConsoleCookie::Session.read(site, headers).filter(|value| can_be_session(value));
    Decision::SameOrigin { site, cookie }
}

/// Whether the request is one of the console. Every other request costs this one lookup.
pub(crate) fn is_console(headers: &HeaderMap) -> bool {
    only(headers, &CONSOLE) == Some("1")
}

/// The site that a request was sent to. HTTP/2 names it in the target, HTTP/1.1 in `Host`; a request that has both must
/// name one of ours in both.
pub(crate) fn site_of<'a>(uri: &Uri, headers: &HeaderMap, sites: &'a [Site]) -> Option<&'a Site> {
    let find = |host: &str| sites.iter().find(|site| site.host.eq_ignore_ascii_case(host));
    match (uri.authority(), headers.contains_key(HOST)) {
        (Some(authority), false) => find(authority.as_str()),
        (None, true) => only(headers, &HOST).and_then(find),
        (Some(authority), true) => {
            let named = only(headers, &HOST).and_then(find)?;
            find(authority.as_str()).filter(|site| *site == named)
        }
        (None, false) => None,
    }
}

/// A browser that sends `Sec-Fetch-Site` knows best. Without it the origin decides, and without both nothing does.
pub(crate) fn is_same_origin(headers: &HeaderMap, site: &Site) -> bool {
    if headers.contains_key(SEC_FETCH_SITE) {
        return only(headers, &SEC_FETCH_SITE) == Some("same-origin");
    }
    only(headers, &ORIGIN).is_some_and(|origin| site.has_origin(origin))
}

fn can_be_session(value: &str) -> bool {
    value.len() == COOKIE_LENGTH && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

/// The text of a header that was sent once.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
