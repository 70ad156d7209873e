//! Metrics as OTLP JSON: the families of `/metrics`, with the same names.

use perennial_http::metrics::{Family, Histogram, Labels, Number, Series, Unit};
use serde_json::{Value, json};

/// The aggregation of a counter that began with the process: OTLP's `CUMULATIVE`.
const CUMULATIVE: u8 = 2;

/// When the counting began and when it was read, in nanoseconds since 1970.
#[derive(Clone, Copy)]
pub(super) struct Times {
    pub(super) since: u64,
    pub(super) now: u64,
}

pub(super) fn json(family: &Family, times: Times) -> Value {
    let mut metric = json!({ "name": family.name, "description": family.about });
    match &family.series {
        Series::Counter(numbers) => {
            metric["sum"] = json!({
                "aggregationTemporality": CUMULATIVE,
                "isMonotonic": true,
                "dataPoints": points(numbers, times),
            });
        }
        Series::Gauge(numbers) => metric["gauge"] = json!({ "dataPoints": points(numbers, times) }),
        Series::Histogram(histograms) => {
            if histograms.iter().any(|histogram| histogram.unit == Unit::Micros) {
                metric["unit"] = "s".into();
            }
            let points: Vec<Value> = histograms.iter().map(|histogram| buckets(histogram, times)).collect();
            metric["histogram"] = json!({ "aggregationTemporality": CUMULATIVE, "dataPoints": points });
        }
    }
    metric
}

fn points(numbers: &[Number], times: Times) -> Vec<Value> {
    let point = |Number { labels, value }: &Number| {
        let mut point = point(labels, times);
        point["asInt"] = value.to_string().into();
        point
    };
    numbers.iter().map(point).collect()
}

fn buckets(histogram: &Histogram, times: Times) -> Value {
    let Histogram { labels, unit, bounds, counts, sum } = histogram;
    let mut point = point(labels, times);
    let bounds: Vec<f64> = bounds.iter().map(|bound| float(*unit, *bound)).collect();
    // Numbers: rotel drops a histogram whose counts are strings.
    point["count"] = counts.iter().sum::<u64>().into();
    point["sum"] = float(*unit, *sum).into();
    point["bucketCounts"] = counts.clone().into();
    point["explicitBounds"] = bounds.into();
    point
}

fn point(labels: &Labels, times: Times) -> Value {
    let attributes: Vec<Value> =
        labels.iter().map(|(name, value)| json!({ "key": name, "value": { "stringValue": value } })).collect();
    json!({
        "attributes": attributes,
        "startTimeUnixNano": times.since.to_string(),
        "timeUnixNano": times.now.to_string(),
    })
}

#[expect(
    clippy::cast_precision_loss,
    reason = "OTLP has floats here, and they are exact for 285 years of microseconds"
)]
fn float(unit: Unit, value: u64) -> f64 {
    match unit {
        Unit::Pieces => value as f64,
        Unit::Micros => value as f64 / 1e6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_histogram_of_microseconds_is_told_in_seconds() {
        let labels = vec![("route", "/plans".to_owned())];
        let histogram = Histogram {
            labels,
            unit: Unit::Micros,
            bounds: vec![100, 1_000_000],
            counts: vec![3, 2, 1],
            sum: 4_500_000,
        };
        let family = Family { name: "t".into(), about: "Time.", series: Series::Histogram(vec![histogram]) };
        let metric = json(&family, Times { since: 1, now: 2 });
        let point = &metric["histogram"]["dataPoints"][0];
        assert_eq!(metric["unit"], "s");
        assert_eq!(point["explicitBounds"], json!([0.0001, 1.0]));
        assert_eq!(point["bucketCounts"], json!([3, 2, 1]));
        assert_eq!((&point["count"], &point["sum"]), (&json!(6), &json!(4.5)));
        assert_eq!(point["attributes"][0]["value"]["stringValue"], "/plans");
    }
}
