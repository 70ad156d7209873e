//! The lifecycle: whether this server works on what is due, and when an organization is put on hold.

use super::values::Within;
use perennial_app::lifecycle::LifecycleOptions;
use serde::{Deserialize, Serialize};

/// The settings of the lifecycle.
#[derive(Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Lifecycle {
    pub(crate) enabled: bool,
    /// 0: never.
    hold_after_days: Within<0, 3_650>,
}

impl Default for Lifecycle {
    fn default() -> Self {
        let LifecycleOptions { enabled, hold_after_days, .. } = LifecycleOptions::default();
        Self { enabled, hold_after_days: Within(hold_after_days) }
    }
}

impl Lifecycle {
    pub(crate) fn app(&self) -> LifecycleOptions {
        let (enabled, hold_after_days) = (self.enabled, self.hold_after_days.0);
        LifecycleOptions { enabled, hold_after_days, ..LifecycleOptions::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_table_has_the_defaults_and_values_are_bounded() {
        let read = |text: &str| toml::from_str::<Lifecycle>(text).map(|lifecycle| lifecycle.app());
        assert_eq!(read("").unwrap(), LifecycleOptions::default());
        assert_eq!(read("hold_after_days = 0").unwrap().hold_after_days, 0);
        assert!(!read("enabled = false").unwrap().enabled);
        assert!(read("hold_after_days = -1").is_err() && read("hold_after_days = 3651").is_err());
    }
}
