//! Slugs derived from the names of plans: the same for the same plans, in any order.

use crate::digest::sha256;
use perennial_domain::slug::Slug;
use std::collections::HashSet;

/// The length of a suffix.
const MARK_LENGTH: usize = 6;
/// The part of a slug's 100 characters that a name may use, so that a suffix fits.
const NAME_LENGTH: usize = 90;

/// The slugs in use.
#[derive(Default)]
pub struct Slugs(HashSet<String>);

impl Slugs {
    /// The slug for a plan's name; if it is in use, with a suffix derived from its ID.
    pub fn give(&mut self, called: &str, id: &str) -> Slug {
        let name = slugified(called);
        let mark = mark(id);
        let wanted = if name.is_empty() { format!("p-{mark}") } else { name.clone() };
        let slug = if self.0.insert(wanted.clone()) {
            wanted
        } else {
            let marked = format!("{name}-{mark}");
            self.0.insert(marked.clone());
            marked
        };
        Slug::from_stored(slug)
    }
}

/// Lower-case words of letters and digits, joined by hyphens. Accents and other characters are dropped.
fn slugified(text: &str) -> String {
    let mut slug = String::new();
    for character in text.chars().flat_map(char::to_lowercase) {
        let plain = unaccented(character);
        if plain.is_ascii_alphanumeric() && slug.len() < NAME_LENGTH {
            slug.push(plain);
        } else if !slug.is_empty() && !slug.ends_with('-') && !plain.is_alphanumeric() {
            slug.push('-');
        }
    }
    slug.trim_end_matches('-').to_owned()
}

fn unaccented(character: char) -> char {
    match character {
        'à'..='å' => 'a',
        'è'..='ë' => 'e',
        'ì'..='ï' => 'i',
        'ò'..='ö' | 'ø' => 'o',
        'ù'..='ü' => 'u',
        'ç' => 'c',
        'ñ' => 'n',
        'ý' | 'ÿ' => 'y',
        other => other,
    }
}

fn mark(id: &str) -> String {
    let hash = sha256(&[b"slug", id.as_bytes()]);
    data_encoding::BASE32_NOPAD.encode(&hash)[..MARK_LENGTH].to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_slugs() {
        for (text, slug) in [
            ("Pro monthly", "pro-monthly"),
            ("  Crème Brûlée (2024)! ", "creme-brulee-2024"),
            ("plan_pro", "plan-pro"),
            ("A--B__C", "a-b-c"),
            ("日本", ""),
        ] {
            assert_eq!(slugified(text), slug);
        }
        let long = slugified(&"word ".repeat(60));
        assert!(Slug::parse(&long).is_ok() && long.len() <= NAME_LENGTH + 1, "{long}");
    }

    #[test]
    fn a_name_that_is_given_away_gets_a_mark_that_is_always_the_same() {
        let mut slugs = Slugs::default();
        let first = slugs.give("Pro monthly", "price_1");
        let second = slugs.give("Pro monthly", "price_2");
        assert_eq!(first.as_str(), "pro-monthly");
        assert!(second.as_str().starts_with("pro-monthly-") && second.as_str().len() == "pro-monthly-".len() + 6);
        let mut again = Slugs::default();
        again.give("pro MONTHLY", "other");
        assert_eq!(again.give("Pro monthly", "price_2"), second);
        for given in [&first, &second, &again.give("日本", "price_3")] {
            assert_eq!(Slug::parse(given.as_str()).as_ref(), Ok(given));
        }
    }
}
