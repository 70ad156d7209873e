//! Aggregation: the events of a window as one quantity. The order of the events does not matter.

use super::{DECIMALS, UsageEvent};
use crate::cycle::BillingCycle;
use crate::invoices::{Exact, OutOfRange};
use crate::meters::Aggregation;
use crate::time::Time;
use std::collections::HashSet;

/// A half-open span of time: the first instant is in it, the last is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TimeSpan {
    /// The first instant.
    pub from: Time,
    /// The first instant after it.
    pub to: Time,
}

impl TimeSpan {
    /// The span of a report: as requested, or from `start` until `now`. A report covers at most 13 months, and what was
    /// not requested is limited to them.
    pub fn of_report(from: Option<Time>, to: Option<Time>, start: Time, now: Time) -> Result<Self, SpanError> {
        let to = to.unwrap_or(now);
        let from = match from {
            Some(from) if from > to => return Err(SpanError::Reversed),
            Some(from) => from,
            None => start.max(to.plus_seconds(-SHORTEST_MONTHS_SECONDS)).min(to),
        };
        let longest = BillingCycle::Monthly.renewal(from, MONTHS);
        if longest.is_some_and(|longest| to > longest) { Err(SpanError::TooLong) } else { Ok(Self { from, to }) }
    }

    /// The same with the instant at its end: what is recorded now is part of a report until now.
    pub fn with_end(self) -> Self {
        Self { to: Time::from_micros(self.to.as_micros() + 1).unwrap_or(self.to), ..self }
    }

    /// Whether an instant is in the span.
    pub fn contains(self, at: Time) -> bool {
        self.from <= at && at < self.to
    }
}

/// The most months of a report.
const MONTHS: u32 = 13;
/// The shortest 13 months.
const SHORTEST_MONTHS_SECONDS: i64 = 395 * 24 * 3600;

/// Why a span cannot be reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanError {
    /// It ends before it begins.
    Reversed,
    /// It is longer than 13 months.
    TooLong,
}

/// A quantity in millionths. It serializes as a JSON number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Quantity(i128);

impl Quantity {
    /// The quantity of this many millionths.
    pub const fn from_millionths(millionths: i128) -> Self {
        Self(millionths)
    }

    /// The quantity in millionths.
    pub const fn millionths(self) -> i128 {
        self.0
    }

    /// The quantity of this many units.
    fn units(count: usize) -> Self {
        Self(i128::try_from(count).unwrap_or(i128::MAX).saturating_mul(10_i128.pow(DECIMALS)))
    }

    /// What an invoice bills: a negative sum bills nothing.
    #[must_use]
    pub fn billed(self) -> Self {
        self.max(Self(0))
    }

    /// The quantity as a number to compute with.
    pub fn exact(self) -> Result<Exact, OutOfRange> {
        Exact::decimal(self.0, DECIMALS)
    }
}

impl std::fmt::Display for Quantity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        crate::number::write_scaled(f, self.0, DECIMALS)
    }
}

impl serde::Serialize for Quantity {
    /// Serialized as a JSON number from its exact text, in the shortest form.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        crate::number::serialize_exact(self, serializer)
    }
}

/// The aggregation of a meter's events so far.
#[derive(Clone, Debug)]
pub enum Aggregate {
    /// The sum of the values, in millionths.
    Sum(i128),
    /// The number of events.
    Count(usize),
    /// The greatest value, in millionths.
    Max(Option<i64>),
    /// The latest event by time and ID, and its value in millionths.
    Last(Option<(Time, String, i64)>),
    /// The different keys.
    Unique(HashSet<String>),
}

/// What events of a meter add up to. There is at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsagePart {
    /// Their number.
    pub count: usize,
    /// The sum of their values, in millionths.
    pub sum: i128,
    /// The greatest of their values, in millionths.
    pub max: i64,
}

impl Aggregate {
    /// Nothing yet.
    pub fn new(aggregation: Aggregation) -> Self {
        match aggregation {
            Aggregation::Sum => Self::Sum(0),
            Aggregation::Count => Self::Count(0),
            Aggregation::Max => Self::Max(None),
            Aggregation::Last => Self::Last(None),
            Aggregation::Unique => Self::Unique(HashSet::new()),
        }
    }

