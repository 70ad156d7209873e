//! A Stripe subscription as a subscription.

use super::super::drafts::{self, ImportedSubscription, quantity, user_id};
use super::super::findings::{Source, Why};
use super::objects::{Expandable, Item, Subscription};
use super::times::instant;
use perennial_domain::subscriptions::SubscriptionStatus;
use perennial_domain::time::Time;

/// The subscription, or why there is none. Its plan is the first item that is a plan.
pub(super) fn subscription(given: &Subscription, source: &Source) -> Result<(ImportedSubscription, Vec<Why>), Why> {
    let created_at = given.created.and_then(instant).ok_or_else(|| Why::missing("created"))?;
    let starts_at = given.start_date.and_then(instant).unwrap_or(created_at);
    let items = given.items.as_ref().map(|items| items.data.as_slice()).unwrap_or_default();
    let (status, renews_at, ends_at) = state(given, period_end(given, items))?;
    let subscription = ImportedSubscription {
        source: source.clone(),
        customer: given.customer.as_ref().map(Expandable::id).unwrap_or_default().to_owned(),
        user_id: user_id(given.metadata.as_ref()),
        items: bought(items)?,
        external_id: given.id.clone(),
        status,
        starts_at,
        renews_at,
        ends_at,
        created_at,
        updated_at: created_at,
        is_single: false,
    };
    Ok((subscription, losses(given, items)))
}

fn bought(items: &[Item]) -> Result<Vec<drafts::Item>, Why> {
    let priced = items.iter().filter_map(|item| Some((item.price()?, item.quantity)));
    priced.map(|(plan, count)| Ok(drafts::Item { plan: plan.to_owned(), quantity: quantity(count)? })).collect()
}

/// The status, when it renews, when it ends.
fn state(
    given: &Subscription,
    period_end: Option<Time>,
) -> Result<(SubscriptionStatus, Option<Time>, Option<Time>), Why> {
    use SubscriptionStatus::{Active, Cancelled, Expired, Incomplete, OnTrial, PastDue, Paused, Unpaid};
    let at_period_end = given.cancel_at_period_end == Some(true);
    let cancel_at = given.cancel_at.and_then(instant).or(period_end.filter(|_| at_period_end));
    // If it ends before the renewal, it does not renew.
    let is_leaving = cancel_at.is_some_and(|end| period_end.is_none_or(|renewal| end <= renewal));
    Ok(match given.status.as_str() {
        "active" | "trialing" if is_leaving => (Cancelled, period_end, cancel_at),
        "active" => (Active, period_end, cancel_at),
        "trialing" => (OnTrial, period_end, cancel_at),
        "past_due" => (PastDue, period_end, cancel_at),
        "unpaid" => (Unpaid, period_end, cancel_at),
        "paused" => (Paused, period_end, cancel_at),
        "incomplete" => (Incomplete, period_end, cancel_at),
        // Theirs has ended; ours that is cancelled lasts until its end.
        "canceled" | "incomplete_expired" => {
            (Expired, None, given.ended_at.or(given.canceled_at).and_then(instant).or(cancel_at))
        }
        other => return Err(Why::new("unknown_status", format!("the status {other:?} is none that we know"))),
    })
}

/// Until 2025 a subscription had one period. Since then each item has one, and the earliest is the next.
fn period_end(given: &Subscription, items: &[Item]) -> Option<Time> {
    let first = items.iter().filter_map(|item| item.current_period_end).min();
    given.current_period_end.or(first).and_then(instant)
}

