//! API rules 1.9 (`docs/api.md`): normalized on the way in, measured in code points. Attack 25: nothing that hides.

use super::support::{Records, plan_with};
use perennial_testkit::TestApp;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// A JSON text in which every character is escaped, halves of characters too.
fn escaped(units: impl IntoIterator<Item = u16>) -> String {
    let mut text = String::from("\"");
    for unit in units {
        let _ = write!(text, "\\u{unit:04x}");
    }
    text + "\""
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

#[tokio::test]
async fn text_is_stored_in_nfc_with_plain_line_feeds() {
    let app = TestApp::start().await;
    for (number, (field, sent, kept)) in [
        ("name", "Cafe\u{301}", "Caf\u{e9}"),
        ("name", "\u{212b}ngstr\u{f6}m", "\u{c5}ngstr\u{f6}m"),
        ("name", "\u{1112}\u{1161}\u{11ab}", "\u{d55c}"),
        ("name", "e\u{323}\u{302}", "\u{1ec7}"),
        ("name", "\u{fb01}", "\u{fb01}"),
        ("name", " spaced  out ", " spaced  out "),
        ("product_id", "u\u{308}", "\u{fc}"),
        ("description", "a\r\nb\r\n\r\nc\td\n", "a\nb\n\nc\td\n"),
        ("features", "one,\r\ntwo ,,\tthree", "one,\ntwo ,,\tthree"),
        ("description", "e\u{301}\r\n", "\u{e9}\n"),
        (
            "description",
            "👩\u{200d}👩\u{200d}👧 \u{200f}\u{200b}\u{feff}\u{2028}",
            "👩\u{200d}👩\u{200d}👧 \u{200f}\u{200b}\u{feff}\u{2028}",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let slug = format!("p{number}");
        for body in [quoted(sent), escaped(sent.encode_utf16())] {
            let created = plan_with(&app, &slug, field, &body).await.expect(201);
            assert_eq!(created.data()[field], kept, "{sent:?}");
            let path = format!("/subscription-plans/{slug}");
            assert_eq!(app.get(&path).await.data()[field], kept, "{sent:?}");
            app.delete(&path).await.expect(200);
        }
    }
    let answer = app.plan("many", json!({ "variants": ["e\u{301}"] })).await;
    assert_eq!(answer["variants"], json!(["\u{e9}"]));
    let same_twice = r#"["é","é"]"#;
    let answer = plan_with(&app, "twice", "variants", same_twice).await.refused(422, "duplicate_item");
    assert_eq!(answer.faults(), ["/variants/1 duplicate_item"]);
}

#[tokio::test]
async fn lengths_are_counted_in_code_points_after_normalisation() {
    let app = TestApp::start().await;
    for (number, (field, unit, most)) in [
        ("name", "a", 255),
        ("name", "é", 255),
        ("name", "😀", 255),
        ("name", "e\u{301}", 255),
        ("product_id", "😀", 255),
        ("description", "😀", 5_000),
        ("description", "\r\n", 5_000),
        ("features", "e\u{301}", 10_000),
    ]
    .into_iter()
    .enumerate()
    {
        let slug = format!("p{number}");
        plan_with(&app, &slug, field, &quoted(&unit.repeat(most))).await.expect(201);
        let answer = plan_with(&app, "long", field, &quoted(&unit.repeat(most + 1))).await.refused(422, "too_long");
        assert_eq!(answer.faults(), [format!("/{field} too_long")]);
    }
    let href = |length: usize| quoted(&format!("https://example.com/{}", "x".repeat(length - 20)));
    plan_with(&app, "linked", "href", &href(2_048)).await.expect(201);
    plan_with(&app, "long", "href", &href(2_049)).await.refused(422, "too_long");
    plan_with(&app, "long", "name", "\"\"").await.refused(422, "too_short");
}

#[tokio::test]
async fn external_ids_are_text_too() {
    let app = TestApp::start().await;
    let records = Records::create(&app).await;
    for (path, field) in
        [(records.subscription_path(), "external_subscription_id"), (records.payment_path(), "external_payment_id")]
    {
        let answer = app.put(&path, &json!({ field: "e\u{301}" })).await.expect(200);
        assert_eq!(answer.data()[field], "\u{e9}");
        app.put(&path, &json!({ field: "😀".repeat(255) })).await.expect(200);
        app.put(&path, &json!({ field: "😀".repeat(256) })).await.refused(422, "too_long");
        for bad in ["\u{0}", "a\nb", "\u{202e}x"] {
            app.put(&path, &json!({ field: bad })).await.refused(422, "invalid_text");
        }
        let answer = app.put(&path, &json!({ field: "" })).await.expect(200);
        assert_eq!(answer.data()[field], Value::Null);
    }
}

#[tokio::test]
async fn controls_are_rejected_everywhere_but_for_line_feeds_and_tabs_in_prose() {
    let app = TestApp::start().await;
    let controls = (0x00..0x20).chain(0x7f..0xa0);
    for control in controls {
        for field in ["name", "product_id", "description", "features"] {
            let prose = ["description", "features"].contains(&field);
            // In the middle, and at the end: nothing is trimmed away.
            for units in [vec![0x61, control, 0x62], vec![0x61, control]] {
                let answer = plan_with(&app, "pro", field, &escaped(units)).await;
                if prose && [0x09, 0x0a].contains(&control) {
                    answer.expect(201);
                    app.delete("/subscription-plans/pro").await.expect(200);
                } else {
                    let answer = answer.refused(422, "invalid_text");
                    assert_eq!(answer.faults(), [format!("/{field} invalid_text")], "U+{control:04X}");
                }
            }
        }
    }
    let answer = plan_with(&app, "pro", "variants", r#"["a","b\u0000"]"#).await.refused(422, "invalid_text");
    assert_eq!(answer.faults(), ["/variants/1 invalid_text"]);
    plan_with(&app, "pro", "href", r#""https://example.com/\u0000""#).await.refused(422, "invalid_text");
    plan_with(&app, "pro", "name", r#""a\r\nb""#).await.refused(422, "invalid_text");
    plan_with(&app, "pro", "slug", r#""pro\u0000""#).await.refused(422, "invalid_format");
    plan_with(&app, "pro", "currency", r#""US\u0000""#).await.refused(422, "unknown_value");
    plan_with(&app, "pro", "billing_cycle", r#""monthly\u0000""#).await.refused(422, "unknown_value");
}

#[tokio::test]
async fn marks_that_reorder_text_are_rejected() {
    let app = TestApp::start().await;
    for mark in (0x202a..=0x202e).chain(0x2066..=0x2069) {
        for field in ["name", "product_id", "description", "features"] {
            let answer = plan_with(&app, "pro", field, &escaped([0x61, mark, 0x62])).await;
            let answer = answer.refused(422, "invalid_text");
            assert_eq!(answer.faults(), [format!("/{field} invalid_text")], "U+{mark:04X}");
        }
    }
    // Their neighbors are text.
    let neighbors = escaped([0x2029, 0x202f, 0x2065, 0x206a]);
    plan_with(&app, "pro", "description", &neighbors).await.expect(201);
}

#[tokio::test]
async fn half_a_character_is_rejected() {
    let app = TestApp::start().await;
    for units in
        [&[0xd800][..], &[0xdbff, 0x61], &[0xdc00], &[0x61, 0xdfff], &[0xdc00, 0xd800], &[0xd83d, 0xd83d, 0xde00]]
    {
        for field in ["name", "product_id", "description", "features", "slug", "currency", "href", "billing_cycle"] {
            let answer = plan_with(&app, "pro", field, &escaped(units.iter().copied())).await.expect(422);
            assert_eq!(answer.faults(), [format!("/{field} invalid_text")], "{units:x?}");
        }
        let variants = format!("[{}]", escaped(units.iter().copied()));
        let answer = plan_with(&app, "pro", "variants", &variants).await.expect(422);
        assert_eq!(answer.faults(), ["/variants/0 invalid_text"]);
    }
    plan_with(&app, "pro", "name", &escaped([0xd83d, 0xde00])).await.expect(201);
}
