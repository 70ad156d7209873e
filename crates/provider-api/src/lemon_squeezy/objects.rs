//! The relevant attributes of Lemon Squeezy's resources, by the names of its API.

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny};

#[derive(Deserialize)]
pub(super) struct Resource<T> {
    pub(super) attributes: T,
}

/// An ID: a string in the resource itself, a number in references.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Key(pub(super) String);

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Number(u64),
            Text(String),
        }
        Ok(Self(match Either::deserialize(deserializer)? {
            Either::Number(number) => number.to_string(),
            Either::Text(text) => text,
        }))
    }
}

#[derive(Deserialize)]
pub(super) struct Store {
    pub(super) currency: String,
}

#[derive(Deserialize)]
pub(super) struct Product {
    pub(super) store_id: Key,
    pub(super) name: String,
    pub(super) description: Option<String>,
    pub(super) status: Option<String>,
    pub(super) buy_now_url: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Variant {
    pub(super) product_id: Key,
    pub(super) name: Option<String>,
    pub(super) description: Option<String>,
    pub(super) status: Option<String>,
    pub(super) price: Option<i64>,
    pub(super) price_formatted: Option<String>,
    pub(super) is_subscription: Option<bool>,
    pub(super) interval: Option<String>,
    pub(super) interval_count: Option<u64>,
    pub(super) pay_what_you_want: Option<bool>,
    pub(super) created_at: Option<String>,
    pub(super) updated_at: Option<String>,
}

#[derive(Deserialize)]
#[expect(clippy::struct_field_names, reason = "the names are the service's")]
pub(super) struct Price {
    pub(super) variant_id: Key,
    pub(super) category: Option<String>,
    pub(super) scheme: Option<String>,
    pub(super) usage_aggregation: Option<String>,
    pub(super) unit_price: Option<i64>,
    pub(super) unit_price_decimal: Option<String>,
    pub(super) setup_fee_enabled: Option<bool>,
    pub(super) renewal_interval_unit: Option<String>,
    pub(super) renewal_interval_quantity: Option<u64>,
    pub(super) created_at: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Customer {
    pub(super) name: Option<String>,
    pub(super) email: Option<String>,
    pub(super) status: Option<String>,
    pub(super) created_at: Option<String>,
    pub(super) updated_at: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Subscription {
    pub(super) customer_id: Key,
    pub(super) order_id: Option<Key>,
    pub(super) variant_id: Key,
    pub(super) status: String,
    pub(super) pause: Option<IgnoredAny>,
    pub(super) first_subscription_item: Option<Item>,
    pub(super) renews_at: Option<String>,
    pub(super) ends_at: Option<String>,
    pub(super) created_at: Option<String>,
    pub(super) updated_at: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Item {
    pub(super) quantity: Option<u64>,
}

#[derive(Deserialize)]
pub(super) struct Invoice {
    pub(super) subscription_id: Key,
    pub(super) status: String,
    pub(super) currency: String,
    pub(super) total: i64,
    pub(super) total_formatted: Option<String>,
    pub(super) discount_total: Option<i64>,
    pub(super) refunded_amount: Option<i64>,
    pub(super) created_at: Option<String>,
    pub(super) updated_at: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Order {
    pub(super) customer_id: Option<Key>,
    pub(super) status: String,
    pub(super) currency: String,
    pub(super) total: i64,
    pub(super) total_formatted: Option<String>,
    pub(super) discount_total: Option<i64>,
    pub(super) refunded_amount: Option<i64>,
    pub(super) first_order_item: Option<OrderItem>,
    pub(super) refunded_at: Option<String>,
    pub(super) created_at: Option<String>,
    pub(super) updated_at: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct OrderItem {
    pub(super) variant_id: Key,
    pub(super) quantity: Option<u64>,
}
