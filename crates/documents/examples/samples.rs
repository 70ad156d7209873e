//! Writes sample documents into a directory, to look at, and measures a PDF of 50 lines:
//! `cargo run --release --package perennial-documents --example samples -- DIRECTORY`.
#![expect(clippy::print_stdout, reason = "a developer command prints to the terminal")]

#[path = "../tests/documents/sample.rs"]
mod sample;

use std::path::Path;
use std::time::Instant;

use perennial_documents::{Locale, Template, html, pdf};
use perennial_domain::invoices::taxes::TaxMode;

const ROUNDS: u32 = 50;

fn main() -> std::io::Result<()> {
    let directory = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let documents = [
        ("invoice-en", sample::invoice(Locale::En, "USD", 6, TaxMode::Exclusive)),
        ("invoice-fr", sample::invoice(Locale::Fr, "EUR", 24, TaxMode::Inclusive)),
        ("invoice-es", sample::invoice(Locale::Es, "EUR", 1, TaxMode::Inclusive)),
        ("invoice-long", sample::long_invoice()),
        ("invoice-eur", sample::invoice(Locale::En, "EUR", 24, TaxMode::Exclusive)),
        ("invoice-jpy", sample::invoice(Locale::Ja, "JPY", 24, TaxMode::Inclusive)),
        ("credit-note-ja", sample::credit_note()),
    ];
    for (name, document) in &documents {
        let path = Path::new(&directory).join(name);
        std::fs::write(path.with_extension("html"), html(document, Template::CURRENT))?;
        std::fs::write(path.with_extension("pdf"), pdf(document, Template::CURRENT))?;
    }
    let fifty = sample::invoice(Locale::En, "USD", 50, TaxMode::Exclusive);
    let started = Instant::now();
    let mut size = 0;
    for _ in 0..ROUNDS {
        size = pdf(&fifty, Template::CURRENT).len();
    }
    println!("50 lines: {:?} per PDF, {size} bytes", started.elapsed() / ROUNDS);
    Ok(())
}
