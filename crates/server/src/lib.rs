//! The HTTP edge: sockets, timeouts, admission control and graceful shutdown.
//!
//! It passes whole requests to a [`Service`] and knows nothing of routes, error documents or the application.
//! No peer, however slow or silent, holds a connection for longer than the options allow.

mod accept;
mod admission;
mod body;
mod connection;
mod drain;
mod exchange;
mod frames;
mod gauges;
mod io;
mod lane;
mod listener;
mod opening;
mod options;
mod reject_connection;
mod response_body;
mod service;
mod shared;
mod watch;
mod watchdog;

pub use body::{BodyError, Pauses, RequestBody};
pub use gauges::{Gauges, Paused};
pub use lane::Lane;
pub use listener::{Drained, Server};
pub use options::ServerOptions;
pub use service::{Rejection, Service};
