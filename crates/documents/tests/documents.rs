//! Documents: the same bytes for the same record, escaped and complete HTML, and a PDF with the text in it.

#[path = "documents/sample.rs"]
mod sample;

use std::io::Write;
use std::process::{Command, Stdio};

use perennial_documents::{Document, DocumentLine, Locale, Template, html, pdf};
use perennial_domain::invoices::Amount;
use perennial_domain::invoices::taxes::TaxMode;
use proptest::prelude::*;
use sample::{credit_note, invoice, long_invoice, party};

const V1: Template = Template::V1;

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

fn count(bytes: &[u8], text: &str) -> usize {
    bytes.windows(text.len()).filter(|window| *window == text.as_bytes()).count()
}

/// FNV-1a, so that a change of a single byte is noticed.
fn fingerprint(bytes: &[u8]) -> String {
    let hash = bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3));
    format!("{hash:016x}")
}

/// The text of a PDF, if `pdftotext` is installed.
fn text(pdf: &[u8]) -> Option<String> {
    let mut command = Command::new("pdftotext");
    command.args(["-raw", "-", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    let mut stdin = child.stdin.take()?;
    let pdf = pdf.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&pdf));
    let output = child.wait_with_output().ok()?;
    writer.join().ok()?.ok()?;
    String::from_utf8(output.stdout).ok()
}

#[test]
fn the_same_record_gives_the_same_bytes() {
    for document in [long_invoice(), credit_note(), invoice(Locale::Fr, "EUR", 3, TaxMode::Inclusive)] {
        assert_eq!(html(&document, V1), html(&document.clone(), V1));
        assert_eq!(pdf(&document, V1), pdf(&document.clone(), V1));
    }
}

/// A customer who downloads an invoice again gets the same file. If this fails after an upgrade of a dependency, hold the
/// dependency back or add a template version: never update the fingerprints of a released version.
#[test]
fn version_1_never_changes() {
    let documents = [long_invoice(), credit_note(), invoice(Locale::Fr, "EUR", 3, TaxMode::Inclusive)];
    let fingerprints =
        documents.map(|document| (fingerprint(html(&document, V1).as_bytes()), fingerprint(&pdf(&document, V1))));
    let expected = FINGERPRINTS.map(|(html, pdf)| (html.to_owned(), pdf.to_owned()));
    assert_eq!(fingerprints, expected);
}

const FINGERPRINTS: [(&str, &str); 3] = [
    ("9d56e09d14f622de", "9954a5957e86c9f6"),
    ("fe2b78c9cc146f8b", "1e5130dce8635107"),
    ("b3763cb197a30af5", "bc4589dd02abdb8f"),
];

#[test]
fn the_template_version_is_a_number() {
    assert_eq!(Template::from_stored(Template::CURRENT.number()), Some(Template::CURRENT));
    assert_eq!(Template::from_stored(0), None);
}

#[test]
fn html_shows_what_the_record_has() {
    let html = html(&invoice(Locale::En, "USD", 2, TaxMode::Exclusive), V1);
    for text in [
        "<html lang=\"en\">",
        "<title>Invoice INV-2026-000042</title>",
        "<h1>Invoice</h1>",
        "Mar\u{a0}2, 2026",
        "Mar\u{a0}16, 2026",
        "Perennial Gardens GmbH",
        "Tax ID: DE123456789",
        "Żółta Łódź sp. z o.o.",
        "Tax ID: PL7251801126",
        "<th scope=\"col\" class=\"number\">Amount (USD)</th>",
        "12,345,679",
        "0.0002",
        "-7.25",
        "VAT 19% on 2,606.89",
        "Applied balance",
        "HRB 12345",
        "Thank you for your business.",
    ] {
        assert!(html.contains(text), "{text}\n{html}");
    }
    assert!(!html.contains("TEST"));
}

#[test]
fn html_has_no_script_and_no_external_resource() {
    let html = html(&long_invoice(), V1).to_lowercase();
    for text in ["<script", "http", "src=", "url(", "@import", "<link", "<img", "<iframe", " on"] {
        let found = html.match_indices(text).any(|(place, _)| text != " on" || html[place..].starts_with(" on\""));
        assert!(!found, "{text}");
    }
}

#[test]
fn html_is_escaped_everywhere() {
    const ATTACK: &str = "<script>alert(1)</script>\"'&\u{202e}";
    let mut document = invoice(Locale::En, "USD", 2, TaxMode::Exclusive);
    document.number = ATTACK.to_owned();
    document.invoice_number = Some(ATTACK.to_owned());
    document.memo = Some(ATTACK.to_owned());
    for party in [&mut document.seller, &mut document.buyer] {
        party.name = ATTACK.to_owned();
        party.address = vec![ATTACK.to_owned()];
        for member in [&mut party.country, &mut party.tax_id, &mut party.email, &mut party.note] {
            *member = Some(ATTACK.to_owned());
        }
    }
    document.lines[0].description = ATTACK.to_owned();
    document.taxes[0].name = ATTACK.to_owned();
    let html = html(&document, V1);
    assert!(!html.contains("<script") && !html.contains('\u{202e}'));
    assert_eq!(html.matches("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;").count(), 20);
}

