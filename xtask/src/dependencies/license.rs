//! Which licenses are allowed: permissive ones only, so that a binary of Perennial requires notices, never source.
//! Reads SPDX expressions; what cannot be read is not allowed.

const ALLOWED: [&str; 6] = ["Apache-2.0", "BSD-3-Clause", "ISC", "MIT", "Unicode-3.0", "Zlib"];

/// Allowed for one crate. libFuzzer is LLVM's, and in no binary that is distributed.
const EXCEPTIONS: [(&str, &str); 1] = [("libfuzzer-sys", "NCSA")];

pub(crate) fn is_allowed(name: &str, expression: &str) -> bool {
    // `MIT/Apache-2.0` is how crates wrote `OR` before SPDX.
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut reader = Reader { words: &words, name };
    reader.any() == Some(true) && reader.words.is_empty()
}

struct Reader<'a> {
    words: &'a [&'a str],
    name: &'a str,
}

impl Reader<'_> {
    fn next(&mut self) -> Option<&str> {
        let (first, rest) = self.words.split_first()?;
        self.words = rest;
        Some(first)
    }

    fn takes(&mut self, word: &str) -> bool {
        let is_next = self.words.first() == Some(&word);
        if is_next {
            self.words = &self.words[1..];
        }
        is_next
    }

    /// Alternatives, of which one suffices. `None` is not an expression.
    fn any(&mut self) -> Option<bool> {
        let mut allowed = self.all()?;
        while self.takes("OR") {
            allowed |= self.all()?;
        }
        Some(allowed)
    }

    fn all(&mut self) -> Option<bool> {
        let mut allowed = self.one()?;
        while self.takes("AND") {
            allowed &= self.one()?;
        }
        Some(allowed)
    }

    fn one(&mut self) -> Option<bool> {
        if self.takes("(") {
            let allowed = self.any()?;
            return self.takes(")").then_some(allowed);
        }
        let name = self.name;
        let license = self.next()?;
        let allowed = ALLOWED.contains(&license) || EXCEPTIONS.contains(&(name, license));
        // A `WITH` only grants more.
        if self.takes("WITH") {
            self.next()?;
        }
        Some(allowed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_alternative_suffices_and_every_part_counts() {
        for (expression, expected) in [
            ("MIT", true),
            ("MIT/Apache-2.0", true),
            ("Unlicense OR MIT", true),
            ("MIT OR Apache-2.0 OR LGPL-2.1-or-later", true),
            ("Apache-2.0 WITH LLVM-exception OR GPL-2.0-only", true),
            ("ISC AND (Apache-2.0 OR ISC) AND BSD-3-Clause", true),
            ("GPL-3.0-only", false),
            ("MIT AND GPL-3.0-only", false),
            ("(GPL-3.0-only OR MPL-2.0) AND MIT", false),
            ("", false),
            ("MIT Apache-2.0", false),
            ("(MIT", false),
            ("MIT OR", false),
        ] {
            assert_eq!(is_allowed("a", expression), expected, "{expression}");
        }
    }

    #[test]
    fn an_exception_is_for_one_crate() {
        assert!(is_allowed("libfuzzer-sys", "(MIT OR Apache-2.0) AND NCSA"));
        assert!(!is_allowed("other", "(MIT OR Apache-2.0) AND NCSA"));
    }
}
