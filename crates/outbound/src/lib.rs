//! Outbound HTTP: to identity providers, webhook endpoints, payment providers and the collector of traces.
//!
//! A name is resolved here, and the connection goes to the very address that was checked, so that a name cannot be
//! turned to a private address between the check and the use. Every call has timeouts, a bound on the response and on the
//! number of calls at once; redirects are not followed.

#![warn(missing_docs)]

mod address;
mod client;
mod concurrency;
mod destination;
mod endpoint;
mod error;
pub mod lookup;
mod resolver;
mod webhook;

pub use bytes::Bytes;
pub use client::{Limits, OutboundClient, Response};
pub use destination::{Destinations, NotPrivate, UrlError};
pub use endpoint::{Endpoint, EndpointError, Reach};
pub use error::FetchError;
pub use http;
pub use webhook::{WebhookClient, WebhookError, WebhookResponse};
