//! Commands on whole stores: `perennial demo`, `export`, `import` and `copy`.

mod copy;
mod demo;
mod draft;
mod errors;
mod export;
mod import;
mod lines;
mod moving;
mod progress;
mod report;
mod sources;

pub(crate) use demo::fill_if_empty;

use crate::arguments::Transfer;
use crate::config::Config;
use crate::failure::Failure;

pub(super) async fn run(config: &Config, command: Transfer, json: bool) -> Result<(), Failure> {
    match command {
        Transfer::Demo(flags) => demo::run(config, &flags, json).await,
        Transfer::Export(flags) => export::run(config, &flags, json).await,
        Transfer::Import(flags) if flags.from.is_some() => moving::run(config, &flags, json).await,
        Transfer::Import(flags) => import::run(config, &flags, json).await,
        Transfer::Copy(flags) => copy::run(config, &flags, json).await,
    }
}
