//! The HTTP API: operations, request and response types, and handlers, one file per resource.
//! Only this crate knows status codes. It does not use the store directly.

pub mod fuzz_api;
pub mod metrics;

mod access;
mod accounts;
mod address;
mod call;
mod clients;
mod cors;
mod deadline;
mod error_codes;
mod excerpt;
mod families;
mod fields;
mod filters;
mod forwarded;
mod headers;
mod json;
mod limits;
mod list_query;
mod meta;
mod openapi;
mod operation;
mod operations;
mod options;
mod organization;
mod path;
mod payments;
mod plan_versions;
mod plans;
mod problem;
mod query;
mod render;
mod reply;
mod request_metrics;
mod router;
mod samples;
mod schema;
mod search;
mod service;
mod sessions;
mod spans;
mod state;
mod subscriptions;
mod tokens;
mod user_sessions;
mod users;

pub use error_codes::markdown as error_catalogue;
pub use metrics::MetricsPage;
pub use openapi::{document as openapi_document, record_fields};
pub use options::{ApiOptions, BodyLimits};
pub use perennial_server as server;
pub use service::Api;
