//! CSV by RFC 4180. A text that a spreadsheet would take for a formula gets a ' before it, which spreadsheets hide.

use super::table::Cell;

/// A line of cells.
pub(super) fn line<'a>(cells: impl IntoIterator<Item = &'a Cell>) -> String {
    let written: Vec<String> = cells.into_iter().map(quoted).collect();
    format!("{}\r\n", written.join(","))
}

fn quoted(cell: &Cell) -> String {
    let is_formula = cell.is_text && cell.text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = if is_formula { format!("'{}", cell.text) } else { cell.text.clone() };
    let is_plain = !text.contains(['"', ',', '\r', '\n']) && text.trim() == text;
    if is_plain { text } else { format!("\"{}\"", text.replace('"', "\"\"")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(raw: &str) -> String {
        quoted(&Cell::of(raw))
    }

    #[test]
    fn quotes_stand_where_the_format_needs_them() {
        assert_eq!(written("\"plain\""), "plain");
        assert_eq!(written("\"a,b\""), "\"a,b\"");
        assert_eq!(written("\"say \\\"hi\\\"\""), "\"say \"\"hi\"\"\"");
        assert_eq!(written("\"two\\nlines\""), "\"two\nlines\"");
        assert_eq!(written("\" quoted \""), "\" quoted \"");
        assert_eq!(written("null"), "");
        assert_eq!(line(&[Cell::of("1"), Cell::of("null"), Cell::of("true")]), "1,,true\r\n");
    }

    #[test]
    fn no_text_becomes_a_formula_and_no_number_a_text() {
        for sign in ["=", "+", "-", "@"] {
            assert_eq!(written(&format!("\"{sign}1+1\"")), format!("'{sign}1+1"));
        }
        assert_eq!(written("\"\\t=1\""), "'\t=1");
        assert_eq!(written("\"=a,b\""), "\"'=a,b\"");
        assert_eq!(written("-1.5"), "-1.5");
        assert_eq!(written("\"a=b\""), "a=b");
    }
}
