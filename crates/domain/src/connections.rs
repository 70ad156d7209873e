//! Connections: accounts of an organization at payment providers. A webhook of a provider is only a hint that an object
//! changed; what a fetch of the object returns counts.

pub mod apply;
pub mod bucket;
pub mod collection;
pub mod facts;
pub mod hints;
pub mod inbox;
pub mod signature;
pub mod sweep;

use crate::id::{ConnectionId, EventId, OrganizationId};
use crate::number::Whole;
use crate::organizations::OrganizationMode;
use crate::plans::{Href, set};
use crate::text::Line;
use crate::time::Time;
use crate::validation::{ValidationCode, ValidationErrors};
use crate::words::words;

/// The name of a connection, unique in the organization.
pub type ConnectionName = Line<1, 100>;
/// The ID of a Stripe account or a Lemon Squeezy store.
pub type AccountId = Line<1, 255>;
/// Where requests are sent.
pub type BaseUrl = Line<1, 2048>;
/// The most requests in a minute, of all servers together.
pub type RequestsPerMinute = Whole<1, 6_000>;

words! {
    /// A payment provider.
    ConnectionKind {
        /// Stripe.
        Stripe = "stripe",
        /// Lemon Squeezy.
        LemonSqueezy = "lemon_squeezy",
        /// Paddle Billing.
        Paddle = "paddle",
    }
}

words! {
    /// Whether the account's objects are real.
    ConnectionMode {
        /// They are.
        Live = "live",
        /// They are tests.
        Test = "test",
    }
}

words! {
    /// What follows from a difference that a sweep finds.
    Drift {
        /// The record is changed.
        Repair = "repair",
        /// It is reported, and nothing is changed.
        Alert = "alert",
    }
}

words! {
    /// An object at a provider, by the record that it is here.
    ObjectKind {
        /// A user.
        Customer = "customer",
        /// A plan.
        Price = "price",
        /// A subscription.
        Subscription = "subscription",
        /// A payment.
        Payment = "payment",
    }
}

words! {
    /// Whether requests to the provider succeed.
    ConnectionState {
        /// They do.
        Ok = "ok",
        /// None succeeded for 15 minutes.
        Failing = "failing",
        /// There are none.
        Disabled = "disabled",
    }
}

/// A connection. It serializes as an event stores it, without its secrets.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[expect(missing_docs, reason = "the fields are the contract's")]
#[expect(clippy::struct_excessive_bools, reason = "each is a separate setting")]
pub struct Connection {
    pub id: ConnectionId,
    pub kind: ConnectionKind,
    pub name: ConnectionName,
    pub mode: ConnectionMode,
    pub account: Option<AccountId>,
    /// Without a slash at its end.
    pub base_url: BaseUrl,
    pub drift: Drift,
    pub collect: bool,
    pub requests_per_minute: RequestsPerMinute,
    pub allow_private_addresses: bool,
    pub allow_http: bool,
    pub is_enabled: bool,
    pub state: ConnectionState,
    pub created_at: Time,
    pub updated_at: Time,
    #[serde(skip)]
    pub organization_id: OrganizationId,
    /// The API key and the webhook secrets, sealed.
    #[serde(skip)]
    pub sealed_secrets: Vec<u8>,
    /// Its last event.
    #[serde(skip)]
    pub revision: EventId,
}

/// The fields of a create or an update; an omitted field is `None`.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct ConnectionDraft {
    pub kind: Option<ConnectionKind>,
    pub name: Option<ConnectionName>,
    pub mode: Option<ConnectionMode>,
    pub account: Option<Option<AccountId>>,
    pub base_url: Option<String>,
    pub drift: Option<Drift>,
    pub collect: Option<bool>,
    pub requests_per_minute: Option<RequestsPerMinute>,
    pub allow_private_addresses: Option<bool>,
    pub allow_http: Option<bool>,
    pub is_enabled: Option<bool>,
}

impl ConnectionKind {
    /// The word on the command line.
    pub const fn as_argument(self) -> &'static str {
        match self {
            Self::Stripe => "stripe",
            Self::LemonSqueezy => "lemon-squeezy",
            Self::Paddle => "paddle",
        }
    }

    /// The provider's host for a mode.
    pub const fn default_base_url(self, mode: ConnectionMode) -> &'static str {
        match (self, mode) {
            (Self::Stripe, _) => "https://api.stripe.com",
            (Self::LemonSqueezy, _) => "https://api.lemonsqueezy.com",
            (Self::Paddle, ConnectionMode::Live) => "https://api.paddle.com",
            (Self::Paddle, ConnectionMode::Test) => "https://sandbox-api.paddle.com",
        }
    }

    /// The most requests in a minute, unless the operator chooses.
    pub const fn default_requests_per_minute(self) -> i64 {
        match self {
            Self::Stripe => 600,
            Self::LemonSqueezy | Self::Paddle => 60,
        }
    }
}

