//! The invariants of the ledger.
