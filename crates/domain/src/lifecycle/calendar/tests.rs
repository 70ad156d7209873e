//! The dates of the documentation, and what holds for every anchor.

use super::*;
use crate::cycle::BillingCycle::{Daily, Lifetime, Monthly, Yearly};
use crate::plans::tests::instant;
use proptest::prelude::*;

fn zone(name: &str) -> ZoneName {
    ZoneName::parse(name).unwrap()
}

fn boundaries(zone_name: &str, anchor: &str, cycle: BillingCycle, count: i64) -> Vec<String> {
    let calendar = Calendar::new(&zone(zone_name), instant(anchor), cycle);
    (1..=count).map(|k| calendar.boundary(k).unwrap().to_string()[..16].to_owned()).collect()
}

#[test]
fn p1_the_31st_returns_after_short_months() {
    let expected = [
        "2026-02-28",
        "2026-03-31",
        "2026-04-30",
        "2026-05-31",
        "2026-06-30",
        "2026-07-31",
        "2026-08-31",
        "2026-09-30",
        "2026-10-31",
        "2026-11-30",
        "2026-12-31",
        "2027-01-31",
    ];
    assert_eq!(boundaries("UTC", "2026-01-31T10:00:00Z", Monthly, 12), expected.map(|day| format!("{day}T10:00")));
}

#[test]
fn p2_the_leap_day_returns_in_leap_years() {
    let expected = ["2029-02-28", "2030-02-28", "2031-02-28", "2032-02-29"];
    assert_eq!(boundaries("UTC", "2028-02-29T10:00:00Z", Yearly, 4), expected.map(|day| format!("{day}T10:00")));
}

#[test]
fn p3_local_midnight_stays_local_midnight() {
    let expected = [
        "2026-02-27T23:00",
        "2026-03-30T22:00",
        "2026-04-29T22:00",
        "2026-05-30T22:00",
        "2026-06-29T22:00",
        "2026-07-30T22:00",
        "2026-08-30T22:00",
        "2026-09-29T22:00",
        "2026-10-30T23:00",
        "2026-11-29T23:00",
    ];
    assert_eq!(boundaries("Europe/Berlin", "2026-01-31T00:00:00+01:00", Monthly, 10), expected);
}

#[test]
fn a_gap_moves_forward_and_a_fold_is_its_first_occurrence() {
    // Clocks in Berlin skip 02:00 to 03:00 on 2026-03-29 and repeat it on 2026-10-25.
    let daily = boundaries("Europe/Berlin", "2026-03-28T02:30:00+01:00", Daily, 2);
    assert_eq!(daily, ["2026-03-29T01:30", "2026-03-30T00:30"]);
    let daily = boundaries("Europe/Berlin", "2026-10-24T02:30:00+02:00", Daily, 2);
    assert_eq!(daily, ["2026-10-25T00:30", "2026-10-26T01:30"]);
}

#[test]
fn a_day_that_a_zone_skips_has_the_boundary_of_the_next() {
    // Samoa skipped 2011-12-30.
    let calendar = Calendar::new(&zone("Pacific/Apia"), instant("2011-12-28T20:00:00Z"), Daily);
    let boundaries: Vec<_> = (0..4).map(|k| calendar.boundary(k).unwrap()).collect();
    assert_eq!(boundaries[2].as_micros() - boundaries[1].as_micros(), 86_400_000_000);
    assert_eq!(boundaries[3], boundaries[2]);
    assert_eq!(calendar.next(boundaries[1]), Some(boundaries[2]));
    assert!(calendar.next(boundaries[2]).unwrap() > boundaries[2]);
    assert!(calendar.is_boundary(boundaries[3]) && !calendar.is_boundary(boundaries[3].plus_micros(1)));
}

#[test]
fn a_first_period_before_the_anchor_is_short() {
    let calendar = Calendar::new(&ZoneName::default(), instant("2026-02-01T00:00:00Z"), Monthly);
    let period = calendar.period(instant("2026-01-11T00:00:00Z"), None).unwrap();
    assert_eq!(period.end, Some(instant("2026-02-01T00:00:00Z")));
    assert_eq!(period.cycle, 31 * 86_400_000_000);
    let ended = calendar.period(instant("2026-02-01T00:00:00Z"), Some(instant("2026-02-11T00:00:00Z"))).unwrap();
    assert_eq!((ended.end, ended.cycle), (Some(instant("2026-02-11T00:00:00Z")), 28 * 86_400_000_000));
}

