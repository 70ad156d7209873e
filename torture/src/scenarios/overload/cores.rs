//! A core for the server and another for the generator, so that neither takes the other's time.

use std::process::Command;

use crate::failure::{Failure, Result, could_not};

const SERVER: &str = "0";
const GENERATOR: &str = "1";

/// The same command on the server's core.
pub(super) fn pinned_server(command: &Command) -> Command {
    let mut pinned = Command::new("taskset");
    pinned.args(["-c", SERVER]).arg(command.get_program()).args(command.get_args());
    pinned.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    if let Some(directory) = command.get_current_dir() {
        pinned.current_dir(directory);
    }
    pinned
}

/// This process on the generator's core, until it is dropped.
pub(super) struct Pinned {
    before: String,
}

pub(super) fn pin_generator() -> Result<Pinned> {
    let before = taskset(&["-p", "-c"])?;
    let before = before.rsplit(' ').next().unwrap_or_default().trim().to_owned();
    taskset(&["-a", "-p", "-c", GENERATOR])?;
    Ok(Pinned { before })
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // At worst the scenarios after this one are slow.
        let _ = taskset(&["-a", "-p", "-c", &self.before]);
    }
}

/// `taskset` on this process.
fn taskset(arguments: &[&str]) -> Result<String> {
    let pid = std::process::id().to_string();
    let output = Command::new("taskset").args(arguments).arg(pid).output().map_err(could_not("run `taskset`"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let complaint = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(Failure::new(format!("this scenario needs two cores: {complaint}")))
}
