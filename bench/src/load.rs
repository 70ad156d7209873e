//! Sending requests: one at a time to set up, by the thousand to measure.

pub(crate) mod call;
pub(crate) mod generator;
pub(crate) mod request;
pub(crate) mod response;
