//! API rules 1 (`docs/api.md`) through HTTP: each rule a test. The engine is that of the run: see `perennial-testkit`.

mod answers;
mod connections;
mod cors;
mod error_lists;
mod failures;
mod headers;
mod held_bodies;
mod ids;
mod limits;
mod members;
mod numbers;
mod precedence;
mod problems;
mod puts;
mod races;
mod revisions;
mod statuses;
mod support;
mod text;
mod times;
