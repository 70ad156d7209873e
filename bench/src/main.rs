//! The benchmark: Perennial compared with the limits of the machine and with other services, in one run.
//! `cargo xtask bench` builds and starts what it needs and calls this program; the limits are this program again.
#![expect(clippy::print_stdout, reason = "its tables are read on the terminal")]

mod clock;
mod contracts;
mod disk;
mod footprint;
mod growth;
mod limits;
mod load;
mod machine;
mod measure;
mod options;
mod parts;
mod peers;
mod pgbench;
mod report;
mod results;
mod rounds;
mod rows;
mod run;
mod slow_sync;
mod targets;
mod workloads;

use std::path::PathBuf;
use std::process::ExitCode;

use perennial_harness::failure::{self, Failure, Result, could_not};

use limits::LimitKind;
use options::Options;

fn main() -> ExitCode {
    match command(std::env::args().skip(1).collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn command(mut words: Vec<String>) -> Result {
    if words.is_empty() {
        return Err(Failure::new("this program is started by `cargo xtask bench`"));
    }
    let name = words.remove(0);
    let mut paths = words.iter().map(PathBuf::from);
    let mut path = || paths.next().ok_or_else(|| Failure::new(format!("`{name}` needs a path")));
    match name.as_str() {
        "bare" => limits::serve(LimitKind::Bare, &path()?),
        "parse" => limits::serve(LimitKind::Parse, &path()?),
        "one-transaction" => {
            let store = path()?;
            limits::serve(LimitKind::OneTransaction(store), &path()?)
        }
        "run" | "contracts" => {
            let options = if name == "run" { Options::parse(words)? } else { Options::for_contracts(words)? };
            // One thread: the generator must leave the machine to those it measures.
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .map_err(could_not("start the runtime"))?;
            if name == "run" {
                runtime.block_on(run::run(&options))
            } else {
                runtime.block_on(contracts::run(&options))
            }
        }
        _ => Err(Failure::new(format!("`{name}` is not a command of the bench"))),
    }
}
