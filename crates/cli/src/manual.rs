//! Shell completions and manual pages, generated from the definition of the command line.

use crate::arguments::Arguments;
use crate::failure::Failure;
use crate::output;
use clap::CommandFactory;
use clap_complete::Shell;
use clap_mangen::Man;
use std::path::Path;

/// Prints the completions of a shell.
pub(crate) fn completions(shell: Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "perennial", &mut script);
    output::write(&String::from_utf8_lossy(&script))
}

/// Prints the page of the program.
pub(crate) fn page() -> Result<(), Failure> {
    let mut page = Vec::new();
    Man::new(Arguments::command())
        .render(&mut page)
        .map_err(|error| Failure::new(format!("the manual page cannot be written: {error}")))?;
    output::write(&String::from_utf8_lossy(&page))
}

/// Writes the page of every command into a directory.
pub(crate) fn pages(directory: &Path, json: bool) -> Result<(), Failure> {
    let unwritable = |error| {
        let directory = directory.display();
        Failure::new(format!("the manual pages cannot be written to {directory}: {error}; choose another --out"))
    };
    std::fs::create_dir_all(directory).map_err(unwritable)?;
    clap_mangen::generate_to(Arguments::command(), directory).map_err(unwritable)?;
    output::print(json, &serde_json::json!({ "directory": directory }), || {
        let directory = directory.display();
        format!(
            "Wrote the manual pages to {directory}. Where it is in the manual path, `man perennial` shows the first."
        )
    })
}
