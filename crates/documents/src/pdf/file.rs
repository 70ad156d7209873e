//! The objects of the file: pages, and for each font in use its subset, widths and the way back to text.
//! Nothing in it depends on when or where it is written.

use pdf_writer::types::{CidFontType, FontFlags, SystemInfo, UnicodeCmap};
use pdf_writer::{Date, Finish, Name, Pdf, Rect, Ref, Settings, Str, TextStr};

use super::fonts::Font;
use super::page::{Drawn, FONT_NAMES, HEIGHT, WIDTH};
use crate::view::View;
use perennial_domain::time::Time;

const CATALOG: Ref = Ref::new(1);
const PAGE_TREE: Ref = Ref::new(2);
const INFO: Ref = Ref::new(3);
const FIRST_FONT: i32 = 4;
const OBJECTS_PER_FONT: i32 = 5;
const IDENTITY: SystemInfo<'static> = SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };

pub(super) fn write(view: &View, drawn: Drawn) -> Vec<u8> {
    let mut pdf = Pdf::with_settings(Settings { pretty: false });
    pdf.set_version(1, 7);
    let mut catalog = pdf.catalog(CATALOG);
    catalog.pages(PAGE_TREE).lang(TextStr(view.locale.as_str()));
    catalog.viewer_preferences().display_doc_title(true);
    catalog.finish();
    write_info(&mut pdf, view);
    let mut next = FIRST_FONT;
    let mut fonts = Vec::new();
    for (name, font) in FONT_NAMES.into_iter().zip(&drawn.fonts.all) {
        if font.is_used() {
            fonts.push((name, Ref::new(next)));
            write_font(&mut pdf, font, next);
            next += OBJECTS_PER_FONT;
        }
    }
    let mut pages = Vec::new();
    for content in drawn.pages {
        let (page, contents) = (Ref::new(next), Ref::new(next + 1));
        next += 2;
        pdf.stream(contents, content.finish().as_slice());
        let mut writer = pdf.page(page);
        writer.parent(PAGE_TREE).media_box(Rect::new(0.0, 0.0, WIDTH, HEIGHT)).contents(contents);
        writer.resources().fonts().pairs(fonts.iter().copied());
        writer.finish();
        pages.push(page);
    }
    let count = i32::try_from(pages.len()).unwrap_or(i32::MAX);
    pdf.pages(PAGE_TREE).count(count).kids(pages);
    pdf.finish()
}

fn write_info(pdf: &mut Pdf, view: &View) {
    let mut info = pdf.document_info(INFO);
    info.title(TextStr(&format!("{} {}", view.title, view.number)));
    info.author(TextStr(&view.seller.name)).producer(TextStr("Perennial"));
    info.creation_date(date(view.issued_at));
}

/// An instant of a PDF, from the text of the instant: `2026-01-31T09:30:00.000000Z`.
fn date(time: Time) -> Date {
    let text = time.to_string();
    let number = |from: usize, to: usize| text[from..to].parse::<u8>().unwrap_or_default();
    let year = text[..4].parse().unwrap_or_default();
    Date::new(year)
        .month(number(5, 7))
        .day(number(8, 10))
        .hour(number(11, 13))
        .minute(number(14, 16))
        .second(number(17, 19))
        .utc_offset_hour(0)
        .utc_offset_minute(0)
}

