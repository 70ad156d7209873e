//! User-supplied text: normalized (NFC, LF), measured in code points, without characters that hide or reorder text.

use crate::validation::{InvalidValue, ValidationCode};
use std::borrow::Cow;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// One line of text of `MIN` to `MAX` code points.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct Line<const MIN: usize, const MAX: usize>(String);

/// Text of up to `MAX` code points that may have line breaks and tabs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, serde::Serialize)]
pub struct Prose<const MAX: usize>(String);

impl<const MIN: usize, const MAX: usize> Line<MIN, MAX> {
    /// Parses a line.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        clean(text, false, MIN, MAX).map(Self)
    }

    /// A stored value, which was validated by `parse` before it was stored.
    pub const fn from_stored(text: String) -> Self {
        Self(text)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<const MAX: usize> Prose<MAX> {
    /// Parses a text.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        clean(text, true, 0, MAX).map(Self)
    }

    /// A stored value, which was validated by `parse` before it was stored.
    pub const fn from_stored(text: String) -> Self {
        Self(text)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn clean(text: &str, breaks: bool, min: usize, max: usize) -> Result<String, InvalidValue> {
    let text = unify_breaks(text);
    if let Some(found) = text.chars().find(|c| is_refused(*c) && !(breaks && matches!(c, '\n' | '\t'))) {
        let detail = format!("must not contain the character U+{:04X}", u32::from(found));
        return Err(InvalidValue::new(ValidationCode::InvalidText, detail));
    }
    let text = match is_nfc_quick(text.chars()) {
        IsNormalized::Yes => text.into_owned(),
        IsNormalized::No | IsNormalized::Maybe => text.nfc().collect(),
    };
    let length = text.chars().count();
    if length < min {
        return Err(InvalidValue::new(
            ValidationCode::TooShort,
            format!("must have at least {min} {}", characters(min)),
        ));
    }
    if length > max {
        return Err(InvalidValue::new(ValidationCode::TooLong, format!("must have at most {max} {}", characters(max))));
    }
    Ok(text)
}

fn characters(count: usize) -> &'static str {
    if count == 1 { "character" } else { "characters" }
}

fn unify_breaks(text: &str) -> Cow<'_, str> {
    if text.contains("\r\n") { text.replace("\r\n", "\n").into() } else { text.into() }
}

/// Control characters, and marks that reorder the displayed text.
fn is_refused(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn line(text: &str) -> Result<String, ValidationCode> {
        Line::<1, 5>::parse(text).map(|line| line.0).map_err(|reason| reason.code)
    }

    fn prose(text: &str) -> Result<String, ValidationCode> {
        Prose::<20>::parse(text).map(|prose| prose.0).map_err(|reason| reason.code)
    }

    #[test]
    fn lengths_are_counted_in_code_points_after_normalising() {
        assert_eq!(line(""), Err(ValidationCode::TooShort));
        assert_eq!((line("é"), prose("")), (Ok("é".into()), Ok(String::new())));
        assert_eq!(line("ééééé"), Ok("ééééé".into()));
        assert_eq!(line("e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}"), Ok("ééééé".into()));
        assert_eq!(line("éééééé"), Err(ValidationCode::TooLong));
        assert_eq!(line("😀😀😀😀😀"), Ok("😀😀😀😀😀".into()));
    }

    #[test]
    fn controls_and_direction_marks_are_refused() {
        for c in [
            '\0', '\u{1}', '\u{1f}', '\u{7f}', '\u{80}', '\u{9f}', '\r', '\u{202a}', '\u{202e}', '\u{2066}', '\u{2069}',
        ] {
            assert_eq!(line(&format!("a{c}")), Err(ValidationCode::InvalidText), "{:x}", u32::from(c));
            assert_eq!(prose(&format!("a{c}")), Err(ValidationCode::InvalidText), "{:x}", u32::from(c));
        }
        assert_eq!(line("a\u{2029}"), Ok("a\u{2029}".into()));
        assert_eq!(line("a\u{2065}"), Ok("a\u{2065}".into()));
    }

    #[test]
    fn breaks_and_tabs_belong_in_prose_only() {
        assert_eq!(line("a\nb"), Err(ValidationCode::InvalidText));
        assert_eq!(line("a\tb"), Err(ValidationCode::InvalidText));
        assert_eq!(prose("a\r\nb\tc\n"), Ok("a\nb\tc\n".into()));
    }

    #[test]
    fn messages_count_correctly() {
        assert_eq!(Line::<1, 5>::parse("").unwrap_err().detail, "must have at least 1 character");
        assert_eq!(Line::<1, 5>::parse("123456").unwrap_err().detail, "must have at most 5 characters");
    }

    proptest! {
        #[test]
        fn cleaning_twice_changes_nothing(text in "\\PC{0,20}") {
            if let Ok(once) = Prose::<60>::parse(&text) {
                prop_assert_eq!(Prose::<60>::parse(once.as_str()), Ok(once));
            }
        }
    }
}
