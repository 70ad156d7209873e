//! `perennial`, the binary. It reads the configuration and passes each crate its part.

mod arguments;
mod clients_file;
mod commands;
mod config;
mod doctor;
mod failure;
mod greeting;
mod logs;
mod manual;
mod master_key;
mod notify;
mod output;
mod private_file;
mod providers;
mod public_url;
mod reference;
mod serve;
mod start;
mod stopping;
mod storage;
mod telemetry;

use arguments::{Arguments, Command, Serve, Trigger, Webhook};
use clap::{CommandFactory, FromArgMatches};
use config::Loaded;
use config::source::Sources;
use failure::Failure;
use std::process::ExitCode;
use std::time::Duration;

/// Requests allocate and free small blocks on many threads, for which the system's allocator takes locks.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let matches = Arguments::command().get_matches();
    let arguments = Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    match run(arguments, Sources::of(&matches)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure(sentence)) => {
            eprintln!("error: {sentence}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Arguments, sources: Sources) -> Result<(), Failure> {
    let Arguments { command, place, json } = arguments;
    // A sample for an endpoint of the store is a ping.
    let command = match command {
        Command::Trigger(Trigger { event_type, endpoint: Some(endpoint), org, .. }) => {
            Command::Webhook(Webhook::Ping { endpoint, event_type, org })
        }
        other => other,
    };
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    match command {
        Command::Openapi => output::write(&perennial_http::openapi_document()),
        Command::Errors => output::write(&perennial_http::error_catalogue()),
        Command::Reference => output::write(&reference::markdown()),
        Command::Completions { shell } => manual::completions(shell),
        Command::Man { out: None } => manual::page(),
        Command::Man { out: Some(directory) } => manual::pages(&directory, json),
        Command::Config(command) => commands::configuration::run(command, &place, sources, json),
        // Both use the API of a server, which may be elsewhere, and no store.
        Command::Listen(flags) => runtime(1)?.block_on(commands::listen::run(flags, json)),
        Command::Trigger(flags) => runtime(1)?.block_on(commands::trigger::run(flags, json)),
        Command::Serve(serving) => {
            let config = Loaded::read(&place, &serving.flags, sources).accept()?;
            let runtime = runtime(threads)?;
            let outcome = runtime.block_on(serve::run(config, serving.demo, serving.console_directory()));
            // A thread that a stalled disk blocks must not prevent the exit.
            runtime.shutdown_timeout(Duration::from_secs(1));
            outcome
        }
        Command::Doctor(flags) => {
            let loaded = Loaded::read(&place, &flags, sources);
            runtime(1)?.block_on(doctor::run(loaded, json))
        }
        command => {
            let config = Loaded::read(&place, &Serve::default(), sources).accept()?;
            runtime(1)?.block_on(commands::run(command, &config, json))
        }
    }
}

fn runtime(threads: usize) -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads)
        .enable_all()
        .build()
        .map_err(|error| Failure::new(format!("the runtime cannot start: {error}")))
}
