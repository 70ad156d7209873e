//! Contract §3 under stress: refresh tokens, thieves, races, signing keys, clocks that go wrong, and figure R7.
//! The engine is that of the run: see `perennial-testkit`.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod support;

mod clock;
mod deletions;
mod keys;
mod races;
mod refresh;
mod secrets;
mod storm;
mod theft;
