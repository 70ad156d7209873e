//! Metrics as values: name, help text, labels and numbers. All formats are rendered from them.

use std::fmt::{self, Write as _};

/// One metric with all its series.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Family {
    /// The full name.
    pub name: String,
    /// The help text.
    pub about: &'static str,
    /// The values.
    pub series: Series,
}

/// The series of a metric, one for each set of labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Series {
    /// Only increases while the process runs.
    Counter(Vec<Number>),
    /// The current value.
    Gauge(Vec<Number>),
    /// Values sorted into buckets.
    Histogram(Vec<Histogram>),
}

/// The names and values of a series' labels.
pub type Labels = Vec<(&'static str, String)>;

/// A single number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number {
    /// Its labels.
    pub labels: Labels,
    /// The number.
    pub value: u64,
}

/// How often values fell into each bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    /// Its labels.
    pub labels: Labels,
    /// The unit of the bounds and the sum.
    pub unit: Unit,
    /// The upper bounds of all buckets but the last, which has none.
    pub bounds: Vec<u64>,
    /// The number of values in each bucket (not cumulative); one more than there are bounds.
    pub counts: Vec<u64>,
    /// The sum of all values.
    pub sum: u64,
}

/// The unit of a histogram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A count.
    Pieces,
    /// Microseconds, rendered as seconds.
    Micros,
}

impl Family {
    /// A counter or a gauge without labels.
    pub fn number(name: &str, about: &'static str, series: impl Fn(Vec<Number>) -> Series, value: u64) -> Self {
        let name = format!("perennial_{name}");
        Self { name, about, series: series(vec![Number { labels: Labels::new(), value }]) }
    }

    /// Renders it in the Prometheus text format.
    pub(super) fn render(&self, page: &mut String) {
        let Self { name, about, series } = self;
        let kind = match series {
            Series::Counter(_) => "counter",
            Series::Gauge(_) => "gauge",
            Series::Histogram(_) => "histogram",
        };
        let _ = write!(page, "# HELP {name} {about}\n# TYPE {name} {kind}\n");
        match series {
            Series::Counter(numbers) | Series::Gauge(numbers) => {
                for Number { labels, value } in numbers {
                    let _ = writeln!(page, "{name}{} {value}", Braces(labels, None));
                }
            }
            Series::Histogram(histograms) => histograms.iter().for_each(|histogram| histogram.render(name, page)),
        }
    }
}

impl Histogram {
    fn render(&self, name: &str, page: &mut String) {
        let mut count = 0;
        let bounds = self.bounds.iter().map(|bound| self.unit.show(*bound)).chain(["+Inf".to_owned()]);
        for (bound, more) in bounds.zip(&self.counts) {
            count += more;
            let _ = writeln!(page, "{name}_bucket{} {count}", Braces(&self.labels, Some(&bound)));
        }
        let labels = Braces(&self.labels, None);
        let _ = write!(page, "{name}_sum{labels} {}\n{name}_count{labels} {count}\n", self.unit.show(self.sum));
    }
}

impl Unit {
    fn show(self, value: u64) -> String {
        match self {
            Self::Pieces => value.to_string(),
            // Without a float, so that nothing is rounded.
            Self::Micros => format!("{}.{:06}", value / 1_000_000, value % 1_000_000),
        }
    }
}

/// Renders labels, including a bucket's bound.
struct Braces<'a>(&'a Labels, Option<&'a str>);

impl fmt::Display for Braces<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bound = self.1.map(|bound| ("le", bound));
        let labels = self.0.iter().map(|(name, value)| (*name, value.as_str())).chain(bound);
        for (place, (name, value)) in labels.enumerate() {
            write!(f, "{}{name}=\"{value}\"", if place == 0 { '{' } else { ',' })?;
        }
        if self.0.is_empty() && bound.is_none() { Ok(()) } else { f.write_str("}") }
    }
}
