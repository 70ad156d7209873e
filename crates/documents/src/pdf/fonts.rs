//! The embedded fonts: which glyphs a text has, how wide it is, and where its lines break.
//!
//! A character is drawn with the first font that has it. A character that no font has is drawn as the box of the first font, so that
//! it is visible; its text can still be selected and found.

use subsetter::GlyphRemapper;
use ttf_parser::{Face, GlyphId};

const SANS: &[u8] = include_bytes!("../../fonts/sans-regular.ttf");
const SANS_BOLD: &[u8] = include_bytes!("../../fonts/sans-bold.ttf");
const JAPANESE: &[u8] = include_bytes!("../../fonts/japanese.otf");

/// A weight of text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    Regular,
    Bold,
}

/// The index of a font in [`Fonts`].
pub(super) type FontIndex = usize;

pub(super) const JAPANESE_FONT: FontIndex = 2;

/// A font and what was used of it.
pub(super) struct Font {
    pub(super) name: &'static str,
    pub(super) data: &'static [u8],
    pub(super) face: Face<'static>,
    /// The numbers of the glyphs in the file. The box is number 0.
    pub(super) numbers: GlyphRemapper,
    /// The glyph and the character of each number from 1.
    pub(super) used: Vec<(u16, char)>,
    /// Whether any of it is drawn, be it a box.
    is_drawn: bool,
}

pub(super) struct Fonts {
    pub(super) all: [Font; 3],
    /// Whether a box was drawn in place of a character.
    pub(super) has_boxes: bool,
}

/// Characters of one font.
pub(super) struct Run {
    pub(super) font: FontIndex,
    /// The numbers of the glyphs in the file.
    pub(super) glyphs: Vec<u16>,
    /// Without a glyph: the characters that the boxes are for.
    pub(super) missing: Option<String>,
}

impl Fonts {
    pub(super) fn new() -> Self {
        Self {
            all: [
                Font::new("NotoSans", SANS),
                Font::new("NotoSans-Bold", SANS_BOLD),
                Font::new("NotoSansCJKjp", JAPANESE),
            ],
            has_boxes: false,
        }
    }

    /// The fonts to search, in order. There is no bold Japanese font: the regular one serves.
    const fn order(weight: Weight) -> [FontIndex; 2] {
        match weight {
            Weight::Regular => [0, JAPANESE_FONT],
            Weight::Bold => [1, JAPANESE_FONT],
        }
    }

    /// The font and glyph of a character; the box of the first font if there is none.
    fn glyph(&self, letter: char, weight: Weight) -> (FontIndex, u16) {
        let order = Self::order(weight);
        let found = order.into_iter().find_map(|font| {
            self.all[font].face.glyph_index(letter).filter(|glyph| glyph.0 != 0).map(|glyph| (font, glyph.0))
        });
        found.unwrap_or((order[0], 0))
    }

    /// The runs of a text, whose glyphs are from now on part of the file.
    pub(super) fn runs(&mut self, text: &str, weight: Weight) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        for letter in text.chars().filter(|letter| !is_invisible(*letter)) {
            let (font, glyph) = self.glyph(letter, weight);
            let is_missing = glyph == 0;
            self.has_boxes |= is_missing;
            let glyph = self.all[font].number(glyph, letter);
            match runs.last_mut() {
                Some(run) if run.font == font && run.missing.is_some() == is_missing => {
                    run.glyphs.push(glyph);
                    if let Some(missing) = &mut run.missing {
                        missing.push(letter);
                    }
                }
                _ => runs.push(Run { font, glyphs: vec![glyph], missing: is_missing.then(|| letter.to_string()) }),
            }
        }
        runs
    }

    /// The width of a text.
    pub(super) fn width(&self, text: &str, weight: Weight, size: f32) -> f32 {
        text.chars().map(|letter| self.advance(letter, weight, size)).sum()
    }

    fn advance(&self, letter: char, weight: Weight, size: f32) -> f32 {
        if is_invisible(letter) {
            return 0.0;
        }
        let (font, glyph) = self.glyph(letter, weight);
        self.all[font].advance(glyph) * size / 1_000.0
    }

    /// The lines of a text in a column: broken at spaces and between Japanese characters, else within a word that is too long.
    pub(super) fn wrap(&self, text: &str, weight: Weight, size: f32, width: f32) -> Vec<String> {
        let letters: Vec<char> = text.chars().collect();
        let mut lines = Vec::new();
        let (mut start, mut last_break, mut used) = (0, None, 0.0);
        let mut index = 0;
        while index < letters.len() {
            let advance = self.advance(letters[index], weight, size);
            if used + advance > width && index > start && letters[index] != ' ' {
                let end = last_break.filter(|end| *end > start).unwrap_or(index);
                lines.push(trimmed(&letters[start..end]));
                (start, last_break, used, index) = (end, None, 0.0, end);
                continue;
            }
            used += advance;
            if breaks_after(letters[index], letters.get(index + 1).copied()) {
                last_break = Some(index + 1);
            }
            index += 1;
        }
        lines.push(trimmed(&letters[start..]));
        lines
    }
}

impl Font {
    fn new(name: &'static str, data: &'static [u8]) -> Self {
        let face = Face::parse(data, 0).expect("the embedded fonts are valid");
        Self { name, data, face, numbers: GlyphRemapper::new(), used: Vec::new(), is_drawn: false }
    }