    /// Whether the quantity follows from what events add up to.
    pub const fn is_additive(&self) -> bool {
        matches!(self, Self::Sum(_) | Self::Count(_) | Self::Max(_))
    }

    /// Adds the events of a part. Other aggregations than additive ones need [`Self::add`].
    pub fn add_part(&mut self, part: &UsagePart) {
        match self {
            Self::Sum(sum) => *sum += part.sum,
            Self::Count(count) => *count += part.count,
            Self::Max(max) => *max = (*max).max(Some(part.max)),
            Self::Last(_) | Self::Unique(_) => debug_assert!(false, "the events are needed"),
        }
    }

    /// Adds an event.
    pub fn add(&mut self, event: &UsageEvent) {
        let value = event.value.millionths();
        match self {
            Self::Sum(sum) => *sum += i128::from(value),
            Self::Count(count) => *count += 1,
            Self::Max(max) => *max = (*max).max(Some(value)),
            Self::Last(last) => {
                let is_later =
                    last.as_ref().is_none_or(|(at, id, _)| (*at, id.as_str()) < (event.at, event.id.as_str()));
                if is_later {
                    *last = Some((event.at, event.id.as_str().to_owned(), value));
                }
            }
            Self::Unique(keys) => {
                if let Some(key) = event.key.as_ref().filter(|key| !keys.contains(key.as_str())) {
                    keys.insert(key.as_str().to_owned());
                }
            }
        }
    }

