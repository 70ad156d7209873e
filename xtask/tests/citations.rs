//! Comments cite sections of `docs/api.md` as "API rules 1.4", and ARCHITECTURE.md names files: all of them exist. So do the
//! targets of the links between documents.

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

/// Whether a path as ARCHITECTURE.md writes it exists: `store/queue.rs` is `crates/store/src/queue.rs`, a module may be named
/// without its ending.
fn exists(path: &str) -> bool {
    let path = path.split("::").next().unwrap_or_default();
    let (layer, rest) = path.split_once('/').unwrap_or((path, ""));
    let module = root().join("crates").join(layer).join("src").join(rest);
    [root().join(path), module.with_extension("rs"), module].iter().any(|place| place.exists())
}

#[test]
fn every_file_that_the_architecture_names_exists() {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let prose: String = page.split("```").step_by(2).collect();
    let is_path = |word: &&str| {
        let letters = |letter: char| letter.is_ascii_lowercase() || "/_-.:".contains(letter);
        word.contains('/') && !word.starts_with('/') && !word.ends_with('/') && word.chars().all(letters)
    };
    let named: Vec<&str> = prose.split('`').skip(1).step_by(2).filter(is_path).collect();
    let missing: Vec<_> = named.iter().filter(|path| !exists(path)).collect();
    assert!(missing.is_empty(), "ARCHITECTURE.md names {missing:?}");
    assert!(named.len() >= 40, "only {} paths were found", named.len());
}

/// The anchor that a heading gets.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

/// A page without its code blocks.
fn prose(path: &Path) -> String {
    fs::read_to_string(path).unwrap().split("```").step_by(2).collect()
}

#[test]
fn links_between_documents_lead_to_pages_and_headings() {
    let mut pages: Vec<PathBuf> = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"]
        .map(|name| root().join(name))
        .into();
    for directory in ["docs", "docs/decisions"] {
        let entries = fs::read_dir(root().join(directory)).unwrap().map(|entry| entry.unwrap().path());
        pages.extend(entries.filter(|path| path.extension().is_some_and(|extension| extension == "md")));
    }
    let (mut count, mut wrong) = (0, Vec::new());
    for page in &pages {
        let text = prose(page);
        let links = text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link);
        for link in links.filter(|link| !link.contains("://")) {
            count += 1;
            let (path, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = if path.is_empty() { page.clone() } else { page.parent().unwrap().join(path) };
            let is_right = target.exists()
                && (heading.is_empty()
                    || prose(&target)
                        .lines()
                        .filter(|line| line.starts_with('#'))
                        .any(|line| anchor(line.trim_start_matches('#').trim()) == heading));
            if !is_right {
                wrong.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "these links lead nowhere:\n{}", wrong.join("\n"));
    assert!(count >= 200, "only {count} links were found");
}

#[test]
fn citations_are_read_from_a_line() {
    assert_eq!(cited("//! API rules 1.8, 4.1 and 6.1 (`docs/api.md`): amounts are exact"), ["1.8", "4.1", "6.1"]);
    assert_eq!(cited("//! API rules 3.1 to 3.3 through HTTP"), ["3.1", "3.3"]);
    assert_eq!(cited("//! API rules 7: one event"), ["7"]);
    assert_eq!(cited("// no citation of the API rules'"), Vec::<&str>::new());
}
