//! The worked examples of docs/lifecycle.md, and one test for each rule of the engine.

use super::actions::Action;
use super::billing::{BillingDraft, Collection, ParkReason, PlannedChange};
use super::test_support::*;
use crate::cycle::BillingCycle::{Monthly, Weekly, Yearly};
use crate::events::EventKind;
use crate::id::SubscriptionId;
use crate::organizations::billing::{OrganizationBilling, RenewalNoticeDays, SpreadMinutes};
use crate::plans::billing::{PlanBilling, TrialEndBehavior};
use crate::subscriptions::SubscriptionStatus::{Active, Cancelled, Expired, Incomplete, OnTrial, Paused, Unpaid};
use crate::subscriptions::{Subscription, SubscriptionDraft};
use crate::time::Time;

#[test]
fn p1_a_monthly_subscription_renews_and_its_forecast_shows_it() {
    let plan = plan_of(1, "10", Monthly);
    let created = create(charged(), &plan, at("2026-01-31T10:00"));
    assert_eq!((created.status, created.renews_at), (Active, Some(at("2026-02-28T10:00"))));
    let forecast = created.forecast(&known(&plan), 3);
    assert_eq!(days(&forecast), ["renew 2026-02-28T10:00", "renew 2026-03-31T10:00", "renew 2026-04-30T10:00"]);
    assert!(forecast.iter().all(|step| step.event == EventKind::SubscriptionRenewed && step.after.status == Active));
    let (_, steps) = run(&created, &known(&plan), at("2027-02-01"));
    assert_eq!(steps.len(), 12);
    assert_eq!(steps[11].at, at("2027-01-31T10:00"));
}

#[test]
fn p6_a_pending_change_acts_with_the_next_period() {
    let (large, small) = (plan_of(1, "49.99", Monthly), plan_of(2, "19.99", Monthly));
    let created = create(charged(), &large, at("2026-03-15T08:00"));
    let known = with_next(&large, &small);
    let planned = update(&created, change_to(&small), None, &known, at("2026-03-20")).unwrap();
    let change = PlannedChange { plan_id: Some(small.id), quantity: None };
    assert_eq!(planned.billing.as_ref().unwrap().change, Some(change));
    assert_eq!((planned.plan_id, planned.renews_at), (large.id, created.renews_at));
    let (renewed, steps) = run(&planned, &known, at("2026-04-15T08:00"));
    assert_eq!(days(&steps), ["renew 2026-04-15T08:00"]);
    assert_eq!((renewed.plan_id, renewed.renews_at), (small.id, Some(at("2026-05-15T08:00"))));
    assert_eq!(renewed.billing.unwrap().change, None);
}

#[test]
fn p7_a_trial_ends_with_the_first_period() {
    let plan = with_trial(plan_of(1, "30", Monthly), 14);
    let created = create(charged(), &plan, at("2026-02-20T09:00"));
    assert_eq!((created.status, created.has_access(at("2026-02-20T09:00"))), (OnTrial, true));
    assert_eq!(created.renews_at, Some(at("2026-03-06T09:00")));
    let (active, steps) = run(&created, &known(&plan), at("2026-03-06T09:00"));
    assert_eq!(days(&steps), ["notice 2026-03-03T09:00", "trial_end 2026-03-06T09:00"]);
    assert_eq!(steps[0].event, EventKind::SubscriptionTrialEnding);
    assert_eq!(steps[1].event, EventKind::SubscriptionTrialEnded);
    assert_eq!((active.status, active.renews_at), (Active, Some(at("2026-04-06T09:00"))));
    assert!(steps.iter().all(|step| step.access.is_none()));
}

#[test]
fn p8_a_trial_without_a_payment_method_pauses_until_it_has_one() {
    let plan = with_trial(plan_of(1, "30", Monthly), 14);
    let created = create(BillingDraft::default(), &plan, at("2026-02-20T09:00"));
    let (paused, steps) = run(&created, &known(&plan), at("2026-03-09"));
    assert_eq!((paused.status, steps.last().unwrap().access), (Paused, Some(false)));
    assert_eq!(paused.next_action(), None);
    let now = at("2026-03-10T12:00");
    let patch = SubscriptionDraft { status: Some(Active), ..billing_patch(charged()) };
    let resumed = update(&paused, patch, None, &known(&plan), now).unwrap();
    assert_eq!((resumed.status, resumed.is_active), (Active, true));
    assert_eq!(resumed.billing.as_ref().unwrap().period_start, Some(now));
    assert_eq!(resumed.renews_at, Some(at("2026-04-10T12:00")));
}

