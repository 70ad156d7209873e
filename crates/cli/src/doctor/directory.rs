//! The data directory: whether it is writable, its file system, the durability of its disk, and its free space.
//! Test writes go to a file without a name, which disappears afterwards.

use super::mounts::{self, Ground};
use super::report::Report;
use crate::config::Config;
use std::io::{Error, ErrorKind, Result, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// No disk makes a write durable within this time; memory does.
const TOO_FAST: Duration = Duration::from_micros(10);
/// Every change waits for this.
const TOO_SLOW: Duration = Duration::from_millis(50);
/// Less free space than a store needs.
const LEAST_BYTES: u64 = 100 << 20;
/// Free space at which the operator should act.
const SCARCE_BYTES: u64 = 1 << 30;

pub(super) fn look(report: &mut Report, config: &Config) {
    let directory = config.data_dir.as_path();
    let ground = existing(directory).and_then(|ground| probe(&ground).map(|sync| (ground, sync)));
    let on_postgres = config.database_url.is_some();
    match ground {
        Ok((ground, sync)) => {
            let found = if directory.exists() { "can be written" } else { "is not there yet, and can be made" };
            report.ok("data_directory", format!("{} {found}", directory.display()));
            if !on_postgres {
                look_at_ground(report, &ground);
                look_at_sync(report, &ground, sync);
                look_at_space(report, &ground);
            }
        }
        Err(error) if on_postgres => report.warning(
            "data_directory",
            format!("{} cannot be written: {error}", directory.display()),
            "a first run keeps the client ids there: choose another --data-dir, or set PERENNIAL_BOOTSTRAP_CLIENT_ID",
        ),
        Err(error) => report.problem(
            "data_directory",
            format!("{} cannot be written: {error}", directory.display()),
            "let the server's user write there, or choose another --data-dir",
        ),
    }
}

/// The directory, or the existing parent that it would be created in.
fn existing(directory: &Path) -> Result<PathBuf> {
    for above in std::path::absolute(directory)?.ancestors() {
        match above.metadata() {
            Ok(found) if found.is_dir() => return Ok(above.to_owned()),
            Ok(_) => return Err(Error::other(format!("{} is not a directory", above.display()))),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
            Err(error) => return Err(error),
        }
    }
    Err(ErrorKind::NotFound.into())
}

/// How long a small write takes until the disk reports it as durable.
fn probe(directory: &Path) -> Result<Duration> {
    const BLOCK: [u8; 4096] = [0x5a; 4096];
    let mut file = tempfile::tempfile_in(directory)?;
    file.write_all(&BLOCK)?;
    file.sync_all()?;
    let mut times = [Duration::ZERO; 9];
    for time in &mut times {
        file.rewind()?;
        file.write_all(&BLOCK)?;
        let start = Instant::now();
        file.sync_data()?;
        *time = start.elapsed();
    }
    times.sort_unstable();
    Ok(times[times.len() / 2])
}

fn look_at_ground(report: &mut Report, directory: &Path) {
    const CHECK: &str = "file_system";
    let Some(kind) = mounts::kind(directory) else {
        return report.ok(CHECK, "the system does not report the file system; it must not be a network file system");
    };
    let found = format!("{} is on {kind}", directory.display());
    match mounts::ground(&kind) {
        Ground::Local => report.ok(CHECK, found),
        Ground::Memory => report.warning(
            CHECK,
            format!("{found}, which is memory: the store is gone when the machine stops"),
            "choose a --data-dir on a disk, unless this is for trying things out",
        ),
        Ground::Lent => report.warning(
            CHECK,
            format!("{found}, which another program or the host lends: locks may not hold there"),
            "choose a --data-dir on a disk of this machine",
        ),
        Ground::Network => report.problem(
            CHECK,
            format!("{found}, a network's file system: SQLite's log loses data there"),
            "choose a --data-dir on a disk of this machine, or use PostgreSQL with --database-url",
        ),
    }
}

fn look_at_sync(report: &mut Report, directory: &Path, sync: Duration) {
    const CHECK: &str = "sync";
    let found = format!("a write is durable after {} µs", sync.as_micros());
    if sync < TOO_FAST {
        report.warning(
            CHECK,
            format!("{found} in {}, which no disk can do", directory.display()),
            "a tmpfs, a virtual disk that ignores flushes or `eatmydata` loses acknowledged changes with the power: \
             use a disk that syncs",
        );
    } else if sync > TOO_SLOW {
        report.warning(CHECK, format!("{found}, and every change waits for that"), "use a faster disk");
    } else {
        report.ok(CHECK, found);
    }
}

fn look_at_space(report: &mut Report, directory: &Path) {
    const CHECK: &str = "disk_space";
    let space = match rustix::fs::statvfs(directory) {
        Ok(space) => space,
        Err(error) => return report.warning(CHECK, format!("it is unknown: {error}"), "look at `df`"),
    };
    let free = space.f_bavail.saturating_mul(space.f_frsize);
    let total = space.f_blocks.saturating_mul(space.f_frsize);
    let found = format!("{} of {} are free", size(free), size(total));
    let advice = "make room: on a full disk every change is refused; `perennial events prune` removes old events";
    if free < LEAST_BYTES {
        report.problem(CHECK, found, advice);
    } else if free < SCARCE_BYTES {
        report.warning(CHECK, found, advice);
    } else {
        report.ok(CHECK, found);
    }
}

fn size(bytes: u64) -> String {
    match bytes {
        bytes if bytes >= 10 << 30 => format!("{} GiB", bytes >> 30),
        bytes => format!("{} MiB", bytes >> 20),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_that_is_yet_to_be_made_is_looked_for_above() {
        let place = tempfile::tempdir().unwrap();
        assert_eq!(existing(place.path()).unwrap(), place.path());
        assert_eq!(existing(&place.path().join("a/b")).unwrap(), place.path());
        std::fs::write(place.path().join("file"), "").unwrap();
        for path in ["file", "file/below"] {
            assert!(existing(&place.path().join(path)).unwrap_err().to_string().contains("file is not a directory"));
        }
        assert!(existing(Path::new(".")).unwrap().is_dir());
    }

    #[test]
    fn looking_leaves_nothing_behind() {
        let place = tempfile::tempdir().unwrap();
        assert!(probe(place.path()).unwrap() > Duration::ZERO);
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_disk_that_answers_too_soon_or_too_late_is_told_of() {
        let text = |micros: u64| {
            let mut report = Report::default();
            look_at_sync(&mut report, Path::new("/d"), Duration::from_micros(micros));
            report.text()
        };
        assert!(text(2).starts_with("warning") && text(2).contains("tmpfs"));
        assert!(text(10).starts_with("ok") && text(50_000).starts_with("ok"));
        assert!(text(50_001).starts_with("warning"));
    }

    #[test]
    fn sizes_are_round() {
        assert_eq!([size(5 << 20), size(9 << 30), size(42 << 30)], ["5 MiB", "9216 MiB", "42 GiB"]);
    }
}