    /// The number of a glyph in the file, in the order of first use.
    fn number(&mut self, glyph: u16, letter: char) -> u16 {
        self.is_drawn = true;
        if let Some(number) = self.numbers.get(glyph) {
            return number;
        }
        self.used.push((glyph, letter));
        self.numbers.remap(glyph)
    }

    /// Whether a text was drawn with it.
    pub(super) fn is_used(&self) -> bool {
        self.is_drawn
    }

    /// The glyphs of the file, in the order of their numbers.
    pub(super) fn glyphs(&self) -> impl Iterator<Item = u16> {
        std::iter::once(0).chain(self.used.iter().map(|(glyph, _)| *glyph))
    }

    /// The width of a glyph in thousandths of the size.
    pub(super) fn advance(&self, glyph: u16) -> f32 {
        self.scaled(self.face.glyph_hor_advance(GlyphId(glyph)).unwrap_or_default())
    }

    fn scaled(&self, units: u16) -> f32 {
        f32::from(units) * 1_000.0 / f32::from(self.face.units_per_em())
    }

    /// A signed measure in thousandths of the size.
    pub(super) fn measure(&self, units: i16) -> f32 {
        f32::from(units) * 1_000.0 / f32::from(self.face.units_per_em())
    }
}

fn trimmed(letters: &[char]) -> String {
    letters.iter().collect::<String>().trim().to_owned()
}

fn breaks_after(letter: char, next: Option<char>) -> bool {
    let Some(next) = next else { return false };
    letter == ' '
        || letter == '-'
        || (is_ideographic(letter) || is_ideographic(next)) && !is_closing(next) && next != ' '
}

/// Characters between which a line can break: kana, kanji and full-width forms.
const fn is_ideographic(letter: char) -> bool {
    matches!(letter,
        '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}'
        | '\u{20000}'..='\u{3ffff}')
}

/// Marks that do not begin a line.
const fn is_closing(letter: char) -> bool {
    matches!(
        letter,
        '、' | '。'
            | '，'
            | '．'
            | '）'
            | '」'
            | '』'
            | '】'
            | '・'
            | 'ー'
            | '！'
            | '？'
            | '%'
            | ')'
            | ','
            | '.'
            | ':'
            | ';'
    )
}

/// Characters that draw nothing: soft hyphens, joiners, variation selectors, marks of order.
const fn is_invisible(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latin_greek_cyrillic_and_japanese_have_glyphs() {
        let mut fonts = Fonts::new();
        for text in [
            "Zażółć gęślą jaźń, Việt Nam, Ñandú, ß ẞ",
            "Ξεσκεπάζω την ψυχοφθόρα",
            "Съешь ещё этих ґїєў",
            "株式会社 東京カスタマーサポート（仮）",
            "€ £ ¥ ₽ ₹ – — ’ “ ” …",
        ] {
            for weight in [Weight::Regular, Weight::Bold] {
                assert!(fonts.runs(text, weight).iter().all(|run| run.missing.is_none()), "{text}");
            }
        }
    }

    #[test]
    fn labels_of_every_language_have_glyphs() {
        let mut fonts = Fonts::new();
        for locale in crate::Locale::ALL {
            let labels = locale.labels();
            for text in [
                labels.invoice,
                labels.credit_note,
                labels.issued,
                labels.tax_id,
                labels.payable,
                labels.missing,
                "2026年3月1日",
                "1\u{202f}234,00\u{a0}EUR",
            ] {
                assert!(fonts.runs(text, Weight::Bold).iter().all(|run| run.missing.is_none()), "{text}");
            }
        }
    }

    #[test]
    fn a_missing_glyph_is_a_visible_box() {
        let mut fonts = Fonts::new();
        let runs = fonts.runs("a\u{1f680}b", Weight::Regular);
        assert_eq!(runs.iter().map(|run| run.missing.as_deref()).collect::<Vec<_>>(), [None, Some("\u{1f680}"), None]);
        for font in &fonts.all {
            assert!(font.face.glyph_bounding_box(GlyphId(0)).is_some(), "{} has no box", font.name);
        }
        assert!(fonts.width("\u{1f680}", Weight::Regular, 10.0) > 3.0);
    }

    #[test]
    fn lines_break_at_spaces_between_kanji_and_within_long_words() {
        let fonts = Fonts::new();
        let wrap = |text: &str, width| fonts.wrap(text, Weight::Regular, 10.0, width);
        assert_eq!(wrap("", 50.0), [""]);
        assert_eq!(wrap("one two three", 50.0), ["one two", "three"]);
        assert_eq!(wrap("東京都千代田区", 45.0), ["東京都千", "代田区"]);
        for text in ["Donaudampfschifffahrtsgesellschaft", "a bb ccc dddd eeeee ffffff", "東京、大阪。名古屋ー札幌"]
        {
            for width in [1.0, 20.0, 33.3, 60.0] {
                let lines = wrap(text, width);
                assert_eq!(lines.concat().replace(' ', ""), text.replace(' ', ""));
                let fits =
                    |line: &String| fonts.width(line, Weight::Regular, 10.0) <= width || line.chars().count() == 1;
                assert!(lines.iter().all(fits), "{lines:?}");
            }
        }
    }
}
