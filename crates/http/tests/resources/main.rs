//! Contract §4 to §6 through HTTP: plans, subscriptions and payments, each rule a test.
//! The engine is that of the run: see `perennial-testkit`.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod plans;
