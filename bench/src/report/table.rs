//! Tables, for a terminal and for Markdown.

/// A table whose first column is left-aligned and whose others are right-aligned.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(head: &[&str]) -> Self {
        Self { head: head.iter().map(|&name| name.to_owned()).collect(), rows: Vec::new() }
    }

    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    pub(crate) fn terminal(&self) -> String {
        let lines: Vec<String> = self.all().map(|row| self.padded(row).join("  ").trim_end().to_owned()).collect();
        lines.join("\n")
    }

    pub(crate) fn markdown(&self) -> String {
        let mut lines: Vec<String> = self.all().map(|row| format!("| {} |", self.padded(row).join(" | "))).collect();
        let widths = self.widths();
        let rule = widths.iter().enumerate().map(|(column, width)| {
            if column == 0 { "-".repeat(width + 2) } else { format!("{}:", "-".repeat(width + 1)) }
        });
        lines.insert(1, format!("|{}|", rule.collect::<Vec<_>>().join("|")));
        lines.join("\n")
    }

    fn all(&self) -> impl Iterator<Item = &Vec<String>> {
        std::iter::once(&self.head).chain(&self.rows)
    }

    fn widths(&self) -> Vec<usize> {
        let width = |column: usize| self.all().map(|row| length(row, column)).max().unwrap_or(0);
        (0..self.head.len()).map(width).collect()
    }

    fn padded(&self, row: &[String]) -> Vec<String> {
        let widths = self.widths();
        let pad = |column: usize| {
            let spaces = " ".repeat(widths[column] - length(row, column));
            let cell = row.get(column).map_or("", String::as_str);
            if column == 0 { format!("{cell}{spaces}") } else { format!("{spaces}{cell}") }
        };
        (0..widths.len()).map(pad).collect()
    }
}

fn length(row: &[String], column: usize) -> usize {
    row.get(column).map_or(0, |cell| cell.chars().count())
}

/// A number with as many decimals as it deserves, and commas between thousands.
pub(crate) fn number(value: f64) -> String {
    let decimals = if value.abs() < 10.0 { 2 } else { usize::from(value.abs() < 100.0) };
    let text = format!("{value:.decimals$}");
    let (whole, fraction) = text.split_once('.').map_or((text.as_str(), None), |(whole, rest)| (whole, Some(rest)));
    let (sign, digits) = whole.strip_prefix('-').map_or(("", whole), |digits| ("-", digits));
    let grouped = grouped(digits);
    fraction.map_or_else(|| format!("{sign}{grouped}"), |fraction| format!("{sign}{grouped}.{fraction}"))
}

/// A whole number with commas between thousands.
pub(crate) fn count(value: u64) -> String {
    grouped(&value.to_string())
}

fn grouped(digits: &str) -> String {
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// The number, or a dash where there is none.
pub(crate) fn optional(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), number)
}

/// A ratio such as `2.31 ×`, or a dash.
pub(crate) fn times(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{} ×", number(value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::new(&["who", "µs"]);
        table.row(vec!["bare".to_owned(), "9.50".to_owned()]);
        table.row(vec!["x".to_owned()]);
        assert_eq!(table.terminal(), "who     µs\nbare  9.50\nx");
        assert_eq!(table.markdown(), "| who  |   µs |\n|------|-----:|\n| bare | 9.50 |\n| x    |      |");
    }

    #[test]
    fn numbers_have_the_decimals_they_deserve() {
        assert_eq!(number(1.234), "1.23");
        assert_eq!(number(12.34), "12.3");
        assert_eq!(number(123.4), "123");
        assert_eq!(number(1_234_567.8), "1,234,568");
        assert_eq!(number(-1_234.0), "-1,234");
        assert_eq!((count(7), count(10_000_000)), ("7".to_owned(), "10,000,000".to_owned()));
        assert_eq!(optional(None), "–");
        assert_eq!(times(Some(2.5)), "2.50 ×");
    }
}
