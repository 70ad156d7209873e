//! The picture in the README shows the README's own commands.

use perennial_harness::readme;
use std::fs;
use std::path::Path;

#[test]
fn every_command_of_the_tour_is_in_the_picture_in_its_order() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let text = fs::read_to_string(root.join("README.md")).unwrap();
    let picture = fs::read_to_string(root.join("docs/first-run.svg")).unwrap();
    assert!(text.contains("(docs/first-run.svg)"));
    // A long line is wrapped, so the concatenated lines are compared.
    let lines = picture.lines().filter_map(|line| line.strip_prefix("<text class=\"typed\""));
    let typed: String = lines.filter_map(|line| line.split_once('>')?.1.strip_suffix("</text>")).collect();
    let typed = typed.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    let expected = readme::commands(&text, "Run it") + &readme::commands(&text, "The first five minutes");
    let expected: String = expected.lines().flat_map(|line| ["$ ", line]).collect();
    assert_eq!(typed, expected, "the README has changed: run `cargo xtask recording`");
}