#[test]
fn lifetime_has_no_boundary_and_no_year_follows_the_last() {
    let calendar = Calendar::new(&ZoneName::default(), instant("2026-02-01T00:00:00Z"), Lifetime);
    assert_eq!(calendar.period(instant("2026-02-01T00:00:00Z"), None).unwrap().end, None);
    assert_eq!((calendar.next(instant("2026-02-01T00:00:00Z")), calendar.boundary(1)), (None, None));
    for name in ["UTC", "Asia/Tokyo"] {
        let calendar = Calendar::new(&zone(name), instant("9999-12-15T00:00:00Z"), Monthly);
        assert_eq!(calendar.period(instant("9999-12-15T00:00:00Z"), None), Err(OutOfCalendar));
        assert_eq!(calendar.period(Time::MAX, None), Err(OutOfCalendar), "{name}");
    }
}

#[test]
fn names_are_those_of_the_database_in_any_case() {
    assert_eq!(zone("europe/berlin").as_str(), "Europe/Berlin");
    assert_eq!(zone("utc").as_str(), "UTC");
    for text in ["", "Mars/Olympus", "+02:00", "../etc/passwd", "Europe/Berlin "] {
        assert_eq!(ZoneName::parse(text).unwrap_err().code, ValidationCode::UnknownValue, "{text}");
    }
}

#[test]
fn calendar_days_keep_the_local_time() {
    let start = instant("2026-03-28T12:00:00+01:00");
    assert_eq!(plus_calendar_days(start, 1, &zone("Europe/Berlin")), Some(instant("2026-03-29T12:00:00+02:00")));
    assert_eq!(plus_calendar_days(start, 1, &ZoneName::default()), Some(start.plus_seconds(86_400)));
}

const ZONES: [&str; 8] = [
    "Europe/Berlin",
    "America/New_York",
    "Asia/Kolkata",
    "Australia/Lord_Howe",
    "America/Sao_Paulo",
    "Pacific/Apia",
    "Africa/Casablanca",
    "UTC",
];

proptest! {
    /// I2.
    #[test]
    fn in_utc_boundaries_are_the_renewals(micros in 0..4_000_000_000_000_000_i64, count in 1_u32..200, cycle in 0_usize..8) {
        let (anchor, cycle) = (Time::from_micros(micros).unwrap(), BillingCycle::ALL[cycle]);
        let calendar = Calendar::new(&ZoneName::default(), anchor, cycle);
        prop_assert_eq!(calendar.boundary(i64::from(count)), cycle.renewal(anchor, count));
    }

    /// I1: boundaries increase, the day is that of the anchor or the month's last, and the local time is the same except
    /// in a gap.
    #[test]
    fn boundaries_increase_at_the_same_local_time(
        micros in 0..4_000_000_000_000_000_i64, k in -150_i64..150, cycle in 0_usize..8, name in 0_usize..8,
    ) {
        let (anchor, cycle, zone) = (Time::from_micros(micros).unwrap(), BillingCycle::ALL[cycle], zone(ZONES[name]));
        let calendar = Calendar::new(&zone, anchor, cycle);
        let (Some(this), Some(next)) = (calendar.boundary(k), calendar.boundary(k + 1)) else { return Ok(()) };
        prop_assert!(this < next || (this == next && ZONES[name] == "Pacific/Apia"));
        let rules = zone.rules().unwrap_or(TimeZone::UTC);
        let (first, here) = (civil(anchor, &rules).unwrap(), civil(this, &rules).unwrap());
        let is_gap = rules.to_ambiguous_timestamp(first.checked_add(Length::of(cycle).unwrap().span(k).unwrap()).unwrap());
        if !is_gap.is_ambiguous() {
            prop_assert_eq!(here.time(), first.time());
            if let Some(Length::Months(_)) = Length::of(cycle) {
                prop_assert_eq!(here.day(), first.day().min(here.days_in_month()));
            }
        }
    }

    #[test]
    fn next_is_the_smallest_boundary_after_an_instant(
        micros in 0..4_000_000_000_000_000_i64, ahead in -200_000_000_000_000_i64..200_000_000_000_000,
        cycle in 0_usize..8, name in 0_usize..8,
    ) {
        let Some(at) = Time::from_micros(micros + ahead) else { return Ok(()) };
        let calendar = Calendar::new(&zone(ZONES[name]), Time::from_micros(micros).unwrap(), BillingCycle::ALL[cycle]);
        let k = calendar.first_after(at).unwrap();
        prop_assert!(calendar.boundary_micros(k).unwrap() > at.as_micros());
        prop_assert!(calendar.boundary_micros(k - 1).unwrap() <= at.as_micros());
        let period = calendar.period(at, None).unwrap();
        prop_assert!(period.end.unwrap().as_micros() - at.as_micros() <= period.cycle);
    }
}
