//! What must hold for whatever bytes come from outside, one function for each parser at the edge.
//! A target panics where a property does not hold. libFuzzer looks for such bytes; a test here runs what it found before.

mod bodies;
mod cursors;
mod headers;
mod numbers;
mod queries;
mod texts;
mod tokens;

/// A parser under test.
#[derive(Clone, Copy)]
pub struct Target {
    /// Its name, which is its corpus's directory too.
    pub name: &'static str,
    /// Tries these bytes.
    pub run: fn(&[u8]),
}

/// Every parser at the edge.
pub const TARGETS: [Target; 18] = [
    Target { name: "body", run: bodies::operations },
    Target { name: "plan_body", run: bodies::plan },
    Target { name: "subscription_body", run: bodies::subscription },
    Target { name: "payment_body", run: bodies::payment },
    Target { name: "authentication_body", run: bodies::authentication },
    Target { name: "jwt", run: tokens::jwt },
    Target { name: "access_token", run: tokens::access },
    Target { name: "refresh_token", run: tokens::refresh },
    Target { name: "jwks", run: tokens::jwks },
    Target { name: "forwarded_for", run: headers::forwarded_for },
    Target { name: "headers", run: headers::conditions },
    Target { name: "console_access", run: headers::console_access },
    Target { name: "query", run: queries::operations },
    Target { name: "cursor", run: cursors::cursor },
    Target { name: "slug", run: texts::slug },
    Target { name: "text", run: texts::text },
    Target { name: "decimal", run: numbers::decimal },
    Target { name: "timestamp", run: numbers::timestamp },
];

/// The target of this name.
pub fn named(name: &str) -> Option<Target> {
    TARGETS.into_iter().find(|target| target.name == name)
}

/// Bytes that are text; the parsers that take text are given nothing else.
fn utf8(data: &[u8]) -> Option<&str> {
    std::str::from_utf8(data).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn corpus(target: &Target) -> Vec<PathBuf> {
        let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.name);
        let entries = std::fs::read_dir(&directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
        entries.map(|entry| entry.unwrap().path()).collect()
    }

    /// Whatever was found once never comes back, and every target has somewhere to start from.
    #[test]
    fn the_corpus_holds() {
        for target in TARGETS {
            let inputs = corpus(&target);
            assert!(inputs.len() >= 3, "{} has a corpus", target.name);
            for path in inputs {
                eprintln!("{}", path.display());
                (target.run)(&std::fs::read(path).unwrap());
            }
        }
    }

    #[test]
    fn every_corpus_has_its_target() {
        let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("corpus");
        for entry in std::fs::read_dir(directory).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(named(&name).is_some(), "there is no target {name}");
        }
    }
}
