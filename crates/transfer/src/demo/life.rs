//! The history of one subscription: its changes and its payments. Nothing happens after the demo's end.

use super::dice::Dice;
use super::people::People;
use perennial_app::audit::{json, system_event};
use perennial_domain::entitlements::Grants;
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::{EventId, PaymentId, SubscriptionId};
use perennial_domain::payments::{Payment, PaymentStatus};
use perennial_domain::plans::Plan;
use perennial_domain::stamp::{Stamp, Stamped as _};
use perennial_domain::subscriptions::{Subscription, SubscriptionDetails, SubscriptionStatus};
use perennial_domain::time::Time;

use SubscriptionStatus::{Active, Cancelled, Expired, Incomplete, OnTrial, PastDue, Paused, Pending, Unpaid};

const DAY: i64 = 86_400;

/// A subscription at the end, with its history.
pub(super) struct Life<'a> {
    pub(super) subscription: Subscription,
    pub(super) payments: Vec<Payment>,
    pub(super) events: Vec<Event>,
    plan: &'a Plan,
    until: Time,
    dice: Dice,
}

/// The subscription with this number.
pub(super) fn live<'a>(people: &People, plans: &'a [(Plan, u64)], number: u64) -> Life<'a> {
    let mut dice = Dice::new(people.seed, "subscriptions", number);
    let user = people.user(dice.below(people.count));
    let plan = choose(plans, &mut dice);
    let left = people.until.seconds_since(user.created_at);
    // Most users buy on the day they sign up.
    let delay = if dice.percent(60) { dice.seconds_below(left.min(DAY)) } else { dice.seconds_below(left) };
    let now = user.created_at.plus_seconds(delay);
    let (status, starts_at) = match dice.below(100) {
        0..=2 => (Pending, now.plus_seconds(DAY + dice.seconds_below(30 * DAY))),
        3..=6 => (Incomplete, now),
        7..=29 => (OnTrial, now),
        _ => (Active, now),
    };
    let trial_end = (status == OnTrial).then(|| now.plus_seconds(14 * DAY));
    let subscription = Subscription {
        id: SubscriptionId::new(now, dice.roll()),
        user_id: user.id,
        plan_id: plan.id,
        plan_version: plan.version,
        details: SubscriptionDetails::default(),
        billing_cycle: plan.billing_cycle,
        status,
        is_active: status.is_active_by_default(),
        renews_at: trial_end.or(plan.billing_cycle.renewal(starts_at, 1)),
        starts_at,
        ends_at: None,
        billing: None,
        entitlements: Grants::default(),
        managed_by: None,
        created_at: now,
        updated_at: now,
        due_at: None,
        usage_closed_until: None,
        organization_id: people.organization,
        revision: EventId::new(now, dice.roll()),
    };
    let mut life = Life { subscription, payments: vec![], events: vec![], plan, until: people.until, dice };
    let (id, revision) = (life.subscription.id.bytes(), life.subscription.revision);
    let event = system_event(people.organization, EventKind::SubscriptionCreated, id, revision, now);
    life.events.push(Event { after: Some(json(&life.subscription)), ..event });
    life.unfold();
    life
}

fn choose<'a>(plans: &'a [(Plan, u64)], dice: &mut Dice) -> &'a Plan {
    let mut lot = dice.below(plans.iter().map(|(_, share)| share).sum());
    for (plan, share) in plans {
        if lot < *share {
            return plan;
        }
        lot -= share;
    }
    &plans[0].0
}

