//! What operators do to a running service: rotate the master key, run two versions side by side.
//! The engine is that of the run: see `perennial-testkit`.

mod rotation;
mod upgrade;
