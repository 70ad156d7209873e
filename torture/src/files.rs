//! Open files: every connection is one, at both ends, and the usual limit is for less than a thousand.

use std::process::Command;

use crate::failure::{Failure, Result, could_not};

/// Lets this process, and those it starts from now on, have so many open.
pub(crate) fn allow(files: u64) -> Result {
    let pid = std::process::id().to_string();
    let limit = format!("--nofile={files}:");
    let output = Command::new("prlimit").args(["--pid", &pid, &limit]).output().map_err(could_not("run `prlimit`"))?;
    if output.status.success() {
        return Ok(());
    }
    let complaint = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(Failure::new(format!("this needs {files} open files, more than is allowed here (`ulimit -Hn`): {complaint}")))
}
