//! Importers: objects of other services, as their own tools save them, become records. An object that cannot be imported
//! is reported, and no value is guessed.

mod amounts;
mod drafts;
mod findings;
mod lemon_squeezy;
mod lines;
mod moving;
mod pages;
mod reader;
mod service;
mod slugs;
mod stripe;

pub use findings::{Finding, Level};
pub use moving::{Count, Counts, Moving};
pub use service::{Reading, Service};
