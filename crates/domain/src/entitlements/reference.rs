//! The rules of entitlements once more, the long way: one function on JSON that follows the sentences of the API rules.

use super::{Holding, TotalKey, Usage, period};
use crate::features::Feature;
use crate::time::Time;
use serde_json::{Map, Value, json};

const MAX: i128 = 9_007_199_254_740_991;

pub(super) fn entitlements(holdings: &[Holding], features: &[Feature], usage: &Usage, now: Time) -> Value {
    let mut found = Map::new();
    let json_of = |holding: &Holding| (json!(holding.subscription.entitlements), json!(*holding.plan));
    let granted: Vec<(Value, Value)> = holdings.iter().map(json_of).collect();
    for feature in features {
        let record = serde_json::to_value(feature).unwrap();
        let key = record["key"].as_str().unwrap();
        let is_quota = record["kind"] == "quota";
        let mut sources = Vec::new();
        let mut ends = Vec::new();
        for (holding, (own, plan)) in holdings.iter().zip(&granted) {
            let subscription = &holding.subscription;
            let is_over = subscription.ends_at.is_some_and(|end| now >= end);
            if !subscription.is_active || subscription.starts_at > now || is_over || record["is_active"] == false {
                continue;
            }
            if key == "seats" && holding.is_member {
                continue;
            }
            let mut value = if own[key].is_null() { plan[key].clone() } else { own[key].clone() };
            if value.is_null() {
                continue;
            }
            if let (Some(number), true) = (value.as_i64(), record["per_unit"] == true) {
                let product = i128::from(number) * i128::from(subscription.quantity.get());
                value = json!(i64::try_from(product.min(MAX)).unwrap());
            }
            let mut used = None;
            if let (Some(meter_id), Some(kind)) = (feature.meter_id, feature.period) {
                let period = period(subscription, kind, now);
                ends.extend(period.to);
                used = usage.get(&TotalKey { subscription_id: subscription.id, meter_id, period });
            }
            let subscription_id = subscription.id.to_string();
            sources.push((subscription_id, value, used.map_or(0, |used| used.millionths())));
        }
        sources.sort_by(|left, right| left.0.cmp(&right.0));
        let numbers = || sources.iter().filter_map(|source| source.1.as_i64()).map(i128::from);
        let is_unlimited = sources.iter().any(|source| source.1 == "unlimited");
        let value = match record["combine"].as_str().unwrap() {
            _ if sources.is_empty() => continue,
            "any" => json!(sources.iter().any(|source| source.1 == true)),
            _ if is_unlimited => json!("unlimited"),
            "max" => json!(i64::try_from(numbers().max().unwrap()).unwrap()),
            _ => json!(i64::try_from(numbers().sum::<i128>().min(MAX)).unwrap()),
        };
        let left =
            sources.iter().filter_map(|source| Some((i128::from(source.1.as_i64()?) * 1_000_000 - source.2).max(0)));
        let quantity = |millionths: i128| {
            serde_json::to_value(super::super::usage::Quantity::from_millionths(millionths)).unwrap()
        };
        let remaining = if is_unlimited { json!("unlimited") } else { quantity(left.sum()) };
        let used = quantity(sources.iter().map(|source| source.2).sum());
        let listed = |(id, value, used): &(String, Value, i128)| json!({ "subscription_id": id, "value": value, "used": if is_quota { quantity(*used) } else { Value::Null } });
        let quota = |value: Value| if is_quota { value } else { Value::Null };
        found.insert(key.to_owned(), json!({ "kind": record["kind"], "value": value, "used": quota(used),
            "remaining": quota(remaining), "resets_at": quota(json!(ends.iter().min())), "sources": sources.iter().map(listed).collect::<Vec<_>>() }));
    }
    Value::Object(found)
}
