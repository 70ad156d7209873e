//! The worked examples of docs/lifecycle.md, and one test for each rule of an update.

use super::actions::Action;
use super::billing::{BillingDraft, ChangeDraft, Collection, ParkReason, PlannedChange, Quantity};
use super::test_support::*;
use crate::currency::Currency;
use crate::cycle::BillingCycle::{Lifetime, Monthly, Weekly, Yearly};
use crate::events::EventKind;
use crate::organizations::billing::{OrganizationBilling, RenewalNoticeDays, SpreadMinutes};
use crate::plans::billing::{PlanBilling, TrialEndBehavior};
use crate::plans::{Plan, PlanKey};
use crate::subscriptions::SubscriptionStatus::{
    Active, Cancelled, Expired, Incomplete, OnTrial, Paused, Pending, Unpaid,
};
use crate::subscriptions::{Subscription, SubscriptionDraft, SubscriptionStatus};
use crate::validation::Rejection;

fn send(status: SubscriptionStatus) -> SubscriptionDraft {
    SubscriptionDraft { status: Some(status), ..SubscriptionDraft::default() }
}

fn quantity(subscription: &Subscription, number: i64) -> SubscriptionDraft {
    let mut details = subscription.details.clone();
    details.quantity = Quantity::from_stored(number);
    SubscriptionDraft { details: Some(details), ..SubscriptionDraft::default() }
}

fn change_to(plan: &Plan) -> SubscriptionDraft {
    let change = ChangeDraft { plan: Some(PlanKey::Id(plan.id)), quantity: None };
    billing_patch(BillingDraft { change: Some(Some(change)), ..BillingDraft::default() })
}

fn days(steps: &[super::actions::Step]) -> Vec<String> {
    steps.iter().map(|step| format!("{} {}", step.action.as_str(), &step.at.to_string()[..16])).collect()
}

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
fn the_service_sets_the_first_status() {
    let plan = plan_of(1, "10", Monthly);
    let now = at("2026-03-01");
    let pending = SubscriptionDraft { starts_at: Some(at("2026-04-01")), ..draft(charged()) };
    let created = try_create(pending.clone(), &plan, &known(&plan), now).unwrap();
    assert_eq!((created.status, created.is_active, created.renews_at), (Pending, false, Some(at("2026-05-01"))));
    assert_eq!(created.billing.as_ref().unwrap().period_start, None);
    let (started, steps) = run(&created, &known(&plan), at("2026-04-01"));
    assert_eq!((started.status, steps[0].event, steps[0].access), (Active, EventKind::SubscriptionStarted, Some(true)));
    assert_eq!(started.billing.unwrap().period_start, Some(at("2026-04-01")));
    let active = SubscriptionDraft { status: Some(Active), ..pending };
    let Err(Rejection::ManagedStatus(rejected)) = try_create(active, &plan, &known(&plan), now) else { panic!() };
    assert_eq!(rejected.allowed, ["pending"]);
}

#[test]
fn an_incomplete_subscription_waits_for_its_first_invoice() {
    let plan = plan_of(1, "10", Monthly);
    let (now, draft) = (at("2026-03-01"), SubscriptionDraft { status: Some(Incomplete), ..draft(charged()) });
    let free = plan_of(1, "0", Monthly);
    let created = try_create(draft.clone(), &free, &known(&free), now).unwrap();
    assert_eq!(created.status, Active, "there is no invoice to wait for");
    let invoiced = known(&plan);
    let created = try_create(draft.clone(), &plan, &invoiced, now).unwrap();
    assert_eq!((created.status, created.next_action()), (Incomplete, Some((Action::GiveUp, at("2026-03-01T23:00")))));
    assert_eq!(created.forecast(&invoiced, 1)[0].action, Action::Renew);
    let (after, steps) = run(&created, &invoiced, at("2026-03-02"));
    assert_eq!(
        (after.status, after.ends_at, steps[0].event),
        (Expired, Some(at("2026-03-01T23:00")), EventKind::SubscriptionExpired)
    );
    let past = SubscriptionDraft { starts_at: Some(at("2026-01-01")), ..draft };
    assert_eq!(faults(try_create(past, &plan, &invoiced, now)), ["/status inconsistent"]);
}

