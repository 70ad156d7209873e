//! The interface to payment providers. An implementation fetches one object and maps it; it decides nothing about records
//! and writes none.

use super::figures::ConnectionFigures;
use perennial_domain::connections::facts::Mapped;
use perennial_domain::connections::{Connection, ObjectKind};
use perennial_identity::secret::Secret;
use perennial_provider_api::lists::{self, List, Scope};
use perennial_store::Db;
use std::pin::Pin;

/// The result of an asynchronous call through a trait object.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What a call to a provider needs.
#[derive(Clone, Copy)]
pub struct Account<'a> {
    /// The connection.
    pub connection: &'a Connection,
    /// Its API key.
    pub api_key: &'a Secret,
    /// The store, for the bucket of requests that all servers share.
    pub db: &'a Db,
    /// Where requests are counted.
    pub figures: &'a ConnectionFigures,
}

/// The result of a fetch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fetched {
    /// The object, mapped.
    Found(Box<Mapped>),
    /// The ID does not name a record but leads to these objects: the invoice of a charge, the prices of a product. Of the
    /// prices, those with a link are fetched.
    LeadsTo(Vec<(ObjectKind, String)>),
    /// The object exists and is no record: `draft_invoice`, `no_subscription`, `other_account`, `other_mode`,
    /// `unhandled_type`.
    Ignored(&'static str),
    /// The object is a payment that names no subscription, or not yet.
    AwaitsSubscription,
    /// The provider has no such object.
    NotFound,
    /// There was no answer, or one that asks for patience: a timeout, 5xx, 401, 403, 429.
    Unavailable {
        /// The seconds of `Retry-After`. With 429 the connection stops for this long.
        retry_after: Option<i64>,
        /// Whether the status was 429.
        is_rate_limited: bool,
    },
    /// The request was not sent: the connection has used up its requests for this many seconds. It shows nothing about the
    /// provider.
    NotSent(i64),
    /// The object cannot be a record: `malformed`, `unknown_status`, or a code of the importer.
    Malformed(&'static str),
}

/// The result of reading a page of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Page {
    /// The page.
    Found(lists::Page),
    /// The provider does not know the cursor any more.
    CursorUnknown,
    /// There was no answer, or one that asks for patience.
    Unavailable {
        /// The seconds of `Retry-After`.
        retry_after: Option<i64>,
    },
    /// The request was not sent: the connection has used up its requests for this many seconds.
    NotSent(i64),
    /// The answer is no list.
    Malformed,
}

impl From<Fetched> for Page {
    fn from(fetched: Fetched) -> Self {
        match fetched {
            Fetched::Unavailable { retry_after, .. } => Self::Unavailable { retry_after },
            Fetched::NotSent(seconds) => Self::NotSent(seconds),
            Fetched::NotFound => Self::CursorUnknown,
            _ => Self::Malformed,
        }
    }
}

/// A request for a collection.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The path with its query.
    pub path: &'a str,
    /// The form to send. None: a GET.
    pub form: Option<&'a str>,
    /// The idempotency key.
    pub idempotency_key: Option<&'a str>,
}

/// The answer to such a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A response, whatever its status.
    Response {
        /// The status.
        status: u16,
        /// The seconds of `Retry-After`.
        retry_after: Option<i64>,
        /// The body.
        body: String,
    },
    /// The request was not sent: it is not its turn.
    NotSent {
        /// When it can be.
        retry_after: Option<i64>,
    },
    /// There was no response. The provider may have received the request.
    Unknown,
}

/// The payment providers, by the kind of the connection.
pub trait Provider: Send + Sync + 'static {
    /// Fetches one object and maps it. `external_id` is the ID in the hint or in a reference: `order-<id>` for an order of
    /// Lemon Squeezy, and the ID of a charge, refund or dispute of Stripe, an adjustment of Paddle or a product if the hint has no better one.
    fn fetch<'a>(&'a self, account: Account<'a>, object: ObjectKind, external_id: &'a str) -> Pending<'a, Fetched>;

    /// Fetches as a sweep does, after all others.
    fn fetch_in_sweep<'a>(
        &'a self,
        account: Account<'a>,
        object: ObjectKind,
        external_id: &'a str,
    ) -> Pending<'a, Fetched> {
        self.fetch(account, object, external_id)
    }

    /// Reads a page of a list.
    fn list<'a>(&'a self, _: Account<'a>, _: List, _: Scope<'a>, _: Option<&'a str>) -> Pending<'a, Page> {
        Box::pin(std::future::ready(Page::Unavailable { retry_after: None }))
    }

    /// Sends a request for a collection.
    fn send<'a>(&'a self, _: Account<'a>, _: Request<'a>) -> Pending<'a, Answer> {
        Box::pin(std::future::ready(Answer::NotSent { retry_after: None }))
    }

    /// Checks that the API key has every permission that the connection needs. An error names what is missing.
    fn check<'a>(&'a self, account: Account<'a>) -> Pending<'a, Result<(), String>>;
}

/// No provider: every fetch fails as if there were no network.
#[derive(Debug)]
pub struct Disconnected;

impl Provider for Disconnected {
    fn fetch<'a>(&'a self, _: Account<'a>, _: ObjectKind, _: &'a str) -> Pending<'a, Fetched> {
        Box::pin(std::future::ready(Fetched::Unavailable { retry_after: None, is_rate_limited: false }))
    }

    fn check<'a>(&'a self, _: Account<'a>) -> Pending<'a, Result<(), String>> {
        Box::pin(std::future::ready(Err("this program has no client of payment providers".to_owned())))
    }
}
