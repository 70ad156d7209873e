//! The machine and the versions: without them a number means nothing.

use std::fs;
use std::process::{Command, Stdio};

use crate::options::Options;

/// Pairs of what and which.
pub(crate) fn describe(options: &Options) -> Vec<(String, String)> {
    let processors = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    let model = file("/proc/cpuinfo").and_then(|text| value(&text, "model name")).unwrap_or_default();
    let memory = file("/proc/meminfo").and_then(|text| value(&text, "MemTotal")).unwrap_or_default();
    let kernel = file("/proc/sys/kernel/osrelease").unwrap_or_default();
    let mut pairs = vec![
        ("processors".to_owned(), format!("{processors} × {model}")),
        ("memory".to_owned(), memory),
        ("kernel".to_owned(), kernel.trim().to_owned()),
        ("commit".to_owned(), commit(options)),
        ("Perennial".to_owned(), printed(Command::new(&options.perennial).arg("--version"))),
        ("rustc".to_owned(), printed(Command::new("rustc").arg("--version"))),
        ("SQLite".to_owned(), rusqlite::version().to_owned()),
    ];
    if let Some(cluster) = options.cluster("perennial") {
        pairs.push((
            "PostgreSQL".to_owned(),
            cluster.query("SHOW server_version").unwrap_or_default().trim().to_owned(),
        ));
        let settings = "SELECT string_agg(name || '=' || setting, ', ' ORDER BY name) FROM pg_settings \
                        WHERE name IN ('fsync', 'synchronous_commit', 'shared_buffers', 'full_page_writes')";
        let settings = cluster.query(settings).unwrap_or_default();
        pairs.push(("PostgreSQL settings".to_owned(), settings.trim().to_owned()));
    }
    pairs
}

/// The commit, and whether anything but the results differs from it.
fn commit(options: &Options) -> String {
    let git = |arguments: &[&str]| printed(Command::new("git").arg("-C").arg(&options.source).args(arguments));
    let changed = git(&["status", "--porcelain", "--untracked-files=no", "--", "..", ":!RESULTS.md", ":!plots"]);
    let commit = git(&["rev-parse", "--short=12", "HEAD"]);
    if changed.is_empty() { commit } else { format!("{commit}, with changes") }
}

fn printed(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).output();
    output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default()
}

fn file(path: &str) -> Option<String> {
    fs::read_to_string(path).ok()
}

/// The value in a line `name : value`.
fn value(text: &str, name: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_stands_behind_its_name() {
        let text = "processor\t: 0\nmodel name\t: Good CPU @ 2 GHz\nmodel name\t: other";
        assert_eq!(value(text, "model name").as_deref(), Some("Good CPU @ 2 GHz"));
        assert_eq!(value(text, "flags"), None);
    }
}
