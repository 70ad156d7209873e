//! Perennial as a running process, seen from outside: start it, find its address, talk to it, end it; and the few words
//! that the instruments share for it.
//! For instruments and tests; blocking, with a limit on everything, and without a word of the program's own code.

mod answer;
mod connection;
pub mod failure;
mod log;
pub mod readme;
mod server;
mod signal;
mod tether;
pub mod words;

pub use answer::Answer;
pub use connection::Connection;
pub use server::Server;
pub use signal::signal;
pub use tether::Tether;