fn write_font(pdf: &mut Pdf, font: &Font, first: i32) {
    let [composite, cid, descriptor, unicode, file] = [0, 1, 2, 3, 4].map(|index| Ref::new(first + index));
    let subset = subsetter::subset(font.data, 0, &font.numbers).expect("the embedded fonts have the glyphs in use");
    let name = format!("{}+{}", tag(font), font.name);
    let name = Name(name.as_bytes());
    let outlines = Outlines::of(&subset);

    let mut writer = pdf.type0_font(composite);
    writer.base_font(name).encoding_predefined(Name(b"Identity-H")).descendant_font(cid).to_unicode(unicode);
    writer.finish();

    let mut writer = pdf.cid_font(cid);
    writer.base_font(name).system_info(IDENTITY).font_descriptor(descriptor).default_width(0.0);
    match outlines {
        Outlines::TrueType => writer.subtype(CidFontType::Type2).cid_to_gid_map_predefined(Name(b"Identity")),
        Outlines::Cff(_) => writer.subtype(CidFontType::Type0),
    };
    writer.widths().consecutive(0, font.glyphs().map(|glyph| font.advance(glyph)));
    writer.finish();

    let face = &font.face;
    let bounds = face.global_bounding_box();
    let [left, bottom, right, top] =
        [bounds.x_min, bounds.y_min, bounds.x_max, bounds.y_max].map(|units| font.measure(units));
    let mut writer = pdf.font_descriptor(descriptor);
    writer.name(name).flags(FontFlags::NON_SYMBOLIC).bbox(Rect::new(left, bottom, right, top)).italic_angle(0.0);
    writer.ascent(font.measure(face.ascender())).descent(font.measure(face.descender()));
    writer.cap_height(font.measure(face.capital_height().unwrap_or(face.ascender()))).stem_v(80.0);
    match outlines {
        Outlines::TrueType => writer.font_file2(file),
        Outlines::Cff(_) => writer.font_file3(file),
    };
    writer.finish();

    let mut cmap = UnicodeCmap::new(Name(b"Custom"), IDENTITY);
    for (number, (_, letter)) in (1_u16..).zip(&font.used) {
        cmap.pair(number, *letter);
    }
    pdf.cmap(unicode, cmap.finish().as_slice());
    match outlines {
        Outlines::TrueType => {
            let mut stream = pdf.stream(file, &subset);
            stream.pair(Name(b"Length1"), i32::try_from(subset.len()).unwrap_or(i32::MAX));
        }
        Outlines::Cff(table) => {
            pdf.stream(file, table).pair(Name(b"Subtype"), Name(b"CIDFontType0C"));
        }
    }
}

/// The outlines of a subset. A PDF has the bare CFF table of such a font.
#[derive(Clone, Copy)]
enum Outlines<'a> {
    TrueType,
    Cff(&'a [u8]),
}

impl<'a> Outlines<'a> {
    fn of(subset: &'a [u8]) -> Self {
        let cff = ttf_parser::Tag::from_bytes(b"CFF ");
        match ttf_parser::RawFace::parse(subset, 0).ok().and_then(|face| face.table(cff)) {
            Some(table) => Self::Cff(table),
            None => Self::TrueType,
        }
    }
}

/// Six letters that name the subset: the same glyphs have the same letters.
fn tag(font: &Font) -> String {
    let hash = font
        .glyphs()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, glyph| (hash ^ u64::from(glyph)).wrapping_mul(0x0000_0100_0000_01b3));
    let letter = |index: u32| char::from(b'A' + u8::try_from(hash / 26_u64.pow(index) % 26).unwrap_or_default());
    (0..6).map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pdf::fonts::{Fonts, Weight};

    #[test]
    fn every_glyph_of_every_font_can_be_embedded() {
        let mut fonts = Fonts::new();
        let text: String =
            (0x20_u32..0x1_0000).filter_map(char::from_u32).filter(|letter| !letter.is_control()).collect();
        for weight in [Weight::Regular, Weight::Bold] {
            fonts.runs(&text, weight);
        }
        for font in &fonts.all {
            let subset = subsetter::subset(font.data, 0, &font.numbers).unwrap();
            assert!(font.used.len() > 1_000 && subset.len() > 50_000, "{}", font.name);
            assert_eq!(matches!(Outlines::of(&subset), Outlines::Cff(_)), font.name == "NotoSansCJKjp");
        }
    }

    #[test]
    fn other_glyphs_have_another_tag() {
        let mut fonts = Fonts::new();
        fonts.runs("ab", Weight::Regular);
        let first = tag(&fonts.all[0]);
        fonts.runs("c", Weight::Regular);
        assert!(first.len() == 6 && first.bytes().all(|byte| byte.is_ascii_uppercase()) && first != tag(&fonts.all[0]));
    }
}
