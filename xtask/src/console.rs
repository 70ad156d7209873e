//! `cargo xtask console`: builds the web console from `console/` with locked packages, without their install scripts, and writes the
//! result to the files that the server embeds. With `--check` it builds into an empty directory and compares every byte.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::arguments::Arguments;
use crate::clients::npm::{ensure_node, npm};
use crate::process::{self, Failure, Result, could_not};

const SOURCE: &str = "console";
const BUILT: &str = "crates/http/assets/console";

pub(crate) fn command(mut arguments: Arguments) -> Result {
    let only_check = arguments.flag("--check");
    arguments.finish()?;
    if only_check { check() } else { write() }
}

/// Builds into an empty directory and compares it with the committed files.
pub(crate) fn check() -> Result {
    let fresh = process::emptied(&process::target()?.join("console"))?;
    build(&fresh)?;
    let (committed, built) = (read(&process::root().join(BUILT))?, read(&fresh)?);
    let names: Vec<&String> = committed.keys().chain(built.keys()).collect();
    let mut different: Vec<&str> =
        names.into_iter().filter(|name| committed.get(*name) != built.get(*name)).map(String::as_str).collect();
    different.sort_unstable();
    different.dedup();
    if different.is_empty() {
        println!("{BUILT} is what {SOURCE} builds to");
        return Ok(());
    }
    Err(Failure::new(format!(
        "{BUILT} differs from what {SOURCE} builds to: {}. Run `cargo xtask console` and commit what it writes.",
        different.join(", ")
    )))
}

fn write() -> Result {
    let target = process::root().join(BUILT);
    build(&target)?;
    println!("wrote {BUILT}");
    Ok(())
}

/// Installs the locked packages, checks the types, runs the unit tests and builds.
fn build(target: &Path) -> Result {
    ensure_node()?;
    let source = process::root().join(SOURCE);
    process::run(npm(&source).args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]))?;
    process::run(npm(&source).args(["run", "--silent", "types"]))?;
    process::run(npm(&source).args(["run", "--silent", "test"]))?;
    process::run(npm(&source).args(["run", "--silent", "build", "--"]).arg(target))
}

/// The files of a directory by name.
fn read(directory: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let complaint = || could_not(format!("read {}", directory.display()));
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(directory).map_err(complaint())? {
        let path = entry.map_err(complaint())?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        files.insert(name, fs::read(&path).map_err(complaint())?);
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    const PACKAGE: &str = include_str!("../../console/package.json");
    const LOCK: &str = include_str!("../../console/package-lock.json");

    #[test]
    fn attack_57_three_packages_with_exact_versions_and_integrity() {
        let package: Value = serde_json::from_str(PACKAGE).unwrap();
        let groups = ["dependencies", "devDependencies"].map(|group| package[group].as_object().unwrap());
        let direct: Vec<(&String, &Value)> = groups.into_iter().flatten().collect();
        assert_eq!(direct.len(), 3);
        for (name, version) in direct {
            assert!(version.as_str().unwrap().starts_with(|first: char| first.is_ascii_digit()), "{name} has a range");
        }
        let lock: Value = serde_json::from_str(LOCK).unwrap();
        let packages = lock["packages"].as_object().unwrap();
        assert!(packages.len() <= 60, "{} packages", packages.len());
        for (name, locked) in packages.iter().filter(|(name, _)| !name.is_empty()) {
            assert!(locked["integrity"].as_str().is_some_and(|hash| hash.starts_with("sha512-")), "{name}");
        }
    }

    #[test]
    fn the_lock_names_no_registry() {
        assert!(!LOCK.contains("\"resolved\""), "run `npm install` in console, whose .npmrc leaves it out");
    }
}