#[test]
fn the_plan_decides_what_follows_a_trial_without_a_payment_method() {
    for (behavior, status, event) in [
        (TrialEndBehavior::Bill, Active, EventKind::SubscriptionTrialEnded),
        (TrialEndBehavior::Cancel, Expired, EventKind::SubscriptionExpired),
        (TrialEndBehavior::Pause, Paused, EventKind::SubscriptionTrialEnded),
    ] {
        let mut plan = with_trial(plan_of(1, "30", Monthly), 14);
        plan.billing.as_mut().unwrap().trial_end_behavior = behavior;
        let created = create(BillingDraft::default(), &plan, at("2026-02-20T09:00"));
        let (after, steps) = run(&created, &known(&plan), at("2026-03-06T09:00"));
        assert_eq!((after.status, steps.last().unwrap().event), (status, event));
        let manual = BillingDraft { collection: Some(Collection::Manual), ..BillingDraft::default() };
        let (after, _) = run(&create(manual, &plan, at("2026-02-20T09:00")), &known(&plan), at("2026-03-06T09:00"));
        assert_eq!(after.status, Active, "manual collection needs no payment method");
    }
}

#[test]
fn p19_a_pause_moves_the_end_of_the_period() {
    let plan = plan_of(1, "10", Monthly);
    let created = create(charged(), &plan, at("2026-03-01"));
    let paused = update(&created, send(Paused), None, &known(&plan), at("2026-03-11")).unwrap();
    assert_eq!((paused.status, paused.has_access(at("2026-03-11"))), (Paused, false));
    assert_eq!(paused.billing.as_ref().unwrap().paused_at, Some(at("2026-03-11")));
    let resumed = update(&paused, send(Active), None, &known(&plan), at("2026-03-21")).unwrap();
    assert_eq!((resumed.status, resumed.renews_at), (Active, Some(at("2026-04-11"))));
    let (_, steps) = run(&resumed, &known(&plan), at("2026-06-11"));
    assert_eq!(days(&steps), ["renew 2026-04-11T00:00", "renew 2026-05-11T00:00", "renew 2026-06-11T00:00"]);
    let later = update(&paused, send(Active), None, &known(&plan), at("2026-04-21")).unwrap();
    assert_eq!(later.renews_at, Some(at("2026-05-12")));
    let resumes_at =
        billing_patch(BillingDraft { resumes_at: Some(Some(at("2026-04-21"))), ..BillingDraft::default() });
    let planned = update(&paused, resumes_at, None, &known(&plan), at("2026-03-12")).unwrap();
    let (after, steps) = run(&planned, &known(&plan), at("2026-05-01"));
    assert_eq!(days(&steps), ["resume 2026-04-21T00:00"]);
    assert_eq!((steps[0].access, after.renews_at), (Some(true), Some(at("2026-05-12"))));
}

#[test]
fn p20_late_renewals_are_made_one_by_one() {
    let plan = plan_of(1, "10", Monthly);
    let created = create(charged(), &plan, at("2025-01-31"));
    let (march, _) = run(&created, &known(&plan), at("2025-03-15"));
    let (after, steps) = run(&march, &known(&plan), at("2026-05-20"));
    assert_eq!(steps.len(), 14);
    assert_eq!((steps[0].at, steps[13].at), (at("2025-03-31"), at("2026-04-30")));
    assert_eq!(after.renews_at, Some(at("2026-05-31")));
}

#[test]
fn p21_a_cancelled_subscription_ends_with_its_period_unless_it_is_taken_back() {
    let plan = plan_of(1, "10", Monthly);
    let created = create(charged(), &plan, at("2026-01-31T10:00"));
    let cancelled = update(&created, send(Cancelled), None, &known(&plan), at("2026-02-10")).unwrap();
    assert_eq!((cancelled.ends_at, cancelled.has_access(at("2026-02-28T09:59"))), (Some(at("2026-02-28T10:00")), true));
    let back = update(&cancelled, send(Active), None, &known(&plan), at("2026-02-20")).unwrap();
    assert_eq!((back.status, back.ends_at), (Active, None));
    assert_eq!(back.next_action(), Some((Action::Renew, at("2026-02-28T10:00"))));
    let (ended, steps) = run(&cancelled, &known(&plan), at("2026-03-15"));
    assert_eq!(days(&steps), ["end 2026-02-28T10:00"]);
    assert_eq!((steps[0].event, steps[0].access), (EventKind::SubscriptionExpired, Some(false)));
    assert_eq!((ended.status, ended.is_active, ended.ends_at), (Expired, false, Some(at("2026-02-28T10:00"))));
}

