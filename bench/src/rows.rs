//! The rows of a run, and the stores they are loaded into.

pub(crate) mod cluster;
mod copy;
pub(crate) mod dataset;
mod insert;
pub(crate) mod store;
