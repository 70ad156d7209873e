//! A Stripe price, with its product, as a plan.

use super::super::amounts::{amount, currency, cycle, no_cycle, stripe_decimals};
use super::super::drafts::ImportedPlan;
use super::super::findings::{Source, Why};
use super::objects::{Price, Product};
use super::times::instant;
use perennial_domain::cycle::BillingCycle;
use perennial_domain::plans::{Description, Features, Href, PlanName};

/// The plan of a price, or why there is none.
pub(super) fn plan(price: &Price, product: Option<&Product>, source: &Source) -> Result<(ImportedPlan, Vec<Why>), Why> {
    let is_active = price.active != Some(false) && product.is_none_or(|product| product.active != Some(false));
    let cycle = cycle_of(price)?;
    let mut losses = Vec::new();
    if price.currency_options.as_ref().is_some_and(|options| options.len() > 1) {
        losses.push(Why::new("several_currencies", "has amounts in other currencies: only the main one is imported"));
    }
    let created_at = price.created.and_then(instant).ok_or_else(|| Why::missing("created"))?;
    let title = product.and_then(|product| product.name.as_deref()).or(price.nickname.as_deref());
    let title = title.filter(|title| !title.trim().is_empty()).unwrap_or(&price.id);
    let called = price.lookup_key.clone().unwrap_or_else(|| format!("{title} {}", cycle.as_str()));
    let currency = currency(&price.currency)?;
    let plan = ImportedPlan {
        source: source.clone(),
        product: price.product.as_ref().map(|product| product.id().to_owned()),
        name: PlanName::parse(title).map_err(|reason| Why::field("name", &reason))?,
        called,
        price: amount(&units(price)?, stripe_decimals(currency), currency)?,
        currency,
        cycle,
        href: product.and_then(|product| product.url.as_deref()).and_then(|url| Href::parse(url).ok()),
        description: described(product, &mut losses),
        features: features(product, &mut losses),
        is_active,
        created_at,
        updated_at: created_at,
    };
    Ok((plan, losses))
}

fn cycle_of(price: &Price) -> Result<BillingCycle, Why> {
    let Some(recurring) = &price.recurring else { return Ok(BillingCycle::Lifetime) };
    if recurring.usage_type.as_deref() == Some("metered") {
        return Err(Why::new("metered_price", "is billed by usage, which is not counted here"));
    }
    let count = recurring.interval_count.unwrap_or(1);
    cycle(&recurring.interval, count).ok_or_else(|| no_cycle(&recurring.interval, count))
}

/// Its price in the currency's smallest unit.
fn units(price: &Price) -> Result<String, Why> {
    if price.billing_scheme.as_deref() == Some("tiered") {
        return Err(Why::new("tiered_price", "costs by tiers, and a plan has one price"));
    }
    let whole = price.unit_amount.map(|units| units.to_string());
    let units = whole.or_else(|| price.unit_amount_decimal.clone());
    // Next to an amount it is an object without limits.
    if units.is_none() && price.custom_unit_amount.is_some() {
        return Err(Why::new("custom_price", "costs what its customers choose, and a plan has one price"));
    }
    if price.transform_quantity.is_some() {
        return Err(Why::new("package_price", "is sold by the package, and there are no quantities here"));
    }
    units.ok_or_else(|| Why::missing("unit_amount"))
}

fn described(product: Option<&Product>, losses: &mut Vec<Why>) -> Description {
    let text = product.and_then(|product| product.description.as_deref()).unwrap_or_default();
    Description::parse(text).unwrap_or_else(|reason| {
        losses.push(Why::field("description", &reason));
        Description::default()
    })
}

fn features(product: Option<&Product>, losses: &mut Vec<Why>) -> Features {
    let listed = product.and_then(|product| product.marketing_features.as_deref()).unwrap_or_default();
    let names: Vec<&str> = listed.iter().filter_map(|feature| feature.name.as_deref()).collect();
    Features::parse(&names.join(", ")).unwrap_or_else(|reason| {
        losses.push(Why::field("marketing_features", &reason));
        Features::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn read(change: &Value) -> Result<(ImportedPlan, Vec<Why>), &'static str> {
        let mut price = json!({
            "id": "price_1", "object": "price", "active": true, "billing_scheme": "per_unit", "created": 1_671_653_601,
            "currency": "usd", "product": "prod_1", "unit_amount": 2000, "unit_amount_decimal": "2000",
            "recurring": { "interval": "month", "interval_count": 1, "usage_type": "licensed" },
        });
        for (name, value) in change.as_object().unwrap() {
            price[name] = value.clone();
        }
        let price: Price = serde_json::from_value(price).unwrap();
        let product =
            json!({ "id": "prod_1", "name": "Gold", "marketing_features": [{ "name": "a" }, { "name": "b" }] });
        let product: Product = serde_json::from_value(product).unwrap();
        let source = Source::new(&"prices.json".into(), "price", &*price.id);
        plan(&price, Some(&product), &source).map_err(|why| why.code)
    }

    #[test]
    fn a_price_is_a_plan_of_its_product() {
        let (plan, losses) = read(&json!({})).ok().unwrap();
        assert!(losses.is_empty());
        assert_eq!(
            (plan.name.as_str(), plan.called.as_str(), plan.features.as_str()),
            ("Gold", "Gold monthly", "a, b")
        );
        assert_eq!((plan.price.to_string(), plan.currency.as_str(), plan.is_active), ("20".to_owned(), "USD", true));
        assert_eq!(plan.created_at.to_string(), "2022-12-21T20:13:21.000000Z");
        let (named, _) = read(&json!({ "lookup_key": "gold_eu", "active": false, "currency": "eur" })).ok().unwrap();
        assert_eq!((named.called.as_str(), named.is_active, named.currency.as_str()), ("gold_eu", false, "EUR"));
        let limits = json!({ "maximum": null, "minimum": null, "preset": null });
        let (fixed, _) = read(&json!({ "custom_unit_amount": limits, "transform_quantity": null })).ok().unwrap();
        assert_eq!(fixed.price.to_string(), "20");
        let (once, _) = read(&json!({ "recurring": null })).ok().unwrap();
        assert_eq!(once.cycle, BillingCycle::Lifetime);
        let (_, losses) = read(&json!({ "currency_options": { "usd": {}, "eur": {} } })).ok().unwrap();
        assert_eq!(losses[0].code, "several_currencies");
    }

    #[test]
    fn what_is_no_plan_says_why() {
        let recurring = |interval: &str, count: u64, usage: &str| json!({ "recurring": { "interval": interval, "interval_count": count, "usage_type": usage } });
        for (change, code) in [
            (recurring("month", 1, "metered"), "metered_price"),
            (recurring("month", 5, "licensed"), "no_such_cycle"),
            (json!({ "billing_scheme": "tiered", "unit_amount": null }), "tiered_price"),
            (
                json!({ "custom_unit_amount": { "minimum": 100 }, "unit_amount": null, "unit_amount_decimal": null, "recurring": null }),
                "custom_price",
            ),
            (json!({ "transform_quantity": { "divide_by": 10, "round": "up" } }), "package_price"),
            (json!({ "unit_amount": null, "unit_amount_decimal": "0.5" }), "too_many_decimals"),
            (json!({ "unit_amount": null, "unit_amount_decimal": null }), "malformed"),
            (json!({ "currency": "btc" }), "unknown_value"),
            (json!({ "created": null }), "malformed"),
        ] {
            assert_eq!(read(&change).err(), Some(code), "{change}");
        }
    }
}
