//! Contract §3 through HTTP: signing up and in, sessions, tokens, accounts.
//! The engine is that of the run: see `perennial-testkit`.

mod tour;
