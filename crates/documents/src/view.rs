//! What a document shows, as text in its language. HTML and PDF draw the same view.

use crate::locale::{Labels, Locale, zone};
use crate::model::{Document, DocumentKind, DocumentLine, DocumentTax, Party, Period};
use jiff::tz::TimeZone;
use perennial_domain::time::Time;
use unicode_normalization::UnicodeNormalization;

/// The text of a document.
pub(crate) struct View {
    pub(crate) locale: Locale,
    pub(crate) labels: &'static Labels,
    pub(crate) title: &'static str,
    pub(crate) number: String,
    pub(crate) is_test: bool,
    pub(crate) issued_at: Time,
    /// Label and value.
    pub(crate) facts: Vec<(&'static str, String)>,
    pub(crate) seller: PartyView,
    pub(crate) buyer: PartyView,
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Row>,
    pub(crate) totals: Vec<Sum>,
    /// Paragraphs after the totals.
    pub(crate) notes: Vec<String>,
}

pub(crate) struct PartyView {
    pub(crate) label: &'static str,
    pub(crate) name: String,
    pub(crate) details: Vec<String>,
}

/// A column of numbers. The first column, the description, is text and is always there.
pub(crate) struct Column {
    pub(crate) label: String,
}

pub(crate) struct Row {
    pub(crate) description: String,
    pub(crate) period: Option<String>,
    /// One for each column.
    pub(crate) cells: Vec<String>,
}

pub(crate) struct Sum {
    pub(crate) label: String,
    pub(crate) value: String,
    pub(crate) style: SumStyle,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SumStyle {
    Plain,
    /// The total.
    Strong,
    /// A part of what is above.
    Detail,
}

impl View {
    pub(crate) fn new(document: &Document) -> Self {
        Text { document, locale: document.locale, labels: document.locale.labels(), zone: zone(&document.time_zone) }
            .view()
    }
}

struct Text<'a> {
    document: &'a Document,
    locale: Locale,
    labels: &'static Labels,
    zone: TimeZone,
}

impl Text<'_> {
    fn view(&self) -> View {
        let document = self.document;
        let notes = [&document.memo, &document.buyer.note, &document.seller.note];
        View {
            locale: self.locale,
            labels: self.labels,
            title: match document.kind {
                DocumentKind::Invoice => self.labels.invoice,
                DocumentKind::CreditNote => self.labels.credit_note,
            },
            number: clean(&document.number),
            is_test: document.is_test,
            issued_at: document.issued_at,
            facts: self.facts(),
            seller: self.party(&document.seller, self.labels.seller),
            buyer: self.party(&document.buyer, self.labels.buyer),
            columns: self.columns(),
            rows: document.lines.iter().map(|line| self.row(line)).collect(),
            totals: self.totals(),
            notes: notes.into_iter().flatten().flat_map(|note| paragraphs(note)).collect(),
        }
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let document = self.document;
        let mut facts = vec![(self.labels.number, clean(&document.number))];
        if let Some(number) = &document.invoice_number {
            facts.push((self.labels.invoice_number, clean(number)));
        }
        facts.push((self.labels.issued, self.date(document.issued_at)));
        if let Some(due_at) = document.due_at {
            facts.push((self.labels.due, self.date(due_at)));
        }
        if let Some(period) = document.period {
            facts.push((self.labels.period, self.period(period)));
        }
        facts
    }

    fn party(&self, party: &Party, label: &'static str) -> PartyView {
        let mut details: Vec<String> = party.address.iter().map(|line| clean(line)).collect();
        details.extend(party.country.as_deref().map(clean));
        details.extend(party.email.as_deref().map(clean));
        details.extend(party.tax_id.as_deref().map(|id| format!("{}: {}", self.labels.tax_id, clean(id))));
        details.retain(|line| !line.is_empty());
        PartyView { label, name: clean(&party.name), details }
    }

    fn has_discounts(&self) -> bool {
        self.document.lines.iter().any(|line| !line.discount.is_zero())
    }

