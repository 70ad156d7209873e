//! The period of a quota that contains an instant.
//! It follows from the subscription's record and the calendar, so that a quota resets on time even if the engine is late.

use crate::cycle::BillingCycle;
use crate::features::QuotaPeriod;
use crate::lifecycle::calendar::{Calendar, ZoneName};
use crate::time::Time;
use crate::usage::TimeSpan;

use super::terms::{PeriodTerms, Terms};

/// The period of a quota. It begins with its first instant and ends before its last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Period {
    /// When it begins. None: it has no beginning.
    pub from: Option<Time>,
    /// When it ends. None: never.
    pub to: Option<Time>,
}

impl Period {
    /// All of time.
    pub const ENDLESS: Self = Self { from: None, to: None };

    /// The instants of the period, as totals are stored and events are read.
    pub fn span(self) -> TimeSpan {
        TimeSpan { from: self.from.unwrap_or(Time::MIN), to: self.to.unwrap_or(Time::MAX) }
    }

    /// Whether an instant is in the period.
    pub fn contains(self, at: Time) -> bool {
        self.from.is_none_or(|from| from <= at) && self.to.is_none_or(|to| at < to)
    }
}

/// The period of a quota of a subscription that contains an instant.
pub fn period(subscription: &Terms, period: QuotaPeriod, at: Time) -> Period {
    match (period, &subscription.billing) {
        (QuotaPeriod::Ever, _) => Period::ENDLESS,
        (QuotaPeriod::Day, _) => Period { from: Some(at.start_of_day()), to: at.start_of_day().plus_days(1) },
        (QuotaPeriod::Month, _) => Period { from: at.start_of_month(0), to: at.start_of_month(1) },
        (QuotaPeriod::Year, _) => Period { from: at.start_of_year(0), to: at.start_of_year(1) },
        (QuotaPeriod::Billing, Some(billing)) => billed(subscription, billing, at),
        (QuotaPeriod::Billing, None) => external(subscription, at),
    }
}

fn around(calendar: &Calendar, at: Time) -> Period {
    let (from, to) = calendar.around(at);
    Period { from, to }
}

/// The cycle of an external subscription. `renews_at` counts if another system moved it off the cycle of `starts_at`.
fn external(subscription: &Terms, at: Time) -> Period {
    let cycle = subscription.billing_cycle;
    if cycle == BillingCycle::Lifetime {
        return Period::ENDLESS;
    }
    let calendar = |anchor| Calendar::new(&ZoneName::default(), anchor, cycle);
    let from_start = calendar(subscription.starts_at);
    match subscription.renews_at {
        Some(renews_at) if !from_start.is_boundary(renews_at) => around(&calendar(renews_at), at),
        _ => around(&from_start, at),
    }
}

