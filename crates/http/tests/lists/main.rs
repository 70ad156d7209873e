//! Contract §1 (lists, retries), §2 and §7 through HTTP: lists, idempotency, clients, events.
//! The engine is that of the run: see `perennial-testkit`.
