//! Contract §3: rate limits, and the address they go by.
//! The engine is that of the run: see `perennial-testkit`.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod support;

mod attempts;
mod proxies;
mod servers;
mod wire;
