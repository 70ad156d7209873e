//! API rules 21 (`docs/api.md`) through HTTP: connections, the receiver, and hints that become records. The engine is that of
//! the run: see `perennial-testkit`.

mod hints;
mod managed;
mod outages;
mod receiver;
mod records;
mod support;
