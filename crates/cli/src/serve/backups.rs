//! Scheduled backups of a SQLite store. A backup gets its name after it was verified, and only then are old ones removed.

use crate::config::Config;
use crate::failure::Failure;
use crate::stopping::until_stopped;
use crate::storage;
use perennial_app::context::App;
use perennial_domain::time::Time;
use perennial_store::backup;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

const PREFIX: &str = "perennial-";
const SUFFIX: &str = ".backup";
/// The interval of checking the clock: it may be set, and machines suspend.
const LOOK_EVERY: Duration = Duration::from_mins(1);
/// The interval of retries after a failure.
const RETRY_SECONDS: i64 = 300;

/// The schedule and the directory of backups.
pub(super) struct Schedule {
    store: PathBuf,
    directory: PathBuf,
    every_seconds: u32,
    keep: usize,
}

impl Schedule {
    /// The schedule of the configuration, if there is one. Its directory is created.
    pub(super) fn of(config: &Config) -> Result<Option<Self>, Failure> {
        let Some(every) = config.backup.every else { return Ok(None) };
        if let Some(failure) = fault(config) {
            return Err(failure);
        }
        let directory = config.backup.directory(&config.data_dir);
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&directory).map_err(|error| {
            let shown = directory.display();
            Failure::new(format!("cannot create the directory for backups {shown}: {error}; correct backup.directory"))
        })?;
        let store = storage::path(config);
        Ok(Some(Self { store, directory, every_seconds: every.seconds(), keep: config.backup.keep.count() }))
    }

    /// Creates backups until the server stops. The first one is due at once, unless there is a recent one.
    pub(super) async fn run(self, app: Arc<App>, stopped: watch::Receiver<bool>) {
        app.housekeeping.set_backup_interval(self.every_seconds.into());
        let mut due = app.clock.now();
        if let Some(last) = list(&self.directory).ok().and_then(|backups| backups.last().map(|(time, _)| *time)) {
            app.housekeeping.set_last_backup(last);
            due = last.plus_seconds(self.every_seconds.into());
        }
        let schedule = Arc::new(self);
        let work = async {
            loop {
                let now = app.clock.now();
                if now >= due {
                    let succeeded = Self::make(&schedule, &app, now).await;
                    let every = i64::from(schedule.every_seconds);
                    due = now.plus_seconds(if succeeded { every } else { every.min(RETRY_SECONDS) });
                }
                let wait = u64::try_from(due.seconds_since(app.clock.now())).unwrap_or(0).max(1);
                tokio::time::sleep(LOOK_EVERY.min(Duration::from_secs(wait))).await;
            }
        };
        tokio::select! {
            () = until_stopped(stopped) => {}
            () = work => {}
        }
    }

    async fn make(schedule: &Arc<Self>, app: &App, began: Time) -> bool {
        let at_work = Arc::clone(schedule);
        // Copying and reading a large file takes minutes, which would block a runtime thread.
        let made = tokio::task::spawn_blocking(move || at_work.make_one(began)).await;
        match made.map_err(|stopped| stopped.to_string()).and_then(|made| made.map_err(|fault| fault.to_string())) {
            Ok(bytes) => {
                app.housekeeping.set_last_backup(began);
                tracing::info!(bytes, directory = %schedule.directory.display(), "created a scheduled backup");
                true
            }
            Err(error) => {
                tracing::error!(error, "a scheduled backup failed");
                false
            }
        }
    }

    /// Creates and verifies a backup, then removes surplus ones. Returns its size.
    fn make_one(&self, began: Time) -> Result<u64, backup::BackupError> {
        let report = backup::create_verified(&self.store, &self.directory.join(name(began)))?;
        let backups = list(&self.directory).unwrap_or_default();
        for (_, path) in backups.iter().rev().skip(self.keep) {
            if let Err(error) = std::fs::remove_file(path) {
                tracing::warn!(%error, file = %path.display(), "could not remove an old backup");
            }
        }
        Ok(report.bytes)
    }
}

/// Why the server does not start with these settings, if it does not.
pub(crate) fn fault(config: &Config) -> Option<Failure> {
    let refused = config.backup.every.is_some() && config.database_url.is_some();
    refused.then(|| {
        Failure::new(
            "backup.every works on SQLite only: on PostgreSQL use its own tools, such as pg_basebackup with WAL \
             archiving, and remove the setting",
        )
    })
}

/// The name of the backup that began at this time: `perennial-20261115T063000Z.backup`.
fn name(began: Time) -> String {
    let compact = began.whole_seconds().to_string().replace(['-', ':'], "");
    let seconds = compact.split(['.', 'Z']).next().unwrap_or_default();
    format!("{PREFIX}{seconds}Z{SUFFIX}")
}

/// When the backup of this name began; `None` if the schedule did not make it.
fn began(name: &str) -> Option<Time> {
    let text = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?;
    let (date, time) = text.strip_suffix('Z')?.split_once('T')?;
    let digits = |text: &str, count| text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(date, 8) || !digits(time, 6) {
        return None;
    }
    let (year, month, day) = (&date[..4], &date[4..6], &date[6..]);
    let (hour, minute, second) = (&time[..2], &time[2..4], &time[4..]);
    Time::parse(&format!("{year}-{month}-{day}T{hour}:{minute}:{second}Z")).ok()
}

/// The backups of the schedule in a directory, oldest first. Other files are ignored.
fn list(directory: &Path) -> std::io::Result<Vec<(Time, PathBuf)>> {
    let mut backups = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        backups.extend(entry.file_name().to_str().and_then(began).map(|time| (time, entry.path())));
    }
    backups.sort_unstable();
    Ok(backups)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backup_is_named_after_the_second_it_began_in() {
        let time = Time::parse("2026-11-15T06:30:00.123456Z").unwrap();
        assert_eq!(name(time), "perennial-20261115T063000Z.backup");
        assert_eq!(began(&name(time)), Some(time.whole_seconds()));
        for other in ["perennial-2026.backup", "perennial-20261115T063000Z.backup.draft", "mine.backup", ""] {
            assert_eq!(began(other), None, "{other}");
        }
    }
}
