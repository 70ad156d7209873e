//! Starting the limits: this program again, with a response of Perennial.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::process::Process;
use super::target::{BARE, ONE_TRANSACTION, PARSE, Protocol, Target};
use crate::failure::{Result, could_not};
use crate::limits::LimitKind;
use crate::load::call::Raw;
use crate::rows::store::Store;

/// Starts a limit that sends this response. `preload` is for `slow_sync`.
pub(crate) fn start(kind: &LimitKind, response: &Raw, directory: &Path, preload: Option<&Path>) -> Result<Target> {
    fs::create_dir_all(directory).map_err(could_not(format!("create {}", directory.display())))?;
    let file = directory.join("response");
    fs::write(&file, &response.bytes).map_err(could_not("write a response"))?;
    let own = std::env::current_exe().map_err(could_not("find this program"))?;
    let mut command = Command::new(own);
    let (name, store) = match kind {
        LimitKind::Bare => {
            command.arg("bare");
            (BARE, None)
        }
        LimitKind::Parse => {
            command.arg("parse");
            (PARSE, None)
        }
        LimitKind::OneTransaction(path) => {
            command.arg("one-transaction").arg(path);
            (ONE_TRANSACTION, Some(Store::Sqlite(path.clone())))
        }
    };
    command.arg(&file);
    if let Some(library) = preload {
        command.env("LD_PRELOAD", library);
    }
    let (process, address) = Process::start(name, &mut command, &directory.join("log"))?;
    Ok(Target { name, address, process, protocol: Protocol::Limit, store })
}
