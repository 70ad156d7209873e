//! API rules 3 (`docs/api.md`) through HTTP: signing up and in, sessions, tokens, accounts.
//! The engine is that of the run: see `perennial-testkit`.

mod access_token;
mod account_deletion;
mod blocked;
mod browsers;
mod erasure;
mod events;
mod managed_users;
mod operator;
mod own_records;
mod precedence;
mod reaching_further;
mod relinked;
mod revocation;
mod secrets;
mod session_check;
mod sign_in;
mod sign_up;
mod sign_up_fields;
mod stolen_tokens;
mod support;
mod token_list;
mod tour;