fn losses(given: &Subscription, items: &[Item]) -> Vec<Why> {
    let mut losses = Vec::new();
    if items.len() > 1 {
        let detail = format!("has {} items: the first that is a plan counts, the others are dropped", items.len());
        losses.push(Why::new("several_items", detail));
    }
    if given.discount.is_some() || given.discounts.as_ref().is_some_and(|discounts| !discounts.is_empty()) {
        losses.push(Why::new("coupon", "has a discount: there are no coupons here"));
    }
    if given.pause_collection.is_some() {
        losses.push(Why::new("collection_paused", "is not collected at present, which its status does not show"));
    }
    losses
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    const JANUARY: i64 = 1_767_225_600;
    const FEBRUARY: i64 = 1_769_904_000;
    const MARCH: i64 = 1_772_323_200;

    fn read(change: &Value) -> Result<(ImportedSubscription, Vec<&'static str>), &'static str> {
        let mut given = json!({
            "id": "sub_1", "object": "subscription", "customer": "cus_1", "status": "active", "created": JANUARY,
            "start_date": JANUARY, "current_period_end": FEBRUARY, "cancel_at_period_end": false,
            "items": { "object": "list", "data": [{ "id": "si_1", "price": "price_1", "quantity": 1 }] },
        });
        for (name, value) in change.as_object().unwrap() {
            given[name] = value.clone();
        }
        let given: Subscription = serde_json::from_value(given).unwrap();
        let source = Source::new(&"subscriptions.json".into(), "subscription", "sub_1");
        let read = subscription(&given, &source);
        read.map(|(draft, why)| (draft, why.iter().map(|why| why.code).collect())).map_err(|why| why.code)
    }

    #[test]
    fn each_status_has_its_own() {
        let end = |seconds: i64| instant(seconds);
        for (change, status, renews, ends) in [
            (json!({}), "active", end(FEBRUARY), None),
            (json!({ "status": "trialing" }), "on_trial", end(FEBRUARY), None),
            (json!({ "status": "past_due" }), "past_due", end(FEBRUARY), None),
            (json!({ "status": "unpaid" }), "unpaid", end(FEBRUARY), None),
            (json!({ "status": "paused" }), "paused", end(FEBRUARY), None),
            (json!({ "status": "incomplete" }), "incomplete", end(FEBRUARY), None),
            (json!({ "cancel_at_period_end": true }), "cancelled", end(FEBRUARY), end(FEBRUARY)),
            (json!({ "status": "trialing", "cancel_at_period_end": true }), "cancelled", end(FEBRUARY), end(FEBRUARY)),
            (json!({ "status": "past_due", "cancel_at_period_end": true }), "past_due", end(FEBRUARY), end(FEBRUARY)),
            (json!({ "cancel_at": MARCH }), "active", end(FEBRUARY), end(MARCH)),
            (json!({ "cancel_at": FEBRUARY }), "cancelled", end(FEBRUARY), end(FEBRUARY)),
            (json!({ "status": "canceled", "canceled_at": JANUARY, "ended_at": MARCH }), "expired", None, end(MARCH)),
            (json!({ "status": "canceled", "canceled_at": JANUARY }), "expired", None, end(JANUARY)),
            (json!({ "status": "incomplete_expired", "ended_at": null }), "expired", None, None),
        ] {
            let (draft, losses) = read(&change).unwrap();
            assert_eq!((draft.status.as_str(), draft.renews_at, draft.ends_at), (status, renews, ends), "{change}");
            assert!(losses.is_empty(), "{change}: {losses:?}");
        }
        assert_eq!(read(&json!({ "status": "sleeping" })).err(), Some("unknown_status"));
        assert_eq!(read(&json!({ "created": null })).err(), Some("malformed"));
    }

    #[test]
    fn references_may_be_expanded_and_periods_stand_with_the_items() {
        let items = json!({ "data": [
            { "plan": { "id": "gold", "currency": "usd", "interval": "month" }, "current_period_end": MARCH },
            { "price": { "id": "price_2", "currency": "usd" }, "current_period_end": FEBRUARY, "quantity": 3 },
        ] });
        let change = json!({
            "customer": { "id": "cus_9", "object": "customer" }, "current_period_end": null, "items": items,
            "discounts": ["di_1"], "pause_collection": { "behavior": "void" },
        });
        let (draft, losses) = read(&change).unwrap();
        let bought: Vec<_> = draft.items.iter().map(|item| (item.plan.as_str(), item.quantity.get())).collect();
        assert_eq!((draft.customer.as_str(), bought), ("cus_9", vec![("gold", 1), ("price_2", 3)]));
        assert_eq!(draft.renews_at, instant(FEBRUARY));
        assert_eq!(losses, ["several_items", "coupon", "collection_paused"]);
    }
}
