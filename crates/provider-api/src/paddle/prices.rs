//! A Paddle price, with its product, as a plan.

use super::super::amounts::{amount, currency, cycle, no_cycle};
use super::super::drafts::ImportedPlan;
use super::super::findings::{Source, Why};
use super::objects::{Price, Product};
use super::times::{created, updated};
use perennial_domain::cycle::BillingCycle;
use perennial_domain::plans::{Description, Features, PlanName};

/// The plan of a price, or why there is none.
pub(super) fn plan(price: &Price, product: Option<&Product>, source: &Source) -> Result<(ImportedPlan, Vec<Why>), Why> {
    let created_at = created(&price.id, price.created_at.as_deref())?;
    let cycle = match &price.billing_cycle {
        None => BillingCycle::Lifetime,
        Some(given) => {
            cycle(&given.interval, given.frequency).ok_or_else(|| no_cycle(&given.interval, given.frequency))?
        }
    };
    let currency = currency(&price.unit_price.currency_code)?;
    let texts =
        [product.and_then(|product| product.name.as_deref()), price.name.as_deref(), price.description.as_deref()];
    let title = texts.into_iter().flatten().find(|text| !text.trim().is_empty()).unwrap_or(&price.id);
    let mut losses = Vec::new();
    if price.unit_price_overrides.as_ref().is_some_and(|overrides| !overrides.is_empty()) {
        losses.push(Why::new("several_currencies", "has other amounts by country: only the main one is imported"));
    }
    let text = product.and_then(|product| product.description.as_deref()).unwrap_or_default();
    let description = Description::parse(text).unwrap_or_else(|reason| {
        losses.push(Why::field("description", &reason));
        Description::default()
    });
    let is_sold = |status: Option<&str>| status != Some("archived");
    let plan = ImportedPlan {
        source: source.clone(),
        product: price.product_id.clone().or(product.map(|product| product.id.clone())),
        name: PlanName::parse(title).map_err(|reason| Why::field("name", &reason))?,
        called: format!("{title} {}", cycle.as_str()),
        price: amount(&price.unit_price.amount, currency.decimals(), currency)?,
        currency,
        cycle,
        href: None,
        description,
        features: Features::default(),
        is_active: is_sold(price.status.as_deref()) && is_sold(product.and_then(|product| product.status.as_deref())),
        created_at,
        updated_at: updated(price.updated_at.as_deref(), created_at),
    };
    Ok((plan, losses))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn read(change: &Value) -> Result<(ImportedPlan, Vec<Why>), &'static str> {
        let mut price = json!({
            "id": "pri_01h7zd9mzfq79850w4ryc39v38", "product_id": "pro_1", "description": "Per seat", "status": "active",
            "unit_price": { "amount": "500", "currency_code": "USD" },
            "billing_cycle": { "interval": "month", "frequency": 1 },
        });
        for (name, value) in change.as_object().unwrap() {
            price[name] = value.clone();
        }
        let price: Price = serde_json::from_value(price).unwrap();
        let product: Product =
            serde_json::from_value(json!({ "id": "pro_1", "name": "Chat", "status": "active" })).unwrap();
        let product = price.product.is_none().then_some(&product).or(price.product.as_ref());
        plan(&price, product, &Source::new(&"prices.json".into(), "price", &*price.id)).map_err(|why| why.code)
    }

    #[test]
    fn a_price_is_a_plan_of_its_product() {
        let (plan, losses) = read(&json!({})).ok().unwrap();
        let found = (plan.name.as_str(), plan.called.as_str(), plan.price.to_string(), plan.cycle, plan.is_active);
        assert_eq!(found, ("Chat", "Chat monthly", "5".to_owned(), BillingCycle::Monthly, true));
        assert!(losses.is_empty() && plan.product.as_deref() == Some("pro_1"));
        let (once, _) = read(&json!({ "billing_cycle": null, "status": "archived" })).ok().unwrap();
        assert_eq!((once.cycle, once.is_active), (BillingCycle::Lifetime, false));
        let yen = json!({ "unit_price": { "amount": "500", "currency_code": "JPY" }, "unit_price_overrides": [{}] });
        let (yen, losses) = read(&yen).ok().unwrap();
        assert_eq!((yen.price.to_string(), losses[0].code), ("500".to_owned(), "several_currencies"));
        let nameless = json!({ "product": { "id": "pro_2", "name": " ", "status": "archived" } });
        let (plan, _) = read(&nameless).ok().unwrap();
        assert_eq!((plan.name.as_str(), plan.is_active), ("Per seat", false));
    }

    #[test]
    fn what_is_no_plan_has_a_reason() {
        for (change, code) in [
            (json!({ "billing_cycle": { "interval": "month", "frequency": 5 } }), "no_such_cycle"),
            (json!({ "unit_price": { "amount": "5.5", "currency_code": "USD" } }), "too_many_decimals"),
            (json!({ "unit_price": { "amount": "five", "currency_code": "USD" } }), "malformed"),
            (json!({ "unit_price": { "amount": "5", "currency_code": "XXX" } }), "unknown_value"),
            (json!({ "id": "pri_1" }), "malformed"),
        ] {
            assert_eq!(read(&change).err(), Some(code), "{change}");
        }
    }
}
