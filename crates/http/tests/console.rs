//! The pages of the console and their files.

mod files;
mod headers;
