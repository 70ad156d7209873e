//! The JSON representation of what a credit note credits.

use super::reader::Reader;
use super::schema_writer::SchemaWriter;
use super::traits::{Field, Fields};
use super::types::text;
use crate::json::Json;
use perennial_domain::invoices::credit_note::NoteSettlement;
use perennial_domain::invoices::crediting::NoteLine;
use perennial_domain::invoices::record::MAX_LINES;
use perennial_domain::money::Money;
use perennial_domain::number::Whole;
use perennial_domain::validation::{ValidationCode, ValidationErrors};
use serde_json::{Value, json};

/// The index of a line. No invoice has as many lines as the greatest.
type LineIndex = Whole<0, 249>;

impl Field for NoteSettlement {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        text(&json, at, errors, Self::parse)
    }

    fn schema() -> Value {
        let words: Vec<&str> = Self::ALL.iter().map(|word| word.as_str()).collect();
        json!({ "type": "string", "enum": words })
    }
}

impl Field for Vec<NoteLine> {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        let Json::List(items) = json else {
            errors.note(at, ValidationCode::InvalidType, "must be a list of lines");
            return None;
        };
        if items.is_empty() {
            errors.note(at, ValidationCode::TooShort, "must have at least one line");
            return None;
        }
        if items.len() > MAX_LINES {
            errors.note(at, ValidationCode::TooLong, format!("must have at most {MAX_LINES} lines"));
            return None;
        }
        let count = items.len();
        let mut lines = Self::with_capacity(count);
        for (index, raw) in items.into_iter().enumerate() {
            let mut reader = Reader::item(raw);
            let line = note_line(&mut reader);
            let found = reader.finish();
            for error in &found {
                errors.add(format!("{at}/{index}{}", error.pointer), error.reason.clone());
            }
            lines.extend(line.filter(|_| found.is_empty()));
        }
        (lines.len() == count).then_some(lines)
    }

    fn schema() -> Value {
        let mut writer = SchemaWriter::default();
        note_line(&mut writer);
        json!({ "type": "array", "minItems": 1, "maxItems": MAX_LINES, "items": writer.finish() })
    }
}

/// The fields of a line.
fn note_line(fields: &mut impl Fields) -> Option<NoteLine> {
    let line =
        fields.required::<LineIndex>("/line", "The index of a line of the invoice, from 0. Its amount is positive.");
    let amount = fields.required::<Money>("/amount", "What is credited of it.");
    let line = usize::try_from(line?.get()).ok()?;
    Some(NoteLine { line, amount: amount? })
}
