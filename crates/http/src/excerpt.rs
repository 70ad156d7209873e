//! Names that a caller chose, shortened before they are sent back: a response must not grow with what it rejects.

use std::borrow::Cow;

/// The longest name that is returned whole, in characters.
const LONGEST: usize = 100;

/// The name, or its first characters and an ellipsis.
pub(crate) fn excerpt(name: &str) -> Cow<'_, str> {
    match name.char_indices().nth(LONGEST) {
        None => Cow::Borrowed(name),
        Some((end, _)) => Cow::Owned(format!("{}…", &name[..end])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_is_shortened_between_characters() {
        let longest = "é".repeat(LONGEST);
        assert_eq!(excerpt(&longest), longest);
        assert_eq!(excerpt(&format!("{longest}é")), format!("{longest}…"));
        assert_eq!(excerpt(""), "");
    }
}
