//! An identity provider for tests: an HTTP server on loopback with its own keys, which rotates them, fails, stalls,
//! floods and redirects on command. It runs on a thread of the test, or as a separate process.
//! It knows nothing of the service it is asked by.

#![expect(clippy::unwrap_used, reason = "a test that cannot continue panics")]

mod code_flow;
mod control;
mod keys;
mod process;
mod server;

pub use control::run;
pub use keys::{Key, PublicKey, b64, from_b64, hmac_sha256, token};
pub use process::Issuer;
pub use server::{Behavior, ResponseMode, Seen, Server};
