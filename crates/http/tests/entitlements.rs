//! API rules 22 (`docs/api.md`) through HTTP: features, grants, entitlements and quotas.

mod features;
mod grants;
mod quotas;
mod reading;
mod seats;
mod tokens;
