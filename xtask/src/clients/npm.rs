//! The TypeScript package from the view of its publisher and its users: locked dependencies, its own tests, packed,
//! and installed into a directory that has nothing else.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::tours::Tour;
use crate::debian;
use crate::process::{self, Failure, Result, could_not};

const SOURCE: &str = "clients/typescript";

/// What Debian 12 has.
const OLDEST_NODE: u32 = 18;

const ADVICE: &str = "\
Node 18 or later with npm was not found. Install it:
  Debian, Ubuntu   sudo apt-get install nodejs npm
  Fedora           sudo dnf install nodejs npm
  macOS            brew install node";

/// Tests and packs the package, and makes its tour ready to be run.
pub(crate) fn tour() -> Result<Tour> {
    ensure_node()?;
    process::heading("The TypeScript client: its tests and its package");
    let source = process::root().join(SOURCE);
    process::run(npm(&source).args(["ci", "--no-audit", "--no-fund"]))?;
    process::run(npm(&source).args(["test", "--silent"]))?;
    let packed = process::emptied(&process::target()?.join(SOURCE).join("packed"))?;
    process::run(npm(&source).args(["pack", "--silent", "--pack-destination"]).arg(&packed))?;
    let directory = install(&the_only_file(&packed)?)?;
    compile(&source, &directory)?;
    Ok(Tour { language: "TypeScript", program: "node".into(), arguments: vec!["tour.js".to_owned()], directory })
}

/// A project that uses only the package.
fn install(package: &Path) -> Result<PathBuf> {
    let project = process::emptied(&process::target()?.join(SOURCE).join("project"))?;
    let complaint = || could_not(format!("write into {}", project.display()));
    fs::write(project.join("package.json"), "{ \"private\": true, \"type\": \"module\" }\n").map_err(complaint())?;
    process::run(npm(&project).args(["install", "--offline", "--no-audit", "--no-fund"]).arg(package))?;
    let tour = process::root().join(SOURCE).join("tour/tour.ts");
    fs::copy(tour, project.join("tour.ts")).map_err(complaint())?;
    Ok(project)
}

/// Compiles the tour against the types of the installed package.
fn compile(source: &Path, project: &Path) -> Result {
    let modules = source.join("node_modules");
    process::run(
        Command::new(modules.join(".bin/tsc"))
            .args(["--strict", "--target", "es2022", "--module", "nodenext", "--lib", "es2022", "--types", "node"])
            .arg("--typeRoots")
            .arg(modules.join("@types"))
            .arg("tour.ts")
            .current_dir(project),
    )
}

fn the_only_file(directory: &Path) -> Result<PathBuf> {
    let files = fs::read_dir(directory).map_err(could_not(format!("read {}", directory.display())))?;
    let files: Vec<PathBuf> = files.filter_map(|entry| Some(entry.ok()?.path())).collect();
    match files.as_slice() {
        [one] => Ok(one.clone()),
        _ => Err(Failure::new(format!("`npm pack` left {} files where one belongs.", files.len()))),
    }
}

pub(crate) fn npm(directory: &Path) -> Command {
    let mut command = Command::new("npm");
    // Whether there is a newer npm is not what was asked.
    command.current_dir(directory).env("NPM_CONFIG_UPDATE_NOTIFIER", "false");
    command
}

pub(crate) fn ensure_node() -> Result {
    if !has_node() && debian::can_install() {
        debian::install(&["nodejs", "npm"])?;
    }
    if has_node() { Ok(()) } else { Err(Failure::new(ADVICE)) }
}

fn has_node() -> bool {
    let major = process::output(Command::new("node").arg("--version")).ok().and_then(|version| major(&version));
    major.is_some_and(|major| major >= OLDEST_NODE) && process::on_path("npm").is_some()
}

/// The 20 in `v20.11.1`.
fn major(version: &str) -> Option<u32> {
    version.trim().strip_prefix('v')?.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clients::{names, read};

    #[test]
    fn the_version_of_node_is_understood() {
        assert_eq!(major("v20.11.1\n"), Some(20));
        assert_eq!(major("20"), None);
    }

    #[test]
    fn every_example_of_the_readme_is_a_piece_of_the_tour() {
        let readme = include_str!("../../../clients/typescript/README.md");
        let tour = include_str!("../../../clients/typescript/tour/tour.ts");
        let examples: Vec<&str> =
            readme.split("```ts\n").skip(1).filter_map(|rest| Some(rest.split_once("```")?.0)).collect();
        assert!(examples.len() > 5, "the README has lost its examples");
        for example in examples {
            assert!(format!("\n{tour}").contains(&format!("\n{example}")), "not in tour.ts:\n{example}");
        }
    }

    #[test]
    fn the_tour_makes_every_call() {
        let tour = include_str!("../../../clients/typescript/tour/tour.ts");
        let document = read::model(include_str!("../../../openapi.json")).unwrap();
        for (group, operations) in document.groups() {
            for (place, _) in operations {
                let call = format!(".{}.{}(", names::camel(group), names::camel(&place.name));
                assert!(tour.contains(&call), "tour.ts never calls `{call}…)`");
            }
        }
    }

    #[test]
    fn the_lock_names_no_registry() {
        let lock = include_str!("../../../clients/typescript/package-lock.json");
        assert!(!lock.contains("\"resolved\""), "run `npm install` in clients/typescript, whose .npmrc leaves it out");
    }

    #[test]
    fn the_package_has_the_documents_version() {
        let package: serde_json::Value =
            serde_json::from_str(include_str!("../../../clients/typescript/package.json")).unwrap();
        let document: serde_json::Value = serde_json::from_str(include_str!("../../../openapi.json")).unwrap();
        assert_eq!(package["version"], document["info"]["version"]);
    }
}
