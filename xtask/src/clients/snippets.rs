//! The functions of the guides that verify a signature, run as they are printed, against requests and tokens that our
//! signers made. In CI every language runs; elsewhere one whose tools are missing is skipped.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::debian;
use crate::process::{self, Failure, Result, could_not};

const GUIDE: &str = "docs/webhooks.md";
const VECTORS: &str = "clients/webhook-vectors.json";

struct Language {
    /// The word after the fence of its block in the guide.
    fence: &'static str,
    program: &'static str,
    /// The package of Debian that has the program.
    package: &'static str,
    /// The file that the block is written to, after this line.
    snippet: (&'static str, &'static str),
    /// A program that reads requests from its standard input, and prints for each whether it is valid.
    main: (&'static str, &'static str),
    run: &'static str,
}

const LANGUAGES: [Language; 6] = [
    Language {
        fence: "js",
        program: "node",
        package: "nodejs",
        snippet: ("snippet.mjs", ""),
        main: ("main.mjs", include_str!("snippets/main.mjs")),
        run: "node main.mjs",
    },
    Language {
        fence: "python",
        program: "python3",
        package: "python3",
        snippet: ("snippet.py", ""),
        main: ("main.py", include_str!("snippets/main.py")),
        run: "python3 -B main.py",
    },
    Language {
        fence: "go",
        program: "go",
        package: "golang-go",
        snippet: ("snippet.go", "package main\n"),
        main: ("main.go", include_str!("snippets/main.go.txt")),
        run: "go run main.go snippet.go",
    },
    Language {
        fence: "java",
        program: "javac",
        package: "default-jdk-headless",
        snippet: ("Webhooks.java", ""),
        main: ("Main.java", include_str!("snippets/Main.java")),
        run: "javac Webhooks.java Main.java && java Main",
    },
    Language {
        fence: "php",
        program: "php",
        package: "php-cli",
        snippet: ("snippet.php", "<?php\n"),
        main: ("main.php", include_str!("snippets/main.php")),
        run: "php main.php",
    },
    Language {
        fence: "ruby",
        program: "ruby",
        package: "ruby",
        snippet: ("snippet.rb", ""),
        main: ("main.rb", include_str!("snippets/main.rb")),
        run: "ruby main.rb",
    },
];

mod tokens;

/// The snippets of all guides.
pub(crate) fn run() -> Result {
    webhooks()?;
    tokens::run()
}

