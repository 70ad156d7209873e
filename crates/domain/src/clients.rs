//! Clients: the applications that call the API, and what each may do.
//! A public client's id is not a secret and cannot change anything; a trusted client's id is a credential.

mod changes;
mod view;

pub use changes::{ClientDraft, ClientFields, ClientPatch, MAX_ORIGINS, SentScopes};
pub use view::ClientView;

use crate::id::{ClientId, EventId, OrganizationId};
use crate::text::Line;
use crate::time::Time;
use crate::validation::{InvalidValue, ValidationCode};
use ipnet::IpNet;
use std::net::IpAddr;

/// The name of the client.
pub type ClientName = Line<1, 255>;

/// Whether the client can protect a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ClientKind {
    /// Runs in browsers and apps: its id is public.
    Public,
    /// Runs on servers: its id is a credential.
    Trusted,
}

impl ClientKind {
    /// The stored word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Trusted => "trusted",
        }
    }

    /// Parses a kind.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Public, Self::Trusted].into_iter().find(|kind| kind.as_str() == text)
    }
}

/// The one table of scopes: the word on the command line and in the store, and the kinds of clients that may hold it.
/// Rows are only ever added at the end.
macro_rules! scopes {
    ($($scope:ident = $word:literal, $($kind:ident)|*;)*) => {
        /// One thing a client may do.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[expect(missing_docs, reason = "the words of the contract")]
        pub enum Scope { $($scope),* }

        impl Scope {
            /// Every scope.
            pub const ALL: &'static [Self] = &[$(Self::$scope),*];

            /// The word on the command line and in the store.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$scope => $word),* }
            }

            /// The kinds of clients that may hold it.
            const fn kinds(self) -> &'static [ClientKind] {
                match self { $(Self::$scope => &[$(ClientKind::$kind),*]),* }
            }
        }
    };
}

scopes! {
    Auth = "auth", Public | Trusted;
    PlansRead = "plans:read", Public | Trusted;
    PlansWrite = "plans:write", Trusted;
    SubscriptionsRead = "subscriptions:read", Trusted;
    SubscriptionsWrite = "subscriptions:write", Trusted;
    PaymentsRead = "payments:read", Trusted;
    PaymentsWrite = "payments:write", Trusted;
    SubscriptionsReadOwn = "subscriptions:read:own", Public;
    PaymentsReadOwn = "payments:read:own", Public;
    UsersRead = "users:read", Trusted;
    UsersWrite = "users:write", Trusted;
    InvoicesRead = "invoices:read", Trusted;
    InvoicesWrite = "invoices:write", Trusted;
    InvoicesReadOwn = "invoices:read:own", Public;
    EventsRead = "events:read", Trusted;
    WebhooksWrite = "webhooks:write", Trusted;
    EntitlementsRead = "entitlements:read", Trusted;
    EntitlementsReadOwn = "entitlements:read:own", Public;
    UsageWrite = "usage:write", Trusted;
    OrganizationRead = "organization:read", Trusted;
    OrganizationWrite = "organization:write", Trusted;
    AnalyticsRead = "analytics:read", Trusted;
    ClientsWrite = "clients:write", Trusted;
}

impl Scope {
    /// Parses a scope.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|scope| scope.as_str() == text)
    }
}

impl Scope {
    /// Whether it is about a user's own records only.
    pub fn is_own(self) -> bool {
        self.as_str().ends_with(":own")
    }
}

impl ClientKind {
    /// The scopes a client of this kind may hold.
    pub fn scopes(self) -> Scopes {
        Scope::ALL.iter().filter(|scope| scope.kinds().contains(&self)).copied().collect()
    }
}

const _: () = assert!(Scope::ALL.len() <= u64::BITS as usize, "a set of scopes has one bit for each");

/// A set of scopes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scopes(u64);

impl Scopes {
    /// The set of these scopes.
    pub const fn of(scopes: &[Scope]) -> Self {
        let mut bits = 0;
        let mut index = 0;
        while index < scopes.len() {
            bits |= 1 << scopes[index] as u64;
            index += 1;
        }
        Self(bits)
    }

    /// Whether the scope is among them.
    pub const fn contain(self, scope: Scope) -> bool {
        self.0 & (1 << scope as u64) != 0
    }

