//! Charges that were made in a time that the store has lost. A restored store does not know the payments of that time, and would
//! charge the same invoices again under new keys. So the customer's intents are listed before the first request, and one that
//! collected the same money is adopted.
//!
//! **Invariant:** no intent is requested for money that an intent of the lost time took, or is taking.

use super::{Collection, Effect, Intent, Step};
use crate::holds::LostTime;
use crate::time::Time;

/// What an intent would collect. IDs of a payment or an invoice are new after a restore if it was created again; the subscription
/// and the start of the period are not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The payment.
    pub payment: String,
    /// Its invoice.
    pub invoice: Option<String>,
    /// Its subscription.
    pub subscription: String,
    /// The start of the period, if a cycle invoice bills it.
    pub period_start: Option<String>,
    /// The amount, in the provider's smallest unit.
    pub amount: Option<i64>,
    /// The currency, in lower case.
    pub currency: String,
}

impl Wanted {
    /// The intents that took this money, or are taking it. The caller removes those that a payment here has.
    pub fn candidates(&self, intents: Vec<Intent>) -> Vec<Intent> {
        intents.into_iter().filter(|intent| is_effective(intent) && self.is_same(intent)).collect()
    }

    fn is_same(&self, intent: &Intent) -> bool {
        let is = |theirs: &Option<String>, ours: &str| theirs.as_deref() == Some(ours);
        let may_be =
            |theirs: &Option<String>, ours: &Option<String>| ours.as_deref().is_some_and(|ours| is(theirs, ours));
        is(&intent.payment, &self.payment)
            || may_be(&intent.invoice, &self.invoice)
            || (is(&intent.subscription, &self.subscription) && may_be(&intent.period_start, &self.period_start))
    }

    fn is_amount_of(&self, intent: &Intent) -> bool {
        self.amount.is_some() && intent.amount == self.amount && intent.currency.as_deref() == Some(&self.currency)
    }
}

/// Whether an intent took money, or may still take it without us.
fn is_effective(intent: &Intent) -> bool {
    matches!(intent.status.as_str(), "succeeded" | "processing" | "requires_capture")
}

impl Collection {
    /// The list that is read before the first request for an intent.
    pub fn compare(&self, lost: LostTime) -> Step {
        self.search_since(lost.since)
    }

    /// What follows from the unknown intents that took this money, or are taking it. The one with the same amount is adopted. If
    /// there is only another amount, the payment has failed, and the operator decides. None: there are none, so the intent may be
    /// requested.
    pub fn with_earlier(&self, mut unknown: Vec<Intent>, wanted: &Wanted, now: Time) -> Option<(Self, Effect)> {
        let next = Self { updated_at: now, ..self.clone() };
        unknown.sort_by_key(|intent| (!wanted.is_amount_of(intent), intent.status != "succeeded"));
        let first = unknown.into_iter().next()?;
        // Reserved money is neither taken nor released here: the operator captures or cancels it.
        if !wanted.is_amount_of(&first) || first.status == "requires_capture" {
            return Some(Self { intent_id: None, ..next }.fail("charged_before_restore", None));
        }
        Some(next.with_intent(first, now))
    }
}

#[cfg(test)]
mod tests {
    use super::super::CollectionState;
    use super::*;
    use crate::id::{ConnectionId, OrganizationId, PaymentId};
    use proptest::prelude::*;

    fn at(seconds: i64) -> Time {
        Time::from_micros((1_767_225_600 + seconds) * 1_000_000).unwrap()
    }

    fn collection() -> Collection {
        let ids = (OrganizationId::new(at(0), 1), PaymentId::new(at(0), 1), ConnectionId::new(at(0), 1));
        let begun = Collection::begin(ids.0, (ids.1, 1), ids.2, Some("pm_1".to_owned()), at(0));
        Collection { state: CollectionState::Creating, customer: Some("cus_1".to_owned()), ..begun }
    }

    fn wanted() -> Wanted {
        Wanted {
            payment: "pay_new".to_owned(),
            invoice: Some("inv_new".to_owned()),
            subscription: "sub_1".to_owned(),
            period_start: Some("2026-01-01".to_owned()),
            amount: Some(1999),
            currency: "usd".to_owned(),
        }
    }

    /// The intent of a payment that the store has lost.
    fn lost(id: &str, status: &str) -> Intent {
        Intent {
            id: id.to_owned(),
            status: status.to_owned(),
            payment: Some("pay_old".to_owned()),
            invoice: Some("inv_old".to_owned()),
            subscription: Some("sub_1".to_owned()),
            period_start: Some("2026-01-01".to_owned()),
            amount: Some(1999),
            currency: Some("usd".to_owned()),
            ..Intent::default()
        }
    }

    fn outcome(intents: Vec<Intent>) -> Option<(Collection, Effect)> {
        let wanted = wanted();
        collection().with_earlier(wanted.candidates(intents), &wanted, at(9))
    }

