//! The HTML of a document: one file with its styles. Every text of the record passes [`escape`].

use std::fmt::Write;

use crate::view::{PartyView, Row, Sum, SumStyle, View};

const STYLE: &str = include_str!("html/v1.css");

pub(crate) fn render(view: &View) -> String {
    let mut html = String::with_capacity(8_192 + view.rows.len() * 256);
    let (lang, title, number) = (view.locale.as_str(), view.title, escape(&view.number));
    write_to(
        &mut html,
        format_args!(
            "<!DOCTYPE html>\n<html lang=\"{lang}\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{title} {number}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n"
        ),
    );
    if view.is_test {
        html.push_str("<div class=\"test\">TEST</div>\n");
    }
    html.push_str("<main>\n<header>\n");
    write_to(&mut html, format_args!("<p class=\"name\" dir=\"auto\">{}</p>\n", escape(&view.seller.name)));
    write_to(&mut html, format_args!("<h1>{title}</h1>\n</header>\n<dl class=\"facts\">\n"));
    for (label, value) in &view.facts {
        write_to(&mut html, format_args!("<div><dt>{label}</dt><dd>{}</dd></div>\n", escape(value)));
    }
    html.push_str("</dl>\n<div class=\"parties\">\n");
    for party in [&view.seller, &view.buyer] {
        push_party(&mut html, party);
    }
    html.push_str("</div>\n");
    push_lines(&mut html, view);
    push_totals(&mut html, view);
    push_notes(&mut html, &view.notes);
    html.push_str("</main>\n</body>\n</html>\n");
    html
}

fn push_party(html: &mut String, party: &PartyView) {
    write_to(html, format_args!("<section>\n<h2>{}</h2>\n<address>\n", party.label));
    write_to(html, format_args!("<strong dir=\"auto\">{}</strong>\n", escape(&party.name)));
    for line in &party.details {
        write_to(html, format_args!("<span dir=\"auto\">{}</span>\n", escape(line)));
    }
    html.push_str("</address>\n</section>\n");
}

fn push_lines(html: &mut String, view: &View) {
    let (title, number) = (view.title, escape(&view.number));
    write_to(html, format_args!("<table class=\"lines\" aria-label=\"{title} {number}\">\n<thead>\n<tr>"));
    write_to(html, format_args!("<th scope=\"col\">{}</th>", view.labels.description));
    for column in &view.columns {
        write_to(html, format_args!("<th scope=\"col\" class=\"number\">{}</th>", escape(&column.label)));
    }
    html.push_str("</tr>\n</thead>\n<tbody>\n");
    for row in &view.rows {
        push_row(html, row);
    }
    html.push_str("</tbody>\n</table>\n");
}

fn push_row(html: &mut String, row: &Row) {
    write_to(html, format_args!("<tr><th scope=\"row\" dir=\"auto\">{}", escape(&row.description)));
    if let Some(period) = &row.period {
        write_to(html, format_args!("<span class=\"period\">{}</span>", escape(period)));
    }
    html.push_str("</th>");
    for cell in &row.cells {
        write_to(html, format_args!("<td class=\"number\">{}</td>", escape(cell)));
    }
    html.push_str("</tr>\n");
}

fn push_totals(html: &mut String, view: &View) {
    write_to(html, format_args!("<table class=\"totals\" aria-label=\"{}\">\n<tbody>\n", view.labels.total));
    for Sum { label, value, style } in &view.totals {
        let class = match style {
            SumStyle::Plain => "plain",
            SumStyle::Strong => "strong",
            SumStyle::Detail => "detail",
        };
        let (label, value) = (escape(label), escape(value));
        write_to(
            html,
            format_args!(
                "<tr class=\"{class}\"><th scope=\"row\">{label}</th><td class=\"number\">{value}</td></tr>\n"
            ),
        );
    }
    html.push_str("</tbody>\n</table>\n");
}

fn push_notes(html: &mut String, notes: &[String]) {
    if notes.is_empty() {
        return;
    }
    html.push_str("<div class=\"notes\">\n");
    for note in notes {
        write_to(html, format_args!("<p dir=\"auto\">{}</p>\n", escape(note)));
    }
    html.push_str("</div>\n");
}

fn write_to(html: &mut String, text: std::fmt::Arguments<'_>) {
    html.write_fmt(text).expect("writing to a string does not fail");
}

/// The text without characters that have a meaning in HTML, in elements and in quoted attributes.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            _ => escaped.push(letter),
        }
    }
    escaped
}
