//! Revenue analytics (docs/api.md section 16): figures, and the ledger that they come from.

mod endpoints;
mod ledger;
mod support;
mod worked_example;