#[test]
fn the_bounds_of_a_create_hold() {
    let (plan, now) = (plan_of(1, "10", Monthly), at("2026-03-01"));
    let of = |billing: BillingDraft, change: fn(&mut SubscriptionDraft)| {
        let mut draft = draft(billing);
        change(&mut draft);
        faults(try_create(draft, &plan, &known(&plan), now))
    };
    let none = BillingDraft::default;
    assert_eq!(of(none(), |draft| draft.starts_at = Some(at("2025-02-27"))), ["/starts_at out_of_range"]);
    assert_eq!(of(none(), |draft| draft.ends_at = Some(Some(at("2026-03-01")))), ["/ends_at out_of_range"]);
    assert_eq!(of(none(), |draft| draft.renews_at = Some(Some(at("2026-05-01")))), ["/renews_at read_only_field"]);
    assert_eq!(of(none(), |draft| draft.billing_cycle = Some(Yearly)), ["/billing_cycle read_only_field"]);
    let trial = |day: &str| BillingDraft { trial_ends_at: Some(Some(at(day))), ..none() };
    assert_eq!(of(trial("2026-03-01"), |_| {}), ["/billing/trial_ends_at out_of_range"]);
    assert_eq!(of(trial("2028-03-01"), |_| {}), ["/billing/trial_ends_at out_of_range"]);
    let anchored = BillingDraft { anchor_at: Some(at("2026-03-15")), ..trial("2026-03-10") };
    assert_eq!(of(anchored, |_| {}), ["/billing/anchor_at inconsistent"]);
    let far = BillingDraft { anchor_at: Some(at("2036-03-02")), ..none() };
    assert_eq!(of(far, |_| {}), ["/billing/anchor_at out_of_range"]);
    let resumed = BillingDraft { resumes_at: Some(Some(at("2026-04-01"))), ..none() };
    assert_eq!(of(resumed, |_| {}), ["/billing/resumes_at inconsistent"]);
}

#[test]
fn an_anchor_ahead_gives_a_short_first_period() {
    let plan = plan_of(1, "10", Monthly);
    let created = create(BillingDraft { anchor_at: Some(at("2026-04-01")), ..charged() }, &plan, at("2026-03-12"));
    assert_eq!(created.renews_at, Some(at("2026-04-01")));
    assert_eq!(created.billing.as_ref().unwrap().cycle, 31 * 86_400_000_000);
    assert_eq!(run(&created, &known(&plan), at("2026-04-01")).0.renews_at, Some(at("2026-05-01")));
}

#[test]
fn only_the_listed_statuses_may_be_sent() {
    let plan = plan_of(1, "10", Monthly);
    let active = create(charged(), &plan, at("2026-03-01"));
    let now = at("2026-03-05");
    let allowed = |status| {
        let before = Subscription { status, ..active.clone() };
        let sent: Vec<_> = SubscriptionStatus::ALL
            .into_iter()
            .filter(|sent| *sent != status && update(&before, send(*sent), None, &known(&plan), now).is_ok())
            .collect();
        sent
    };
    assert_eq!(allowed(Active), [Paused, Cancelled, Expired]);
    assert_eq!(allowed(SubscriptionStatus::PastDue), [Paused, Cancelled, Expired]);
    assert_eq!(allowed(OnTrial), [Active, Paused, Cancelled, Expired]);
    assert_eq!(allowed(Paused), [Active, Expired]);
    assert_eq!(allowed(Cancelled), [Active, Expired]);
    assert_eq!(allowed(Pending), [Expired]);
    assert_eq!(allowed(Incomplete), [Expired]);
    assert_eq!(allowed(Unpaid), [Expired]);
    assert_eq!(allowed(Expired), []);
    let Err(Rejection::ManagedStatus(rejected)) = update(&active, send(OnTrial), None, &known(&plan), now) else {
        panic!()
    };
    assert_eq!(rejected.allowed, ["paused", "cancelled", "expired"]);
}

