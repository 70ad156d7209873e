//! The files with secrets: whether only their owner can read them.

use super::report::{Level, Report};
use super::settings::Patient;
use crate::{master_key, storage};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

const CHECK: &str = "permissions";
const OTHERS: u32 = 0o007;
const GROUP: u32 = 0o070;
const WRITE_BY_GROUP_OR_OTHERS: u32 = 0o022;

pub(super) fn look(report: &mut Report, patient: &Patient) {
    let mut private = 0;
    for path in files(patient) {
        let Some(mode) = mode(&path) else { continue };
        let (level, whom) = match mode {
            mode if mode & OTHERS != 0 => (Level::Problem, "everyone on this machine"),
            mode if mode & GROUP != 0 => (Level::Warning, "its group"),
            _ => {
                private += 1;
                continue;
            }
        };
        let path = path.display();
        let found = format!("{path} holds secrets and is open to {whom} (mode {mode:o})");
        report.add(CHECK, level, found, format!("chmod 600 {path}"));
    }
    if private > 0 {
        report.ok(CHECK, format!("files with secrets that are their owner's alone: {private}"));
    }
    look_at_directory(report, &patient.config.data_dir);
}

fn look_at_directory(report: &mut Report, directory: &Path) {
    let mode = mode(directory).filter(|mode| directory.is_dir() && mode & (GROUP | OTHERS) != 0);
    let Some(mode) = mode else { return };
    let path = directory.display();
    let advice = format!("chmod 700 {path}");
    if mode & WRITE_BY_GROUP_OR_OTHERS == 0 {
        report.warning(CHECK, format!("{path} can be looked into by others (mode {mode:o})"), advice);
    } else {
        let found = format!("others can write to {path} (mode {mode:o}), and put another store there");
        report.problem(CHECK, found, advice);
    }
}

/// Every file that may contain a secret, existing or not.
fn files(patient: &Patient) -> Vec<PathBuf> {
    let config = &patient.config;
    let mut files: Vec<PathBuf> = Vec::from_iter(master_key::file(config));
    files.extend(master_key::next_file(config));
    files.extend(master_key::previous_file(config));
    files.extend(["clients.json", "clients.new.json"].map(|name| config.data_dir.join(name)));
    if config.database_url.is_none() {
        files.push(storage::path(config));
    }
    for provider in &config.providers {
        files.extend([&provider.secret_file, &provider.client_secret_file].into_iter().flatten().cloned());
    }
    files.extend(patient.file.clone().filter(|path| has_secrets(path)));
    files
}

/// Whether the configuration file contains secrets. One that cannot be read may.
fn has_secrets(path: &Path) -> bool {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let Ok(table) = text.parse::<toml::Table>() else { return true };
    let providers = table.get("providers").and_then(toml::Value::as_array).into_iter().flatten();
    let secret = |provider: &toml::Value| provider.get("secret").or(provider.get("client_secret")).is_some();
    table.contains_key("database_url") || providers.into_iter().any(secret)
}

fn mode(path: &Path) -> Option<u32> {
    path.metadata().ok().map(|found| found.permissions().mode() & 0o777)
}
