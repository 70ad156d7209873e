//! From other services: their objects, as their own tools save them, become records of ours. What cannot be carried is
//! told, object by object, and nothing is guessed.

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
