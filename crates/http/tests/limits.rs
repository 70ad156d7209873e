//! API rules 3.9 and 3.10 (`docs/api.md`): client addresses and rate limits.
//! The engine is that of the run: see `perennial-testkit`.

mod support;

mod attempts;
mod proxies;
mod servers;
mod wire;
