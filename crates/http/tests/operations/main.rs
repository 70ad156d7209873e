//! What operators do to a running service: rotate the master key, run two versions side by side.
//! The engine is that of the run: see `perennial-testkit`.

#![expect(clippy::unwrap_used, reason = "a test that cannot continue panics")]

mod rotation;
mod upgrade;
