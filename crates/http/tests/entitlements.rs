//! API rules 22 (`docs/api.md`) through HTTP: features, grants, entitlements and quotas.

mod bounds;
mod features;
mod grants;
mod history;
mod properties;
mod quotas;
mod reading;
mod seats;
mod tokens;
