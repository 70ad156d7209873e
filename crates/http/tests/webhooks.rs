//! API rules 13 (`docs/api.md`) through HTTP: webhook endpoints, their secrets, and the calls that send. The engine is that
//! of the run: see `perennial-testkit`.

mod circuit;
mod control;
mod delivery;
mod destinations;
mod records;
mod recovery;
mod secrets;
mod support;
mod windows;
