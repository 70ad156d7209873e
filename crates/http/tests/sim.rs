#![expect(clippy::unwrap_used, reason = "a test that cannot continue panics")]
#![allow(dead_code)]
mod simulation;