    /// The scopes of both sets.
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The scopes of this set that are not in `other`.
    pub const fn beyond(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Their words, separated by this text.
    pub fn words(self, separator: &str) -> String {
        self.iter().map(Scope::as_str).collect::<Vec<_>>().join(separator)
    }

    /// The scopes, in their usual order.
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.iter().copied().filter(move |scope| self.contain(*scope))
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        Self(scopes.into_iter().fold(0, |bits, scope| bits | 1 << scope as u64))
    }
}

impl serde::Serialize for Scopes {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(Scope::as_str))
    }
}

/// An origin that may call from a browser: `https://app.example.com`, or with any port, `http://localhost:*`.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Origin(String);

impl Origin {
    /// Parses an origin.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        let origin = text.to_ascii_lowercase();
        let concrete = origin.strip_suffix(":*").unwrap_or(&origin);
        let plain = url::Url::parse(concrete)
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https") && url.origin().ascii_serialization() == concrete);
        match plain {
            Some(url) if concrete == origin || url.port().is_none() => Ok(Self(origin)),
            _ => Err(InvalidValue::new(
                ValidationCode::InvalidFormat,
                "must be scheme://host or scheme://host:port without a path, the port may be *",
            )),
        }
    }

    /// A stored value, which was validated by `parse` before it was stored.
    pub const fn from_stored(text: String) -> Self {
        Self(text)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether a browser's `Origin` header is this one.
    pub fn allows(&self, header: &str) -> bool {
        match self.0.strip_suffix(":*") {
            None => header == self.0,
            Some(base) => header.strip_prefix(base).is_some_and(|rest| {
                rest.is_empty()
                    || rest
                        .strip_prefix(':')
                        .is_some_and(|port| !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()))
            }),
        }
    }
}

/// A public client's id: 3 to 64 of letters, digits, `.`, `_`, `-`, never looking like a credential.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct PublicId(String);

