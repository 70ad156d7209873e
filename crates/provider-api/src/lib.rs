//! Payment providers: their objects, what these become here, and the paths of the requests that fetch them.
//! Everything is pure. The importer (`import --from`) and connections use the same functions, and no value is guessed.

#![warn(missing_docs)]

mod amounts;
mod digest;
mod drafts;
mod facts;
mod findings;
pub mod intents;
mod lemon_squeezy;
pub mod lists;
pub mod mapping;
mod paddle;
mod pages;
mod reader;
pub mod requests;
mod service;
mod slugs;
mod stripe;

pub use drafts::{Found, ImportedPayment, ImportedPlan, ImportedSubscription, ImportedUser, Item, Quantity};
pub use findings::{Finding, Level, Source, Why};
pub use pages::{Lists, Page, Part};
pub use reader::Reader;
pub use service::{Reading, Service};
pub use slugs::Slugs;