fn webhooks() -> Result {
    process::heading("The snippets of the guide to webhooks");
    let guide = read(GUIDE)?;
    let cases = cases(&read(VECTORS)?)?;
    let is_ci = std::env::var_os("CI").is_some();
    install(is_ci)?;
    let mut failed = Vec::new();
    for language in &LANGUAGES {
        if process::on_path(language.program).is_none() && !is_ci {
            println!("{}: SKIPPED, because `{}` is not installed", language.fence, language.program);
            continue;
        }
        match language.check(&guide, &cases) {
            Ok(()) => println!("{}: ok, {} requests", language.fence, cases.len()),
            Err(failure) => {
                println!("{}: FAILED: {failure}", language.fence);
                failed.push(language.fence);
            }
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(Failure::new(format!("snippets failed: {}.", failed.join(", ")))) }
}

fn install(is_ci: bool) -> Result {
    let is_missing = |language: &&Language| process::on_path(language.program).is_none();
    let packages: Vec<&str> = LANGUAGES.iter().filter(is_missing).map(|language| language.package).collect();
    if is_ci && !packages.is_empty() && debian::can_install() { debian::install(&packages) } else { Ok(()) }
}

fn read(path: &str) -> Result<String> {
    fs::read_to_string(process::root().join(path)).map_err(could_not(format!("read {path}")))
}

/// A request, and whether it is valid.
struct Case {
    name: String,
    /// ID, timestamp, signatures, tolerance, secrets and body, separated by tabs.
    line: String,
    is_valid: bool,
}

/// A tolerance that the requests need, which were signed at a fixed time.
const ANY: &str = "4000000000";
const OTHER: &str = "whsec_b3RoZXI=";

/// Valid requests, and what an attacker would make of them.
fn cases(vectors: &str) -> Result<Vec<Case>> {
    let vectors: Vec<Value> =
        serde_json::from_str(vectors).map_err(|_| Failure::new(format!("{VECTORS} is not JSON")))?;
    let mut cases = Vec::new();
    for vector in &vectors {
        let text = |pointer: &str| vector.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (id, at) = (text("/headers/webhook-id"), text("/headers/webhook-timestamp"));
        let (signatures, body) = (text("/headers/webhook-signature"), text("/body"));
        let keys: Vec<&str> = vector["keys"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        if keys.iter().any(|key| !key.starts_with("whsec_")) {
            continue;
        }
        let mut add = |what: &str, fields: [&str; 6], is_valid| {
            cases.push(Case { name: format!("{}, {what}", text("/name")), line: fields.join("\t"), is_valid });
        };
        for key in &keys {
            add("one secret", [&id, &at, &signatures, ANY, key, &body], true);
            add("two secrets", [&id, &at, &signatures, ANY, &format!("{OTHER},{key}"), &body], true);
        }
        let key = keys.first().copied().unwrap_or_default();
        add("wrong secret", [&id, &at, &signatures, ANY, OTHER, &body], false);
        add("wrong ID", ["evt_other", &at, &signatures, ANY, key, &body], false);
        add("wrong time", [&id, &format!("{at}0"), &signatures, "99999999999", key, &body], false);
        add("wrong body", [&id, &at, &signatures, ANY, key, &format!("{body} ")], false);
        add("wrong version", [&id, &at, &signatures.replace("v1,", "v2,"), ANY, key, &body], false);
        add("no signature", [&id, &at, "v1", ANY, key, &body], false);
        add("no time", [&id, "soon", &signatures, ANY, key, &body], false);
        add("too long ago or ahead", [&id, &at, &signatures, "300", key, &body], false);
    }
    Ok(cases)
}

impl Language {
    fn check(&self, guide: &str, cases: &[Case]) -> Result {
        let directory = process::emptied(&process::target()?.join("snippets").join(self.fence))?;
        self.write(guide, &directory)?;
        let input: String = cases.iter().flat_map(|case| [case.line.as_str(), "\n"]).collect();
        let printed = fed(Command::new("sh").args(["-c", self.run]).current_dir(&directory), &input)?;
        let lines: Vec<&str> = printed.lines().collect();
        if lines.len() != cases.len() {
            return Err(Failure::new(format!("{} of {} requests were decided: {printed}", lines.len(), cases.len())));
        }
        for (case, line) in cases.iter().zip(lines) {
            let expected = if case.is_valid { "valid" } else { "invalid" };
            if line != expected {
                return Err(Failure::new(format!("{}: {line} instead of {expected}", case.name)));
            }
        }
        Ok(())
    }

    fn write(&self, guide: &str, directory: &Path) -> Result {
        let block = block(guide, self.fence)
            .ok_or_else(|| Failure::new(format!("{GUIDE} has no block of the language {}", self.fence)))?;
        let complaint = || could_not(format!("write into {}", directory.display()));
        let (snippet, first_line) = self.snippet;
        fs::write(directory.join(snippet), format!("{first_line}{block}")).map_err(complaint())?;
        fs::write(directory.join(self.main.0), self.main.1).map_err(complaint())
    }
}

/// The first block of a language in the guide.
fn block<'a>(guide: &'a str, fence: &str) -> Option<&'a str> {
    let (_, rest) = guide.split_once(&format!("\n```{fence}\n"))?;
    Some(rest.split_once("\n```\n")?.0)
}

/// What a program prints that is given this input.
fn fed(command: &mut Command, input: &str) -> Result<String> {
    let failed = || could_not("run a snippet");
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().map_err(failed())?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(input.as_bytes()).map_err(failed())?;
    }
    let output = child.wait_with_output().map_err(failed())?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_its_block_in_the_guide() {
        let guide = include_str!("../../../docs/webhooks.md");
        for language in &LANGUAGES {
            assert!(block(guide, language.fence).is_some_and(|block| block.contains("whsec_")), "{}", language.fence);
        }
    }

    #[test]
    fn the_requests_are_valid_and_not() {
        let cases = cases(include_str!("../../../clients/webhook-vectors.json")).unwrap();
        let valid = cases.iter().filter(|case| case.is_valid).count();
        assert_eq!((valid, cases.len() - valid), (8, 24));
        assert!(cases.iter().all(|case| case.line.split('\t').count() == 6));
    }
}