/// The stored period, or the one before or after it that contains the instant.
fn billed(subscription: &Terms, billing: &PeriodTerms, at: Time) -> Period {
    let start = billing.period_start.unwrap_or(subscription.starts_at);
    let end = subscription.renews_at;
    let calendar = Calendar::new(&billing.time_zone, billing.anchor_at, subscription.billing_cycle);
    match end {
        _ if at < start => {
            let before = around(&calendar, at);
            // A trial or a short first period begins with the subscription.
            let first = Some(subscription.starts_at).filter(|starts_at| *starts_at <= at);
            Period { from: before.from.max(first), to: Some(before.to.map_or(start, |to| to.min(start))) }
        }
        // The engine is late: the next period has begun all the same.
        Some(end) if at >= end => {
            let after = around(&calendar, at);
            Period { from: Some(after.from.map_or(end, |from| from.max(end))), ..after }
        }
        end => Period { from: Some(start), to: end },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entitlements::tests::{billed as billed_subscription, external as external_subscription};
    use crate::plans::tests::instant;
    use crate::subscriptions::Subscription;
    use proptest::prelude::*;

    fn spans(subscription: &Subscription, kind: QuotaPeriod, at: &str) -> [Option<String>; 2] {
        let Period { from, to } = period(&subscription.into(), kind, instant(at));
        [from, to].map(|time| time.map(|time| time.to_string()[..16].to_owned()))
    }

    fn between(from: &str, to: &str) -> [Option<String>; 2] {
        [Some(from.to_owned()), Some(to.to_owned())]
    }

    #[test]
    fn calendar_periods_are_those_of_utc() {
        let subscription = external_subscription(1, "2026-01-31T10:00:00Z");
        let at = "2026-05-15T13:45:00Z";
        assert_eq!(spans(&subscription, QuotaPeriod::Day, at), between("2026-05-15T00:00", "2026-05-16T00:00"));
        assert_eq!(spans(&subscription, QuotaPeriod::Month, at), between("2026-05-01T00:00", "2026-06-01T00:00"));
        assert_eq!(spans(&subscription, QuotaPeriod::Year, at), between("2026-01-01T00:00", "2027-01-01T00:00"));
        assert_eq!(spans(&subscription, QuotaPeriod::Ever, at), [None, None]);
        let midnight = "2026-05-16T00:00:00Z";
        assert_eq!(spans(&subscription, QuotaPeriod::Day, midnight), between("2026-05-16T00:00", "2026-05-17T00:00"));
    }

    #[test]
    fn an_external_cycle_is_counted_from_the_start_or_from_a_renewal_off_its_cycle() {
        let mut subscription = external_subscription(1, "2026-01-31T10:00:00Z");
        let spans_at = |subscription: &Subscription, at| spans(subscription, QuotaPeriod::Billing, at);
        let march = between("2026-02-28T10:00", "2026-03-31T10:00");
        assert_eq!(spans_at(&subscription, "2026-03-10T00:00:00Z"), march);
        // The renewal of another cycle boundary does not matter, however late it is.
        subscription.renews_at = Some(instant("2026-08-31T10:00:00Z"));
        assert_eq!(spans_at(&subscription, "2026-03-10T00:00:00Z"), march);
        subscription.renews_at = None;
        assert_eq!(spans_at(&subscription, "2026-03-10T00:00:00Z"), march);
        subscription.renews_at = Some(instant("2026-03-15T08:00:00Z"));
        assert_eq!(spans_at(&subscription, "2026-03-10T00:00:00Z"), between("2026-02-15T08:00", "2026-03-15T08:00"));
        assert_eq!(spans_at(&subscription, "2026-03-15T08:00:00Z"), between("2026-03-15T08:00", "2026-04-15T08:00"));
        subscription.billing_cycle = BillingCycle::Lifetime;
        assert_eq!(spans_at(&subscription, "2026-03-10T00:00:00Z"), [None, None]);
    }

    #[test]
    fn a_billed_period_is_the_stored_one_and_the_next_begins_on_time() {
        let subscription = billed_subscription(1, "2026-01-15T00:00:00Z");
        let spans_at = |at| spans(&subscription, QuotaPeriod::Billing, at);
        assert_eq!(spans_at("2026-01-20T00:00:00Z"), between("2026-01-15T00:00", "2026-02-15T00:00"));
        assert_eq!(spans_at("2026-02-14T23:59:59Z"), between("2026-01-15T00:00", "2026-02-15T00:00"));
        assert_eq!(spans_at("2026-02-15T00:00:00Z"), between("2026-02-15T00:00", "2026-03-15T00:00"));
        assert_eq!(spans_at("2026-05-01T00:00:00Z"), between("2026-04-15T00:00", "2026-05-15T00:00"));
        assert_eq!(spans_at("2026-01-01T00:00:00Z"), between("2025-12-15T00:00", "2026-01-15T00:00"));
    }

    /// A late event of a trial or of a short first period belongs to the period that was the current one then.
    #[test]
    fn the_first_period_begins_with_the_subscription() {
        let mut subscription = billed_subscription(1, "2026-01-10T00:00:00Z");
        let billing = subscription.billing.as_mut().unwrap();
        billing.anchor_at = instant("2026-01-25T00:00:00Z");
        billing.period_start = Some(billing.anchor_at);
        subscription.renews_at = Some(instant("2026-02-25T00:00:00Z"));
        let spans_at = |at| spans(&subscription, QuotaPeriod::Billing, at);
        assert_eq!(spans_at("2026-01-24T23:00:00Z"), between("2026-01-10T00:00", "2026-01-25T00:00"));
        assert_eq!(spans_at("2026-01-09T23:00:00Z"), between("2025-12-25T00:00", "2026-01-25T00:00"));
    }

    #[test]
    fn a_lifetime_begins_at_the_end_of_its_trial_however_late_the_engine_is() {
        let mut subscription = billed_subscription(1, "2026-01-01T00:00:00Z");
        subscription.billing_cycle = BillingCycle::Lifetime;
        subscription.renews_at = Some(instant("2026-01-06T00:00:00Z"));
        let (during, after) = ("2026-01-05T23:59:59Z", "2026-02-01T00:00:00Z");
        let trial = between("2026-01-01T00:00", "2026-01-06T00:00");
        let lifetime = [Some("2026-01-06T00:00".to_owned()), None];
        assert_eq!(spans(&subscription, QuotaPeriod::Billing, during), trial);
        assert_eq!(spans(&subscription, QuotaPeriod::Billing, after), lifetime);
        let billing = subscription.billing.as_mut().unwrap();
        billing.period_start = subscription.renews_at.take();
        assert_eq!(spans(&subscription, QuotaPeriod::Billing, after), lifetime);
        assert_eq!(spans(&subscription, QuotaPeriod::Billing, during), trial);
    }

    proptest! {
        #[test]
        fn calendar_periods_are_the_cycles_since_1970(micros in 0..250_000_000_000_000_000_i64) {
            let at = Time::from_micros(micros).unwrap();
            let subscription = Terms::from(&external_subscription(1, "2026-01-31T10:00:00Z"));
            for (kind, cycle) in [
                (QuotaPeriod::Day, BillingCycle::Daily),
                (QuotaPeriod::Month, BillingCycle::Monthly),
                (QuotaPeriod::Year, BillingCycle::Yearly),
            ] {
                let calendar = Calendar::new(&ZoneName::default(), Time::MIN, cycle);
                prop_assert_eq!(period(&subscription, kind, at), around(&calendar, at));
            }
        }

        #[test]
        fn an_instant_is_in_its_period(micros in 0..4_000_000_000_000_000_i64, start in 0..3_000_000_000_000_000_i64, pick in 0_usize..5, is_billed: bool) {
            let at = Time::from_micros(micros).unwrap();
            let starts_at = Time::from_micros(start).unwrap().to_string();
            let subscription =
                if is_billed { billed_subscription(1, &starts_at) } else { external_subscription(1, &starts_at) };
            let subscription = Terms::from(&subscription);
            let found = period(&subscription, QuotaPeriod::ALL[pick], at);
            prop_assert!(found.contains(at), "{found:?}");
            if let Some(to) = found.to {
                let next = period(&subscription, QuotaPeriod::ALL[pick], to);
                prop_assert_eq!(next.from, Some(to));
            }
        }
    }
}
