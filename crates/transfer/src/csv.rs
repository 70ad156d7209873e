//! Records as CSV (RFC 4180), one file per kind, with a header that names the fields.
//! An empty cell is an omitted field, or an empty text if the field is required; `""` is an empty text.
//! Lists and objects are JSON in a cell.

use super::form::Form;
use super::line::{self, LineError, Member, Read, Rejected, text_of};
use super::record::{Absent, Field, Kind};
use perennial_domain::id::OrganizationId;
use perennial_domain::validation::ValidationCode;
use perennial_store::Value;

/// Writes the header.
pub(super) fn write_head(kind: &Kind, out: &mut String) {
    let names: Vec<&str> = kind.fields().iter().map(|field| field.name).collect();
    out.push_str(&names.join(","));
    out.push_str("\r\n");
}

/// Writes a record. `event_kind` is the kind of an event.
pub(super) fn write(kind: &Kind, row: &[Value], event_kind: &str, out: &mut String) {
    let mut json = String::new();
    for (place, (field, value)) in kind.fields().iter().zip(row).enumerate() {
        if place > 0 {
            out.push(',');
        }
        json.clear();
        field.form.write(value, event_kind, &mut json);
        out.push_str(&cell(&json));
    }
    out.push_str("\r\n");
}

/// A JSON value as a cell.
fn cell(json: &str) -> String {
    if json == "null" {
        return String::new();
    }
    let text = if json.starts_with('"') { serde_json::from_str(json).unwrap_or_default() } else { json.to_owned() };
    let is_plain = !text.is_empty() && !text.contains(['"', ',', '\r', '\n']) && text.trim() == text;
    if is_plain { text } else { format!("\"{}\"", text.replace('"', "\"\"")) }
}

/// The field of each cell, by the header of the file.
pub(super) struct Head(Vec<usize>);

/// Reads the header of a file.
pub(super) fn read_head(
    bytes: &[u8],
    kind: &'static Kind,
    into: Option<OrganizationId>,
) -> Result<Head, Vec<LineError>> {
    let text = text_of(bytes).map_err(|refused| refused.errors)?;
    let cells = cells(text).map_err(|refused| refused.errors)?;
    let (mut places, mut errors) = (Vec::new(), Vec::new());
    for Cell { text: name, offset, .. } in cells {
        let place = kind.fields().iter().position(|field| field.name == name);
        let (code, detail) = match place {
            Some(place) if places.contains(&place) => ("duplicate_key", format!("{name} is there twice")),
            Some(place) => {
                places.push(place);
                continue;
            }
            None => (ValidationCode::UnknownField.as_str(), format!("{name} is no field of a {}", kind.name)),
        };
        errors.push(LineError::at(text, offset, code, detail));
    }
    for (place, field) in kind.fields().iter().enumerate() {
        let is_needed = field.absent == Absent::Required || (field.absent == Absent::Organization && into.is_none());
        if is_needed && !places.contains(&place) {
            let detail = format!("{} is required", field.name);
            errors.push(LineError::at(text, 0, ValidationCode::Required.as_str(), detail));
        }
    }
    if errors.is_empty() { Ok(Head(places)) } else { Err(errors) }
}

/// Reads a record.
pub(super) fn read(
    bytes: &[u8],
    kind: &'static Kind,
    Head(places): &Head,
    into: Option<OrganizationId>,
) -> Result<Read, Rejected> {
    let text = text_of(bytes)?;
    let cells = cells(text)?;
    if cells.len() != places.len() {
        let detail = format!("the head names {} fields, this has {} cells", places.len(), cells.len());
        return Err(Rejected::at(text, 0, "malformed", detail));
    }
    let members = cells.into_iter().zip(places).filter_map(|(cell, place)| {
        let (field, offset) = (&kind.fields()[*place], cell.offset);
        let json = cell.json(field)?.into();
        Some(Member { name: field.name.to_owned(), offset, json })
    });
    line::record(text, kind, members.collect(), into)
}

struct Cell {
    text: String,
    offset: usize,
    is_quoted: bool,
}

impl Cell {
    /// The JSON that a field's form reads. None if the field is omitted.
    fn json(self, field: &Field) -> Option<String> {
        let is_empty = self.text.is_empty() && !self.is_quoted;
        Some(match field.form {
            _ if is_empty && field.absent != Absent::Required => return None,
            Form::Id { .. } | Form::Named { .. } | Form::Record | Form::Text(_) | Form::Time if !is_empty => {
                serde_json::Value::from(self.text).to_string()
            }
            Form::Text(_) => "\"\"".to_owned(),
            _ if is_empty => "null".to_owned(),
            _ => self.text,
        })
    }
}

fn cells(text: &str) -> Result<Vec<Cell>, Rejected> {
    let (mut cells, mut offset) = (Vec::new(), 0);
    loop {
        let rest = &text[offset..];
        let (cell, length) = match rest.strip_prefix('"') {
            Some(quoted) => {
                let (cell, length) = unquoted(quoted).ok_or_else(|| {
                    Rejected::at(text, offset, "malformed", "the quotes of this cell do not end with it")
                })?;
                (Cell { text: cell, offset, is_quoted: true }, length + 1)
            }
            None => {
                let plain = rest.split(',').next().unwrap_or_default();
                if let Some(place) = plain.find('"') {
                    let detail = "a cell with quotes in it must begin with one";
                    return Err(Rejected::at(text, offset + place, "malformed", detail));
                }
                (Cell { text: plain.to_owned(), offset, is_quoted: false }, plain.len())
            }
        };
        cells.push(cell);
        offset += length;
        match text[offset..].chars().next() {
            Some(',') => offset += 1,
            _ => return Ok(cells),
        }
    }
}

/// The text of a quoted cell after its first quote, and its length with the last one. None if it has no end.
fn unquoted(text: &str) -> Option<(String, usize)> {
    let mut cell = String::new();
    let mut characters = text.char_indices().peekable();
    while let Some((place, character)) = characters.next() {
        if character != '"' {
            cell.push(character);
            continue;
        }
        match characters.peek() {
            Some((_, '"')) => {
                cell.push('"');
                characters.next();
            }
            None | Some((_, ',')) => return Some((cell, place + 1)),
            Some(_) => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_cells(text: &str) -> Option<Vec<(String, bool)>> {
        let cells = cells(text).ok()?;
        Some(cells.into_iter().map(|cell| (cell.text, cell.is_quoted)).collect())
    }

    #[test]
    fn cells_are_cut_at_commas_outside_quotes() {
        let plain = |text: &str| (text.to_owned(), false);
        let quoted = |text: &str| (text.to_owned(), true);
        assert_eq!(read_cells("a,,c"), Some(vec![plain("a"), plain(""), plain("c")]));
        assert_eq!(read_cells("a,"), Some(vec![plain("a"), plain("")]));
        assert_eq!(read_cells("\"a,\"\"b\"\"\",\"\""), Some(vec![quoted("a,\"b\""), quoted("")]));
        assert_eq!(read_cells("\"two\nlines\",ä"), Some(vec![quoted("two\nlines"), plain("ä")]));
        for text in ["\"a", "\"a\"b", "a\"b"] {
            assert_eq!(read_cells(text), None, "{text}");
        }
    }

    #[test]
    fn null_differs_from_an_empty_text() {
        assert_eq!((cell("null"), cell("\"\"")), (String::new(), "\"\"".to_owned()));
        assert_eq!(
            (cell("[\"a\",\"b\"]"), cell("19.99")),
            ("\"[\"\"a\"\",\"\"b\"\"]\"".to_owned(), "19.99".to_owned())
        );
    }
}
