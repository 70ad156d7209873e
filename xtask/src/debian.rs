//! Installing Debian packages, only where that is expected: as root, if apt-get exists.
//! An installed package must not start a service: tests need the binaries, not a daemon.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::{self, Failure, Result, could_not};

/// Read by the `PostgreSQL` packages before they would create and start a cluster named `main`.
const NO_CLUSTER: &str = "/etc/postgresql-common/createcluster.d/perennial-xtask.conf";
/// Asked by every package before it starts a service; 101 means: do not.
const NO_SERVICES: &str = "/usr/sbin/policy-rc.d";

pub(crate) fn can_install() -> bool {
    process::is_root() && process::on_path("apt-get").is_some()
}

/// Installs packages without letting them start anything.
pub(crate) fn install(packages: &[&str]) -> Result {
    process::heading(&format!("Installing {}", packages.join(", ")));
    let _quiet = NothingStarts::begin()?;
    process::run(apt_get().arg("update"))?;
    process::run(apt_get().args(["install", "-y", "--no-install-recommends"]).args(packages))
}

fn apt_get() -> Command {
    let mut command = Command::new("apt-get");
    command.env("DEBIAN_FRONTEND", "noninteractive").arg("--quiet");
    command
}

/// Two files of configuration that exist only while packages are installed. A machine that already has its own
/// policy keeps it untouched.
struct NothingStarts {
    written: Vec<PathBuf>,
}

impl NothingStarts {
    fn begin() -> Result<Self> {
        let mut guard = Self { written: Vec::new() };
        guard.write(NO_CLUSTER, "create_main_cluster = false\n", 0o644)?;
        guard.write(NO_SERVICES, "#!/bin/sh\nexit 101\n", 0o755)?;
        Ok(guard)
    }

    fn write(&mut self, path: &str, text: &str, mode: u32) -> Result {
        let path = Path::new(path);
        if path.exists() {
            return Ok(());
        }
        let complaint = || could_not(format!("write {}", path.display()));
        if let Some(directory) = path.parent() {
            fs::create_dir_all(directory).map_err(complaint())?;
        }
        fs::write(path, text).map_err(complaint())?;
        self.written.push(path.to_path_buf());
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).map_err(complaint())
    }
}

impl Drop for NothingStarts {
    fn drop(&mut self) {
        for path in &self.written {
            if let Err(error) = fs::remove_file(path) {
                eprintln!("could not remove {}: {error}; remove it by hand.", path.display());
            }
        }
    }
}

/// Installs the packages that have the names of these programs where packages may be installed; fails if one is missing.
pub(crate) fn ensure(programs: &[&'static str]) -> Result {
    let missing = missing(programs);
    if !missing.is_empty() && can_install() {
        install(&missing)?;
    }
    match self::missing(programs).as_slice() {
        [] => Ok(()),
        missing => {
            Err(Failure::new(format!("this needs {}; install the packages of these names.", missing.join(", "))))
        }
    }
}

fn missing(programs: &[&'static str]) -> Vec<&'static str> {
    programs.iter().copied().filter(|name| process::daemon(name).is_none()).collect()
}
