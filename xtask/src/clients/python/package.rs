//! The Python package from the view of its publisher and its users: its types checked, its own tests, built, and
//! installed into an environment that has nothing else.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::super::tours::Tour;
use crate::process::{self, Failure, Result, could_not};
use crate::python::Environment;

const SOURCE: &str = "clients/python";

const TOOLS: Environment = Environment {
    directory: "clients/python/tools",
    requirements: "clients/python/requirements.txt",
    about: "mypy and setuptools",
};

/// For every call of pip: nothing is fetched, and whether there is a newer pip is not what was asked.
const OFFLINE: [&str; 4] = ["--quiet", "--disable-pip-version-check", "--no-index", "--no-deps"];

/// Tests and builds the package, and makes its tour ready to be run.
pub(crate) fn tour() -> Result<Tour> {
    let source = process::root().join(SOURCE);
    let place = process::target()?.join(SOURCE);
    process::heading("The Python client: its tests and its package");
    check_types(&source, &place)?;
    process::run(
        tool("python")?
            .args(["-m", "unittest", "discover", "--quiet", "-s", "tests", "-t", "."])
            .env("PYTHONPATH", "src")
            .current_dir(&source),
    )?;
    let program = install(&build(&source, &place)?, &place)?;
    let directory = project(&source, &place)?;
    let arguments = ["-B", "-m", "tests.tour"].map(str::to_owned).to_vec();
    Ok(Tour { language: "Python", program, arguments, directory })
}

/// The package's own, its tests', and those of the README's program.
fn check_types(source: &Path, place: &Path) -> Result {
    let readme = place.join("readme.py");
    let program = process::output(tool("python")?.args(["-m", "tests.readme"]).current_dir(source))?;
    fs::write(&readme, program).map_err(could_not(format!("write {}", readme.display())))?;
    let mypy = || -> Result<Command> {
        let mut command = tool("mypy")?;
        command.arg(format!("--cache-dir={}", place.join("mypy").display())).current_dir(source);
        Ok(command)
    };
    process::run(&mut mypy()?)?;
    process::run(mypy()?.arg(readme))
}

/// The wheel, built from a copy: the build writes into its source directory. Symbolic links become files.
fn build(source: &Path, place: &Path) -> Result<PathBuf> {
    let copy = process::emptied(&place.join("source"))?;
    process::run(Command::new("cp").arg("-RL").arg(source.join(".")).arg(&copy))?;
    let wheels = process::emptied(&place.join("wheels"))?;
    let mut pip = tool("pip")?;
    process::run(pip.arg("wheel").args(OFFLINE).arg("--no-build-isolation").arg("-w").arg(&wheels).arg(copy))?;
    let mut files = fs::read_dir(&wheels).map_err(could_not(format!("read {}", wheels.display())))?;
    let wheel = files.next().and_then(|entry| Some(entry.ok()?.path()));
    wheel.ok_or_else(|| Failure::new("`pip wheel` left no wheel."))
}

/// The Python of an environment that has nothing but the wheel.
fn install(wheel: &Path, place: &Path) -> Result<PathBuf> {
    let clean = process::emptied(&place.join("clean"))?;
    process::run(tool("python")?.args(["-m", "venv", "--without-pip"]).arg(&clean))?;
    let python = clean.join("bin/python");
    process::run(tool("pip")?.arg("--python").arg(&python).arg("install").args(OFFLINE).arg(wheel))?;
    Ok(python)
}

/// A project with the tour and the README it follows, without the sources.
fn project(source: &Path, place: &Path) -> Result<PathBuf> {
    let project = process::emptied(&place.join("project"))?;
    let complaint = || could_not(format!("write into {}", project.display()));
    fs::create_dir(project.join("tests")).map_err(complaint())?;
    for file in ["README.md", "tests/__init__.py", "tests/readme.py", "tests/tour.py"] {
        fs::copy(source.join(file), project.join(file)).map_err(complaint())?;
    }
    Ok(project)
}

fn tool(program: &str) -> Result<Command> {
    let mut command = Command::new(TOOLS.program(program)?);
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    Ok(command)
}
