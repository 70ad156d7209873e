//! The functions of docs/verify-tokens.md that verify entitlement tokens, in three languages.

use std::fs;
use std::process::Command;

use serde_json::Value;

use super::{fed, read};
use crate::process::{self, Failure, Result, could_not};

const GUIDE: &str = "docs/verify-tokens.md";
const VECTORS: &str = "clients/entitlement-token-vectors.json";

struct Language {
    /// The word after the fence of its block in the guide.
    fence: &'static str,
    /// A command that succeeds if what the snippet needs is installed.
    needs: &'static str,
    /// The file that the block is written to, after this line.
    snippet: (&'static str, &'static str),
    /// A program that reads tokens from its standard input, and prints for each whether it is valid.
    main: (&'static str, &'static str),
    run: &'static str,
}

const LANGUAGES: [Language; 3] = [
    Language {
        fence: "js",
        needs: "node --version",
        snippet: ("snippet.mjs", ""),
        main: ("main.mjs", include_str!("tokens.mjs")),
        run: "node main.mjs",
    },
    Language {
        fence: "python",
        needs: "python3 -c 'import cryptography'",
        snippet: ("snippet.py", ""),
        main: ("main.py", include_str!("tokens.py")),
        run: "python3 -B main.py",
    },
    Language {
        fence: "go",
        needs: "go version",
        snippet: ("snippet.go", "package main\n"),
        main: ("main.go", include_str!("tokens.go.txt")),
        run: "go run main.go snippet.go",
    },
];

pub(super) fn run() -> Result {
    process::heading("The snippets of the guide to entitlement tokens");
    let (guide, vectors) = (read(GUIDE)?, read(VECTORS)?);
    let vectors: Value = serde_json::from_str(&vectors).map_err(|_| Failure::new(format!("{VECTORS} is not JSON")))?;
    let mut failed = Vec::new();
    for language in &LANGUAGES {
        if process::output(Command::new("sh").args(["-c", language.needs])).is_err() {
            println!("{}: SKIPPED, because `{}` failed", language.fence, language.needs);
            continue;
        }
        match language.check(&guide, &vectors) {
            Ok(count) => println!("{}: ok, {count} tokens", language.fence),
            Err(failure) => {
                println!("{}: FAILED: {failure}", language.fence);
                failed.push(language.fence);
            }
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(Failure::new(format!("snippets failed: {}.", failed.join(", ")))) }
}

/// The block of a language about entitlement tokens.
fn block<'a>(guide: &'a str, fence: &str) -> Option<&'a str> {
    let (_, section) = guide.split_once("\n## Entitlement tokens\n")?;
    let (_, rest) = section.split_once(&format!("\n```{fence}\n"))?;
    Some(rest.split_once("\n```\n")?.0)
}

impl Language {
    fn check(&self, guide: &str, vectors: &Value) -> Result<usize> {
        let directory = process::emptied(&process::target()?.join("snippets/tokens").join(self.fence))?;
        let complaint = || could_not(format!("write into {}", directory.display()));
        let block = block(guide, self.fence)
            .ok_or_else(|| Failure::new(format!("{GUIDE} has no block of the language {}", self.fence)))?;
        let (snippet, first_line) = self.snippet;
        fs::write(directory.join(snippet), format!("{first_line}{block}")).map_err(complaint())?;
        fs::write(directory.join(self.main.0), self.main.1).map_err(complaint())?;
        fs::write(directory.join("keys.json"), vectors["jwks"].to_string()).map_err(complaint())?;
        let cases = vectors["cases"].as_array().map(Vec::as_slice).unwrap_or_default();
        let line = |case: &Value| {
            format!("{}\t{}\t{}\n", case["token"].as_str().unwrap_or_default(), case["seen"], case["now"])
        };
        let input: String = cases.iter().map(line).collect();
        let printed = fed(Command::new("sh").args(["-c", self.run]).current_dir(&directory), &input)?;
        let lines: Vec<&str> = printed.lines().collect();
        if lines.len() != cases.len() || cases.is_empty() {
            return Err(Failure::new(format!("{} of {} tokens were decided: {printed}", lines.len(), cases.len())));
        }
        for (case, line) in cases.iter().zip(lines) {
            let expected = if case["valid"] == true { "valid" } else { "invalid" };
            if line != expected {
                return Err(Failure::new(format!("{}: {line} instead of {expected}", case["name"])));
            }
        }
        Ok(cases.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_its_block_in_the_guide() {
        let guide = include_str!("../../../../docs/verify-tokens.md");
        for language in &LANGUAGES {
            assert!(block(guide, language.fence).is_some_and(|block| block.contains("ent+jwt")), "{}", language.fence);
        }
    }
}