    #[test]
    fn a_charge_of_the_same_period_is_adopted_although_payment_and_invoice_are_new() {
        let (next, effect) = outcome(vec![lost("pi_1", "succeeded")]).unwrap();
        assert_eq!((next.state, effect), (CollectionState::Succeeded, Effect::Completed("pi_1".to_owned())));
        let (next, effect) = outcome(vec![lost("pi_1", "processing")]).unwrap();
        assert_eq!((next.state, next.intent_id.as_deref()), (CollectionState::Watching, Some("pi_1")));
        assert_eq!(effect, Effect::None);
        // The one that took the money counts.
        let (_, effect) = outcome(vec![lost("pi_1", "processing"), lost("pi_2", "succeeded")]).unwrap();
        assert_eq!(effect, Effect::Completed("pi_2".to_owned()));
    }

    #[test]
    fn a_charge_of_the_same_payment_or_invoice_is_adopted_whatever_its_period() {
        let other = Intent { subscription: None, period_start: None, ..lost("pi_1", "succeeded") };
        assert_eq!(outcome(vec![other.clone()]), None);
        for same in [
            Intent { payment: Some("pay_new".to_owned()), ..other.clone() },
            Intent { invoice: Some("inv_new".to_owned()), ..other },
        ] {
            assert!(matches!(outcome(vec![same]), Some((_, Effect::Completed(_)))));
        }
    }

    #[test]
    fn other_periods_and_subscriptions_and_charges_that_took_nothing_do_not_count() {
        let other = |change: fn(&mut Intent)| {
            let mut intent = lost("pi_1", "succeeded");
            change(&mut intent);
            outcome(vec![intent])
        };
        assert_eq!(other(|intent| intent.subscription = Some("sub_2".to_owned())), None);
        assert_eq!(other(|intent| intent.period_start = Some("2026-02-01".to_owned())), None);
        assert_eq!(other(|intent| intent.period_start = None), None);
        for status in ["canceled", "requires_payment_method", "requires_action"] {
            assert_eq!(outcome(vec![lost("pi_1", status)]), None);
        }
        // An invoice without a period is not the same as another one without.
        let wanted = Wanted { period_start: None, invoice: None, ..wanted() };
        let intent = Intent { period_start: None, invoice: None, ..lost("pi_1", "succeeded") };
        assert!(wanted.candidates(vec![intent]).is_empty());
    }

    #[test]
    fn another_amount_of_the_same_period_is_neither_adopted_nor_charged_again() {
        for intent in [
            Intent { amount: Some(2999), ..lost("pi_1", "succeeded") },
            Intent { currency: Some("eur".to_owned()), ..lost("pi_1", "succeeded") },
            Intent { amount: None, ..lost("pi_1", "processing") },
            lost("pi_1", "requires_capture"),
        ] {
            let (next, effect) = outcome(vec![intent]).unwrap();
            assert_eq!(
                (next.state, next.code.as_deref(), effect),
                (CollectionState::Failed, Some("charged_before_restore"), Effect::Failed)
            );
        }
    }

    #[test]
    fn the_list_begins_a_day_before_the_lost_time() {
        let step = collection().compare(LostTime { since: at(200_000), until: None });
        assert_eq!(step, Step::Search { customer: "cus_1".to_owned(), since: at(200_000 - 86_400) });
    }

    proptest! {
        /// Whatever the customer has: if an unknown intent took this money, nothing is requested.
        #[test]
        fn nothing_is_requested_if_an_unknown_intent_took_the_money(
            kinds in prop::collection::vec((0..3_usize, 0..3_usize, 0..2_usize, 0..4_usize), 0..12),
        ) {
            let statuses = ["succeeded", "processing", "canceled", "requires_payment_method"];
            let intents: Vec<Intent> = kinds.iter().enumerate().map(|(number, (subscription, period, amount, status))| Intent {
                id: format!("pi_{number}"),
                subscription: Some(format!("sub_{subscription}")),
                period_start: Some(format!("2026-0{}-01", period + 1)),
                amount: Some([1999, 2999][*amount]),
                ..lost("", statuses[*status])
            }).collect();
            let took = |intent: &&Intent| {
                intent.subscription.as_deref() == Some("sub_1") && intent.period_start.as_deref() == Some("2026-01-01")
                    && matches!(intent.status.as_str(), "succeeded" | "processing")
            };
            let relevant: Vec<Intent> = intents.iter().filter(took).cloned().collect();
            match outcome(intents) {
                None => prop_assert!(relevant.is_empty()),
                Some((next, effect)) => {
                    let same = relevant.iter().any(|intent| intent.amount == Some(1999));
                    prop_assert_eq!(effect == Effect::Failed, !same);
                    prop_assert!(!same || relevant.iter().any(|intent| Some(&intent.id) == next.intent_id.as_ref()));
                }
            }
        }
    }
}
