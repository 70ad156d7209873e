//! Where everything is on the pages. A row is never split; the header of the table is repeated on each page that has rows.

use super::fonts::Weight;
use super::page::{Drawn, HEIGHT, Style, WIDTH};
use crate::view::{PartyView, Row, Sum, SumStyle, View};

const MARGIN: f32 = 50.0;
const RIGHT: f32 = WIDTH - MARGIN;
const INNER: f32 = WIDTH - 2.0 * MARGIN;
/// Below this, only the footer.
const BOTTOM: f32 = HEIGHT - 70.0;
const GAP: f32 = 14.0;

const BODY: Style = Style::new(9.0);
const SMALL: Style = Style::new(7.5).muted();
const LABEL: Style = Style::new(7.5).muted();

const DARK: f32 = 0.1;
const LIGHT: f32 = 0.85;

pub(super) fn draw(view: &View) -> Drawn {
    let mut layout = Layout { view, drawn: Drawn::new(), y: MARGIN };
    layout.first_page();
    layout.facts();
    layout.parties();
    layout.lines();
    layout.totals();
    layout.notes();
    layout.missing_characters();
    layout.footers();
    layout.drawn
}

struct Layout<'a> {
    view: &'a View,
    drawn: Drawn,
    /// The base of the last line that was drawn.
    y: f32,
}

