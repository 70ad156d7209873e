//! `perennial invoice document`.

use super::flags::organization;
use crate::arguments::{InvoiceDocument, Paper};
use crate::failure::Failure;
use crate::output;
use perennial_app::caller::Caller;
use perennial_app::context::App;
use perennial_app::documents::{self, DocumentFormat, Rendered};
use perennial_app::error::{Conflict, Error};
use perennial_app::{credit_notes, invoices};
use perennial_domain::id::{CreditNoteId, InvoiceId};
use std::fs::OpenOptions;
use std::io::{IsTerminal as _, Write as _};

/// Writes a document to a file or the standard output.
pub(super) async fn write(app: &App, command: InvoiceDocument, json: bool) -> Result<(), Failure> {
    let caller = Caller::system(organization(app, &command.org.org).await?.id);
    let format = match command.format {
        Paper::Html => DocumentFormat::Html,
        Paper::Pdf => DocumentFormat::Pdf,
    };
    let rendered = render(app, &caller, &command.named, format).await.map_err(|error| match error {
        Error::NotFound => Failure::new(format!("there is no invoice or credit note {}.", command.named)),
        Error::Conflict(Conflict::InvoiceNotFinal) => {
            Failure::new(format!("the invoice {} is a draft, which has no document.", command.named))
        }
        error => error.into(),
    })?;
    let Some(path) = command.output else { return print(&rendered) };
    let written = OpenOptions::new().write(true).create_new(true).open(&path);
    let written = written.and_then(|mut file| file.write_all(&rendered.bytes));
    written.map_err(|error| Failure::new(format!("cannot create {}: {error}.", path.display())))?;
    let bytes = rendered.bytes.len();
    let data = serde_json::json!({ "number": rendered.number, "file": path.display().to_string(), "bytes": bytes });
    output::print(json, &data, || format!("Wrote {} to {}.", rendered.number, path.display()))
}

async fn render(app: &App, caller: &Caller, named: &str, format: DocumentFormat) -> Result<Rendered, Error> {
    if let Ok(id) = named.parse::<CreditNoteId>() {
        return documents::of_credit_note(&credit_notes::read(app, caller, id).await?, format).await;
    }
    let invoice = match named.parse::<InvoiceId>() {
        Ok(id) => invoices::read(app, caller, id).await?,
        Err(_) => {
            let query = invoices::Query { number: Some(named.to_owned()), ..invoices::Query::default() };
            invoices::page(app, caller, query, None, 1).await?.items.pop().ok_or(Error::NotFound)?
        }
    };
    documents::of_invoice(&invoice, format).await
}

/// Writes the document to the standard output: a PDF only if that is no terminal.
fn print(rendered: &Rendered) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    if rendered.format == DocumentFormat::Pdf && out.is_terminal() {
        return Err(Failure::new("a PDF cannot be shown in a terminal. Name a file with --output."));
    }
    let written = out.write_all(&rendered.bytes).and_then(|()| out.flush());
    written.map_err(|error| Failure::new(format!("cannot write the document: {error}.")))
}