#[test]
fn p22_another_billing_cycle_is_counted_from_its_first_period() {
    let (monthly, yearly) = (plan_of(1, "10", Monthly), plan_of(2, "100", Yearly));
    let created = create(charged(), &monthly, at("2026-01-31"));
    let known = with_next(&monthly, &yearly);
    let planned = update(&created, change_to(&yearly), None, &known, at("2026-02-10")).unwrap();
    let (after, _) = run(&planned, &known, at("2026-02-28"));
    assert_eq!((after.renews_at, after.billing_cycle), (Some(at("2027-02-28")), Yearly));
    assert_eq!(after.billing.unwrap().anchor_at, at("2026-02-28"));
}

#[test]
fn p23_the_last_period_ends_with_the_subscription() {
    let plan = plan_of(1, "31", Monthly);
    let created = create(charged(), &plan, at("2026-07-01"));
    let patch = SubscriptionDraft { ends_at: Some(Some(at("2026-08-11"))), ..SubscriptionDraft::default() };
    let ending = update(&created, patch, None, &known(&plan), at("2026-07-10")).unwrap();
    assert_eq!(ending.renews_at, Some(at("2026-08-01")));
    let (last, _) = run(&ending, &known(&plan), at("2026-08-01"));
    assert_eq!((last.renews_at, last.billing.as_ref().unwrap().cycle), (Some(at("2026-08-11")), 31 * 86_400_000_000));
    let (ended, steps) = run(&last, &known(&plan), at("2026-09-01"));
    assert_eq!((ended.status, days(&steps)), (Expired, vec!["end 2026-08-11T00:00".to_owned()]));
}

#[test]
fn p25_a_late_weekly_renewal_leaves_the_calendar_as_it_is() {
    let plan = plan_of(1, "7", Weekly);
    let created = create(charged(), &plan, at("2026-03-02"));
    let (after, steps) = run(&created, &known(&plan), at("2026-03-14"));
    assert_eq!((days(&steps), after.renews_at), (vec!["renew 2026-03-09T00:00".to_owned()], Some(at("2026-03-16"))));
}

#[test]
fn a_notice_is_given_once_and_only_for_a_renewal() {
    let plan = plan_of(1, "10", Monthly);
    let settings = OrganizationBilling {
        renewal_notice_days: RenewalNoticeDays::from_stored(7),
        ..OrganizationBilling::default()
    };
    let known = super::Known { settings, ..known(&plan) };
    let created = try_create(draft(charged()), &plan, &known, at("2026-03-01")).unwrap();
    let (noticed, steps) = run(&created, &known, at("2026-03-31"));
    assert_eq!(days(&steps), ["notice 2026-03-25T00:00"]);
    assert_eq!(steps[0].event, EventKind::SubscriptionRenewalUpcoming);
    let (_, steps) = run(&noticed, &known, at("2026-04-25"));
    assert_eq!(days(&steps), ["renew 2026-04-01T00:00", "notice 2026-04-24T00:00"]);
    let cancelled = update(&created, send(Cancelled), None, &known, at("2026-03-05")).unwrap();
    assert_eq!(cancelled.next_action(), Some((Action::End, at("2026-04-01"))));
    let ends = SubscriptionDraft { ends_at: Some(Some(at("2026-04-01"))), ..SubscriptionDraft::default() };
    let ending = update(&created, ends, None, &known, at("2026-03-05")).unwrap();
    assert_eq!(
        ending.next_action(),
        Some((Action::End, at("2026-04-01"))),
        "no notice of a renewal that does not come"
    );
    let weekly = plan_of(2, "10", Weekly);
    let short = try_create(draft(charged()), &weekly, &known, at("2026-03-01")).unwrap();
    assert_eq!(short.next_action(), Some((Action::Notice, at("2026-03-01"))), "the notice is due as the period begins");
}

