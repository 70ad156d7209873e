//! Runs other programs: each is printed before it runs, and a failure is one sentence.
//! The only place that knows where the workspace and its target directory are.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use perennial_harness::Tether;
pub(crate) use perennial_harness::failure::{Failure, Result, could_not};

pub(crate) fn heading(text: &str) {
    println!("\n==> {text}");
}

/// Prints the command and runs it with our own input and output. It ends when we do.
pub(crate) fn run(command: &mut Command) -> Result {
    println!("$ {}", line(command));
    let what = format!("run `{}`", line(command));
    let mut child = command.spawn().map_err(could_not(&what))?;
    let _tether = Tether::to(child.id()).map_err(could_not("run `sh`"))?;
    let status = child.wait().map_err(could_not(&what))?;
    succeeded(command, status)
}

/// The same, with each line that is printed passed to `print`.
pub(crate) fn run_printing(command: &mut Command, print: &mut dyn FnMut(&str)) -> Result {
    print(&format!("$ {}", line(command)));
    let what = format!("run `{}`", line(command));
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(could_not(&what))?;
    for printed in child.stdout.take().into_iter().flat_map(|stdout| BufReader::new(stdout).lines()) {
        print(&printed.map_err(could_not(&what))?);
    }
    let status = child.wait().map_err(could_not(&what))?;
    succeeded(command, status)
}

fn succeeded(command: &Command, status: ExitStatus) -> Result {
    if status.success() {
        return Ok(());
    }
    // The whole line was printed before; its first two words are enough to find it.
    let line = line(command);
    let end = line.match_indices(' ').nth(1).map_or(line.len(), |(at, _)| at);
    Err(Failure::new(format!("`{}` failed ({status}).", &line[..end])))
}

/// Runs a command quietly for what it prints; its complaints become part of the failure.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command.stdin(Stdio::null()).output().map_err(could_not(format!("run `{}`", line(command))))?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        return Err(Failure::new(format!("`{}` failed ({}).\n{}", line(command), output.status, complaint.trim_end())));
    }
    String::from_utf8(output.stdout)
        .map_err(|_| Failure::new(format!("`{}` printed something that is not UTF-8.", line(command))))
}

/// The cargo that runs us, in the root of the workspace.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// How programs are built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Profile {
    Dev,
    Release,
}

impl Profile {
    /// The directory of its programs.
    pub(crate) fn directory(self) -> Result<PathBuf> {
        Ok(target()?.join(match self {
            Self::Dev => "debug",
            Self::Release => "release",
        }))
    }
}

/// Builds programs of the workspace. A development build has the features that the tests have, so that nothing is built
/// twice; a release build has those of its users.
pub(crate) fn build(programs: &[&str], profile: Profile) -> Result {
    run(&mut build_command(programs, profile))
}

fn build_command(programs: &[&str], profile: Profile) -> Command {
    let mut command = cargo();
    command.args(["build", "--locked"]);
    match profile {
        Profile::Dev => command.arg("--workspace").args(programs.iter().flat_map(|program| ["--bin", program])),
        Profile::Release => command.arg("--release").args(programs.iter().flat_map(|program| ["--package", program])),
    };
    command
}

pub(crate) fn root() -> PathBuf {
    // Cargo sets the path of the package for the running program; the path compiled in would be wrong in a moved clone.
    let package = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from("xtask"), PathBuf::from);
    package.parent().map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// The path of a binary in the directory of this program, which contains all binaries of the profile.
pub(crate) fn binary(name: &str) -> Result<PathBuf> {
    Ok(current_exe()?.with_file_name(name))
}

/// The target directory, wherever it was configured to be.
pub(crate) fn target() -> Result<PathBuf> {
    current_exe()?
        .ancestors()
        .nth(2)
        .map(Path::to_path_buf)
        .ok_or_else(|| Failure::new("xtask is not in a target directory; run it as `cargo xtask`."))
}

/// The directory, made anew with nothing in it.
pub(crate) fn emptied(directory: &Path) -> Result<PathBuf> {
    let complaint = || could_not(format!("empty {}", directory.display()));
    if directory.exists() {
        std::fs::remove_dir_all(directory).map_err(complaint())?;
    }
    std::fs::create_dir_all(directory).map_err(complaint())?;
    Ok(directory.to_path_buf())
}

fn current_exe() -> Result<PathBuf> {
    std::env::current_exe().map_err(could_not("find the path of xtask itself"))
}

pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|directory| directory.join(name)).find(|candidate| candidate.is_file())
}

/// The same for daemons, which some systems install outside of the PATH of users.
pub(crate) fn daemon(name: &str) -> Option<PathBuf> {
    on_path(name).or_else(|| Some(Path::new("/usr/sbin").join(name)).filter(|path| path.is_file()))
}

/// Whether CI runs this, where nothing may be skipped silently.
pub(crate) fn in_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| !matches!(value.as_str(), "" | "0" | "false"))
}

pub(crate) fn is_root() -> bool {
    output(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0")
}

fn line(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(program.as_os_str());
    let mut line = name.to_string_lossy().into_owned();
    for argument in command.get_args() {
        line.push(' ');
        line.push_str(&argument.to_string_lossy());
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_names_the_command_and_its_complaint() {
        let failure = output(Command::new("sh").args(["-c", "echo broken >&2; exit 3"])).unwrap_err().to_string();
        assert!(failure.contains("sh -c"), "{failure}");
        assert!(failure.contains("broken"), "{failure}");
    }

    #[test]
    fn a_missing_program_is_a_sentence() {
        let failure = run(&mut Command::new("/nowhere/perennial-no-such-program")).unwrap_err();
        assert!(failure.to_string().starts_with("could not run"), "{failure}");
    }

    #[test]
    fn the_lines_of_a_command_are_passed_on_and_its_failure_too() {
        let mut lines = Vec::new();
        let mut shell = |script: &str| {
            run_printing(Command::new("sh").args(["-c", script]), &mut |line| lines.push(line.to_owned()))
        };
        assert!(shell("echo one; echo two").is_ok());
        assert!(shell("echo three; exit 3").is_err());
        lines.retain(|line| !line.starts_with('$'));
        assert_eq!(lines, ["one", "two", "three"]);
    }
}
