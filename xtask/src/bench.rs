//! `cargo xtask bench`: builds the service and the instrument, starts the databases, and lets the instrument measure.
//! Everything that counts is in the crate `bench`; here is only what must be there before it can begin.

use std::process::Command;

use crate::arguments::Arguments;
use crate::postgres::{Purpose, Server};
use crate::process::{self, Profile, Result};

/// Each target on PostgreSQL has a separate server, so that none is slowed down by the rows of another. The figures of the
/// contracts need the first.
const CLUSTERS: [&str; 2] = ["perennial", "pgbench"];
const EARLIER_CLUSTER: &str = "earlier";
const PEER_CLUSTERS: [&str; 3] = ["fastify", "fastapi", "directus"];

/// Numbers that are handed on as they are.
const NUMBERS: [&str; 6] = ["--rows", "--rounds", "--seconds", "--connections", "--rate", "--growth"];

/// What is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Measured {
    /// The service, the limits of the machine and other services.
    #[default]
    Service,
    /// The figures of the contracts.
    Contracts,
}

#[derive(Debug, Default)]
pub(crate) struct Options {
    quick: bool,
    peers: bool,
    measured: Measured,
    /// Whether an earlier build is measured too.
    is_compared: bool,
    handed_on: Vec<String>,
}

impl Options {
    /// What CI runs.
    pub(crate) fn quick() -> Self {
        Self { quick: true, ..Self::default() }
    }

    /// The figures of the contracts, as CI runs them.
    pub(crate) fn quick_contracts() -> Self {
        Self { quick: true, measured: Measured::Contracts, ..Self::default() }
    }

    fn profile(&self) -> Profile {
        if self.quick { Profile::Dev } else { Profile::Release }
    }

    pub(crate) fn parse(mut arguments: Arguments) -> Result<Self> {
        let (quick, peers) = (arguments.flag("--quick"), arguments.flag("--peers"));
        let measured = if arguments.flag("--contracts") { Measured::Contracts } else { Measured::Service };
        let mut options = Self { quick, peers, measured, ..Self::default() };
        if let Some(program) = arguments.value("--against")? {
            options.is_compared = true;
            options.handed_on.extend(["--against".to_owned(), program]);
        }
        for name in NUMBERS {
            if let Some(number) = arguments.number::<u64>(name)? {
                options.handed_on.extend([name.to_owned(), number.to_string()]);
            }
        }
        if let Some(engine) = arguments.value("--engine")? {
            options.handed_on.extend(["--engine".to_owned(), engine]);
        }
        while let Some(part) = arguments.value("--only")? {
            options.handed_on.extend(["--only".to_owned(), part]);
        }
        arguments.finish()?;
        Ok(options)
    }
}

pub(crate) fn run(options: &Options) -> Result {
    process::build(&["perennial", "perennial-bench"], options.profile())?;

    let needed = if options.measured == Measured::Contracts { &CLUSTERS[..1] } else { &CLUSTERS[..] };
    let names = needed.iter().chain(options.is_compared.then_some(&EARLIER_CLUSTER));
    let names = names.chain(PEER_CLUSTERS.iter().filter(|_| options.peers));
    let servers = names.map(|name| Ok((*name, Server::start_for(Purpose::Measure)?))).collect::<Result<Vec<_>>>()?;
    process::run(&mut instrument(options, &servers)?)
}

fn instrument(options: &Options, servers: &[(&str, Server)]) -> Result<Command> {
    let target = process::target()?;
    let programs = options.profile().directory()?;
    let mut command = Command::new(programs.join("perennial-bench"));
    command
        .arg(if options.measured == Measured::Contracts { "contracts" } else { "run" })
        .arg("--perennial")
        .arg(programs.join("perennial"))
        .arg("--place")
        .arg(target.join("bench"))
        .arg("--source")
        .arg(process::root().join("bench"))
        .arg("--peers-home")
        .arg(target.join("bench-peers"))
        .current_dir(process::root());
    for (name, server) in servers {
        command.args(["--cluster", name, &server.url(), &server.pid().to_string()]);
        command.arg("--programs").arg(server.programs());
    }
    command.args(options.quick.then_some("--quick")).args(options.peers.then_some("--peers")).args(&options.handed_on);
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_parts_are_handed_on() {
        let words = ["--quick", "--rows", "500", "--only", "plan", "--only=create", "--engine=sqlite"];
        let options = Options::parse(Arguments::new(words.map(str::to_owned))).unwrap();
        assert!(options.quick && !options.peers);
        assert_eq!(options.handed_on, ["--rows", "500", "--engine", "sqlite", "--only", "plan", "--only", "create"]);
    }

    #[test]
    fn the_figures_of_the_contracts_are_another_command() {
        let options = Options::parse(Arguments::new(["--contracts", "--rows=1000000"].map(str::to_owned))).unwrap();
        assert!(options.measured == Measured::Contracts && !options.quick);
        assert_eq!(options.handed_on, ["--rows", "1000000"]);
    }

    #[test]
    fn what_is_no_number_is_refused() {
        assert!(Options::parse(Arguments::new(["--rows=many".to_owned()])).is_err());
    }
}