impl Life<'_> {
    fn unfold(&mut self) {
        let now = self.subscription.created_at;
        match self.subscription.status {
            Pending => {
                let start = self.subscription.starts_at;
                if self.becomes(Active, start) {
                    self.pay(start);
                    self.renewals();
                }
            }
            Incomplete => {
                self.payment(now, PaymentStatus::Failed);
                let later = now.plus_seconds(2 * DAY);
                if self.dice.percent(50) {
                    if self.becomes(Active, later) {
                        self.pay(later);
                        self.renewals();
                    }
                } else {
                    self.becomes(Expired, later);
                }
            }
            OnTrial => self.trial(now.plus_seconds(14 * DAY)),
            _ => {
                self.pay(now);
                self.renewals();
            }
        }
    }

    fn trial(&mut self, end: Time) {
        match self.dice.below(100) {
            0..=59 => {
                let renews_at = self.next_renewal(end);
                let paid = |subscription: &mut Subscription| {
                    subscription.status = Active;
                    subscription.renews_at = renews_at;
                };
                if self.change(end, paid) {
                    self.pay(end);
                    self.renewals();
                }
            }
            60..=89 => self.cancel(end.plus_seconds(-DAY), end),
            _ => self.miss(end),
        }
    }

    /// One period after the other, until a change or the end of the year.
    fn renewals(&mut self) {
        while let Some(due) = self.subscription.renews_at {
            let last = self.subscription.updated_at;
            let before = last.plus_seconds(self.dice.seconds_below(due.seconds_since(last)));
            match self.dice.below(100) {
                0..=3 => return self.cancel(before, due),
                4 => {
                    self.becomes(Paused, before);
                    return;
                }
                5..=8 => {
                    self.miss(due);
                    if self.subscription.status != Active {
                        return;
                    }
                }
                _ if due > self.until => return,
                _ => {
                    self.pay(due);
                    let renews_at = self.next_renewal(due);
                    self.change(due, |subscription| subscription.renews_at = renews_at);
                }
            }
            if self.subscription.renews_at == Some(due) {
                return;
            }
        }
    }

    fn cancel(&mut self, at: Time, end: Time) {
        let cancelled = |subscription: &mut Subscription| {
            subscription.status = Cancelled;
            subscription.ends_at = Some(end);
        };
        if self.change(at, cancelled) {
            self.becomes(Expired, end);
        }
    }

    /// A failed renewal and its consequences.
    fn miss(&mut self, due: Time) {
        if !self.becomes(PastDue, due) {
            return;
        }
        self.payment(due, PaymentStatus::Failed);
        let retry = due.plus_seconds(3 * DAY);
        if self.dice.percent(65) {
            let renews_at = self.next_renewal(due);
            let paid = |subscription: &mut Subscription| {
                subscription.status = Active;
                subscription.renews_at = renews_at;
            };
            if self.change(retry, paid) {
                self.pay(retry);
            }
        } else if self.becomes(Unpaid, due.plus_seconds(14 * DAY)) && self.dice.percent(60) {
            self.becomes(Expired, due.plus_seconds(44 * DAY));
        }
    }

    fn next_renewal(&self, due: Time) -> Option<Time> {
        let (cycle, start) = (self.subscription.billing_cycle, self.subscription.starts_at);
        // Counted from the start, as in the domain; a trial is not a whole period.
        (1..u32::MAX).map(|count| cycle.renewal(start, count)).find(|next| next.is_none_or(|next| next > due)).flatten()
    }

    fn becomes(&mut self, status: SubscriptionStatus, at: Time) -> bool {
        self.change(at, |subscription| subscription.status = status)
    }

    /// Changes the subscription, unless that would be after the end.
    fn change(&mut self, at: Time, change: impl FnOnce(&mut Subscription)) -> bool {
        let at = at.max(self.subscription.updated_at);
        if at > self.until {
            return false;
        }
        let (before, previous) = (json(&self.subscription), self.subscription.revision);
        let subscription = &mut self.subscription;
        change(subscription);
        subscription.is_active = subscription.status.is_active_by_default();
        let Stamp { at, revision } = subscription.stamp().next(at, self.dice.roll());
        (subscription.updated_at, subscription.revision) = (at, revision);
        let id = subscription.id.bytes();
        let event = system_event(subscription.organization_id, EventKind::SubscriptionUpdated, id, revision, at);
        self.events.push(Event { before: Some(before), after: Some(json(subscription)), ..event.following(previous) });
        true
    }

    /// A payment for a period.
    fn pay(&mut self, at: Time) {
        let fresh = self.until.seconds_since(at) < 3 * DAY;
        let fate = self.dice.below(1_000);
        let status = match fate {
            0..=249 if fresh => PaymentStatus::Pending,
            250..=399 if fresh => PaymentStatus::Processing,
            _ => PaymentStatus::Completed,
        };
        let place = self.payment(at, status);
        let later = at.plus_seconds(DAY + self.dice.seconds_below(20 * DAY));
        match fate {
            _ if status != PaymentStatus::Completed || later > self.until => {}
            0..=11 => self.payment_becomes(place, PaymentStatus::Refunded, later),
            12..=17 => self.payment_becomes(place, PaymentStatus::PartiallyRefunded, later),
            18..=21 => self.payment_becomes(place, PaymentStatus::Disputed, later),
            22..=24 => self.payment_becomes(place, PaymentStatus::Void, later),
            _ => {}
        }
    }

    fn payment(&mut self, at: Time, status: PaymentStatus) -> usize {
        let payment = Payment {
            invoice_id: None,
            applied: None,
            id: PaymentId::new(at, self.dice.roll()),
            subscription_id: self.subscription.id,
            amount: self.plan.price,
            currency: self.plan.currency,
            external_payment_id: None,
            status,
            date: (status == PaymentStatus::Completed).then_some(at),
            created_at: at,
            updated_at: at,
            organization_id: self.subscription.organization_id,
            revision: EventId::new(at, self.dice.roll()),
        };
        let (id, revision) = (payment.id.bytes(), payment.revision);
        let event = system_event(payment.organization_id, EventKind::PaymentCreated, id, revision, at);
        self.events.push(Event { after: Some(json(&payment)), ..event });
        self.payments.push(payment);
        self.payments.len() - 1
    }

    fn payment_becomes(&mut self, place: usize, status: PaymentStatus, at: Time) {
        let payment = &mut self.payments[place];
        let (before, previous) = (json(payment), payment.revision);
        payment.status = status;
        let Stamp { at, revision } = payment.stamp().next(at, self.dice.roll());
        (payment.updated_at, payment.revision) = (at, revision);
        let id = payment.id.bytes();
        let event = system_event(payment.organization_id, EventKind::PaymentUpdated, id, revision, at);
        self.events.push(Event { before: Some(before), after: Some(json(payment)), ..event.following(previous) });
    }
}

