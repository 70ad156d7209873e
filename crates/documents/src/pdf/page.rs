//! Pages to draw on. Positions are points from the upper left corner.

use pdf_writer::types::TextRenderingMode;
use pdf_writer::{Content, Name, Str, TextStr};

use super::fonts::{Fonts, JAPANESE_FONT, Weight};

pub(super) const WIDTH: f32 = 595.28;
pub(super) const HEIGHT: f32 = 841.89;

/// The names of the fonts in the resources of each page.
pub(super) const FONT_NAMES: [Name<'static>; 3] = [Name(b"F0"), Name(b"F1"), Name(b"F2")];

/// How a text looks.
#[derive(Clone, Copy)]
pub(super) struct Style {
    pub(super) size: f32,
    pub(super) weight: Weight,
    /// From 0, black, to 1, white.
    pub(super) gray: f32,
}

impl Style {
    pub(super) const fn new(size: f32) -> Self {
        Self { size, weight: Weight::Regular, gray: 0.1 }
    }

    pub(super) const fn bold(self) -> Self {
        Self { weight: Weight::Bold, ..self }
    }

    pub(super) const fn muted(self) -> Self {
        Self { gray: 0.35, ..self }
    }

    /// The distance of two lines.
    pub(super) const fn leading(self) -> f32 {
        self.size * 1.4
    }
}

/// What was drawn: the pages, and the fonts with the glyphs in use.
pub(super) struct Drawn {
    pub(super) pages: Vec<Content>,
    pub(super) fonts: Fonts,
}

impl Drawn {
    pub(super) fn new() -> Self {
        Self { pages: Vec::new(), fonts: Fonts::new() }
    }

    /// Begins a page. `TEST` is drawn first, so that it is behind everything.
    pub(super) fn add_page(&mut self, is_test: bool) {
        self.pages.push(Content::new());
        if is_test {
            let style = Style { size: 190.0, weight: Weight::Bold, gray: 0.92 };
            let half = self.fonts.width("TEST", style.weight, style.size) / 2.0;
            // Turned by 45 degrees around the middle of the page.
            let turn = std::f32::consts::FRAC_1_SQRT_2;
            let (x, y) = (WIDTH / 2.0 - half * turn + 55.0, HEIGHT / 2.0 - half * turn - 55.0);
            self.show("TEST", style, self.pages.len() - 1, [turn, turn, -turn, turn, x, y]);
        }
    }

    /// Draws a text on the last page with its left end at `x` and its base line at `y`.
    pub(super) fn text(&mut self, text: &str, style: Style, x: f32, y: f32) {
        self.text_on(self.pages.len() - 1, text, style, x, y);
    }

    /// Draws a text on the last page with its right end at `x`.
    pub(super) fn text_right(&mut self, text: &str, style: Style, x: f32, y: f32) {
        let width = self.fonts.width(text, style.weight, style.size);
        self.text(text, style, x - width, y);
    }

    /// Draws a text on any page.
    pub(super) fn text_on(&mut self, page: usize, text: &str, style: Style, x: f32, y: f32) {
        self.show(text, style, page, [1.0, 0.0, 0.0, 1.0, x, HEIGHT - y]);
    }

    /// Draws a horizontal line on the last page.
    pub(super) fn rule(&mut self, x: f32, y: f32, width: f32, gray: f32) {
        let Some(page) = self.pages.last_mut() else { return };
        page.set_stroke_gray(gray).set_line_width(0.6);
        page.move_to(x, HEIGHT - y).line_to(x + width, HEIGHT - y).stroke();
    }

    fn show(&mut self, text: &str, style: Style, page: usize, matrix: [f32; 6]) {
        let runs = self.fonts.runs(text, style.weight);
        let Some(page) = self.pages.get_mut(page) else { return };
        if runs.is_empty() {
            return;
        }
        page.begin_text().set_fill_gray(style.gray).set_text_matrix(matrix);
        for run in runs {
            let codes: Vec<u8> = run.glyphs.iter().flat_map(|glyph| glyph.to_be_bytes()).collect();
            page.set_font(FONT_NAMES[run.font], style.size);
            // There is no bold Japanese font: its outlines are drawn as well.
            let is_outlined = run.font == JAPANESE_FONT && style.weight == Weight::Bold;
            if is_outlined {
                page.set_text_rendering_mode(TextRenderingMode::FillStroke);
                page.set_stroke_gray(style.gray).set_line_width(style.size * 0.03);
            }
            if let Some(missing) = &run.missing {
                let mut span = page.begin_marked_content_with_properties(Name(b"Span"));
                span.properties().actual_text(TextStr(missing));
            }
            page.show(Str(&codes));
            if run.missing.is_some() {
                page.end_marked_content();
            }
            if is_outlined {
                page.set_text_rendering_mode(TextRenderingMode::Fill);
            }
        }
        page.end_text();
    }
}
