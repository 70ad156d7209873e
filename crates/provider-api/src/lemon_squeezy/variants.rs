//! A Lemon Squeezy variant, with its product and its price, as a plan.

use super::super::amounts::{amount, currency, cycle, no_cycle};
use super::super::drafts::ImportedPlan;
use super::super::findings::{Source, Why};
use super::objects::{Price, Product, Variant};
use super::payments;
use super::times::{time, updated};
use perennial_domain::cycle::BillingCycle;
use perennial_domain::plans::{Description, Features, Href, PlanName};

/// The name of the only variant of a product.
const ONLY: &str = "Default";

/// The plan of a variant, or why there is none.
pub(super) fn plan(
    variant: &Variant,
    price: Option<&Price>,
    product: Option<&Product>,
    store: Option<&str>,
    source: &Source,
) -> Result<(ImportedPlan, Vec<Why>), Why> {
    let product =
        product.ok_or_else(|| Why::new("missing_product", "its product is not in these files: save it too"))?;
    let missing = || Why::new("missing_store", "its store is not in these files, which has the currency: save it too");
    let currency = currency(store.ok_or_else(missing)?)?;
    let created_at = time("created_at", variant.created_at.as_deref())?;
    let cycle = price.map_or_else(|| cycle_of_variant(variant), cycle_of_price)?;
    let price_of_one = match price.map(units).transpose()? {
        // The price has no formatted amount; the variant has.
        Some(units) if currency.decimals() == 2 => amount(&units, 2, currency)?,
        _ => {
            let units = variant.price.ok_or_else(|| Why::missing("price"))?;
            payments::money(units, variant.price_formatted.as_deref(), currency)?
        }
    };
    let variant_name = variant.name.as_deref().map(str::trim).filter(|name| !name.is_empty() && *name != ONLY);
    let title = match variant_name {
        Some(name) => format!("{} {name}", product.name),
        None => product.name.clone(),
    };
    let mut losses = Vec::new();
    if price.is_some_and(|price| price.setup_fee_enabled == Some(true)) {
        losses.push(Why::new("setup_fee", "has a fee for its beginning, which a plan has not"));
    }
    let text = variant.description.as_deref().filter(|text| !text.is_empty()).or(product.description.as_deref());
    let description = Description::parse(text.unwrap_or_default()).unwrap_or_else(|reason| {
        losses.push(Why::field("description", &reason));
        Description::default()
    });
    let is_sold = |status: &Option<String>| status.as_deref() != Some("draft");
    let plan = ImportedPlan {
        source: source.clone(),
        product: Some(variant.product_id.0.clone()),
        name: PlanName::parse(&title).map_err(|reason| Why::field("name", &reason))?,
        called: format!("{title} {}", cycle.as_str()),
        price: price_of_one,
        currency,
        cycle,
        href: product.buy_now_url.as_deref().and_then(|url| Href::parse(url).ok()),
        description,
        features: Features::default(),
        // A pending variant is the only one of its product, and sold with it.
        is_active: is_sold(&variant.status) && is_sold(&product.status),
        created_at,
        updated_at: updated(variant.updated_at.as_deref(), created_at),
    };
    Ok((plan, losses))
}

fn cycle_of_variant(variant: &Variant) -> Result<BillingCycle, Why> {
    if variant.pay_what_you_want == Some(true) {
        return Err(custom());
    }
    match (variant.is_subscription, variant.interval.as_deref()) {
        (Some(true), Some(interval)) => {
            let count = variant.interval_count.unwrap_or(1);
            cycle(interval, count).ok_or_else(|| no_cycle(interval, count))
        }
        (Some(true), None) => Err(Why::missing("interval")),
        _ => Ok(BillingCycle::Lifetime),
    }
}

fn cycle_of_price(price: &Price) -> Result<BillingCycle, Why> {
    match (price.category.as_deref(), price.renewal_interval_unit.as_deref()) {
        (Some("pwyw"), _) => Err(custom()),
        (Some("lead_magnet"), _) => Err(Why::new("lead_magnet", "is given away, and is nothing to subscribe to")),
        (_, Some(interval)) => {
            let count = price.renewal_interval_quantity.unwrap_or(1);
            cycle(interval, count).ok_or_else(|| no_cycle(interval, count))
        }
        (Some("subscription"), None) => Err(Why::missing("renewal_interval_unit")),
        _ => Ok(BillingCycle::Lifetime),
    }
}

fn custom() -> Why {
    Why::new("custom_price", "costs what its customers choose, and a plan has one price")
}

