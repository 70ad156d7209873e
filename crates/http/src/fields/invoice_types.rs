//! The JSON representation of items, metered prices and number prefixes.

use super::billing_record_types::MeterReference;
use super::reader::Reader;
use super::schema_writer::SchemaWriter;
use super::traits::{Field, Fields};
use super::types::{list, number, text};
use crate::json::Json;
use perennial_domain::coupons::{CouponCode, CouponKey};
use perennial_domain::id::TaxRateId;
use perennial_domain::invoices::items::ItemDraft;
use perennial_domain::invoices::record::MAX_ITEMS;
use perennial_domain::organizations::documents::NumberPrefix;
use perennial_domain::plans::billing::MAX_PLAN_TAX_RATES;
use perennial_domain::plans::charges::{
    Bound, ChargeDraft, ChargeModel, MAX_CHARGES, MAX_TIERS, Package, Prices, Rate, Tier,
};
use perennial_domain::validation::{InvalidValue, ValidationCode, ValidationErrors};
use serde_json::{Value, json};

/// The items of a new invoice, each with its own errors.
pub(crate) struct NewItems(pub(crate) Vec<(ItemDraft, ValidationErrors)>);

/// The same for an update, in which lines of a response may be sent back.
pub(crate) struct Items(pub(crate) Vec<(ItemDraft, ValidationErrors)>);

/// The metered prices of a plan, each with its own errors.
pub(crate) struct Charges(pub(crate) Vec<ChargeDraft>);

/// The tax rates of a plan or an organization: fewer than a line can have.
pub(crate) struct PlanRates(pub(crate) Vec<TaxRateId>);

/// A reference to a coupon, by its ID or its code.
pub(crate) struct CouponReference(pub(crate) CouponKey);

struct Tiers(Vec<Tier>);

impl Field for CouponReference {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        text(&json, at, errors, |text| {
            let key = text.parse().map(CouponKey::Id).ok();
            let key = key.or_else(|| CouponCode::parse(text).map(CouponKey::Code).ok());
            let detail = "names no coupon of this organization";
            key.map(Self).ok_or_else(|| InvalidValue::new(ValidationCode::NotFound, detail))
        })
    }

    fn schema() -> Value {
        json!({ "type": "string", "description": "The ID or code of a coupon." })
    }
}

impl Field for NumberPrefix {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        text(&json, at, errors, Self::parse)
    }

    fn schema() -> Value {
        json!({ "type": "string", "pattern": Self::PATTERN })
    }
}

impl Field for ChargeModel {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        text(&json, at, errors, Self::parse)
    }

    fn schema() -> Value {
        let words: Vec<&str> = Self::ALL.iter().map(|word| word.as_str()).collect();
        json!({ "type": "string", "enum": words })
    }
}

impl Field for Rate {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        number(&json, at, errors, Self::parse)
    }

    fn schema() -> Value {
        json!({ "type": "number", "minimum": 0, "maximum": 999_999_999_999_i64, "description": "At most 10 decimals." })
    }
}

impl Field for Bound {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        number(&json, at, errors, Self::parse)
    }

    fn schema() -> Value {
        json!({ "type": "number", "exclusiveMinimum": 0, "maximum": 999_999_999_999_i64, "description": "At most 6 decimals." })
    }
}

impl Field for PlanRates {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        let parse = |text: &str| {
            let detail = "names no active tax rate of this organization";
            text.parse().map_err(|_| InvalidValue::new(ValidationCode::NotFound, detail))
        };
        list(json, at, errors, MAX_PLAN_TAX_RATES, parse).map(Self)
    }

    fn schema() -> Value {
        json!({ "type": "array", "maxItems": MAX_PLAN_TAX_RATES, "uniqueItems": true, "items": TaxRateId::schema() })
    }
}

/// Reads a list of objects, each with its own errors.
fn objects<T>(
    json: Json<'_>,
    at: &'static str,
    errors: &mut ValidationErrors,
    most: usize,
    read: impl Fn(&mut Reader<'_>) -> T,
) -> Option<Vec<(T, ValidationErrors)>> {
    let Json::List(items) = json else {
        errors.note(at, ValidationCode::InvalidType, "must be a list of objects");
        return None;
    };
    if items.len() > most {
        errors.note(at, ValidationCode::TooLong, format!("must have at most {most} items"));
        return None;
    }
    let parse = |raw| {
        let mut reader = Reader::item(raw);
        let value = read(&mut reader);
        (value, reader.finish())
    };
    Some(items.into_iter().map(parse).collect())
}

impl Field for NewItems {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        objects(json, at, errors, MAX_ITEMS, |reader| new_item(reader)).map(Self)
    }

    fn schema() -> Value {
        let mut writer = SchemaWriter::default();
        new_item(&mut writer);
        items_schema(writer)
    }
}

impl Field for Items {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        objects(json, at, errors, MAX_ITEMS, |reader| sent_item(reader)).map(Self)
    }

    fn schema() -> Value {
        let mut writer = SchemaWriter::default();
        sent_item(&mut writer);
        items_schema(writer)
    }
}

