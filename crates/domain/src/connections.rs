//! Connections: accounts of an organization at payment providers. A webhook of a provider is only a hint that an object
//! changed; what a fetch of the object returns counts.

pub mod bucket;
pub mod collection;
pub mod facts;
pub mod sweep;

use crate::id::{ConnectionId, EventId, OrganizationId};
use crate::number::Whole;
use crate::text::Line;
use crate::time::Time;
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
