//! Connections to payment providers: webhooks are received as hints, the objects that they name are fetched, and what a
//! fetch returns is written as records.

pub mod figures;
pub mod http;
pub mod provider;
