//! `cargo xtask fleet`: three servers behind a proxy and a pooler. The figure itself is torture's; here is what it needs.

use crate::arguments::Arguments;
use crate::debian;
use crate::process::{self, Failure, Result};
use crate::torture;

pub(crate) const FIGURE: &str = "fleet";

/// Each is a program and the Debian package of that name.
const PROGRAMS: [&str; 3] = ["haproxy", "pgbouncer", "curl"];

pub(crate) fn options(arguments: Arguments) -> Result<torture::Options> {
    torture::Options::only(FIGURE, arguments)
}

/// Installs what is missing where that is expected; elsewhere says what is.
pub(crate) fn install() -> Result {
    let missing = missing();
    if !missing.is_empty() && debian::can_install() {
        debian::install(&missing)?;
    }
    match self::missing().as_slice() {
        [] => Ok(()),
        missing => {
            Err(Failure::new(format!("a fleet needs {}; install the packages of these names.", missing.join(", "))))
        }
    }
}

fn missing() -> Vec<&'static str> {
    PROGRAMS.into_iter().filter(|name| process::daemon(name).is_none()).collect()
}
