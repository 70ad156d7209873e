//! API rules 14 to 16 (`docs/api.md`) through HTTP: tax rates, coupons, meters, usage, billing profiles and credits.

mod changes;
mod coupons;
mod credit_notes;
mod credits;
mod cycles;
mod documents;
mod drafts;
mod dry_runs;
mod dunning;
mod ends;
mod examples;
mod incomplete;
mod invoices;
mod issued;
mod lifecycle_examples;
mod meters;
mod parked;
mod payments;
mod profiles;
mod spread;
mod tax_rates;
mod usage;
mod windows;
