//! What callers may create and change: one test for each rule.

use super::actions::Action;
use super::billing::BillingDraft;
use super::test_support::*;
use crate::currency::Currency;
use crate::cycle::BillingCycle::{Lifetime, Monthly, Yearly};
use crate::events::EventKind;
use crate::plans::{Plan, PlanKey};
use crate::subscriptions::SubscriptionStatus::{
    Active, Cancelled, Expired, Incomplete, OnTrial, Paused, Pending, Unpaid,
};
use crate::subscriptions::{Subscription, SubscriptionDraft, SubscriptionStatus};
use crate::validation::Rejection;

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
