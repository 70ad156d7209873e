//! API rules 3 (`docs/api.md`) under stress: refresh tokens, stolen tokens, races, signing keys, wrong clocks, scenario R7.
//! The engine is that of the run: see `perennial-testkit`.

#![expect(clippy::unwrap_used, reason = "a test that cannot continue panics")]

mod support;

mod clock;
mod deletions;
mod keys;
mod races;
mod refresh;
mod secrets;
mod storm;
mod theft;
