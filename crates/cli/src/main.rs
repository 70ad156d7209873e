//! Floor 5: `perennial`, the one binary. It reads the configuration and hands each floor its own small part of it.

mod arguments;
mod clients_file;
mod commands;
mod config;
mod failure;
mod logs;
mod master_key;
mod output;
mod private_file;
mod providers;
mod public_url;
mod serve;
mod start;
mod storage;

use arguments::{Arguments, Command};
use clap::Parser;
use config::Config;
use failure::Failure;
use std::process::ExitCode;

/// Requests allocate and free small pieces on many threads; the system's allocator takes locks for that.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure(sentence)) => {
            eprintln!("error: {sentence}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Arguments) -> Result<(), Failure> {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    match arguments.command {
        Command::Openapi => output::write(&perennial_http::openapi_document()),
        Command::Errors => output::write(&perennial_http::error_catalogue()),
        Command::Serve(flags) => {
            let config = Config::load(&arguments.place)?.with_serve(&flags)?;
            runtime(threads)?.block_on(serve::run(config))
        }
        command => {
            let config = Config::load(&arguments.place)?;
            runtime(1)?.block_on(commands::run(command, &config, arguments.json))
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
