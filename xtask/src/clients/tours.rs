//! The tours: each client, as it was packed and installed, drives a running server from sign-up to the deleted account, on
//! both engines. They share the servers, so each uses its own user and names and leaves nothing behind that is in another's
//! way.

use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use crate::postgres;
use crate::process::{self, Failure, Profile, Result};
use crate::served::{CLIENT_ID, Place};

/// A program that gets its server from the environment: `PERENNIAL_URL`, `PERENNIAL_CLIENT_ID` (trusted, with every
/// scope), `PERENNIAL_PUBLIC_CLIENT_ID`, and a person with `PERENNIAL_EMAIL` and `PERENNIAL_IDENTITY_TOKEN`.
pub(crate) struct Tour {
    pub(crate) language: &'static str,
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<String>,
    /// Where it runs: a directory that knows nothing of this workspace.
    pub(crate) directory: PathBuf,
}

/// Runs all tours on both engines. A failed one does not hide the others.
pub(crate) fn run(tours: &[Tour]) -> Result {
    process::build(&["perennial"], Profile::Dev)?;
    let mut failed = on_engine(tours, "SQLite", None)?;
    let server = postgres::Server::start()?;
    failed.extend(on_engine(tours, &server.name(), Some(server.url()))?);
    if failed.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!("tours failed: {}.", failed.join(", "))))
}

fn on_engine(tours: &[Tour], engine: &str, url: Option<String>) -> Result<Vec<String>> {
    let place = Place::new("clients/servers", url)?;
    place.serving(|api| {
        let mut failed = Vec::new();
        for tour in tours {
            process::heading(&format!("The tour in {} on {engine}", tour.language));
            let start = Instant::now();
            let outcome = tour.command(&place, api).and_then(|mut command| process::run(&mut command));
            let seconds = start.elapsed().as_secs_f64();
            match outcome {
                Ok(()) => println!("{} on {engine}: ok, {seconds:.1} s", tour.language),
                Err(failure) => {
                    println!("{} on {engine}: FAILED, {seconds:.1} s: {failure}", tour.language);
                    failed.push(format!("{} on {engine}", tour.language));
                }
            }
        }
        Ok(failed)
    })
}

impl Tour {
    fn command(&self, place: &Place, api: &str) -> Result<Command> {
        let email = format!("ada-{}@example.com", self.language.to_lowercase());
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .current_dir(&self.directory)
            .env("PERENNIAL_URL", api)
            .env("PERENNIAL_CLIENT_ID", CLIENT_ID)
            .env("PERENNIAL_PUBLIC_CLIENT_ID", "default")
            .env("PERENNIAL_IDENTITY_TOKEN", place.identity(&email)?)
            .env("PERENNIAL_EMAIL", email)
            // A proxy would take requests off this machine.
            .env("NO_PROXY", "*");
        Ok(command)
    }
}