    fn columns(&self) -> Vec<Column> {
        let labels = self.labels;
        let mut columns = vec![labels.quantity.to_owned(), labels.unit_price.to_owned()];
        if self.has_discounts() {
            columns.push(labels.discount.to_owned());
        }
        columns.push(format!("{} ({})", labels.amount, self.document.currency));
        columns.into_iter().map(|label| Column { label }).collect()
    }

    fn row(&self, line: &DocumentLine) -> Row {
        let currency = self.document.currency;
        let least = usize::try_from(currency.decimals()).unwrap_or_default();
        let mut cells = vec![
            line.quantity.map(|quantity| self.locale.number(quantity, 0)).unwrap_or_default(),
            line.unit_price.map(|price| self.locale.number(price, least)).unwrap_or_default(),
        ];
        if self.has_discounts() {
            let discount = (!line.discount.is_zero()).then(|| self.locale.amount(line.discount.negated(), currency));
            cells.push(discount.unwrap_or_default());
        }
        cells.push(self.locale.amount(line.amount, currency));
        Row { description: clean(&line.description), period: line.period.map(|period| self.period(period)), cells }
    }

    fn totals(&self) -> Vec<Sum> {
        let (document, labels, currency) = (self.document, self.labels, self.document.currency);
        let plain = |label: &str, amount| Sum {
            label: label.to_owned(),
            value: self.locale.amount(amount, currency),
            style: SumStyle::Plain,
        };
        let strong = |label: &str, amount| Sum {
            label: label.to_owned(),
            value: self.locale.money(amount, currency),
            style: SumStyle::Strong,
        };
        let mut sums = vec![plain(labels.subtotal, document.subtotal)];
        if !document.discount.is_zero() {
            sums.push(plain(labels.discount, document.discount.negated()));
        }
        sums.extend(document.taxes.iter().filter(|tax| !tax.is_included).map(|tax| self.tax(tax)));
        let total = match document.kind {
            DocumentKind::Invoice => labels.total,
            DocumentKind::CreditNote => labels.total_credit,
        };
        sums.push(strong(total, document.total));
        sums.extend(document.taxes.iter().filter(|tax| tax.is_included).map(|tax| self.tax(tax)));
        if !document.credit_applied.is_zero() {
            sums.push(plain(labels.credit_applied, document.credit_applied.negated()));
            if let Ok(payable) = document.total.minus(document.credit_applied) {
                sums.push(strong(labels.payable, payable));
            }
        }
        sums
    }

    fn tax(&self, tax: &DocumentTax) -> Sum {
        let currency = self.document.currency;
        let base = self.locale.amount(tax.base, currency);
        let rate = format!("{} {} {} {base}", clean(&tax.name), self.locale.percentage(tax.percentage), self.labels.on);
        let (label, style) = if tax.is_included {
            (format!("{} {rate}", self.labels.included), SumStyle::Detail)
        } else {
            (rate, SumStyle::Plain)
        };
        Sum { label, value: self.locale.amount(tax.amount, currency), style }
    }

    fn date(&self, time: Time) -> String {
        self.locale.date(time, &self.zone)
    }

    fn period(&self, period: Period) -> String {
        format!("{} – {}", self.date(period.start), self.date(period.end))
    }
}

/// The paragraphs of a text that may have several lines.
fn paragraphs(text: &str) -> Vec<String> {
    text.lines().map(clean).filter(|line| !line.is_empty()).collect()
}

/// One line of text: composed, without control characters and without characters that change the direction of other text.
fn clean(text: &str) -> String {
    let visible = text.nfc().map(|letter| if letter.is_control() { ' ' } else { letter });
    let visible: String = visible.filter(|letter| !is_direction(*letter)).collect();
    visible.trim().to_owned()
}

const fn is_direction(letter: char) -> bool {
    matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_turn_the_direction_of_the_text_or_break_a_line() {
        assert_eq!(clean(" a\u{202e}b\nc\u{0}\u{2066} "), "ab c");
        assert_eq!(clean("e\u{301}"), "é");
        assert_eq!(paragraphs("one\n\n two \r\n"), ["one", "two"]);
    }
}
