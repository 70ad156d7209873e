//! The cargo tools CI needs, at pinned versions, in the target directory rather than in anyone's home.
//! A tool of the right version that is already on the PATH is used as it is.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::{self, Failure, Result};

pub(crate) struct Tool {
    name: &'static str,
    version: &'static str,
    arguments: &'static [&'static str],
}

pub(crate) const DENY: Tool = Tool { name: "cargo-deny", version: "0.20.2", arguments: &["--no-default-features"] };

pub(crate) const MACHETE: Tool = Tool { name: "cargo-machete", version: "0.9.2", arguments: &[] };

/// Tools that run for a second do not need optimization: this halves the time of their build.
const QUICK_BUILD: [(&str, &str); 4] = [
    ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1"),
    ("CARGO_PROFILE_RELEASE_LTO", "off"),
    ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"),
    ("CARGO_PROFILE_RELEASE_DEBUG", "0"),
];

impl Tool {
    /// A command for this tool in the root of the workspace, after installing it if need be.
    pub(crate) fn command(&self) -> Result<Command> {
        let mut command = Command::new(self.ensure()?);
        command.current_dir(process::root());
        Ok(command)
    }

    fn ensure(&self) -> Result<PathBuf> {
        let home = process::target()?.join("tools");
        let own = home.join("bin").join(self.name);
        let found = process::on_path(self.name).into_iter().chain([own.clone()]).find(|path| self.is_right(path));
        if let Some(path) = found {
            return Ok(path);
        }
        process::heading(&format!("Installing {} {}", self.name, self.version));
        let mut install = process::cargo();
        install
            .args(["install", "--quiet", "--locked", "--force"])
            .args([self.name, "--version", self.version])
            .args(self.arguments)
            .arg("--root")
            .arg(&home)
            .envs(QUICK_BUILD);
        process::run(&mut install)?;
        if self.is_right(&own) {
            return Ok(own);
        }
        Err(Failure::new(format!("{} was installed but does not say that it is version {}.", self.name, self.version)))
    }

    fn is_right(&self, path: &Path) -> bool {
        path.is_file()
            && process::output(Command::new(path).arg("--version"))
                .is_ok_and(|printed| says_version(&printed, self.version))
    }
}

/// Some print their name before the version, some the version alone.
fn says_version(printed: &str, version: &str) -> bool {
    printed.split_whitespace().last() == Some(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_to_print_a_version_are_understood() {
        assert!(says_version("cargo-deny 0.20.2\n", "0.20.2"));
        assert!(says_version("0.9.2", "0.9.2"));
        assert!(!says_version("cargo-deny 0.20.21", "0.20.2"));
        assert!(!says_version("", "0.9.2"));
    }
}