#[test]
fn fields_that_the_service_sets_may_only_be_sent_back() {
    let plan = plan_of(1, "10", Monthly);
    let active = create(charged(), &plan, at("2026-03-01"));
    let whole = SubscriptionDraft {
        user_id: Some(active.user_id),
        plan: Some(PlanKey::Id(plan.id)),
        plan_version: Some(active.plan_version),
        details: Some(active.details.clone()),
        billing_cycle: Some(Monthly),
        status: Some(Active),
        is_active: Some(true),
        renews_at: Some(active.renews_at),
        starts_at: Some(active.starts_at),
        ends_at: Some(None),
        billing: Some(Some(Box::new(BillingDraft {
            time_zone: Some(active.billing.as_ref().unwrap().time_zone.clone()),
            anchor_at: Some(active.billing.as_ref().unwrap().anchor_at),
            trial_ends_at: Some(None),
            resumes_at: Some(None),
            change: Some(None),
            ..charged()
        }))),
        entitlements: None,
    };
    assert_eq!(update(&active, whole.clone(), Some(&plan), &known(&plan), at("2026-03-05")), Ok(active.clone()));
    let changed = SubscriptionDraft {
        renews_at: Some(None),
        starts_at: Some(at("2026-03-02")),
        billing_cycle: Some(Yearly),
        plan_version: Some(version(9)),
        billing: Some(Some(Box::new(BillingDraft { anchor_at: Some(at("2026-03-02")), ..BillingDraft::default() }))),
        ..whole
    };
    let expected = ["/plan_version", "/billing_cycle", "/renews_at", "/starts_at", "/billing/anchor_at"];
    let found = faults(update(&active, changed, None, &known(&plan), at("2026-03-05")));
    assert_eq!(found, expected.map(|pointer| format!("{pointer} read_only_field")));
}

#[test]
fn a_plan_that_acts_now_stays_in_the_period_or_begins_another() {
    let (small, large, yearly) = (plan_of(1, "10", Monthly), plan_of(2, "20", Monthly), plan_of(3, "100", Yearly));
    let active = create(charged(), &small, at("2026-04-01"));
    let now = at("2026-04-16");
    let empty = SubscriptionDraft::default;
    let moved = update(&active, empty(), Some(&large), &known(&small), now).unwrap();
    assert_eq!((moved.plan_id, moved.renews_at), (large.id, active.renews_at));
    let longer = update(&active, empty(), Some(&yearly), &known(&small), now).unwrap();
    assert_eq!((longer.renews_at, longer.billing.as_ref().unwrap().anchor_at), (Some(at("2027-04-16")), now));
    let forever = update(&active, empty(), Some(&plan_of(4, "500", Lifetime)), &known(&small), now).unwrap();
    assert_eq!((forever.renews_at, forever.next_action()), (None, None));
    let with_status = SubscriptionDraft { status: Some(Paused), ..empty() };
    assert_eq!(faults(update(&active, with_status, Some(&large), &known(&small), now)), ["/status inconsistent"]);
    let euro = Plan { currency: Currency::parse("EUR").unwrap(), ..large.clone() };
    assert_eq!(
        faults(update(&active, empty(), Some(&euro), &known(&small), now)),
        ["/subscription_plan_id inconsistent"]
    );
    let paused = update(&active, send(Paused), None, &known(&small), now).unwrap();
    let rejected = update(&paused, quantity(&paused, 2), None, &known(&small), now);
    assert_eq!(rejected, Err(Rejection::ChangeNotAllowed("paused")));
}