impl Layout<'_> {
    fn first_page(&mut self) {
        self.drawn.add_page(self.view.is_test);
        let (title, name) = (Style::new(20.0).bold(), Style::new(12.0).bold());
        self.y = MARGIN + title.size;
        self.drawn.text_right(self.view.title, title, RIGHT, self.y);
        let width = INNER - self.drawn.fonts.width(self.view.title, title.weight, title.size) - 2.0 * GAP;
        let lines = self.wrap(&self.view.seller.name, name, width);
        self.y -= name.leading();
        for line in lines {
            self.y += name.leading();
            self.drawn.text(&line, name, MARGIN, self.y);
        }
        self.y += 16.0;
    }

    fn next_page(&mut self) {
        self.drawn.add_page(self.view.is_test);
        self.y = MARGIN + SMALL.size;
        self.drawn.text(&self.view.seller.name_in_header(), SMALL, MARGIN, self.y);
        self.drawn.text_right(&format!("{} {}", self.view.title, self.view.number), SMALL, RIGHT, self.y);
        self.y += GAP;
    }

    /// Makes room: begins a page if less than `height` is left.
    fn need(&mut self, height: f32) {
        if self.y + height > BOTTOM {
            self.next_page();
        }
    }

    /// Number, dates and period, side by side.
    fn facts(&mut self) {
        let facts = &self.view.facts;
        self.drawn.rule(MARGIN, self.y, INNER, LIGHT);
        let widths = self.fact_widths();
        let top = self.y + 14.0;
        let (mut x, mut lowest) = (MARGIN, top);
        for ((label, value), width) in facts.iter().zip(widths) {
            self.drawn.text(label, LABEL, x, top);
            let mut y = top;
            for line in self.wrap(value, BODY, width - 8.0) {
                y += BODY.leading();
                self.drawn.text(&line, BODY, x, y);
            }
            lowest = lowest.max(y);
            x += width;
        }
        self.y = lowest + 9.0;
        self.drawn.rule(MARGIN, self.y, INNER, LIGHT);
        self.y += 8.0;
    }

    /// Each fact gets what it needs, if all fit; else equal parts.
    fn fact_widths(&self) -> Vec<f32> {
        let width = |text: &str, style: Style| self.drawn.fonts.width(text, style.weight, style.size);
        let facts = &self.view.facts;
        let natural: Vec<f32> =
            facts.iter().map(|(label, value)| width(label, LABEL).max(width(value, BODY)) + 9.0).collect();
        let count = f32::from(u8::try_from(facts.len()).unwrap_or(u8::MAX).max(1));
        let left = INNER - natural.iter().sum::<f32>();
        if left < 0.0 {
            return vec![INNER / count; facts.len()];
        }
        natural.into_iter().map(|width| width + left / count).collect()
    }

    /// Seller and buyer, side by side. Very long addresses continue on the next page.
    fn parties(&mut self) {
        let width = INNER / 2.0 - GAP;
        let columns = [&self.view.seller, &self.view.buyer].map(|party| self.party(party, width));
        for index in 0..columns[0].len().max(columns[1].len()) {
            self.need(BODY.leading());
            self.y += BODY.leading();
            for (column, x) in columns.iter().zip([MARGIN, MARGIN + INNER / 2.0]) {
                if let Some((line, style)) = column.get(index) {
                    self.drawn.text(line, *style, x, self.y);
                }
            }
        }
        self.y += 22.0;
    }

    fn party(&self, party: &PartyView, width: f32) -> Vec<(String, Style)> {
        let mut lines = vec![(party.label.to_owned(), LABEL)];
        lines.extend(self.wrap(&party.name, BODY.bold(), width).into_iter().map(|line| (line, BODY.bold())));
        for detail in &party.details {
            lines.extend(self.wrap(detail, BODY, width).into_iter().map(|line| (line, BODY)));
        }
        lines
    }

    fn lines(&mut self) {
        let table = self.table();
        self.need(70.0);
        self.table_header(&table);
        for row in &self.view.rows {
            let lines = self.row_lines(row, &table);
            let count = f32::from(u16::try_from(lines.len()).unwrap_or(u16::MAX));
            let height = count * BODY.leading() + 8.0;
            if self.y + height > BOTTOM {
                self.next_page();
                self.table_header(&table);
            }
            self.row(row, &lines, &table);
        }
        self.y += 6.0;
    }

    /// The right edges of the columns of numbers; the description gets the rest.
    fn table(&self) -> Table {
        let mut edge = RIGHT;
        let mut edges = Vec::new();
        for (index, column) in self.view.columns.iter().enumerate().rev() {
            edges.push(edge);
            let cells = self.view.rows.iter().filter_map(|row| row.cells.get(index));
            let widest = cells.map(|cell| self.drawn.fonts.width(cell, BODY.weight, BODY.size)).fold(0.0, f32::max);
            let label = self.drawn.fonts.width(&column.label, LABEL.weight, LABEL.size);
            edge -= widest.max(label).max(34.0) + GAP;
        }
        edges.reverse();
        // Numbers of any length are shown whole; the description then has little room, but some.
        Table { edges, description: (edge - MARGIN).max(110.0) }
    }

    fn table_header(&mut self, table: &Table) {
        self.y += LABEL.leading();
        self.drawn.text(self.view.labels.description, LABEL, MARGIN, self.y);
        for (column, edge) in self.view.columns.iter().zip(&table.edges) {
            self.drawn.text_right(&column.label, LABEL, *edge, self.y);
        }
        self.y += 5.0;
        self.drawn.rule(MARGIN, self.y, INNER, DARK);
    }

    fn row_lines(&self, row: &Row, table: &Table) -> Vec<(String, Style)> {
        let description = self.wrap(&row.description, BODY, table.description);
        let mut lines: Vec<(String, Style)> = description.into_iter().map(|line| (line, BODY)).collect();
        if let Some(period) = &row.period {
            lines.extend(self.wrap(period, SMALL, table.description).into_iter().map(|line| (line, SMALL)));
        }
        lines
    }

    fn row(&mut self, row: &Row, lines: &[(String, Style)], table: &Table) {
        self.y += 2.5;
        let first = self.y + BODY.leading();
        for (cell, edge) in row.cells.iter().zip(&table.edges) {
            self.drawn.text_right(cell, BODY, *edge, first);
        }
        for (line, style) in lines {
            self.y += BODY.leading();
            self.drawn.text(line, *style, MARGIN, self.y);
        }
        self.y += 5.5;
        self.drawn.rule(MARGIN, self.y, INNER, LIGHT);
    }

    /// Labels end where the values begin. The sums are on one page if they fit on one.
    fn totals(&mut self) {
        let left = MARGIN + INNER * 0.42;
        let width = |style: Style, text: &str| self.drawn.fonts.width(text, style.weight, style.size);
        let values = self.view.totals.iter().map(|sum| width(sum_style(sum), &sum.value));
        let label_width = (RIGHT - left - values.fold(0.0, f32::max) - 2.0 * GAP).max(80.0);
        let wrapped: Vec<Vec<String>> =
            self.view.totals.iter().map(|sum| self.wrap(&sum.label, sum_style(sum), label_width)).collect();
        let heights: f32 = wrapped.iter().map(|lines| sum_height(lines)).sum();
        if heights < BOTTOM - 2.0 * MARGIN {
            self.need(heights);
        }
        for (sum, lines) in self.view.totals.iter().zip(&wrapped) {
            self.need(sum_height(lines));
            self.sum(sum, lines, left);
        }
    }

    fn sum(&mut self, sum: &Sum, lines: &[String], left: f32) {
        let style = sum_style(sum);
        if sum.style == SumStyle::Strong {
            self.y += 5.0;
            self.drawn.rule(left, self.y, RIGHT - left, DARK);
            self.y += 2.0;
        }
        self.y += 2.0;
        for line in lines {
            self.y += BODY.leading();
            self.drawn.text(line, style, left, self.y);
        }
        self.drawn.text_right(&sum.value, style, RIGHT, self.y);
        if sum.style == SumStyle::Strong {
            self.y += 3.0;
        }
    }

    fn notes(&mut self) {
        self.y += 16.0;
        for note in &self.view.notes {
            for line in self.wrap(note, BODY, INNER) {
                self.need(BODY.leading());
                self.y += BODY.leading();
                self.drawn.text(&line, BODY, MARGIN, self.y);
            }
            self.y += 5.0;
        }
    }

    /// Explains the boxes. Headers of later pages repeat what the first page has, so all boxes are known by now.
    fn missing_characters(&mut self) {
        if !self.drawn.fonts.has_boxes {
            return;
        }
        self.y += 5.0;
        for line in self.wrap(self.view.labels.missing, SMALL, INNER) {
            self.need(SMALL.leading());
            self.y += SMALL.leading();
            self.drawn.text(&line, SMALL, MARGIN, self.y);
        }
    }

    /// Drawn last, when the number of pages is known.
    fn footers(&mut self) {
        let count = self.drawn.pages.len();
        let labels = self.view.labels;
        for page in 0..count {
            let text = format!("{} {} {} {count}", labels.page, page + 1, labels.of);
            let width = self.drawn.fonts.width(&text, Weight::Regular, SMALL.size);
            self.drawn.text_on(page, &text, SMALL, RIGHT - width, HEIGHT - 36.0);
            self.drawn.text_on(page, &self.view.number, SMALL, MARGIN, HEIGHT - 36.0);
        }
    }

    fn wrap(&self, text: &str, style: Style, width: f32) -> Vec<String> {
        self.drawn.fonts.wrap(text, style.weight, style.size, width)
    }
}

/// The columns of the lines.
struct Table {
    edges: Vec<f32>,
    description: f32,
}

fn sum_style(sum: &Sum) -> Style {
    match sum.style {
        SumStyle::Plain => BODY,
        SumStyle::Strong => Style::new(10.0).bold(),
        SumStyle::Detail => Style::new(8.0).muted(),
    }
}

/// At most: a strong sum has a rule above it.
fn sum_height(lines: &[String]) -> f32 {
    f32::from(u16::try_from(lines.len()).unwrap_or(u16::MAX)) * BODY.leading() + 12.0
}

impl PartyView {
    /// A name that fits next to the number.
    fn name_in_header(&self) -> String {
        const MOST: usize = 48;
        if self.name.chars().count() <= MOST {
            return self.name.clone();
        }
        self.name.chars().take(MOST).chain(['…']).collect()
    }
}
