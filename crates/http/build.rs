//! Compresses the files of the console and writes the table that embeds them. `assets/console/SHA256SUMS` lists the files. No other
//! program runs: the files are committed as they were built.

use flate2::{Compression, GzBuilder};
use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=assets/console");
    if env::var_os("CARGO_FEATURE_CONSOLE").is_none() {
        return Ok(());
    }
    let source = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("assets/console");
    let out = env::var("OUT_DIR")?;
    let sums = fs::read_to_string(source.join("SHA256SUMS"))?;
    let mut table = String::from("&[\n");
    for line in sums.lines() {
        let (_, name) = line.split_once("  ").ok_or("a line of SHA256SUMS has no name")?;
        let compressed = Path::new(&out).join(format!("{name}.gz"));
        fs::write(&compressed, gzip(&fs::read(source.join(name))?)?)?;
        writeln!(table, "    ({name:?}, include_bytes!({:?})),", compressed.display().to_string())?;
    }
    table.push(']');
    fs::write(Path::new(&out).join("console_files.rs"), table)?;
    Ok(())
}

/// Without a time in the header: the same file gives the same bytes.
fn gzip(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
}