/// Its price in hundredths.
fn units(price: &Price) -> Result<String, Why> {
    if price.usage_aggregation.is_some() {
        return Err(Why::new("metered_price", "is billed by usage, which is not counted here"));
    }
    match price.scheme.as_deref() {
        Some("graduated" | "volume") => {
            return Err(Why::new("tiered_price", "costs by tiers, and a plan has one price"));
        }
        Some("package") => {
            return Err(Why::new("package_price", "is sold by the package, and there are no quantities here"));
        }
        _ => {}
    }
    let decimal = price.unit_price_decimal.clone();
    decimal.or(price.unit_price.map(|units| units.to_string())).ok_or_else(|| Why::missing("unit_price"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn merged(mut whole: Value, change: &Value) -> Value {
        for (name, value) in change.as_object().unwrap() {
            whole[name] = value.clone();
        }
        whole
    }

    fn read(
        variant: &Value,
        price: Option<&Value>,
        store: Option<&str>,
    ) -> Result<(ImportedPlan, Vec<Why>), &'static str> {
        let whole = json!({
            "product_id": 1, "name": "Default", "price": 999, "is_subscription": true, "interval": "month",
            "interval_count": 1, "status": "pending", "created_at": "2021-05-27T12:54:47.000000Z",
        });
        let variant: Variant = serde_json::from_value(merged(whole, variant)).unwrap();
        let whole = json!({
            "variant_id": 1, "category": "subscription", "scheme": "standard", "usage_aggregation": null,
            "unit_price": 1999, "renewal_interval_unit": "year", "renewal_interval_quantity": 1,
        });
        let price: Option<Price> = price.map(|price| serde_json::from_value(merged(whole, price)).unwrap());
        let product =
            json!({ "store_id": 1, "name": "Lemonade", "status": "published", "buy_now_url": "https://a.example/" });
        let product: Product = serde_json::from_value(product).unwrap();
        let source = Source::new(&"variants.json".into(), "variants", "1");
        plan(&variant, price.as_ref(), Some(&product), store, &source).map_err(|why| why.code)
    }

    #[test]
    fn a_variant_is_a_plan_by_its_price_or_by_its_own_words() {
        let (plan, _) = read(&json!({}), None, Some("USD")).ok().unwrap();
        let found = (plan.name.as_str(), plan.called.as_str(), plan.price.to_string(), plan.cycle, plan.is_active);
        assert_eq!(found, ("Lemonade", "Lemonade monthly", "9.99".to_owned(), BillingCycle::Monthly, true));
        let (plan, losses) =
            read(&json!({ "name": "Citrus" }), Some(&json!({ "setup_fee_enabled": true })), Some("eur")).ok().unwrap();
        let found = (plan.name.as_str(), plan.currency.as_str(), plan.price.to_string(), plan.cycle);
        assert_eq!(found, ("Lemonade Citrus", "EUR", "19.99".to_owned(), BillingCycle::Yearly));
        assert_eq!(losses[0].code, "setup_fee");
        let once = json!({ "is_subscription": false, "interval": null, "status": "draft" });
        let (plan, _) = read(&once, None, Some("USD")).ok().unwrap();
        assert_eq!((plan.cycle, plan.is_active), (BillingCycle::Lifetime, false));
    }

    #[test]
    fn what_is_no_plan_says_why() {
        for (variant, price, store, code) in [
            (json!({}), None, None, "missing_store"),
            (json!({ "interval_count": 5 }), None, Some("USD"), "no_such_cycle"),
            (json!({ "pay_what_you_want": true }), None, Some("USD"), "custom_price"),
            (json!({ "created_at": null }), None, Some("USD"), "malformed"),
            (json!({ "price": 1000 }), None, Some("JPY"), "uncertain_amount"),
            (json!({}), Some(json!({ "usage_aggregation": "sum" })), Some("USD"), "metered_price"),
            (json!({}), Some(json!({ "scheme": "volume" })), Some("USD"), "tiered_price"),
            (json!({}), Some(json!({ "scheme": "package" })), Some("USD"), "package_price"),
            (json!({}), Some(json!({ "category": "pwyw" })), Some("USD"), "custom_price"),
            (json!({}), Some(json!({ "category": "lead_magnet" })), Some("USD"), "lead_magnet"),
            (json!({}), Some(json!({ "unit_price_decimal": "0.25" })), Some("USD"), "too_many_decimals"),
        ] {
            assert_eq!(read(&variant, price.as_ref(), store).err(), Some(code), "{variant} {price:?}");
        }
    }
}
