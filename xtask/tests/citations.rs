//! Comments cite sections of `docs/api.md` as "API rules 1.4"; every cited section exists.

#![expect(clippy::unwrap_used, reason = "a test that cannot continue panics")]

use std::fs;
use std::path::{Path, PathBuf};

const MARK: &str = "API rules ";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

/// The numbers of the page's headings: `## 1. Requests` and `### 1.4 Order of checks`.
fn sections(page: &str) -> Vec<String> {
    let headings = page.lines().filter_map(|line| line.strip_prefix("## ").or_else(|| line.strip_prefix("### ")));
    let numbers = headings.filter_map(|heading| heading.split(' ').next());
    numbers.map(|number| number.trim_end_matches('.').to_owned()).collect()
}

/// The numbers cited in a line: `1.8, 4.1 and 6.1`, or `3.1 to 3.3`.
fn cited(line: &str) -> Vec<&str> {
    let citations = line.split(MARK).skip(1);
    let words = citations.flat_map(|rest| {
        rest.split([' ', ',']).take_while(|word| {
            matches!(*word, "" | "and" | "to") || word.starts_with(|letter: char| letter.is_ascii_digit())
        })
    });
    words.map(|word| word.trim_end_matches([':', '.'])).filter(|word| !matches!(*word, "" | "and" | "to")).collect()
}

fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn every_cited_section_of_the_api_rules_exists() {
    let sections = sections(&fs::read_to_string(root().join("docs/api.md")).unwrap());
    let mut files = Vec::new();
    sources(&root().join("crates"), &mut files);
    let (mut count, mut wrong) = (0, Vec::new());
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        for (number, line) in text.lines().enumerate() {
            let cited = cited(line);
            count += cited.len();
            let missing = cited.iter().filter(|section| !sections.iter().any(|known| known == *section));
            wrong.extend(missing.map(|section| format!("{}:{}: section {section}", file.display(), number + 1)));
        }
    }
    assert!(wrong.is_empty(), "docs/api.md does not have:\n{}", wrong.join("\n"));
    assert!(count >= 50, "only {count} citations were found");
}

#[test]
fn citations_are_read_from_a_line() {
    assert_eq!(cited("//! API rules 1.8, 4.1 and 6.1 (`docs/api.md`): amounts are exact"), ["1.8", "4.1", "6.1"]);
    assert_eq!(cited("//! API rules 3.1 to 3.3 through HTTP"), ["3.1", "3.3"]);
    assert_eq!(cited("//! API rules 7: one event"), ["7"]);
    assert_eq!(cited("// no citation of the API rules'"), Vec::<&str>::new());
}
