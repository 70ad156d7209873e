//! API rules 14 to 16 (`docs/api.md`) through HTTP: tax rates, coupons, meters, usage, billing profiles and credits.

mod coupons;
mod credits;
mod cycles;
mod invoices;
mod meters;
mod profiles;
mod tax_rates;
mod usage;
