//! What holds for every subscription, whatever callers do and however late the engine is.

mod windows;

use super::Known;
use super::actions::{Action, Step};
use super::billing::{BillingDraft, ChangeDraft, PaymentMethod, Quantity};
use super::calendar::ZoneName;
use super::test_support::*;
use crate::cycle::BillingCycle;
use crate::invoices::dunning::AtDeadline;
use crate::invoices::transitions::Outcome;
use crate::organizations::billing::{OrganizationBilling, RenewalNoticeDays, SpreadMinutes};
use crate::plans::billing::TrialEndBehavior;
use crate::plans::{Plan, PlanKey};
use crate::subscriptions::SubscriptionStatus::{self, Cancelled, Expired, Paused};
use crate::subscriptions::{Subscription, SubscriptionDraft};
use crate::time::Time;
use crate::validation::ValidationErrors;
use proptest::prelude::*;
use std::sync::Arc;

const HOUR: i64 = 3_600;

/// What a caller does.
#[derive(Clone, Debug)]
enum Call {
    Status(SubscriptionStatus),
    EndIn(Option<i64>),
    Quantity(i64),
    Plan(usize),
    Planned(usize, Option<i64>),
    Pay(bool),
    ResumeIn(i64),
    TrialIn(i64),
    /// Dunning of an invoice gives up.
    GiveUp,
    /// All overdue invoices are paid.
    Settle,
    Nothing,
}

fn call() -> impl Strategy<Value = Call> {
    prop_oneof![
        prop::sample::select(SubscriptionStatus::ALL.to_vec()).prop_map(Call::Status),
        prop::option::of(1_i64..3_000).prop_map(Call::EndIn),
        (1_i64..5).prop_map(Call::Quantity),
        (0_usize..4).prop_map(Call::Plan),
        (0_usize..4, prop::option::of(1_i64..5)).prop_map(|(plan, quantity)| Call::Planned(plan, quantity)),
        any::<bool>().prop_map(Call::Pay),
        (1_i64..2_000).prop_map(Call::ResumeIn),
        (1_i64..2_000).prop_map(Call::TrialIn),
        Just(Call::Nothing),
    ]
}

/// A subscription to begin with, and the calls that follow, each some hours after the one before.
#[derive(Clone, Debug)]
struct Story {
    cycle: usize,
    trial_days: i64,
    behavior: usize,
    zone: &'static str,
    starts_in: i64,
    notice_days: i64,
    spread: i64,
    is_charged: bool,
    calls: Vec<(i64, Call)>,
}

fn story() -> impl Strategy<Value = Story> {
    let zones = prop::sample::select(vec!["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"]);
    let calls = prop::collection::vec((0_i64..4_000, call()), 0..14);
    let days = prop::sample::select(vec![0_i64, 0, 1, 14, 40]);
    (0_usize..9, days, 0_usize..3, zones, -8_000_i64..3_000, 0_i64..60, 0_i64..720, any::<bool>(), calls).prop_map(
        |(cycle, trial_days, behavior, zone, starts_in, notice_days, spread, is_charged, calls)| Story {
            cycle,
            trial_days,
            behavior,
            zone,
            starts_in,
            notice_days,
            spread,
            is_charged,
            calls,
        },
    )
}

impl Story {
    fn plans(&self) -> Vec<Plan> {
        let cycles =
            [BillingCycle::ALL[self.cycle], BillingCycle::ALL[self.cycle], BillingCycle::Yearly, BillingCycle::Weekly];
        let plans = cycles.into_iter().zip(1_u64..).map(|(cycle, number)| plan_of(number, "10", cycle));
        let mut plans: Vec<Plan> = plans.map(|plan| with_trial(plan, self.trial_days)).collect();
        for plan in &mut plans {
            plan.billing.as_mut().unwrap().trial_end_behavior = TrialEndBehavior::ALL[self.behavior];
        }
        plans
    }

    fn settings(&self) -> OrganizationBilling {
        OrganizationBilling {
            time_zone: ZoneName::parse(self.zone).unwrap(),
            spread_minutes: SpreadMinutes::from_stored(self.spread),
            renewal_notice_days: RenewalNoticeDays::from_stored(self.notice_days),
            ..OrganizationBilling::default()
        }
    }
}

/// What is known about a subscription, as a server reads it.
fn known_of(subscription: &Subscription, plans: &[Plan], settings: &OrganizationBilling) -> Known {
    let find = |id| plans.iter().find(|plan| plan.id == id).map(|plan| Arc::new(plan.clone()));
    let next = subscription.billing.as_ref().and_then(|billing| billing.change_plan()).and_then(find);
    Known { settings: settings.clone(), own: find(subscription.plan_id), next, ..Known::default() }
}

