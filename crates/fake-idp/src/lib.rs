//! An identity provider for tests: an HTTP server on loopback with its own keys, which rotates them, fails, stalls,
//! floods and redirects as it is told. It runs on a thread of the test, or as a process of its own.
//! It knows nothing of the service it is asked by.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod keys;
mod process;
mod server;
mod told;

pub use keys::{Key, PublicKey, b64, from_b64, hmac_sha256, token};
pub use process::Issuer;
pub use server::{Behaviour, Mood, Seen, Server};
pub use told::run;
