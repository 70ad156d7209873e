//! Tokens: identity providers and their keys, our signing keys, access, refresh and entitlement tokens.
//! No SQL, no routes, no configuration files. Time is an argument, and so is entropy, except for new
//! signing keys and the nonces of sealed secrets, which the cryptographic library draws.

#![warn(missing_docs)]

pub mod access;
mod algorithm;
mod audience;
mod claims;
pub mod entitlement;
mod fetch;
mod grant;
mod introspection;
mod json;
mod jwk;
pub mod jwks;
mod jws;
pub mod key_set;
pub mod local;
mod provider_error;
pub mod provider_signature;
pub mod providers;
pub mod refresh;
mod rejection;
pub mod sealing;
pub mod secret;
pub mod sighting;
pub mod sign_in;
pub mod signing;
mod verified;
pub mod verify;
pub mod webhook_signature;
