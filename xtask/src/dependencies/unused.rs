//! Dependencies that no code of their package names. An unused one costs build time and trust.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{members, text};
use crate::process::{Result, could_not};

/// Named for their features only (see the manifest), or in a file that the tests share with another package.
const NAMED_ELSEWHERE: [(&str, &str); 3] =
    [("perennial-testkit", "proptest"), ("perennial-outbound", "aws-lc-rs"), ("perennial-outbound", "tokio-rustls")];

/// The dependencies of a package that it does not use.
pub(crate) fn check(package: &Value) -> Result<Vec<String>> {
    let name = text(package, "name");
    let directory = Path::new(text(package, "manifest_path")).with_file_name("");
    let sources = read(&directory.join("src"))?;
    let tests = read(&directory.join("tests"))?;
    let build = fs::read_to_string(directory.join("build.rs")).unwrap_or_default();
    let mut errors = Vec::new();
    for dependency in members(&package["dependencies"]) {
        let alias = dependency["rename"].as_str().unwrap_or(text(dependency, "name"));
        let path = alias.replace('-', "_");
        let is_used = match dependency["kind"].as_str() {
            Some("build") => names(&build, &path),
            Some("dev") => names(&sources, &path) || names(&tests, &path),
            _ => names(&sources, &path),
        };
        if !is_used && !NAMED_ELSEWHERE.contains(&(name, alias)) {
            errors.push(format!("{name} does not use its dependency {alias}."));
        }
    }
    Ok(errors)
}

/// All Rust sources of a directory, one after the other; nothing if there is no such directory.
fn read(directory: &Path) -> Result<String> {
    let mut sources = String::new();
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources.push_str(&read(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            sources.push_str(&fs::read_to_string(&path).map_err(could_not(format!("read {}", path.display())))?);
        }
    }
    Ok(sources)
}

/// Whether a source has a path that starts with this crate: `serde::`, `use serde as`, `use serde;`.
fn names(source: &str, name: &str) -> bool {
    source.match_indices(name).any(|(at, _)| {
        let (before, after) = (&source[..at], &source[at + name.len()..]);
        let starts = !before.ends_with(|letter: char| letter.is_alphanumeric() || letter == '_' || letter == ':');
        let imported = before.ends_with("use ") && (after.starts_with(';') || after.starts_with(" as "));
        starts && (after.starts_with("::") || imported)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_starts_with_the_crate_names_it() {
        for source in ["use http::Method;", "use http;", "use http as h;", "let a: http::Uri;", "(http::uri)"] {
            assert!(names(source, "http"), "{source}");
        }
        for source in
            ["use crate::http::Method;", "perennial_http::Api", "// http: a protocol", "https::a", "use httpx;"]
        {
            assert!(!names(source, "http"), "{source}");
        }
    }
}
