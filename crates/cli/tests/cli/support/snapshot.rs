//! Texts for users, stored as files so that a review shows their changes.

use std::collections::BTreeSet;
use std::path::Path;

const SNAPSHOTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/snapshots");
/// The shape of an instant.
const INSTANT: &str = "0000-00-00T00:00:00.000000";

/// Holds a text against `snapshots/NAME.txt`; with `PERENNIAL_UPDATE_SNAPSHOTS=1` writes it there instead.
#[track_caller]
pub(crate) fn snapshot(name: &str, text: &str) {
    let path = Path::new(SNAPSHOTS).join(format!("{name}.txt"));
    if std::env::var_os("PERENNIAL_UPDATE_SNAPSHOTS").is_some_and(|value| value == "1") {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        return std::fs::write(&path, text).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    if kept != text {
        let differs = kept.lines().zip(text.lines()).position(|(kept, now)| kept != now);
        let line = differs.unwrap_or_else(|| kept.lines().count().min(text.lines().count())) + 1;
        panic!(
            "{} differs from line {line}; if that is meant, run with PERENNIAL_UPDATE_SNAPSHOTS=1. It is now:\n{text}",
            path.display()
        );
    }
}

/// The names of the snapshots in a directory.
pub(crate) fn stored_names(directory: &str) -> BTreeSet<String> {
    let entries = std::fs::read_dir(Path::new(SNAPSHOTS).join(directory)).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter_map(|name| name.strip_suffix(".txt").map(str::to_owned)).collect()
}

/// The text with the digits of ids and instants, which no two runs share, made noughts.
pub(crate) fn masked(text: &str) -> String {
    let mut masked = String::new();
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let (length, noughts) = match (id_length(&masked, rest), instant_length(rest)) {
            (Some(length), _) => (length, "0".repeat(length)),
            (_, Some(length)) => (length, INSTANT[..length].to_owned()),
            _ => (next.len_utf8(), next.to_string()),
        };
        masked.push_str(&noughts);
        rest = &rest[length..];
    }
    masked
}

/// The 26 characters after the underscore of an id.
fn id_length(before: &str, rest: &str) -> Option<usize> {
    let end = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
    (before.ends_with('_') && end == 26).then_some(26)
}

/// An instant, with its fraction if it has one.
fn instant_length(rest: &str) -> Option<usize> {
    let fits = |(byte, like): (u8, u8)| if like == b'0' { byte.is_ascii_digit() } else { byte == like };
    let is_like = |length: &usize| rest.len() >= *length && rest.bytes().zip(INSTANT.bytes()).take(*length).all(fits);
    [INSTANT.len(), 19].into_iter().find(is_like)
}

#[test]
fn ids_and_instants_are_masked_and_nothing_else() {
    let text = "plan_01h455vb4pex5vsknk084sn02q 2026-01-31T09:30:00.123456Z 2026-01-31T09:30:00Z a_b 19.99";
    let expected = "plan_00000000000000000000000000 0000-00-00T00:00:00.000000Z 0000-00-00T00:00:00Z a_b 19.99";
    assert_eq!(masked(text), expected);
}