impl Connection {
    /// Whether payments can be collected through it now.
    pub fn collects(&self) -> bool {
        self.collect && self.is_enabled && self.kind == ConnectionKind::Stripe
    }

    /// The connection that a draft describes, or all its errors. Its secrets are added by the use case.
    pub fn create(
        draft: ConnectionDraft,
        organization: (OrganizationId, OrganizationMode),
        id: ConnectionId,
        revision: EventId,
        now: Time,
    ) -> Result<Self, ValidationErrors> {
        let mut errors = ValidationErrors::none();
        let mode = draft.mode.unwrap_or(ConnectionMode::Live);
        if draft.kind.is_none() {
            errors.note("/kind", ValidationCode::Required, "is required");
        }
        if draft.name.is_none() {
            errors.note("/name", ValidationCode::Required, "is required");
        }
        let (Some(kind), Some(name), true) = (draft.kind, draft.name, errors.is_empty()) else { return Err(errors) };
        let base_url = draft.base_url.unwrap_or_else(|| kind.default_base_url(mode).to_owned());
        let connection = Self {
            id,
            kind,
            name,
            mode,
            account: draft.account.flatten(),
            base_url: Line::from_stored(base_url.trim_end_matches('/').to_owned()),
            drift: draft.drift.unwrap_or(Drift::Repair),
            collect: draft.collect.unwrap_or(false),
            requests_per_minute: draft
                .requests_per_minute
                .unwrap_or_else(|| Whole::from_stored(kind.default_requests_per_minute())),
            allow_private_addresses: draft.allow_private_addresses.unwrap_or(false),
            allow_http: draft.allow_http.unwrap_or(false),
            is_enabled: true,
            state: ConnectionState::Ok,
            created_at: now,
            updated_at: now,
            organization_id: organization.0,
            sealed_secrets: Vec::new(),
            revision,
        };
        connection.check(organization.1, &mut errors);
        errors.into_result(connection)
    }

    /// The connection after an update, apart from its stamp. Equal to the connection before if nothing changes.
    pub fn merge(&self, patch: ConnectionDraft, organization: OrganizationMode) -> Result<Self, ValidationErrors> {
        let mut merged = self.clone();
        set(&mut merged.name, patch.name);
        set(&mut merged.mode, patch.mode);
        set(&mut merged.account, patch.account);
        // A default host is that of the mode.
        let is_default = self.base_url.as_str() == self.kind.default_base_url(self.mode);
        let default = is_default.then(|| self.kind.default_base_url(merged.mode).to_owned());
        let base_url = patch.base_url.or(default);
        set(&mut merged.base_url, base_url.map(|url| Line::from_stored(url.trim_end_matches('/').to_owned())));
        set(&mut merged.drift, patch.drift);
        set(&mut merged.collect, patch.collect);
        set(&mut merged.requests_per_minute, patch.requests_per_minute);
        set(&mut merged.allow_private_addresses, patch.allow_private_addresses);
        set(&mut merged.allow_http, patch.allow_http);
        set(&mut merged.is_enabled, patch.is_enabled);
        merged.state = match (merged.is_enabled, self.is_enabled) {
            (false, _) => ConnectionState::Disabled,
            (true, false) => ConnectionState::Ok,
            (true, true) => self.state,
        };
        let mut errors = ValidationErrors::none();
        merged.check(organization, &mut errors);
        errors.into_result(merged)
    }

    /// Where the provider sends webhooks.
    pub fn webhook_path(&self) -> String {
        format!("/hooks/{}", self.id)
    }

