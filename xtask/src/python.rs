//! Python environments in the target directory, each with what its `requirements.txt` pins and nothing else.
//! They are made once and again whenever that file changes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::debian;
use crate::process::{self, Failure, Result, could_not};

const ADVICE: &str = "\
Python 3.10 or later with its `venv` module was not found. Install it:
  Debian, Ubuntu   sudo apt-get install python3-venv
  Fedora           sudo dnf install python3
  macOS            brew install python";

/// A set of pinned packages, and the environment that holds them.
pub(crate) struct Environment {
    pub(crate) directory: &'static str,
    /// From the root of the workspace.
    pub(crate) requirements: &'static str,
    /// Progress for the terminal.
    pub(crate) about: &'static str,
}

const SCHEMATHESIS: Environment = Environment {
    directory: "schemathesis-venv",
    requirements: "xtask/requirements.txt",
    about: "schemathesis and the OpenAPI validator",
};

/// One of the programs that check the document and the server.
pub(crate) fn program(name: &str) -> Result<PathBuf> {
    SCHEMATHESIS.program(name)
}

impl Environment {
    /// Makes the environment if need be and gives the path of one of its programs.
    pub(crate) fn program(&self, name: &str) -> Result<PathBuf> {
        let environment = process::target()?.join(self.directory);
        let requirements = process::root().join(self.requirements);
        let wanted =
            fs::read_to_string(&requirements).map_err(could_not(format!("read {}", requirements.display())))?;
        // Written last, so that an interrupted installation is begun again.
        let mark = environment.join("installed-requirements.txt");
        if fs::read_to_string(&mark).ok().as_deref() != Some(&wanted) {
            self.make(&environment, &requirements)?;
            fs::write(&mark, wanted).map_err(could_not(format!("write {}", mark.display())))?;
        }
        Ok(environment.join("bin").join(name))
    }

    fn make(&self, environment: &Path, requirements: &Path) -> Result {
        if !has_venv() && debian::can_install() {
            debian::install(&["python3-venv"])?;
        }
        if !has_venv() {
            return Err(Failure::new(ADVICE));
        }
        process::heading(&format!("Installing {}", self.about));
        process::run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(environment))?;
        process::run(
            Command::new(environment.join("bin/pip"))
                .args(["install", "--quiet", "--disable-pip-version-check"])
                .arg("--requirement")
                .arg(requirements),
        )
    }
}

/// Debian splits `ensurepip` off; without it an environment can be made but not filled.
fn has_venv() -> bool {
    let check = "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))";
    process::output(Command::new("python3").args(["-c", check])).is_ok()
}
