//! A Paddle subscription as a subscription.

use super::super::drafts::{self, ImportedSubscription, quantity, user_id};
use super::super::findings::{Source, Why};
use super::objects::{Item, Subscription};
use super::times::{created, optional_time, updated};
use perennial_domain::subscriptions::SubscriptionStatus;
use perennial_domain::time::Time;

/// The subscription, or why there is none. Its plan is the first item that is a plan.
pub(super) fn subscription(given: &Subscription, source: &Source) -> Result<(ImportedSubscription, Vec<Why>), Why> {
    let created_at = created(&given.id, given.created_at.as_deref())?;
    let (status, renews_at, ends_at) = state(given)?;
    let subscription = ImportedSubscription {
        source: source.clone(),
        customer: given.customer_id.clone().unwrap_or_default(),
        user_id: user_id(given.custom_data.as_ref()),
        items: bought(&given.items)?,
        external_id: given.id.clone(),
        status,
        starts_at: optional_time("started_at", given.started_at.as_deref())?.unwrap_or(created_at),
        renews_at,
        ends_at,
        created_at,
        updated_at: updated(given.updated_at.as_deref(), created_at),
        is_single: false,
    };
    Ok((subscription, losses(given)))
}

fn bought(items: &[Item]) -> Result<Vec<drafts::Item>, Why> {
    let priced = items.iter().filter_map(|item| Some((item.price.as_ref()?, item.quantity)));
    priced.map(|(price, count)| Ok(drafts::Item { plan: price.id.clone(), quantity: quantity(count)? })).collect()
}

/// The status, when it renews, when it ends.
fn state(given: &Subscription) -> Result<(SubscriptionStatus, Option<Time>, Option<Time>), Why> {
    use SubscriptionStatus::{Active, Cancelled, Expired, OnTrial, PastDue, Paused};
    let renews_at = optional_time("next_billed_at", given.next_billed_at.as_deref())?;
    let cancel = given.scheduled_change.as_ref().filter(|change| change.action == "cancel");
    let end = cancel.map(|change| optional_time("effective_at", change.effective_at.as_deref())).transpose()?.flatten();
    // Cancelled without an end, it would never end.
    let end = end.or(renews_at.filter(|_| cancel.is_some()));
    Ok(match given.status.as_str() {
        "active" | "trialing" if end.is_some() => (Cancelled, renews_at, end),
        "active" => (Active, renews_at, None),
        "trialing" => (OnTrial, renews_at, None),
        "past_due" => (PastDue, renews_at, end),
        "paused" => (Paused, renews_at, end),
        // Theirs has ended; ours that is cancelled lasts until its end.
        "canceled" => (Expired, None, optional_time("canceled_at", given.canceled_at.as_deref())?.or(end)),
        other => return Err(Why::new("unknown_status", format!("the status {other:?} is none that we know"))),
    })
}

fn losses(given: &Subscription) -> Vec<Why> {
    let mut losses = Vec::new();
    if given.items.len() > 1 {
        let detail =
            format!("has {} items: the first that is a plan counts, the others are dropped", given.items.len());
        losses.push(Why::new("several_items", detail));
    }
    if given.discount.is_some() {
        losses.push(Why::new("coupon", "has a discount: only the plan's price is carried"));
    }
    losses
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    const START: &str = "2026-01-01T00:00:00.000000Z";
    const NEXT: &str = "2026-02-01T00:00:00.000000Z";
    const END: &str = "2026-01-20T00:00:00.000000Z";

    fn read(change: &Value) -> Result<(ImportedSubscription, Vec<&'static str>), &'static str> {
        let price = |id: &str| json!({ "id": id, "unit_price": { "amount": "1", "currency_code": "USD" } });
        let mut given = json!({
            "id": "sub_1", "customer_id": "ctm_1", "status": "active", "started_at": START, "next_billed_at": NEXT,
            "canceled_at": null, "scheduled_change": null, "custom_data": null, "created_at": START,
            "updated_at": "0001-01-01T00:00:00Z", "items": [{ "price": price("pri_1"), "quantity": 10 }],
        });
        for (name, value) in change.as_object().unwrap() {
            given[name] = value.clone();
        }
        let given: Subscription = serde_json::from_value(given).unwrap();
        let read = subscription(&given, &Source::new(&"s.json".into(), "subscription", "sub_1"));
        read.map(|(draft, why)| (draft, why.iter().map(|why| why.code).collect())).map_err(|why| why.code)
    }

    #[test]
    fn each_status_has_its_own() {
        let ending =
            |status: &str| json!({ "status": status, "scheduled_change": { "action": "cancel", "effective_at": END } });
        let pausing = json!({ "scheduled_change": { "action": "pause", "effective_at": END } });
        for (change, status, renews, ends) in [
            (json!({}), "active", Some(NEXT), None),
            (json!({ "status": "trialing" }), "on_trial", Some(NEXT), None),
            (json!({ "status": "past_due" }), "past_due", Some(NEXT), None),
            (json!({ "status": "paused", "next_billed_at": null }), "paused", None, None),
            (ending("active"), "cancelled", Some(NEXT), Some(END)),
            (ending("trialing"), "cancelled", Some(NEXT), Some(END)),
            (ending("past_due"), "past_due", Some(NEXT), Some(END)),
            (pausing, "active", Some(NEXT), None),
            (json!({ "status": "canceled", "canceled_at": END }), "expired", None, Some(END)),
            (json!({ "status": "canceled", "canceled_at": "0001-01-01T00:00:00Z" }), "expired", None, None),
        ] {
            let (draft, losses) = read(&change).unwrap();
            let text = |time: Option<Time>| time.map(|time| time.to_string());
            assert_eq!(draft.status.as_str(), status, "{change}");
            assert_eq!((text(draft.renews_at).as_deref(), text(draft.ends_at).as_deref()), (renews, ends), "{change}");
            assert!(losses.is_empty() && draft.updated_at == draft.created_at);
        }
        assert_eq!(read(&json!({ "status": "asleep" })).err(), Some("unknown_status"));
        assert_eq!(read(&json!({ "next_billed_at": "soon" })).err(), Some("invalid_format"));
    }

    #[test]
    fn items_quantities_and_the_named_user_are_read() {
        let user = "usr_01h455vb4pex5vsknk084sn02q";
        let price = |id: &str| json!({ "id": id, "unit_price": { "amount": "1", "currency_code": "USD" } });
        let items = json!([{ "price": price("pri_1"), "quantity": 0 }, { "price": price("pri_2"), "quantity": 3 }]);
        let change = json!({ "items": items, "custom_data": { "user_id": user }, "discount": { "id": "dsc_1" } });
        let (draft, losses) = read(&change).unwrap();
        let bought: Vec<_> = draft.items.iter().map(|item| (item.plan.as_str(), item.quantity.get())).collect();
        assert_eq!(bought, [("pri_1", 1), ("pri_2", 3)]);
        assert_eq!(draft.user_id.map(|id| id.to_string()).as_deref(), Some(user));
        assert_eq!(losses, ["several_items", "coupon"]);
        for other in [json!({ "user_id": 7 }), json!({ "user_id": "plan_1" }), json!([]), json!("usr")] {
            assert_eq!(read(&json!({ "custom_data": other })).unwrap().0.user_id, None);
        }
        assert_eq!(
            read(&json!({ "items": [{ "price": price("p"), "quantity": 1_000_001 }] })).err(),
            Some("out_of_range")
        );
    }
}