impl PublicId {
    /// Parses an id.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        let plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'));
        if plain && (3..=64).contains(&text.len()) && !text.starts_with("pk_") {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidValue::new(
                ValidationCode::InvalidFormat,
                "must have 3 to 64 of A-Z a-z 0-9 . _ - and must not start with pk_",
            ))
        }
    }

    /// A stored value, which was validated by `parse` before it was stored.
    pub const fn from_stored(text: String) -> Self {
        Self(text)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A client. The API, the command line and events have its [`ClientView`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    /// Its id, which is not a credential.
    pub id: ClientId,
    /// The organization it belongs to.
    pub organization_id: OrganizationId,
    /// Its name.
    pub name: ClientName,
    /// Whether it can protect a secret.
    pub kind: ClientKind,
    /// What a public client sends as `client-id`; none for a trusted one.
    pub public_id: Option<PublicId>,
    /// What it may do.
    pub scopes: Scopes,
    /// Where a public client's pages may come from.
    pub origins: Vec<Origin>,
    /// The addresses a trusted client may call from; empty means any.
    pub cidrs: Vec<IpNet>,
    /// When it stops working.
    pub expires_at: Option<Time>,
    /// When it was disabled.
    pub disabled_at: Option<Time>,
    /// When it was created.
    pub created_at: Time,
    /// When it last changed.
    pub updated_at: Time,
    /// Its last event.
    pub revision: EventId,
}

impl Client {
    /// Whether it works at `now`.
    pub fn is_live(&self, now: Time) -> bool {
        self.disabled_at.is_none() && self.expires_at.is_none_or(|expiry| now < expiry)
    }

    /// Whether it may call from this address.
    pub fn may_call_from(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.cidrs.is_empty() || self.cidrs.iter().any(|cidr| cidr.contains(&address))
    }

    /// Whether its pages may come from the origin that a browser sends.
    pub fn allows_origin(&self, header: &str) -> bool {
        self.origins.iter().any(|origin| origin.allows(header))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::plans::tests::{event, instant};

    pub(crate) fn client() -> Client {
        let now = instant("2026-01-01T00:00:00Z");
        Client {
            id: ClientId::new(now, 1),
            organization_id: OrganizationId::new(now, 1),
            name: ClientName::parse("app").unwrap(),
            kind: ClientKind::Trusted,
            public_id: None,
            scopes: ClientKind::Trusted.scopes(),
            origins: vec![Origin::parse("https://a.com").unwrap(), Origin::parse("http://localhost:*").unwrap()],
            cidrs: vec!["10.0.0.0/8".parse().unwrap(), "2001:db8::/32".parse().unwrap()],
            expires_at: Some(instant("2026-02-01T00:00:00Z")),
            disabled_at: None,
            created_at: now,
            updated_at: now,
            revision: event(1),
        }
    }

    #[test]
    fn each_kind_holds_the_scopes_of_the_contract() {
        let words = |kind: ClientKind| kind.scopes().iter().map(Scope::as_str).collect::<Vec<_>>().join(" ");
        assert_eq!(
            words(ClientKind::Public),
            "auth plans:read subscriptions:read:own payments:read:own invoices:read:own entitlements:read:own"
        );
        assert_eq!(
            words(ClientKind::Trusted),
            "auth plans:read plans:write subscriptions:read subscriptions:write payments:read payments:write users:read \
             users:write invoices:read invoices:write events:read webhooks:write entitlements:read usage:write \
             organization:read organization:write analytics:read clients:write"
        );
        for scope in Scope::ALL {
            assert_eq!(Scope::parse(scope.as_str()), Some(*scope));
        }
        assert_eq!(Scope::parse("plans"), None);
        assert_eq!(ClientKind::parse("public"), Some(ClientKind::Public));
        assert_eq!(ClientKind::parse("trusted"), Some(ClientKind::Trusted));
        assert_eq!(ClientKind::parse("Trusted"), None);
    }

    #[test]
    fn scopes_beyond_a_kind_are_found() {
        let wanted = Scopes::of(&[Scope::PlansRead, Scope::PlansWrite]);
        let beyond = wanted.beyond(ClientKind::Public.scopes());
        assert_eq!(beyond, Scopes::of(&[Scope::PlansWrite]));
        assert!(!beyond.is_empty() && wanted.beyond(ClientKind::Trusted.scopes()).is_empty());
        assert_eq!(serde_json::to_string(&wanted).unwrap(), r#"["plans:read","plans:write"]"#);
    }

    #[test]
    fn origins_match_whole_and_by_any_port() {
        let client = client();
        for origin in ["https://a.com", "http://localhost", "http://localhost:3000"] {
            assert!(client.allows_origin(origin), "{origin}");
        }
        for origin in [
            "http://a.com",
            "https://a.com:8443",
            "https://a.com.evil.com",
            "http://localhost:",
            "http://localhost:30x",
            "http://localhost.evil.com",
            "null",
            "",
        ] {
            assert!(!client.allows_origin(origin), "{origin}");
        }
    }

    #[test]
    fn origins_have_no_path_and_one_spelling() {
        assert_eq!(Origin::parse("HTTPS://App.Example.com").unwrap().as_str(), "https://app.example.com");
        assert_eq!(Origin::parse("http://127.0.0.1:8080").unwrap().as_str(), "http://127.0.0.1:8080");
        for text in [
            "",
            "*",
            "https://a.com/",
            "https://a.com/x",
            "ftp://a.com",
            "https://a.com:443",
            "a.com",
            "https://a.com:80:*",
            "https://*.a.com:*/",
        ] {
            assert!(Origin::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn public_ids_are_plain_and_never_look_like_a_credential() {
        for text in ["abc", "my-app.v2_x", &"a".repeat(64)] {
            assert_eq!(PublicId::parse(text).unwrap().as_str(), text);
        }
        for text in ["ab", "", "pk_abc", "a b c", "aäb", &"a".repeat(65)] {
            assert!(PublicId::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_client_works_until_it_expires_or_is_switched_off() {
        let client = client();
        assert!(client.is_live(instant("2026-01-31T23:59:59Z")));
        assert!(!client.is_live(instant("2026-02-01T00:00:00Z")));
        let off = Client { expires_at: None, disabled_at: Some(client.created_at), ..client.clone() };
        assert!(!off.is_live(client.created_at));
        assert!(Client { expires_at: None, ..client }.is_live(Time::MAX));
    }

    #[test]
    fn addresses_are_held_against_the_list() {
        let client = client();
        for address in ["10.1.2.3", "::ffff:10.1.2.3", "2001:db8::1"] {
            assert!(client.may_call_from(address.parse().unwrap()), "{address}");
        }
        assert!(!client.may_call_from("192.0.2.1".parse().unwrap()));
        assert!(Client { cidrs: vec![], ..client }.may_call_from("192.0.2.1".parse().unwrap()));
    }
}
