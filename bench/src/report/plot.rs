//! Plots as SVG text: bars of costs, lines of growth. Made by hand: two kinds of picture need no library.

use std::fmt::Write;

use super::table::{self, number};

const WIDTH: f64 = 760.0;
/// Room for the last words of the longest bar.
const MARGIN: f64 = 60.0;
const LEFT: f64 = 190.0;
const RIGHT: f64 = 90.0;
const BAR: f64 = 22.0;
const TOP: f64 = 44.0;
const COLOURS: [&str; 7] = ["#2f6f4f", "#b5651d", "#3b5b92", "#8a3b5f", "#6b7a1f", "#5c4b8a", "#777777"];

/// Horizontal bars, in the order given.
pub(crate) fn bars(title: &str, unit: &str, rows: &[(String, f64)]) -> String {
    let largest = rows.iter().map(|(_, value)| *value).fold(0.0, f64::max);
    let mut svg = opening(title, TOP + BAR * float(rows.len()) + 16.0);
    for (place, (label, value)) in rows.iter().enumerate() {
        let y = TOP + BAR * float(place);
        let width = scale(*value, largest, WIDTH - LEFT - RIGHT);
        let color = if label.starts_with("perennial") { COLOURS[0] } else { COLOURS[6] };
        text(&mut svg, LEFT - 8.0, y + 14.0, "end", label);
        let _ = writeln!(svg, r#"<rect x="{LEFT}" y="{y:.1}" width="{width:.1}" height="16" fill="{color}"/>"#);
        text(&mut svg, LEFT + width + 6.0, y + 14.0, "start", &format!("{} {unit}", number(*value)));
    }
    svg + "</svg>\n"
}

/// Lines over sizes that grow tenfold: the first axis is logarithmic, the second begins at nought.
pub(crate) fn lines(title: &str, unit: &str, sizes: &[u64], series: &[(String, Vec<f64>)]) -> String {
    let (height, right) = (240.0, 170.0);
    let largest = series.iter().flat_map(|(_, values)| values).copied().fold(0.0, f64::max);
    let x = |place: usize| 70.0 + (WIDTH - 70.0 - right) * float(place) / float(sizes.len().max(2) - 1);
    let y = |value: f64| TOP + height - scale(value, largest, height);
    let mut svg = opening(title, TOP + height + 40.0);
    for part in 0..=4 {
        let value = largest * float(part) / 4.0;
        let level = y(value);
        let _ = writeln!(
            svg,
            r##"<line x1="70" y1="{level:.1}" x2="{:.1}" y2="{level:.1}" stroke="#ddd"/>"##,
            x(sizes.len().max(1) - 1)
        );
        text(&mut svg, 64.0, level + 4.0, "end", &number(value));
    }
    for (place, size) in sizes.iter().enumerate() {
        text(&mut svg, x(place), TOP + height + 18.0, "middle", &table::count(*size));
    }
    for (index, (label, values)) in series.iter().enumerate() {
        let color = COLOURS[index % COLOURS.len()];
        let points: Vec<String> =
            values.iter().enumerate().map(|(place, value)| format!("{:.1},{:.1}", x(place), y(*value))).collect();
        let points = points.join(" ");
        let _ = writeln!(svg, r#"<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2"/>"#);
        let level = TOP + 14.0 + 18.0 * float(index);
        let start = WIDTH - right + 20.0;
        let _ = writeln!(svg, r#"<rect x="{start:.1}" y="{:.1}" width="10" height="10" fill="{color}"/>"#, level - 9.0);
        text(&mut svg, start + 16.0, level, "start", label);
    }
    text(&mut svg, 70.0, TOP - 8.0, "middle", unit);
    svg + "</svg>\n"
}

fn opening(title: &str, height: f64) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {height}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
        WIDTH + MARGIN
    );
    let _ = writeln!(svg, r#"<text x="12" y="22" font-size="15" font-weight="bold">{}</text>"#, escaped(title));
    svg
}

fn text(svg: &mut String, x: f64, y: f64, anchor: &str, words: &str) {
    let _ = writeln!(svg, r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{}</text>"#, escaped(words));
}

fn escaped(words: &str) -> String {
    words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// How long a value is drawn when the largest is drawn `room` long.
fn scale(value: f64, largest: f64, room: f64) -> f64 {
    if largest > 0.0 { (value / largest).clamp(0.0, 1.0) * room } else { 0.0 }
}

fn float(count: usize) -> f64 {
    crate::measure::statistics::float(count as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_fills_the_room_and_nought_nothing() {
        assert!((scale(5.0, 10.0, 300.0) - 150.0).abs() < f64::EPSILON);
        assert!((scale(10.0, 10.0, 300.0) - 300.0).abs() < f64::EPSILON);
        assert!(scale(0.0, 10.0, 300.0).abs() < f64::EPSILON);
        assert!(scale(1.0, 0.0, 300.0).abs() < f64::EPSILON);
    }

    #[test]
    fn bars_are_drawn_in_order_and_labels_are_escaped() {
        let svg = bars("a < b", "µs", &[("perennial".to_owned(), 10.0), ("R&D".to_owned(), 5.0)]);
        assert!(svg.contains("a &lt; b") && svg.contains("R&amp;D"));
        assert!(svg.contains("width=\"480.0\"") && svg.contains("width=\"240.0\""));
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    }

    #[test]
    fn a_line_has_a_point_for_each_size() {
        let svg = lines("t", "µs", &[10, 100, 1_000], &[("x".to_owned(), vec![1.0, 2.0, 4.0])]);
        assert!(svg.contains(r#"points="70.0,224.0 330.0,164.0 590.0,44.0""#), "{svg}");
    }
}