#[test]
fn spread_moves_the_due_time_of_renewals_only() {
    let plan = plan_of(1, "10", Monthly);
    let settings =
        OrganizationBilling { spread_minutes: SpreadMinutes::from_stored(720), ..OrganizationBilling::default() };
    let known = super::Known { settings, ..known(&plan) };
    let created = try_create(draft(charged()), &plan, &known, at("2026-03-01")).unwrap();
    let (action, instant) = created.next_action().unwrap();
    let late = created.due_at.unwrap().as_micros() - instant.as_micros();
    assert_eq!((action, instant), (Action::Renew, at("2026-04-01")));
    assert!((0..720 * 60_000_000).contains(&late), "{late}");
    let cancelled = update(&created, send(Cancelled), None, &known, at("2026-03-05")).unwrap();
    assert_eq!(cancelled.due_at, Some(at("2026-04-01")));
}

#[test]
fn a_spread_renewal_is_due_when_the_subscription_ends_at_the_latest() {
    let plan = plan_of(1, "10", Monthly);
    let settings =
        OrganizationBilling { spread_minutes: SpreadMinutes::from_stored(720), ..OrganizationBilling::default() };
    let id = SubscriptionId::new(at("2026-03-01"), 30_000);
    let created = Subscription { id, ..create(charged(), &plan, at("2026-03-01")) };
    let ending = |end| {
        let ending = Subscription { ends_at: Some(end), ..created.clone() };
        assert_eq!(ending.next_action(), Some((Action::Renew, at("2026-04-01"))));
        ending.due_time(&settings).unwrap()
    };
    let offset = ending(at("2026-04-02"));
    assert!(offset > at("2026-04-01"), "{offset}");
    let before = Time::from_micros(offset.as_micros() - 1).unwrap();
    assert_eq!((ending(before), ending(offset)), (before, offset));
}

#[test]
fn a_parked_subscription_has_no_action_until_billing_is_sent() {
    let plan = plan_of(1, "10", Monthly);
    let created = create(charged(), &plan, at("2026-03-01"));
    let parked = created.park(ParkReason::Failing, at("2026-04-02"));
    assert_eq!((parked.next_action(), parked.due_at), (None, None));
    assert!(parked.forecast(&known(&plan), 3).is_empty());
    assert_eq!(parked.unpark(&OrganizationBilling::default()), created);
    let sent = update(&parked, billing_patch(BillingDraft::default()), None, &known(&plan), at("2026-04-03")).unwrap();
    assert_eq!(sent.next_action(), created.next_action());
    let gone = update(
        &created,
        change_to(&plan_of(2, "1", Monthly)),
        None,
        &with_next(&plan, &plan_of(2, "1", Monthly)),
        at("2026-03-02"),
    );
    assert_eq!(gone.unwrap().act(&known(&plan)), Some(Err(ParkReason::MissingPlan)));
}

#[test]
fn plans_without_settings_have_the_defaults() {
    assert_eq!(plan_of(1, "1", Monthly).settings(), PlanBilling::default());
}

#[test]
fn a_subscription_of_an_erased_user_ends_now() {
    let plan = plan_of(1, "10", Monthly);
    let created = create(charged(), &plan, at("2026-03-01"));
    let erased = created.cancel_for_erasure(at("2026-03-05"));
    assert_eq!((erased.status, erased.next_action()), (Cancelled, Some((Action::End, at("2026-03-05")))));
    let late = Subscription { ends_at: Some(at("2026-03-04")), ..created };
    for erased in [erased, late.cancel_for_erasure(at("2026-03-05"))] {
        assert_eq!(erased.act(&known(&plan)).unwrap().unwrap().access, Some(false));
    }
}

#[test]
fn the_end_of_an_erased_user_without_access_changes_no_access() {
    let plan = plan_of(1, "10", Monthly);
    let created = create(charged(), &plan, at("2026-03-01"));
    let paused = update(&created, send(Paused), None, &known(&plan), at("2026-03-02")).unwrap();
    let unpaid = Subscription { status: Unpaid, is_active: false, ..created.clone() };
    let blocked = Subscription { is_active: false, ..created };
    let draft = SubscriptionDraft { status: Some(Incomplete), ..draft(charged()) };
    let incomplete = try_create(draft, &plan, &known(&plan), at("2026-03-04")).unwrap();
    for before in [paused, unpaid, blocked, incomplete] {
        let step = before.cancel_for_erasure(at("2026-03-05")).act(&known(&plan)).unwrap().unwrap();
        assert_eq!((step.action, step.event, step.access), (Action::End, EventKind::SubscriptionExpired, None));
    }
}
