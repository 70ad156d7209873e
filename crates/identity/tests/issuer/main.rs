//! Identity tokens against a real issuer: an HTTP server on loopback with its own keys, see `perennial-fake-idp`.
//! Each attack has a test of its name. Time is what the tests say it is.

#![expect(clippy::unwrap_used, reason = "a test that cannot continue panics")]

mod attacks;
mod certificate;
mod endpoints;
mod fixture;
mod kinds;
mod outages;
