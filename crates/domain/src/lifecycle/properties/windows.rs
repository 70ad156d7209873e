//! Usage: each instant after the trial is in one window, and is priced by the plan of that instant.

use super::*;
use crate::id::PlanId;
use crate::lifecycle::bill::{Bill, BilledPart};

fn parts(subscription: &Subscription) -> Vec<BilledPart> {
    let bills = subscription.billing.iter().flat_map(|billing| &billing.bills.0);
    let parts = bills.flat_map(|bill| match bill {
        Bill::Period { parts, .. } | Bill::Usage { parts, .. } => parts.clone(),
        Bill::Change { .. } => Vec::new(),
    });
    parts.collect()
}

/// A story in which dunning gives up, and open invoices are settled later.
fn dunned() -> impl Strategy<Value = Story> {
    let dunning = prop::collection::vec((0_i64..4_000, any::<bool>()), 1..5);
    (story(), dunning).prop_map(|(mut story, dunning)| {
        for (number, (hours, settles)) in dunning.into_iter().enumerate() {
            let place = (2 * number + 1).min(story.calls.len());
            story.calls.insert(place, (hours, if settles { Call::Settle } else { Call::GiveUp }));
        }
        story
    })
}

/// When the first window begins. A pause moves the end of a trial that it began in.
fn usage_begins(subscription: &Subscription, now: Time) -> Time {
    let billing = subscription.billing.as_ref().unwrap();
    let Some(end) = billing.trial_ends_at else { return subscription.starts_at };
    match billing.paused_at {
        Some(paused) if paused < end => end.plus_micros(now.as_micros() - paused.as_micros()),
        _ => end,
    }
}

/// What was billed so far, and the plans of the subscription by instant.
struct Books {
    billed: Vec<BilledPart>,
    plans: Vec<(Time, PlanId)>,
}

impl Books {
    fn note(&mut self, before: &Subscription, after: &Subscription, at: Time) {
        let more = parts(after);
        if let (Some(first), Some(last)) = (more.first(), self.billed.last()) {
            assert_eq!(last.to, Some(first.from), "windows have no gap and no overlap");
        } else if let Some(first) = more.first() {
            assert_eq!(first.from, usage_begins(after, at), "the first window begins after the trial");
        }
        for part in &more {
            let of_part = |(since, _): &&(Time, PlanId)| part.to.is_none_or(|to| *since < to);
            let (earlier, later): (Vec<_>, Vec<_>) =
                self.plans.iter().filter(of_part).partition(|(since, _)| *since <= part.from);
            let plans = earlier.last().into_iter().chain(&later);
            assert!(plans.clone().all(|(_, plan)| *plan == part.plan_id), "priced by the plan of its time");
        }
        if after.status == Expired && before.status != Expired {
            let is_closed = more.last().is_some_and(|part| part.to.is_none());
            match usage_begins(before, at).cmp(&at) {
                std::cmp::Ordering::Less => assert!(is_closed, "the last window has no end"),
                std::cmp::Ordering::Equal => {}
                std::cmp::Ordering::Greater => assert!(more.is_empty(), "a trial is free"),
            }
        }
        self.billed.extend(more);
        self.plans.push((at, after.plan_id));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// I26, I28: windows cover all time after the trial until the subscription expires, each part with the plan of its time.
    #[test]
    fn every_instant_after_the_trial_is_billed_once_by_the_plan_of_that_instant(story in dunned()) {
        let mut world = World::begin(&story);
        let mut books = Books { billed: Vec::new(), plans: Vec::new() };
        books.note(&world.current, &world.current, world.current.starts_at);
        for (hours, call) in story.calls.iter().chain([&(20_000, Call::Nothing)]) {
            world.now = world.now.plus_seconds(hours * HOUR);
            while world.current.next_action().is_some_and(|(_, at)| at <= world.now) {
                let before = world.current.clone();
                let step = before.act(&world.known()).unwrap().unwrap();
                books.note(&before, &step.after, step.at);
                world.current = step.after;
            }
            let before = world.current.clone();
            world.call(call);
            if world.current != before {
                books.note(&before, &world.current, world.now);
            }
        }
    }
}

#[test]
fn usage_while_unpaid_after_the_trial_has_the_plan_before_the_change() {
    let (plan, next) =
        (with_trial(plan_of(1, "10", BillingCycle::Monthly), 5), plan_of(2, "20", BillingCycle::Monthly));
    let known = with_next(&plan, &next);
    let trial = create(charged(), &plan, at("2026-03-01"));
    let (unpaid, _) = trial.after_invoice(&gave_up(), at("2026-03-02"), &known).unwrap().unwrap();
    let planned = update(&unpaid, change_to(&next), None, &known, at("2026-03-08")).unwrap();
    let (recovered, _) = planned.after_invoice(&settled(1), at("2026-03-09"), &known).unwrap().unwrap();
    assert_eq!((recovered.status, recovered.plan_id), (SubscriptionStatus::Active, next.id));
    let expected =
        BilledPart { from: at("2026-03-06"), to: Some(at("2026-03-09")), plan_id: plan.id, version: plan.version };
    assert_eq!(parts(&recovered), [expected]);
}
