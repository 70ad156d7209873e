//! API rules 25 (`docs/api.md`) through HTTP: connections, the receiver, and hints that become records. The engine is that of
//! the run: see `perennial-testkit`.

mod collecting;
mod hints;
mod invoices;
mod managed;
mod orders;
mod outages;
mod real;
mod receiver;
mod records;
mod restores;
mod support;
mod sweeps;
mod turns;
