//! Installing peers from their registries into a directory of their own, once for each set of versions.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::failure::{Failure, Result, could_not};
use crate::options::Options;
use crate::results::Results;

/// A peer's files in a separate directory, with the Node that runs it.
pub(super) struct Node {
    pub(super) directory: PathBuf,
    programs: PathBuf,
}

impl Node {
    /// A command in the peer's directory, with our Node before any other.
    pub(super) fn command(&self, program: &str) -> Command {
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new(program);
        command.env("PATH", format!("{}:{path}", self.programs.display())).current_dir(&self.directory);
        command.env("NODE_ENV", "production");
        command
    }

    /// The Node of this peer, on one of its files.
    pub(super) fn script(&self, file: &str) -> Command {
        let node = self.programs.join("node");
        let mut command = self.command(&node.to_string_lossy());
        command.arg(file);
        command
    }
}

/// Installs a peer's packages with npm. Node itself is a package too, so that its version is pinned like the others.
pub(super) fn npm(options: &Options, name: &str, results: &mut Results) -> Result<Node> {
    let home = options.peers_home.join("node");
    let programs = home.join("node_modules/node/bin");
    let node = Node { directory: home, programs: programs.clone() };
    install(options, "node", &node)?;
    let peer = Node { directory: options.peers_home.join(name), programs };
    install(options, name, &peer)?;
    for which in ["node", name] {
        note_versions(&options.peers_home.join(which).join("package.json"), results);
    }
    Ok(peer)
}

fn install(options: &Options, name: &str, node: &Node) -> Result {
    copy_files(&options.source.join("peers").join(name), &node.directory)?;
    once(&node.directory, "package.json", || {
        let mut command = node.command("npm");
        command.env_remove("NODE_ENV").args(["install", "--no-audit", "--no-fund", "--no-package-lock"]);
        quietly(&mut command)
    })
}

/// Makes an environment of Python with what `requirements.txt` pins.
pub(super) fn python(options: &Options, name: &str, results: &mut Results) -> Result<PathBuf> {
    let directory = options.peers_home.join(name);
    copy_files(&options.source.join("peers").join(name), &directory)?;
    once(&directory, "requirements.txt", || {
        quietly(Command::new("python3").args(["-m", "venv", "--clear", "venv"]).current_dir(&directory))?;
        let mut install = Command::new(directory.join("venv/bin/pip"));
        install.args(["install", "--quiet", "--disable-pip-version-check", "--requirement", "requirements.txt"]);
        quietly(install.current_dir(&directory))
    })?;
    let pinned = fs::read_to_string(directory.join("requirements.txt")).map_err(could_not("read requirements.txt"))?;
    for (package, version) in pinned.lines().filter_map(|line| line.split_once("==")) {
        note(results, package, version);
    }
    Ok(directory)
}

/// Runs an installation unless it was done for this very file. The mark is written last, so that an interrupted one is
/// begun again.
fn once(directory: &Path, file: &str, install: impl FnOnce() -> Result) -> Result {
    let wanted = fs::read_to_string(directory.join(file)).map_err(could_not(format!("read {file}")))?;
    let mark = directory.join("installed");
    if fs::read_to_string(&mark).ok().as_deref() == Some(&wanted) {
        return Ok(());
    }
    install()?;
    fs::write(&mark, wanted).map_err(could_not("write a mark"))
}

fn copy_files(from: &Path, to: &Path) -> Result {
    fs::create_dir_all(to).map_err(could_not(format!("create {}", to.display())))?;
    let entries = fs::read_dir(from).map_err(could_not(format!("read {}", from.display())))?;
    for entry in entries.flatten().filter(|entry| entry.path().is_file()) {
        fs::copy(entry.path(), to.join(entry.file_name())).map_err(could_not("copy a file"))?;
    }
    Ok(())
}

/// Runs a command whose output is of interest only when it fails.
pub(super) fn quietly(command: &mut Command) -> Result {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().map_err(could_not(format!("run {name}")))?;
    if output.status.success() {
        return Ok(());
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    let telling = complaint.lines().filter(|line| line.to_lowercase().contains("error")).take(3).collect::<Vec<_>>();
    Err(Failure::new(format!("{name} failed: {}", telling.join("; "))))
}

fn note_versions(package: &Path, results: &mut Results) {
    let text = fs::read_to_string(package).unwrap_or_default();
    let value: Value = serde_json::from_str(&text).unwrap_or_default();
    for (name, version) in value["dependencies"].as_object().into_iter().flatten() {
        note(results, name, version.as_str().unwrap_or_default());
    }
}

fn note(results: &mut Results, package: &str, version: &str) {
    let pair = (package.to_owned(), version.to_owned());
    if !results.versions.contains(&pair) {
        results.versions.push(pair);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_installation_happens_once_for_each_set_of_versions() {
        let directory = std::env::temp_dir().join(format!("perennial-bench-install-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        let mut done = 0;
        for versions in ["one", "one", "two"] {
            fs::write(directory.join("package.json"), versions).unwrap();
            once(&directory, "package.json", || {
                done += 1;
                Ok(())
            })
            .unwrap();
        }
        assert_eq!(done, 2);
        fs::remove_dir_all(&directory).unwrap();
    }
}
