//! Entitlement tokens: how long one outlives the access that it proves.

use super::values::Within;
use perennial_app::entitlement_tokens::options::EntitlementOptions;
use serde::{Deserialize, Serialize};

/// The settings of entitlement tokens.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Entitlements {
    grace_seconds: Within<0, 2_592_000>,
}

impl Entitlements {
    pub(crate) fn app(&self) -> EntitlementOptions {
        EntitlementOptions { grace_seconds: i64::from(self.grace_seconds.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_no_grace_by_default_and_it_is_bounded() {
        let read = |text: &str| toml::from_str::<Entitlements>(text).map(|entitlements| entitlements.app());
        assert_eq!(read("").unwrap(), EntitlementOptions::default());
        assert_eq!(read("grace_seconds = 2592000").unwrap().grace_seconds, 2_592_000);
        assert!(read("grace_seconds = -1").is_err() && read("grace_seconds = 2592001").is_err());
    }
}