#[test]
fn an_inclusive_tax_is_part_of_the_total() {
    let html = html(&invoice(Locale::De, "EUR", 1, TaxMode::Inclusive), V1);
    let total = html.find("Gesamtbetrag").unwrap();
    assert!(html.find("enthält VAT 19\u{a0}% auf").unwrap() > total);
}

#[test]
fn a_credit_note_names_its_invoice() {
    let html = html(&credit_note(), V1);
    for text in ["<html lang=\"ja\">", "クレジットノート", "TEST-INV-000041", "2026年3月2日", "返金合計", ">TEST<"]
    {
        assert!(html.contains(text), "{text}");
    }
}

#[test]
fn a_pdf_has_embedded_fonts_and_a_text_for_every_glyph() {
    let pdf = pdf(&credit_note(), V1);
    assert!(pdf.starts_with(b"%PDF-1.7") && pdf.ends_with(b"%%EOF"));
    for text in
        ["/FontFile2", "/FontFile3", "/CIDFontType0C", "/ToUnicode", "Identity-H", "/Lang(ja)", "20260301233000Z"]
    {
        assert!(contains(&pdf, text), "{text}");
    }
    assert_eq!(count(&pdf, "/Type/Page/"), 1);
}

#[test]
fn a_long_invoice_has_several_pages_with_header_and_number() {
    let pdf = pdf(&long_invoice(), V1);
    let pages = count(&pdf, "/Type/Page/");
    assert!(pages >= 2);
    let Some(text) = text(&pdf) else { return };
    let per_page: Vec<&str> = text.split('\u{c}').filter(|page| !page.trim().is_empty()).collect();
    assert_eq!(per_page.len(), pages);
    for (index, page) in per_page.iter().enumerate() {
        assert!(page.contains(&format!("Seite {} von {pages}", index + 1)), "{page}");
        assert!(page.contains("TEST-INV-2026-000042"), "{page}");
        assert!(!page.contains("Einzelpreis") || page.contains("Beschreibung"), "{page}");
    }
    assert!(per_page.iter().filter(|page| page.contains("Einzelpreis")).count() >= 2);
    // Text without a glyph is a box that can still be selected.
    for text_ in ["Общество", "Ελληνική", "株式会社国際電子", "🚀", "außergewöhnlich"] {
        assert!(text.contains(text_), "{text_}\n{text}");
    }
}

#[test]
fn a_pdf_explains_the_boxes_that_it_draws() {
    let Some(boxes) = text(&pdf(&long_invoice(), V1)) else { return };
    assert!(boxes.contains("HTML-Fassung"), "{boxes}");
    let whole = text(&pdf(&invoice(Locale::De, "EUR", 2, TaxMode::Exclusive), V1)).unwrap();
    assert!(!whole.contains("HTML-Fassung"), "{whole}");
}

#[test]
fn test_is_written_across_each_page_of_a_test_organization_only() {
    let across = |document: &Document| {
        let pdf = pdf(document, V1);
        (count(&pdf, "/F1 190 Tf"), count(&pdf, "/Type/Page/"))
    };
    let mut document = long_invoice();
    assert_eq!(across(&document), (3, 3));
    document.is_test = false;
    assert_eq!(across(&document), (0, 3));
}

#[test]
fn a_pdf_shows_the_amounts() {
    let Some(text) = text(&pdf(&invoice(Locale::En, "USD", 2, TaxMode::Exclusive), V1)) else { return };
    for amount in ["145.00", "2,469.14", "-7.25", "VAT 19% on 2,606.89", "495.31", "Applied balance", "-10.00"] {
        assert!(text.contains(amount), "{amount}\n{text}");
    }
}

fn any_document() -> impl Strategy<Value = Document> {
    let text = || prop_oneof![".{0,40}", "[a-zA-Z]{60,255}", "\\PC{0,255}"];
    (
        text(),
        text(),
        text(),
        proptest::collection::vec((text(), any::<i64>(), any::<i128>(), 0_u8..20), 0..30),
        any::<bool>(),
        0_usize..5,
    )
        .prop_map(|(name, number, memo, lines, is_test, locale)| {
            let mut document = invoice(Locale::ALL[locale], "USD", 1, TaxMode::Exclusive);
            document.buyer = party(&name, &[&name, &memo, &number, &name, &memo, &number], &name, &memo);
            document.buyer.note = Some(memo.clone());
            document.lines = lines
                .into_iter()
                .map(|(description, amount, digits, decimals)| DocumentLine {
                    description,
                    quantity: Some(perennial_documents::Decimal { digits, decimals }),
                    amount: Amount::from_ten_thousandths(amount).unwrap_or_default(),
                    ..document.lines[0].clone()
                })
                .collect();
            (document.number, document.memo, document.is_test) = (number, Some(memo), is_test);
            document
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_record_has_a_document(document in any_document()) {
        let bytes = pdf(&document, V1);
        prop_assert!(bytes.starts_with(b"%PDF"));
        prop_assert_eq!(count(html(&document, V1).as_bytes(), "<tr><th scope=\"row\""), document.lines.len());
    }
}
