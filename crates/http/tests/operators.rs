//! API rules 10 and 11 (`docs/api.md`) through HTTP: operators, their sessions, one-time links, sign-in at a provider, and the
//! attacks on them. The engine is that of the run: see `perennial-testkit`.

mod access;
mod links;
mod oidc;
mod records;
mod secrets;
mod sessions;
pub(crate) mod support;
