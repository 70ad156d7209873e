//! Metrics as values: what is counted, under which name and labels. How they are written down is another's matter, so that
//! every form of them says the same.

use std::fmt::{self, Write as _};

/// One metric with all its series.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Family {
    /// The full name.
    pub name: String,
    /// What it tells, in a sentence.
    pub about: &'static str,
    /// What was counted.
    pub series: Series,
}

/// The series of a metric, one for each set of labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Series {
    /// Only ever grows while the process lives.
    Counter(Vec<Number>),
    /// As it is now.
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
    /// What the bounds and the sum count.
    pub unit: Unit,
    /// The upper bounds of all buckets but the last, which has none.
    pub bounds: Vec<u64>,
    /// The values in each bucket alone; one more than there are bounds.
    pub counts: Vec<u64>,
    /// All values together.
    pub sum: u64,
}

/// What a histogram's numbers count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Things.
    Pieces,
    /// Microseconds, told in seconds.
    Micros,
}

impl Family {
    /// A counter or a gauge without labels.
    pub fn number(name: &str, about: &'static str, series: impl Fn(Vec<Number>) -> Series, value: u64) -> Self {
        let name = format!("perennial_{name}");
        Self { name, about, series: series(vec![Number { labels: Labels::new(), value }]) }
    }

    /// Writes it in the Prometheus text format.
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

/// Labels, and a bucket's bound among them, as they stand behind a name.
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