    /// The quantity; 0 of nothing.
    pub fn quantity(&self) -> Quantity {
        match self {
            Self::Sum(sum) => Quantity(*sum),
            Self::Count(count) => Quantity::units(*count),
            Self::Max(max) => Quantity(i128::from(max.unwrap_or(0))),
            Self::Last(last) => Quantity(i128::from(last.as_ref().map_or(0, |(_, _, value)| *value))),
            Self::Unique(keys) => Quantity::units(keys.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{MeterId, SubscriptionId};
    use crate::plans::tests::instant;
    use crate::usage::{UsageEventId, UsageKey, UsageValue};
    use proptest::prelude::*;

    fn event(id: usize, at: i64, value: i64, key: u8) -> UsageEvent {
        let start = instant("2026-05-01T00:00:00Z");
        UsageEvent {
            subscription_id: SubscriptionId::new(start, 4),
            id: UsageEventId::parse(&format!("e{id}")).unwrap(),
            meter_id: MeterId::new(start, 4),
            at: start.plus_micros(at),
            value: UsageValue::from_millionths(value).unwrap(),
            key: Some(UsageKey::parse(&format!("k{key}")).unwrap()),
        }
    }

    fn quantity(aggregation: Aggregation, events: &[UsageEvent]) -> Quantity {
        let mut aggregate = Aggregate::new(aggregation);
        for event in events {
            aggregate.add(event);
        }
        aggregate.quantity()
    }

    /// The same from what parts of the events add up to.
    fn quantity_of_parts(aggregation: Aggregation, events: &[UsageEvent], size: usize) -> Quantity {
        let mut aggregate = Aggregate::new(aggregation);
        for part in events.chunks(size) {
            let values = || part.iter().map(|event| event.value.millionths());
            let sum = values().map(i128::from).sum();
            aggregate.add_part(&UsagePart { count: part.len(), sum, max: values().max().unwrap() });
        }
        aggregate.quantity()
    }

    fn shown(aggregation: Aggregation, events: &[UsageEvent]) -> String {
        serde_json::to_string(&quantity(aggregation, events)).unwrap()
    }

    #[test]
    fn each_aggregation_has_its_quantity() {
        let events = [event(1, 5, 2_500_000, 1), event(2, 9, -1_000_000, 2), event(3, 7, 4_000_000, 1)];
        let expected = [("sum", "5.5"), ("count", "3"), ("max", "4"), ("last", "-1"), ("unique", "2")];
        for (word, text) in expected {
            assert_eq!(shown(Aggregation::from_stored(word).unwrap(), &events), text, "{word}");
            assert_eq!(shown(Aggregation::from_stored(word).unwrap(), &[]), "0", "{word}");
        }
    }

    #[test]
    fn of_two_events_at_one_instant_the_greater_id_is_the_last() {
        let events = [event(2, 5, 2_000_000, 1), event(1, 5, 1_000_000, 1)];
        assert_eq!(shown(Aggregation::Last, &events), "2");
    }

    #[test]
    fn a_negative_sum_bills_nothing() {
        let sum = quantity(Aggregation::Sum, &[event(1, 1, -1, 1)]);
        assert_eq!((sum.to_string(), sum.billed().to_string()), ("-0.000001".to_owned(), "0".to_owned()));
        assert_eq!(sum.billed().exact(), Ok(Exact::ZERO));
        assert_eq!(quantity(Aggregation::Sum, &[event(1, 1, 2_500_000, 1)]).exact(), Exact::decimal(25, 1));
    }

    #[test]
    fn a_span_has_its_first_instant_and_not_its_last() {
        let from = instant("2026-05-01T00:00:00Z");
        let span = TimeSpan { from, to: from.plus_seconds(1) };
        assert!(span.contains(from) && !span.contains(span.to) && !span.contains(from.plus_micros(-1)));
    }

    #[test]
    fn a_report_covers_at_most_13_months() {
        let span = |from: Option<&str>, to: Option<&str>| {
            let (start, now) = (instant("2024-01-31T00:00:00Z"), instant("2026-05-01T00:00:00Z"));
            TimeSpan::of_report(from.map(instant), to.map(instant), start, now)
        };
        let shown = |span: TimeSpan| (span.from.to_string(), span.to.to_string());
        let text = |from: &str, to: &str| (format!("{from}T00:00:00.000000Z"), format!("{to}T00:00:00.000000Z"));
        assert_eq!(span(None, None).map(shown), Ok(text("2025-04-01", "2026-05-01")), "at most 13 months ago");
        assert_eq!(span(None, Some("2024-03-01T00:00:00Z")).map(shown), Ok(text("2024-01-31", "2024-03-01")));
        assert_eq!(span(None, Some("2024-01-01T00:00:00Z")).map(shown), Ok(text("2024-01-01", "2024-01-01")));
        let from = Some("2025-01-31T00:00:00Z");
        assert!(span(from, Some("2026-02-28T00:00:00Z")).is_ok());
        assert_eq!(span(from, Some("2026-02-28T00:00:00.000001Z")), Err(SpanError::TooLong));
        assert_eq!(span(from, Some("2025-01-30T00:00:00Z")), Err(SpanError::Reversed));
        assert!(span(from, from).is_ok());
    }

    fn shuffled() -> impl Strategy<Value = (Vec<UsageEvent>, Vec<UsageEvent>)> {
        let event_parts = (0_i64..5, -3_i64..3, 0_u8..4);
        prop::collection::vec(event_parts, 0..20).prop_flat_map(|parts| {
            let events: Vec<UsageEvent> =
                parts.iter().enumerate().map(|(id, (at, value, key))| event(id, *at, *value, *key)).collect();
            (Just(events.clone()), Just(events).prop_shuffle())
        })
    }

    proptest! {
        #[test]
        fn the_order_of_events_changes_no_quantity((events, other) in shuffled()) {
            for aggregation in Aggregation::ALL {
                prop_assert_eq!(quantity(*aggregation, &events), quantity(*aggregation, &other));
            }
        }

        #[test]
        fn parts_add_up_to_the_quantity((events, _) in shuffled(), size in 1_usize..5) {
            for aggregation in Aggregation::ALL.iter().filter(|kind| Aggregate::new(**kind).is_additive()) {
                let of_parts = quantity_of_parts(*aggregation, &events, size);
                prop_assert_eq!(of_parts, quantity(*aggregation, &events));
            }
        }

        #[test]
        fn adjacent_spans_share_no_event_and_miss_none((events, _) in shuffled(), cut in 0_i64..6) {
            let from = instant("2026-05-01T00:00:00Z");
            let middle = from.plus_micros(cut);
            let spans = [TimeSpan { from, to: middle }, TimeSpan { from: middle, to: from.plus_seconds(1) }];
            let within = |span: TimeSpan| -> Vec<UsageEvent> {
                events.iter().filter(|event| span.contains(event.at)).cloned().collect()
            };
            let parts = spans.map(|span| quantity(Aggregation::Count, &within(span)).millionths());
            prop_assert_eq!(parts[0] + parts[1], quantity(Aggregation::Count, &events).millionths());
        }
    }
}