    fn check(&self, organization: OrganizationMode, errors: &mut ValidationErrors) {
        if organization == OrganizationMode::Test && self.mode == ConnectionMode::Live {
            errors.note("/mode", ValidationCode::UnknownValue, "must be test: this is a test organization");
        }
        if self.collect && self.kind != ConnectionKind::Stripe {
            errors.note("/collect", ValidationCode::UnknownValue, "is possible with Stripe only");
        }
        let url = self.base_url.as_str();
        let is_plain = |url: &str| !url.contains(['?', '#', '@']);
        match Href::parse(url) {
            Ok(_) if !is_plain(url) || url.len() > 2_048 => {
                let detail = "must have no user, no query and no fragment";
                errors.note("/base_url", ValidationCode::InvalidFormat, detail);
            }
            Ok(_) if url.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("http:")) && !self.allow_http => {
                let detail = "must be an https URL, unless http is allowed";
                errors.note("/base_url", ValidationCode::UrlNotAllowed, detail);
            }
            Ok(_) => {}
            Err(reason) => errors.add("/base_url", reason),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(micros: i64) -> Time {
        Time::from_micros(micros).unwrap()
    }

    fn create(draft: ConnectionDraft, mode: OrganizationMode) -> Result<Connection, ValidationErrors> {
        let organization = (OrganizationId::from_bytes([1; 16]), mode);
        Connection::create(draft, organization, ConnectionId::from_bytes([2; 16]), EventId::from_bytes([3; 16]), at(1))
    }

    fn draft(kind: ConnectionKind) -> ConnectionDraft {
        let name = ConnectionName::parse("main").ok();
        ConnectionDraft { kind: Some(kind), name, ..ConnectionDraft::default() }
    }

    #[test]
    fn defaults_follow_from_kind_and_mode() {
        for (kind, mode, url, rate) in [
            (ConnectionKind::Stripe, ConnectionMode::Live, "https://api.stripe.com", 600),
            (ConnectionKind::LemonSqueezy, ConnectionMode::Test, "https://api.lemonsqueezy.com", 60),
            (ConnectionKind::Paddle, ConnectionMode::Live, "https://api.paddle.com", 60),
            (ConnectionKind::Paddle, ConnectionMode::Test, "https://sandbox-api.paddle.com", 60),
        ] {
            let made = create(ConnectionDraft { mode: Some(mode), ..draft(kind) }, OrganizationMode::Live).unwrap();
            assert_eq!((made.base_url.as_str(), made.requests_per_minute.get()), (url, rate));
            assert_eq!((made.drift, made.collect, made.is_enabled), (Drift::Repair, false, true));
        }
    }

    #[test]
    fn a_test_organization_takes_test_mode_only() {
        let errors = create(draft(ConnectionKind::Stripe), OrganizationMode::Test).unwrap_err();
        assert!(errors.touch("/mode"));
        let test = ConnectionDraft { mode: Some(ConnectionMode::Test), ..draft(ConnectionKind::Stripe) };
        assert!(create(test, OrganizationMode::Test).is_ok());
    }

    #[test]
    fn http_must_be_allowed_and_a_url_has_no_secrets() {
        let with = |url: &str, allow_http| {
            let base_url = Some(url.to_owned());
            let draft = ConnectionDraft { base_url, allow_http: Some(allow_http), ..draft(ConnectionKind::Stripe) };
            create(draft, OrganizationMode::Live).map(|made| made.base_url.as_str().to_owned())
        };
        assert_eq!(with("http://127.0.0.1:9/", true).as_deref(), Ok("http://127.0.0.1:9"));
        for (url, allow_http) in [
            ("http://127.0.0.1:9", false),
            ("HTTP://127.0.0.1:9", false),
            ("https://a:b@example.com", true),
            ("https://example.com/?a=1", true),
            ("ftp://example.com", true),
        ] {
            assert!(with(url, allow_http).unwrap_err().touch("/base_url"), "{url}");
        }
    }

    #[test]
    fn collecting_is_for_stripe() {
        let collect = |kind| create(ConnectionDraft { collect: Some(true), ..draft(kind) }, OrganizationMode::Live);
        assert!(collect(ConnectionKind::Stripe).is_ok());
        assert!(collect(ConnectionKind::Paddle).unwrap_err().touch("/collect"));
    }

    #[test]
    fn a_connection_that_is_enabled_again_is_ok_and_a_failing_one_stays_failing() {
        let before = Connection {
            state: ConnectionState::Failing,
            ..create(draft(ConnectionKind::Stripe), OrganizationMode::Live).unwrap()
        };
        let patch = |is_enabled| ConnectionDraft { is_enabled, ..ConnectionDraft::default() };
        assert_eq!(before.merge(patch(None), OrganizationMode::Live), Ok(before.clone()));
        let off = before.merge(patch(Some(false)), OrganizationMode::Live).unwrap();
        assert_eq!(off.state, ConnectionState::Disabled);
        assert_eq!(off.merge(patch(Some(true)), OrganizationMode::Live).unwrap().state, ConnectionState::Ok);
    }
}
