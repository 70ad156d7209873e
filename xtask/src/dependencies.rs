//! `cargo xtask dependencies`: licenses, sources and banned crates of every dependency, and dependencies that no code uses.
//! It reads what cargo knows already, so that nothing is installed: building `cargo-deny` and `cargo-machete` took longer
//! than all other lints together.

mod license;
mod unused;

use std::collections::BTreeSet;

use serde_json::Value;

use crate::process::{self, Failure, Result};

/// The platforms that Perennial runs on. A dependency of other platforms only is not checked.
const TARGETS: [&str; 5] = [
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "x86_64-unknown-linux-musl",
    "aarch64-unknown-linux-musl",
    "aarch64-apple-darwin",
];

const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

const BANNED: [(&str, &str); 5] = [
    ("openssl", "TLS is rustls: no system library to match at run time"),
    ("openssl-sys", "TLS is rustls: no system library to match at run time"),
    ("native-tls", "TLS is rustls: no system library to match at run time"),
    ("ring", "aws-lc-rs is the one cryptographic library"),
    ("chrono", "dates and times are jiff's"),
];

pub(crate) fn run() -> Result {
    let built = built()?;
    let metadata = metadata()?;
    let packages = members(&metadata["packages"]);
    let mut errors = Vec::new();
    for package in packages.iter().filter(|package| built.contains(&name_and_version(package))) {
        errors.extend(check(package));
    }
    for package in packages.iter().filter(|package| package["source"].is_null()) {
        errors.extend(unused::check(package)?);
    }
    println!("{} packages for {} platforms", built.len(), TARGETS.len());
    if errors.is_empty() { Ok(()) } else { Err(Failure::new(errors.join("\n"))) }
}

/// `name version` of every package that is built for some platform. The metadata also has dependencies that no enabled
/// feature needs.
fn built() -> Result<BTreeSet<String>> {
    let mut command = process::cargo();
    command.args(["tree", "--locked", "--workspace", "--all-features", "--prefix", "none", "--format", "{p}"]);
    command.args(TARGETS.iter().flat_map(|target| ["--target", target]));
    Ok(process::output(&mut command)?.lines().filter_map(in_tree).collect())
}

/// Reads `serde v1.0.229 (proc-macro) (*)`.
fn in_tree(line: &str) -> Option<String> {
    let (name, rest) = line.split_once(" v")?;
    Some(format!("{name} {}", rest.split(' ').next()?))
}

fn metadata() -> Result<Value> {
    let mut command = process::cargo();
    command.args(["metadata", "--format-version", "1", "--locked", "--all-features"]);
    serde_json::from_str(&process::output(&mut command)?)
        .map_err(|error| Failure::new(format!("could not read the output of `cargo metadata`: {error}.")))
}

fn name_and_version(package: &Value) -> String {
    format!("{} {}", text(package, "name"), text(package, "version"))
}

/// What is wrong with a package that is built.
fn check(package: &Value) -> Vec<String> {
    let (name, version) = (text(package, "name"), text(package, "version"));
    let mut errors = Vec::new();
    if let Some((_, reason)) = BANNED.iter().find(|(banned, _)| *banned == name) {
        errors.push(format!("{name} {version} is banned: {reason}."));
    }
    // Our own crates are not published; their license is in the root.
    let Some(source) = package["source"].as_str() else { return errors };
    if source != REGISTRY {
        errors.push(format!("{name} {version} is from {source}; only crates.io is allowed."));
    }
    let license = text(package, "license");
    if !license::is_allowed(name, license) {
        errors.push(format!("{name} {version} has the license `{license}`, which is not allowed."));
    }
    errors
}

fn members(list: &Value) -> &[Value] {
    list.as_array().map_or(&[], Vec::as_slice)
}

fn text<'a>(object: &'a Value, member: &str) -> &'a str {
    object[member].as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_line_of_the_tree_is_a_name_and_a_version() {
        assert_eq!(in_tree("serde_derive v1.0.229 (proc-macro) (*)").as_deref(), Some("serde_derive 1.0.229"));
        assert_eq!(in_tree("[dev-dependencies]"), None);
    }

    #[test]
    fn a_banned_crate_a_foreign_source_and_a_license_are_found() {
        let package = |name: &str, source: &str, license: &str| {
            check(&json!({ "name": name, "version": "1.0.0", "source": source, "license": license }))
        };
        assert!(package("serde", REGISTRY, "MIT OR Apache-2.0").is_empty());
        assert_eq!(package("ring", REGISTRY, "ISC").len(), 1);
        assert_eq!(package("serde", "git+https://example.com/serde", "MIT").len(), 1);
        assert_eq!(package("serde", REGISTRY, "GPL-3.0-only").len(), 1);
        assert_eq!(package("serde", REGISTRY, "").len(), 1);
        assert!(check(&json!({ "name": "perennial-app", "version": "0.1.0", "source": null })).is_empty());
    }
}
