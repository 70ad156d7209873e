//! Tests of the schedule.

use proptest::prelude::*;

use super::*;
use Attempted::{Made, Skipped};
use CollectBy::{Automatic, Manual};
use InvoiceStatus::Open;

fn day(day: i64) -> Time {
    Time::parse("2026-03-01T00:00:00Z").unwrap().plus_days(day).unwrap()
}

fn issued(collection: CollectBy, retry_days: &[i64]) -> Schedule {
    let rules = DunningRules { retry_days: retry_days.to_vec(), ..DunningRules::default() };
    Schedule::issue(collection, rules, 14, false, true, day(0)).unwrap()
}

fn next(schedule: &Schedule) -> Option<(InvoiceStep, Time)> {
    schedule.next(Open).unwrap()
}

#[test]
fn an_automatic_invoice_is_attempted_on_each_retry_day_and_then_given_up() {
    let mut schedule = issued(Automatic, &[1, 3, 5, 7]);
    assert_eq!((schedule.due_at, schedule.attempts), (day(0), 1));
    for (number, at) in [(2, 1), (3, 3), (4, 5), (5, 7)] {
        assert_eq!(next(&schedule), Some((InvoiceStep::Attempt, day(at))));
        assert_eq!(schedule.attempt(day(at), false).unwrap(), Made { becomes_overdue: number == 2 });
        assert_eq!(schedule.attempts, number);
    }
    assert_eq!(next(&schedule), Some((InvoiceStep::Deadline, day(14))));
    assert!(!schedule.pass_deadline());
    assert_eq!(next(&schedule), None);
}

#[test]
fn a_failed_payment_makes_an_automatic_invoice_overdue_once() {
    let mut schedule = issued(Automatic, &[1]);
    assert!(schedule.payment_failed() && !schedule.payment_failed());
    assert_eq!(schedule.attempt(day(1), false).unwrap(), Made { becomes_overdue: false });
    assert!(!issued(Manual, &[1]).payment_failed());
}

#[test]
fn an_attempt_is_skipped_while_a_payment_is_processing_or_if_the_next_is_due_too() {
    let mut schedule = issued(Automatic, &[1, 3, 5]);
    assert_eq!(schedule.attempt(day(1), true).unwrap(), Skipped);
    assert_eq!((schedule.attempts, schedule.overdue), (1, false));
    // Days later, only the last of those that are due is made, and the deadline counts from then.
    assert_eq!(schedule.attempt(day(20), false).unwrap(), Skipped);
    assert_eq!(schedule.attempt(day(20), false).unwrap(), Made { becomes_overdue: true });
    assert_eq!(next(&schedule), Some((InvoiceStep::Deadline, day(27))));
}

#[test]
fn the_deadline_counts_from_the_planned_instant_of_a_skipped_last_attempt() {
    let mut schedule = issued(Automatic, &[1]);
    assert_eq!(schedule.attempt(day(1), true).unwrap(), Skipped);
    assert_eq!(next(&schedule), Some((InvoiceStep::Deadline, day(8))));
    assert!(schedule.pass_deadline());
}

#[test]
fn without_retries_the_deadline_counts_from_issuing() {
    let mut schedule = issued(Automatic, &[]);
    assert_eq!(next(&schedule), Some((InvoiceStep::Deadline, day(7))));
    assert!(schedule.pass_deadline());
}

#[test]
fn a_manual_invoice_is_overdue_when_due_and_given_up_after_the_grace_period() {
    let mut schedule = issued(Manual, &[1, 3]);
    assert_eq!((schedule.due_at, schedule.attempts), (day(14), 0));
    assert_eq!(next(&schedule), Some((InvoiceStep::Overdue, day(14))));
    assert!(schedule.pass_due());
    assert_eq!(next(&schedule), Some((InvoiceStep::Deadline, day(21))));
}

#[test]
fn a_reopened_invoice_is_overdue_and_its_schedule_restarts() {
    let mut schedule = issued(Automatic, &[1, 3]);
    for at in [1, 3] {
        schedule.attempt(day(at), false).unwrap();
    }
    schedule.pass_deadline();
    assert!(schedule.settle() && !schedule.settle());
    schedule.reopen(day(30)).unwrap();
    assert!(schedule.overdue);
    assert_eq!(next(&schedule), Some((InvoiceStep::Attempt, day(31))));
    schedule.attempt(day(31), false).unwrap();
    assert_eq!(schedule.attempts, 4);
    let mut manual = issued(Manual, &[]);
    manual.reopen(day(30)).unwrap();
    assert_eq!(next(&manual), Some((InvoiceStep::Deadline, day(37))));
    let mut automatic = issued(Automatic, &[]);
    automatic.reopen(day(30)).unwrap();
    assert_eq!(next(&automatic), Some((InvoiceStep::Deadline, day(37))));
}