struct World {
    plans: Vec<Plan>,
    settings: OrganizationBilling,
    current: Subscription,
    now: Time,
    steps: Vec<Step>,
}

impl World {
    fn begin(story: &Story) -> Self {
        let (plans, settings, now) = (story.plans(), story.settings(), at("2026-02-27T10:30"));
        let billing = if story.is_charged { charged() } else { BillingDraft::default() };
        let draft = SubscriptionDraft { starts_at: Some(now.plus_seconds(story.starts_in * HOUR)), ..draft(billing) };
        let known = Known { settings: settings.clone(), ..known(&plans[0]) };
        let current = try_create(draft, &plans[0], &known, now).unwrap();
        Self { plans, settings, current, now, steps: Vec::new() }
    }

    fn known(&self) -> Known {
        known_of(&self.current, &self.plans, &self.settings)
    }

    /// Makes everything that is due.
    fn catch_up(&mut self) {
        while self.current.next_action().is_some_and(|(_, at)| at <= self.now) {
            let step = self.current.act(&self.known()).unwrap().unwrap();
            self.check_step(&step);
            self.current = Subscription { updated_at: self.now, ..step.after.clone() };
            self.steps.push(step);
            assert!(self.steps.len() < 20_000, "the engine does not end");
            self.check();
        }
    }

    fn call(&mut self, call: &Call) {
        let now = self.now;
        let mut known = self.known();
        let (mut patch, mut plan) = (SubscriptionDraft::default(), None);
        match call {
            Call::Status(status) => patch.status = Some(*status),
            Call::EndIn(hours) => patch.ends_at = Some(hours.map(|hours| now.plus_seconds(hours * HOUR))),
            Call::Quantity(number) => {
                let mut details = self.current.details.clone();
                details.quantity = Quantity::from_stored(*number);
                patch.details = Some(details);
            }
            Call::Plan(number) => plan = Some(self.plans[*number].clone()),
            Call::Planned(number, quantity) => {
                let next = &self.plans[*number];
                known.next = Some(Arc::new(next.clone()));
                let change =
                    ChangeDraft { plan: Some(PlanKey::Id(next.id)), quantity: quantity.map(Quantity::from_stored) };
                patch = billing_patch(BillingDraft { change: Some(Some(change)), ..BillingDraft::default() });
            }
            Call::Pay(pays) => {
                let method = pays.then(|| PaymentMethod::parse("pm_2").unwrap());
                patch = billing_patch(BillingDraft { payment_method: Some(method), ..BillingDraft::default() });
            }
            Call::ResumeIn(hours) => {
                let resumes_at = Some(Some(now.plus_seconds(hours * HOUR)));
                patch = billing_patch(BillingDraft { resumes_at, ..BillingDraft::default() });
            }
            Call::TrialIn(hours) => {
                let trial_ends_at = Some(Some(now.plus_seconds(hours * HOUR)));
                patch = billing_patch(BillingDraft { trial_ends_at, ..BillingDraft::default() });
            }
            Call::GiveUp => return self.react(&gave_up()),
            Call::Settle => return self.react(&settled(self.current.billing.as_ref().unwrap().overdue_invoices)),
            Call::Nothing => {}
        }
        if let Ok(after) = self.current.update(patch, plan.as_ref(), ValidationErrors::none(), now, &known)
            && after != self.current
        {
            self.current = Subscription { updated_at: now, ..after };
            self.check();
        }
    }

    /// What an invoice does.
    fn react(&mut self, outcome: &Outcome) {
        if let Some((after, _)) = self.current.after_invoice(outcome, self.now, &self.known()).unwrap() {
            self.current = Subscription { updated_at: self.now, ..after };
            self.check();
        }
    }

    /// I7: no action before its instant, and an end before a renewal.
    fn check_step(&self, step: &Step) {
        let before = &self.current;
        assert!(step.at <= self.now, "too early");
        assert!(
            !(step.action == Action::Renew && before.ends_at.is_some_and(|end| end <= step.at)),
            "renewed after its end"
        );
        if step.action == Action::Renew {
            // I4: no gap and no overlap.
            assert_eq!(step.after.billing.as_ref().unwrap().period_start, before.renews_at);
        }
        // Only `start` begins access: a subscription that is not pending has begun, also at the very instant of its start.
        let just_before = Time::from_micros(step.at.as_micros() - 1).unwrap();
        let has_begun = before.starts_at == step.at && step.action != Action::Start;
        let had = before.has_access(if has_begun { step.at } else { just_before });
        let has = step.after.has_access(step.at);
        assert_eq!(step.access, (had != has).then_some(has));
    }

