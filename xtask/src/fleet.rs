//! `cargo xtask fleet`: three servers behind a proxy and a pooler. The figure itself is torture's; here is what it needs.

use crate::arguments::Arguments;
use crate::debian;
use crate::process::{self, Failure, Result};
use crate::torture;

pub(crate) const FIGURE: &str = "fleet";

/// Each is a program and the Debian package of that name.
pub(crate) const PROGRAMS: [&str; 3] = ["haproxy", "pgbouncer", "curl"];
/// What a figure needs that has the pooler alone.
pub(crate) const POOLER: [&str; 1] = ["pgbouncer"];

pub(crate) fn options(arguments: Arguments) -> Result<torture::Options> {
    torture::Options::only(FIGURE, arguments)
}

/// Installs what is missing where that is expected; elsewhere says what is.
pub(crate) fn install(programs: &[&'static str]) -> Result {
    let missing = missing(programs);
    if !missing.is_empty() && debian::can_install() {
        debian::install(&missing)?;
    }
    match self::missing(programs).as_slice() {
        [] => Ok(()),
        missing => {
            Err(Failure::new(format!("this needs {}; install the packages of these names.", missing.join(", "))))
        }
    }
}

fn missing(programs: &[&'static str]) -> Vec<&'static str> {
    programs.iter().copied().filter(|name| process::daemon(name).is_none()).collect()
}
