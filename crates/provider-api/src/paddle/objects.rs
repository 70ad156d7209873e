//! The relevant fields of Paddle Billing's objects, by the names of its API.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

#[derive(Deserialize)]
pub(super) struct Product {
    pub(super) id: String,
    pub(super) name: Option<String>,
    pub(super) description: Option<String>,
    pub(super) status: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Price {
    pub(super) id: String,
    pub(super) product_id: Option<String>,
    /// Only if it was included.
    pub(super) product: Option<Product>,
    pub(super) name: Option<String>,
    pub(super) description: Option<String>,
    #[expect(clippy::struct_field_names, reason = "the name at the provider")]
    pub(super) unit_price: Amount,
    pub(super) unit_price_overrides: Option<Vec<IgnoredAny>>,
    /// Null: it is paid once.
    pub(super) billing_cycle: Option<Cycle>,
    pub(super) status: Option<String>,
    pub(super) created_at: Option<String>,
    pub(super) updated_at: Option<String>,
}

/// An amount: text in the smallest unit of the currency.
#[derive(Deserialize)]
pub(super) struct Amount {
    pub(super) amount: String,
    pub(super) currency_code: String,
}

#[derive(Deserialize)]
pub(super) struct Cycle {
    pub(super) interval: String,
    pub(super) frequency: u64,
}

#[derive(Deserialize)]
pub(super) struct Customer {
    pub(super) id: String,
    pub(super) name: Option<String>,
    pub(super) email: Option<String>,
    pub(super) marketing_consent: Option<bool>,
    pub(super) custom_data: Option<Value>,
    pub(super) created_at: Option<String>,
    pub(super) updated_at: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Subscription {
    pub(super) id: String,
    pub(super) customer_id: Option<String>,
    pub(super) status: String,
    pub(super) items: Vec<Item>,
    pub(super) started_at: Option<String>,
    pub(super) next_billed_at: Option<String>,
    pub(super) canceled_at: Option<String>,
    pub(super) scheduled_change: Option<ScheduledChange>,
    pub(super) discount: Option<IgnoredAny>,
    pub(super) custom_data: Option<Value>,
    pub(super) created_at: Option<String>,
    pub(super) updated_at: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Item {
    pub(super) price: Option<Price>,
    pub(super) product: Option<Product>,
    pub(super) quantity: Option<u64>,
}

#[derive(Deserialize)]
pub(super) struct ScheduledChange {
    pub(super) action: String,
    pub(super) effective_at: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Transaction {
    pub(super) id: String,
    pub(super) status: String,
    pub(super) subscription_id: Option<String>,
    pub(super) currency_code: String,
    pub(super) details: Option<Details>,
    pub(super) payments: Option<Vec<Attempt>>,
    /// Only if they were included.
    pub(super) adjustments: Option<Vec<Adjustment>>,
    pub(super) billed_at: Option<String>,
    pub(super) created_at: Option<String>,
    pub(super) updated_at: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Details {
    pub(super) totals: Totals,
}

#[derive(Deserialize)]
pub(super) struct Totals {
    pub(super) grand_total: String,
    pub(super) discount: Option<String>,
}

/// An attempt to collect the money.
#[derive(Deserialize)]
pub(super) struct Attempt {
    pub(super) captured_at: Option<String>,
}

#[derive(Clone, Deserialize)]
pub(super) struct Adjustment {
    pub(super) id: String,
    pub(super) transaction_id: Option<String>,
    pub(super) action: String,
    pub(super) status: String,
    pub(super) totals: AdjustmentTotals,
}

#[derive(Clone, Deserialize)]
pub(super) struct AdjustmentTotals {
    pub(super) total: String,
}
