//! API rules 3.1 to 3.3 (`docs/api.md`) through HTTP, against an identity provider in a separate process:
//! see `perennial-fake-idp`.
//! Each attack has a test of its name. The engine is that of the run: see `perennial-testkit`.

mod support;

mod algorithms;
mod attacks_on_claims;
mod attacks_on_keys;
mod clocks;
mod endpoints;
mod kinds;
mod outages;
mod process;
mod slowness;
mod store;
