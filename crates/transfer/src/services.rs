//! Importers: objects of other services, as their own tools save them, become records. What an object becomes is decided in
//! `perennial-provider-api`; an object that cannot be imported is reported, and no value is guessed.

mod lines;
mod moving;

pub use moving::{Count, Counts, Moving};
pub use perennial_provider_api::{Finding, Level, Reading, Service};
