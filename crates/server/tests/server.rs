//! The server over real sockets on the loopback interface.
//! Each test shortens only the timeout it is about, so that nothing else can end the connection.

#![expect(clippy::unwrap_used, reason = "a test that cannot continue fails there")]

#[path = "server/bodies.rs"]
mod bodies;
#[path = "server/drain.rs"]
mod drain;
#[path = "server/http2.rs"]
mod http2;
#[path = "server/limits.rs"]
mod limits;
#[path = "server/rest.rs"]
mod rest;
#[path = "server/support.rs"]
mod support;
#[path = "server/timeouts.rs"]
mod timeouts;