#[test]
fn a_change_that_acts_now_ends_the_pending_one() {
    let (small, large) = (plan_of(1, "10", Monthly), plan_of(2, "20", Monthly));
    let known = with_next(&small, &large);
    let planned =
        update(&create(charged(), &small, at("2026-04-01")), change_to(&large), None, &known, at("2026-04-02"));
    let more =
        update(planned.as_ref().unwrap(), quantity(planned.as_ref().unwrap(), 3), None, &known, at("2026-04-03"))
            .unwrap();
    assert_eq!((more.details.quantity.get(), more.billing.unwrap().change), (3, None));
}

#[test]
fn the_eleventh_plan_change_in_a_period_is_one_too_many() {
    let plans = [plan_of(1, "10", Monthly), plan_of(2, "20", Monthly)];
    let mut current = create(charged(), &plans[0], at("2026-04-01"));
    for made in 1..=10 {
        current =
            update(&current, SubscriptionDraft::default(), Some(&plans[made % 2]), &known(&plans[0]), at("2026-04-02"))
                .unwrap();
    }
    let again = update(&current, SubscriptionDraft::default(), Some(&plans[1]), &known(&plans[0]), at("2026-04-02"));
    assert_eq!(again, Err(Rejection::TooManyChanges));
    let (renewed, _) = run(&current, &known(&plans[0]), at("2026-05-01"));
    assert!(
        update(&renewed, SubscriptionDraft::default(), Some(&plans[1]), &known(&plans[0]), at("2026-05-02")).is_ok()
    );
}

#[test]
fn a_trial_can_be_moved_and_ended() {
    let plan = with_trial(plan_of(1, "30", Monthly), 14);
    let trial = create(charged(), &plan, at("2026-02-20"));
    let now = at("2026-02-25");
    let to = |end| billing_patch(BillingDraft { trial_ends_at: Some(end), ..BillingDraft::default() });
    let moved = update(&trial, to(Some(at("2026-03-20"))), None, &known(&plan), now).unwrap();
    assert_eq!(
        (moved.renews_at, moved.billing.as_ref().unwrap().anchor_at),
        (Some(at("2026-03-20")), at("2026-03-20"))
    );
    assert_eq!(faults(update(&trial, to(None), None, &known(&plan), now)), ["/billing/trial_ends_at inconsistent"]);
    assert_eq!(
        faults(update(&trial, to(Some(now)), None, &known(&plan), now)),
        ["/billing/trial_ends_at out_of_range"]
    );
    let ended = update(&trial, send(Active), None, &known(&plan), now).unwrap();
    assert_eq!((ended.status, ended.renews_at), (Active, Some(at("2026-03-25"))));
    assert_eq!(ended.billing.as_ref().unwrap().trial_ends_at, Some(now));
    assert_eq!(
        faults(update(&ended, to(Some(at("2026-03-20"))), None, &known(&plan), now)),
        ["/billing/trial_ends_at read_only_field"]
    );
    let cancelled = update(&trial, send(Cancelled), None, &known(&plan), now).unwrap();
    let back = update(&cancelled, send(Active), None, &known(&plan), now).unwrap();
    assert_eq!((back.status, back.ends_at), (OnTrial, None), "the trial continues");
}

#[test]
fn a_pending_trial_can_be_removed() {
    let plan = with_trial(plan_of(1, "30", Monthly), 14);
    let pending = SubscriptionDraft { starts_at: Some(at("2026-03-01")), ..draft(charged()) };
    let pending = try_create(pending, &plan, &known(&plan), at("2026-02-01")).unwrap();
    assert_eq!(pending.renews_at, Some(at("2026-03-15")));
    let none = billing_patch(BillingDraft { trial_ends_at: Some(None), ..BillingDraft::default() });
    let without = update(&pending, none, None, &known(&plan), at("2026-02-02")).unwrap();
    assert_eq!(
        (without.renews_at, without.billing.as_ref().unwrap().anchor_at),
        (Some(at("2026-04-01")), at("2026-03-01"))
    );
}