    fn check(&self) {
        let current = &self.current;
        let Some(billing) = &current.billing else { return };
        // I3.
        assert_eq!(current.due_at, current.due_time(&self.settings));
        assert_eq!(billing.next, current.next_action());
        // I11.
        if let Some(end) = current.ends_at {
            assert!(!current.has_access(end) && !current.has_access(end.plus_seconds(HOUR)));
        }
        assert!(current.status != Expired || (!current.is_active && current.ends_at.is_some()));
        assert!(current.status != Cancelled || current.ends_at.is_some());
        assert_eq!(current.status == Paused, billing.paused_at.is_some());
        if let (Some(start), Some(end)) = (billing.period_start, current.renews_at) {
            assert!(start < end || current.status == Expired, "a period without length");
        }
        let stored = super::billing::Billing::from_stored(&billing.to_stored(), billing.change_plan()).unwrap();
        assert_eq!(super::billing::Billing { next: billing.next, ..stored }, **billing);
    }
}

fn gave_up() -> Outcome {
    Outcome { overdue: 1, deadline: Some(AtDeadline::Unpaid), ..Outcome::default() }
}

fn settled(invoices: i64) -> Outcome {
    Outcome { overdue: -invoices, is_paid: true, ..Outcome::default() }
}

/// The record without what follows from now.
fn lasting(subscription: &Subscription) -> Subscription {
    Subscription { updated_at: subscription.created_at, ..subscription.clone() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// I3, I4, I6, I7, I11: an engine that works every hour and one that works only before a call leave the same.
    #[test]
    fn a_late_engine_leaves_what_a_punctual_one_leaves(story in story()) {
        let (mut punctual, mut late) = (World::begin(&story), World::begin(&story));
        for (hours, call) in story.calls.iter().chain([&(20_000, Call::Nothing)]) {
            let then = punctual.now.plus_seconds(hours * HOUR);
            // Not every hour of the year: the hours after each due instant are those that matter.
            while let Some((_, at)) = punctual.current.next_action().filter(|(_, at)| *at <= then) {
                punctual.now = at.max(punctual.now);
                punctual.catch_up();
            }
            (punctual.now, late.now) = (then, then);
            late.catch_up();
            punctual.call(call);
            late.call(call);
            prop_assert_eq!(lasting(&punctual.current), lasting(&late.current));
        }
        let steps = |world: &World| world.steps.iter().map(|step| (step.action, step.at, step.event, step.access)).collect::<Vec<_>>();
        prop_assert_eq!(steps(&punctual), steps(&late));
    }

    /// I8: a forecast is what happens if no caller interferes.
    #[test]
    fn a_forecast_is_what_happens(story in story()) {
        let mut world = World::begin(&story);
        for (hours, call) in &story.calls {
            world.now = world.now.plus_seconds(hours * HOUR);
            world.catch_up();
            world.call(call);
        }
        let forecast = world.current.forecast(&world.known(), 12);
        world.steps.clear();
        if let Some(last) = forecast.last() {
            world.now = last.at;
            world.catch_up();
        }
        let happened: Vec<&Step> = world.steps.iter().filter(|step| step.action != Action::Notice).take(forecast.len()).collect();
        prop_assert_eq!(happened.len(), forecast.len());
        for (expected, step) in forecast.iter().zip(happened) {
            prop_assert_eq!((expected.at, expected.action, expected.event), (step.at, step.action, step.event));
            prop_assert_eq!(lasting(&expected.after), lasting(&step.after));
        }
    }

    /// A decision of the same inputs is the same, and sending nothing changes nothing.
    #[test]
    fn nothing_sent_is_nothing_changed(story in story()) {
        let mut world = World::begin(&story);
        for (hours, call) in &story.calls {
            world.now = world.now.plus_seconds(hours * HOUR);
            world.catch_up();
            world.call(call);
            let same = world.current.update(SubscriptionDraft::default(), None, ValidationErrors::none(), world.now, &world.known());
            prop_assert_eq!(same, Ok(world.current.clone()));
            let sent = billing_patch(BillingDraft::default());
            let same = world.current.update(sent, None, ValidationErrors::none(), world.now, &world.known());
            prop_assert_eq!(same, Ok(world.current.clone()));
        }
    }
}
