//! `cargo xtask clients`: the clients of the API, written from `openapi.json`, compared with it, or tested.
//! One model (`clients/model.rs`), a writer for each language; what they write is committed.

mod collection;
mod model;
mod names;
pub(crate) mod npm;
mod python;
mod read;
mod snippets;
mod tours;
mod typescript;

use std::fs;

use crate::arguments::Arguments;
use crate::openapi;
use crate::process::{self, Failure, Result, could_not};
use model::Model;

/// A file that is generated, and what writes it.
struct Generated {
    path: &'static str,
    write: fn(&Model) -> String,
}

const GENERATED: [Generated; 6] = [
    Generated { path: "clients/typescript/src/generated/types.ts", write: typescript::types },
    Generated { path: "clients/typescript/src/generated/resources.ts", write: typescript::resources },
    Generated { path: "clients/python/src/perennial_client/_generated/types.py", write: python::types },
    Generated { path: "clients/python/src/perennial_client/_generated/operations.py", write: python::operations },
    Generated { path: "clients/python/src/perennial_client/_generated/version.py", write: python::version },
    Generated { path: collection::PATH, write: collection::collection },
];

pub(crate) fn command(mut arguments: Arguments) -> Result {
    let (only_check, all) = (arguments.flag("--check"), arguments.flag("--test"));
    let only_snippets = arguments.flag("--snippets");
    arguments.finish()?;
    match (only_check, all) {
        (_, true) => test(),
        (true, false) => check(),
        (false, false) if only_snippets => snippets::run(),
        (false, false) => write(),
    }
}

/// Everything: that nothing has drifted, the snippets of the guide, each package with its own tests, and all tours.
pub(crate) fn test() -> Result {
    check()?;
    snippets::run()?;
    tours::run(&[npm::tour()?, python::tour()?, collection::tour()?])
}

fn write() -> Result {
    let model = document()?;
    for generated in &GENERATED {
        let path = process::root().join(generated.path);
        let complaint = || could_not(format!("write {}", generated.path));
        if let Some(directory) = path.parent() {
            fs::create_dir_all(directory).map_err(complaint())?;
        }
        fs::write(&path, (generated.write)(&model)).map_err(complaint())?;
        println!("wrote {}", generated.path);
    }
    Ok(())
}

fn check() -> Result {
    let model = document()?;
    let mut stale = Vec::new();
    for generated in &GENERATED {
        let kept = fs::read_to_string(process::root().join(generated.path)).unwrap_or_default();
        match openapi::difference(&kept, &(generated.write)(&model)) {
            None => println!("{} matches openapi.json", generated.path),
            Some(difference) => {
                println!("{} differs from openapi.json:\n{difference}", generated.path);
                stale.push(generated.path);
            }
        }
    }
    if stale.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!(
        "out of date: {}. Run `cargo xtask clients` and commit what it writes.",
        stale.join(", ")
    )))
}

fn document() -> Result<Model> {
    let text = fs::read_to_string(process::root().join("openapi.json")).map_err(could_not("read openapi.json"))?;
    read::model(&text)
}
