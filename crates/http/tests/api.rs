//! The API through HTTP, as one program: the service is linked once. Each module has its own `support`.
//! The engine is that of the run: see `perennial-testkit`.

#![expect(clippy::unwrap_used, reason = "a test that cannot continue panics")]

mod analytics;
mod authentication;
mod billing;
mod connections;
mod console;
mod entitlements;
mod lifecycle;
mod limits;
mod lists;
mod log;
mod operations;
mod operators;
mod portal;
mod providers;
mod resources;
mod sessions;
mod simulation;
mod test_clocks;
mod webhooks;
mod wire;
