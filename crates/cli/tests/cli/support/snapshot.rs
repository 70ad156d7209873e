//! Texts that people read, kept as files so that a change of one is seen in a review.

use std::path::Path;

/// Holds a text against `snapshots/NAME.txt`; with `PERENNIAL_UPDATE_SNAPSHOTS=1` writes it there instead.
#[track_caller]
pub(crate) fn snapshot(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/snapshots").join(format!("{name}.txt"));
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