fn items_schema(item: SchemaWriter) -> Value {
    json!({ "type": "array", "minItems": 1, "maxItems": MAX_ITEMS, "items": item.finish() })
}

/// What only the service sets of an item.
const COMPUTED: [&str; 9] = [
    "/kind",
    "/subscription_plan_id",
    "/plan_version",
    "/meter_id",
    "/amount",
    "/discount",
    "/period_start",
    "/period_end",
    "/source_invoice_id",
];

fn new_item(fields: &mut impl Fields) -> ItemDraft {
    let draft = item(fields);
    for at in COMPUTED {
        fields.read_only(at);
    }
    draft
}

/// An item of an update, which may be a line of a response with some other fields.
fn sent_item(fields: &mut impl Fields) -> ItemDraft {
    let draft = item(fields);
    for at in COMPUTED {
        fields.ignored(at);
    }
    draft
}

fn item(fields: &mut impl Fields) -> ItemDraft {
    ItemDraft {
        description: fields.required("/description", "What is billed."),
        quantity: fields.optional("/quantity", "How many. 1 by default."),
        unit_price: fields
            .required("/unit_price", "The price of one, with at most as many decimals as the currency has."),
        tax_behavior: fields.optional("/tax_behavior", "Whether tax is added or included. Defaults to exclusive."),
        tax_rate_ids: fields
            .optional("/tax_rate_ids", "The tax rates. By default those of the user, plan or organization."),
    }
}

impl Field for Charges {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        let drafts = objects(json, at, errors, MAX_CHARGES, |reader| charge(reader))?;
        Some(Self(drafts.into_iter().map(|(draft, errors)| ChargeDraft { errors, ..draft }).collect()))
    }

    fn schema() -> Value {
        let mut writer = SchemaWriter::default();
        charge(&mut writer);
        json!({ "type": "array", "maxItems": MAX_CHARGES, "items": writer.finish() })
    }
}

fn charge(fields: &mut impl Fields) -> ChargeDraft {
    ChargeDraft {
        meter: fields.required("/meter_id", "The meter, by its ID or slug.").map(|MeterReference(key)| key),
        name: fields.required("/name", "The name, as documents print it."),
        model: fields.required("/model", "How the quantity is priced."),
        prices: Prices {
            unit_price: fields.nullable("/unit_price", "The price of a unit, with the model `per_unit`.").flatten(),
            tiers: fields
                .nullable("/tiers", "The tiers, with the models `graduated` and `volume`.")
                .flatten()
                .map(|Tiers(tiers)| tiers),
            package: fields
                .nullable_object("/package", "The package, with the model `package`.", |fields| {
                    let size = fields.required("/package/size", "The number of units in a package.");
                    let price = fields.required("/package/price", "The price of a package.");
                    Some(Package { size: size?, price: price? })
                })
                .flatten()
                .flatten(),
        },
        errors: ValidationErrors::none(),
    }
}

impl Field for Tiers {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        let mut tiers = Vec::new();
        let mut is_valid = true;
        for (index, (tier, found)) in
            objects(json, at, errors, MAX_TIERS, |reader| Some(tier(reader)))?.into_iter().enumerate()
        {
            found.iter().for_each(|error| errors.add(format!("{at}/{index}{}", error.pointer), error.reason.clone()));
            is_valid &= found.is_empty();
            tiers.extend(tier);
        }
        is_valid.then_some(Self(tiers))
    }

    fn schema() -> Value {
        let mut writer = SchemaWriter::default();
        tier(&mut writer);
        json!({ "type": "array", "minItems": 1, "maxItems": MAX_TIERS, "items": writer.finish() })
    }
}

fn tier(fields: &mut impl Fields) -> Tier {
    let up_to = fields.nullable("/up_to", "The largest quantity of the tier. Null: the last tier.");
    let unit_price = fields.optional("/unit_price", "The price of a unit in the tier. 0 by default.");
    let flat_price = fields.optional("/flat_price", "A price that is added once. 0 by default.");
    let zero = Rate(perennial_domain::invoices::Decimal::new(0, 10));
    Tier { up_to: up_to.flatten(), unit_price: unit_price.unwrap_or(zero), flat_price: flat_price.unwrap_or(zero) }
}

/// A metered price in a response: with the prices of its model.
pub(crate) fn charge_definition() -> Value {
    let tier = json!({
        "type": "object",
        "required": ["up_to", "unit_price", "flat_price"],
        "properties": {
            "up_to": { "type": ["number", "null"] },
            "unit_price": { "type": "number" },
            "flat_price": { "type": "number" },
        },
    });
    json!({
        "type": "object",
        "required": ["meter_id", "name", "model"],
        "properties": {
            "meter_id": { "type": "string" },
            "name": { "type": "string" },
            "model": ChargeModel::schema(),
            "unit_price": { "type": "number" },
            "tiers": { "type": "array", "items": tier },
            "package": {
                "type": "object",
                "required": ["size", "price"],
                "properties": { "size": { "type": "number" }, "price": { "type": "number" } },
            },
        },
    })
}