#[test]
fn the_first_invoice_of_an_incomplete_subscription_has_one_attempt() {
    let mut schedule = Schedule::issue(Automatic, DunningRules::default(), 14, true, true, day(0)).unwrap();
    assert_eq!((schedule.attempts, next(&schedule)), (1, None));
    assert!(!schedule.payment_failed());
    // It was paid, so that the subscription is not incomplete any more.
    schedule.reopen(day(2)).unwrap();
    assert!(schedule.overdue);
    assert_eq!(next(&schedule), Some((InvoiceStep::Attempt, day(3))));
}

#[test]
fn nothing_is_attempted_if_nothing_is_due() {
    let schedule = Schedule::issue(Automatic, DunningRules::default(), 14, false, false, day(0)).unwrap();
    assert_eq!((schedule.attempts, schedule.last_attempt_at), (0, None));
    assert_eq!(schedule.next(InvoiceStatus::Paid), Ok(None));
}

#[test]
fn only_an_open_invoice_has_a_next_step() {
    let schedule = issued(Automatic, &[1]);
    for status in InvoiceStatus::ALL {
        assert_eq!(schedule.next(status).unwrap().is_some(), status == Open);
    }
}

#[test]
fn the_end_of_the_calendar_is_an_error() {
    let end = Schedule::issue(Automatic, DunningRules::default(), 14, false, true, Time::MAX);
    assert_eq!(end, Err(OutOfRange));
    assert_eq!(Schedule::issue(Manual, DunningRules::default(), 14, false, true, Time::MAX), Err(OutOfRange));
}

#[test]
fn the_deadline_ends_subscriptions_as_the_rules_state() {
    let changed = |then: AtDeadline| {
        let all = SubscriptionStatus::ALL.into_iter();
        all.filter(|status| then.subscription_status(*status).is_some())
            .map(SubscriptionStatus::as_str)
            .collect::<Vec<_>>()
    };
    let mut unpaid = changed(AtDeadline::Unpaid);
    unpaid.sort_unstable();
    assert_eq!(unpaid, ["active", "cancelled", "on_trial", "past_due", "paused"]);
    let mut expire = changed(AtDeadline::Expire);
    expire.sort_unstable();
    assert_eq!(expire, ["active", "cancelled", "on_trial", "past_due", "paused", "unpaid"]);
    assert_eq!(AtDeadline::Unpaid.invoice_status(), Open);
    assert_eq!(AtDeadline::Expire.invoice_status(), InvoiceStatus::Uncollectible);
}

proptest! {
    /// However late each step is made: steps come in order, none before its instant is reached, and the schedule ends.
    #[test]
    fn every_schedule_ends_and_no_step_is_early(
        is_manual in any::<bool>(),
        mut retry_days in proptest::collection::vec(1_i64..=60, 0..=8),
        grace_days in 0_i64..=90,
        terms in 0_i64..=365,
        delays in proptest::collection::vec((0_i64..=40, any::<bool>()), 12),
    ) {
        retry_days.sort_unstable();
        retry_days.dedup();
        let planned = retry_days.len();
        let collection = if is_manual { Manual } else { Automatic };
        let rules = DunningRules { retry_days, grace_days, then: AtDeadline::Unpaid };
        let mut schedule = Schedule::issue(collection, rules, terms, false, true, day(0)).unwrap();
        let mut now = day(0);
        let mut made = 0;
        let mut steps = 0;
        while let Some((step, at)) = next(&schedule) {
            let (delay, is_processing) = delays[steps];
            now = now.max(at).plus_days(delay).unwrap();
            match step {
                InvoiceStep::Attempt => {
                    let before = schedule.overdue;
                    match schedule.attempt(now, is_processing).unwrap() {
                        Made { becomes_overdue } => {
                            made += 1;
                            prop_assert_eq!(becomes_overdue, !before);
                            prop_assert!(!is_processing);
                        }
                        Skipped => prop_assert_eq!(schedule.overdue, before),
                    }
                }
                InvoiceStep::Overdue => prop_assert!(is_manual && schedule.pass_due()),
                InvoiceStep::Deadline => {
                    prop_assert!(now >= at && at >= schedule.due_at.plus_days(grace_days).unwrap());
                    schedule.pass_deadline();
                }
            }
            steps += 1;
        }
        prop_assert!(schedule.is_over && schedule.overdue);
        prop_assert_eq!(schedule.attempts, made + i64::from(!is_manual));
        prop_assert_eq!(steps, if is_manual { 2 } else { planned + 1 });
    }
}
