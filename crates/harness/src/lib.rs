//! Perennial as a running process, seen from outside: start it, find its address, call it, end it; and helpers that the
//! tests and measurements share. Blocking, with a limit on everything, and without the program's own code.

mod connection;
pub mod failure;
mod log;
mod random;
pub mod readme;
mod receiver;
mod response;
mod server;
mod signal;
mod tether;
pub mod words;

pub use connection::Connection;
pub use random::SeededRandom;
pub use receiver::{Received, Receiver};
pub use response::Response;
pub use server::Server;
pub use signal::signal;
pub use tether::Tether;
