//! The retention of rows, and the schedule of backups.

use super::{AtLeastOne, Interval};
use perennial_app::housekeeping;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// How long rows are stored that no request needs.
#[derive(Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "the fields are the keys of the file, which name their unit")]
pub(crate) struct Retention {
    pub(crate) events_days: Option<AtLeastOne>,
    pub(crate) sessions_days: u32,
    pub(crate) deleted_days: Option<AtLeastOne>,
}

impl Default for Retention {
    fn default() -> Self {
        let sessions_days = housekeeping::Retention::default().sessions_days;
        Self { events_days: None, sessions_days, deleted_days: None }
    }
}

impl Retention {
    pub(crate) fn app(&self) -> housekeeping::Retention {
        housekeeping::Retention {
            events_days: self.events_days.map(|days| days.0),
            sessions_days: self.sessions_days,
            deleted_days: self.deleted_days.map(|days| days.0),
        }
    }
}

/// Scheduled backups.
#[derive(Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Backup {
    /// The time between two backups. Without it none are created.
    pub(crate) every: Option<Interval>,
    /// The number of stored backups.
    pub(crate) keep: AtLeastOne,
    /// The directory. `backups` in the data directory if omitted.
    pub(crate) directory: Option<PathBuf>,
}

impl Default for Backup {
    fn default() -> Self {
        Self { every: None, keep: AtLeastOne(7), directory: None }
    }
}

impl Backup {
    pub(crate) fn directory(&self, data: &Path) -> PathBuf {
        self.directory.clone().unwrap_or_else(|| data.join("backups"))
    }
}
