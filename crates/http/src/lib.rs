//! Floor 4: the HTTP API. Wire types and handlers, one file per resource; what all of them share beside them.
//! Status codes live here and nowhere below; the store is out of sight.

pub mod edge;
pub mod metrics;
pub mod server;

mod access;
mod accounts;
mod address;
mod call;
mod catalogue;
mod cors;
mod excerpt;
mod fields;
mod filters;
mod forwarded;
mod headers;
mod json;
mod limits;
mod openapi;
mod operation;
mod patience;
mod payments;
mod plans;
mod problem;
mod query;
mod reply;
mod router;
mod service;
mod sessions;
mod spans;
mod subscriptions;
mod system;
mod tokens;

pub use call::BodyLimits;
pub use catalogue::markdown as error_catalogue;
pub use metrics::MetricsPage;
pub use openapi::document as openapi_document;
pub use service::{Api, ApiOptions};