#[cfg(test)]
mod tests {
    use super::super::catalogue;
    use super::*;
    use perennial_domain::id::OrganizationId;
    use std::collections::HashSet;

    fn status(text: &str) -> String {
        serde_json::from_str::<serde_json::Value>(text).unwrap()["status"].as_str().unwrap().to_owned()
    }

    #[test]
    fn lives_follow_the_rules_of_the_domain_and_end_with_the_year() {
        let until = Time::parse("2026-11-15T00:00:00Z").unwrap();
        let since = until.plus_seconds(-365 * DAY);
        let organization = OrganizationId::new(since, 1);
        let people = People { organization, seed: 3, count: 300, since, until };
        let plans = catalogue::plans(organization, 3, since);
        let (mut statuses, mut paid) = (HashSet::new(), HashSet::new());
        for number in 0..3_000 {
            let life = live(&people, &plans, number);
            statuses.insert(life.subscription.status);
            paid.extend(life.payments.iter().map(|payment| payment.status));
            assert!(life.events.iter().all(|event| event.at <= until && event.at >= since));
            let subscription = &life.subscription;
            let last = life.events.iter().rfind(|event| event.record_id == subscription.id.bytes()).unwrap();
            assert_eq!((last.id, last.after.clone()), (subscription.revision, Some(json(subscription))));
            for event in &life.events {
                let Some((before, after)) = event.before.as_deref().zip(event.after.as_deref()) else { continue };
                let (before, after) = (status(before), status(after));
                let allowed = match event.kind {
                    EventKind::SubscriptionUpdated => SubscriptionStatus::from_stored(&before)
                        .zip(SubscriptionStatus::from_stored(&after))
                        .is_some_and(|(before, after)| before.can_become(after)),
                    _ => PaymentStatus::from_stored(&before)
                        .zip(PaymentStatus::from_stored(&after))
                        .is_some_and(|(before, after)| before.can_become(after)),
                };
                assert!(allowed, "{before} became {after}");
            }
        }
        assert_eq!((statuses.len(), paid.len()), (9, 8));
    }
}
