//! Contract §3: the address a client calls from.
//! The engine is that of the run: see `perennial-testkit`.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod proxies;
