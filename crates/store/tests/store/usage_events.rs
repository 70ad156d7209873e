//! The sums of usage events: parts of a span share no event and miss none.

use std::collections::BTreeMap;

use perennial_domain::id::{MeterId, OrganizationId, SubscriptionId};
use perennial_domain::time::Time;
use perennial_domain::usage::{TimeSpan, UsageEvent, UsageEventId, UsagePart, UsageValue};
use perennial_store::usage_events;
use perennial_store::{Change, Db};

use crate::support::*;

on_both_engines!(the_parts_of_a_span_add_up_to_all_of_it,);

const ORGANIZATION: OrganizationId = OrganizationId::from_bytes([1; 16]);
const SUBSCRIPTION: SubscriptionId = SubscriptionId::from_bytes([2; 16]);

fn at(micros: i64) -> Time {
    Time::from_micros(micros).unwrap()
}

/// Events of two meters at few instants, with values that have units and millionths, or are negative.
fn events() -> Vec<UsageEvent> {
    let event = |number: i64| UsageEvent {
        subscription_id: SUBSCRIPTION,
        id: UsageEventId::parse(&format!("e{number}")).unwrap(),
        meter_id: MeterId::from_bytes([u8::try_from(number % 2).unwrap(); 16]),
        at: at(10 + number % 3),
        value: UsageValue::from_millionths(number * 1_250_001 - 4_000_000).unwrap(),
        key: None,
    };
    (0..12).map(event).collect()
}

type Sums = BTreeMap<MeterId, (usize, i128, i64)>;

fn add(sums: &mut Sums, meter: MeterId, part: UsagePart) {
    let sum = sums.entry(meter).or_insert((0, 0, i64::MIN));
    *sum = (sum.0 + part.count, sum.1 + part.sum, sum.2.max(part.max));
}

async fn in_parts(db: &Db, (first, last): (i64, i64), size: usize) -> Sums {
    let span = TimeSpan { from: at(first), to: at(last) };
    let mut sums = Sums::new();
    for (meter, part) in usage_events::sums(db, ORGANIZATION, SUBSCRIPTION, span, size).await.unwrap() {
        assert!(part.count <= size);
        add(&mut sums, meter, part);
    }
    sums
}

async fn the_parts_of_a_span_add_up_to_all_of_it(place: Place) {
    let db = place.open().await;
    db.migrate().await.unwrap();
    let events = events();
    let change = usage_events::insert(Change::new(), ORGANIZATION, &[], &events, &[]);
    db.commit(change).await.unwrap();
    for (first, last) in [(0, 100), (10, 11), (11, 13), (13, 100)] {
        let mut expected = Sums::new();
        for event in events.iter().filter(|event| (first..last).contains(&event.at.as_micros())) {
            let value = event.value.millionths();
            add(&mut expected, event.meter_id, UsagePart { count: 1, sum: i128::from(value), max: value });
        }
        for size in 1..14 {
            assert_eq!(in_parts(&db, (first, last), size).await, expected, "{first} to {last} in parts of {size}");
        }
    }
}
