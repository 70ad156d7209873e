//! A complete service for a test: its own store, a fixed clock, reproducible ids.
//! `PERENNIAL_TEST_POSTGRES` puts every store on that PostgreSQL server; without it they are SQLite files.

#![expect(clippy::missing_panics_doc, clippy::unwrap_used, reason = "a test that cannot continue panics")]

mod answer;
mod app;
mod builders;
mod operators;
mod people;
mod request;
mod store;

pub use answer::Answer;
pub use app::{MASTER_KEY, TestApp, TestOptions};
pub use operators::SignedInOperator;
pub use people::Held;
pub use request::{Connection, Request, all_at_once};
pub use store::TestStore;
