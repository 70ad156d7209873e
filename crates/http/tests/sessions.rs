//! API rules 3 (`docs/api.md`) under stress: refresh tokens, stolen tokens, races, signing keys, wrong clocks, scenario R7.
//! The engine is that of the run: see `perennial-testkit`.

mod support;

mod clock;
mod deletions;
mod keys;
mod races;
mod refresh;
mod secrets;
mod storm;
mod theft;
