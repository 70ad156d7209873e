//! The server over real sockets on the loopback interface.
//! Each test shortens only the timeout it is about, so that nothing else can end the connection.

#![expect(clippy::unwrap_used, reason = "a test that cannot continue fails there")]

mod bodies;
mod drain;
mod http2;
mod limits;
mod rest;
mod scheduling;
mod support;
mod timeouts;