#[test]
fn the_end_of_a_subscription_has_bounds() {
    let plan = plan_of(1, "10", Monthly);
    let active = create(charged(), &plan, at("2026-03-01"));
    let now = at("2026-03-05");
    let ending = |end: Option<&str>| SubscriptionDraft { ends_at: Some(end.map(at)), ..SubscriptionDraft::default() };
    assert_eq!(
        faults(update(&active, ending(Some("2026-03-05")), None, &known(&plan), now)),
        ["/ends_at out_of_range"]
    );
    let cancelled = update(&active, send(Cancelled), None, &known(&plan), now).unwrap();
    for end in [None, Some("2026-03-04"), Some("2026-04-02")] {
        assert_eq!(faults(update(&cancelled, ending(end), None, &known(&plan), now)), ["/ends_at inconsistent"]);
        let both = SubscriptionDraft { status: Some(Cancelled), ..ending(end) };
        assert_eq!(faults(update(&active, both, None, &known(&plan), now)), ["/ends_at inconsistent"]);
    }
    let sooner = update(&cancelled, ending(Some("2026-03-20")), None, &known(&plan), now).unwrap();
    assert_eq!(sooner.next_action(), Some((Action::End, at("2026-03-20"))));
    let expired = update(&sooner, send(Expired), None, &known(&plan), now).unwrap();
    assert_eq!((expired.ends_at, expired.is_active, expired.next_action()), (Some(now), false, None));
    assert_eq!(faults(update(&expired, ending(None), None, &known(&plan), now)), ["/ends_at inconsistent"]);
}

#[test]
fn a_lifetime_subscription_that_is_cancelled_ends_now() {
    let plan = plan_of(1, "500", Lifetime);
    let active = create(charged(), &plan, at("2026-03-01"));
    assert_eq!((active.renews_at, active.next_action()), (None, None));
    let cancelled = update(&active, send(Cancelled), None, &known(&plan), at("2026-03-05")).unwrap();
    assert_eq!(cancelled.next_action(), Some((Action::End, at("2026-03-05"))));
}

#[test]
fn an_external_subscription_becomes_billed_and_external_again() {
    let plan = plan_of(1, "10", Monthly);
    let mut external = create(charged(), &plan, at("2026-01-31"));
    (external.billing, external.due_at) = (None, None);
    let (now, zone) = (at("2026-02-10"), || billing_patch(charged()));
    let billed = update(&external, zone(), None, &known(&plan), now).unwrap();
    let billing = billed.billing.as_ref().unwrap();
    assert_eq!((billing.period_start, billing.anchor_at), (Some(now), at("2026-01-31")));
    assert_eq!(billed.next_action(), Some((Action::Renew, at("2026-02-28"))));
    let other = SubscriptionDraft { renews_at: Some(Some(at("2026-02-20"))), ..zone() };
    let billed = update(&external, other, None, &known(&plan), now).unwrap();
    assert_eq!(billed.billing.as_ref().unwrap().anchor_at, at("2026-02-20"));
    let back = SubscriptionDraft { billing: Some(None), ..SubscriptionDraft::default() };
    let again = update(&billed, back, None, &known(&plan), now).unwrap();
    assert_eq!((again.billing.is_none(), again.renews_at, again.due_at), (true, Some(at("2026-02-20")), None));
    for (change, expected) in [
        ((|s: &mut Subscription| s.status = Paused) as fn(&mut Subscription), "/status inconsistent"),
        (|s| s.renews_at = Some(at("2026-02-10")), "/renews_at inconsistent"),
        (|s| s.renews_at = None, "/renews_at inconsistent"),
        (|s| s.billing_cycle = Yearly, "/billing_cycle inconsistent"),
    ] {
        let mut before = external.clone();
        change(&mut before);
        assert_eq!(faults(update(&before, zone(), None, &known(&plan), now)), [expected]);
    }
    let trial = Subscription { status: OnTrial, ..external };
    let billed = update(&trial, zone(), None, &known(&plan), now).unwrap();
    assert_eq!(billed.next_action(), Some((Action::Notice, at("2026-02-25"))));
    assert_eq!(billed.billing.unwrap().trial_ends_at, Some(at("2026-02-28")));
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
}
