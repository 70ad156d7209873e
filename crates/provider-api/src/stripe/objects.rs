//! The relevant fields of Stripe's objects, by the names of its API.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

/// A reference, or the object itself if it was expanded.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Expandable<T> {
    Id(String),
    Whole(T),
}

/// An object with an ID.
pub(super) trait Named {
    fn id(&self) -> &str;
}

impl<T: Named> Expandable<T> {
    pub(super) fn id(&self) -> &str {
        match self {
            Self::Id(id) => id,
            Self::Whole(whole) => whole.id(),
        }
    }
}

/// An object of which only the ID is relevant.
#[derive(Deserialize)]
pub(super) struct Any {
    pub(super) id: String,
}

#[derive(Deserialize)]
pub(super) struct List<T> {
    pub(super) data: Vec<T>,
}

#[derive(Deserialize)]
pub(super) struct Product {
    pub(super) id: String,
    pub(super) name: Option<String>,
    pub(super) description: Option<String>,
    pub(super) active: Option<bool>,
    pub(super) url: Option<String>,
    pub(super) marketing_features: Option<Vec<Feature>>,
}

#[derive(Deserialize)]
pub(super) struct Feature {
    pub(super) name: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Price {
    pub(super) id: String,
    pub(super) product: Option<Expandable<Product>>,
    pub(super) active: Option<bool>,
    pub(super) currency: String,
    pub(super) unit_amount: Option<i64>,
    pub(super) unit_amount_decimal: Option<String>,
    pub(super) billing_scheme: Option<String>,
    pub(super) custom_unit_amount: Option<IgnoredAny>,
    pub(super) transform_quantity: Option<IgnoredAny>,
    pub(super) currency_options: Option<serde_json::Map<String, Value>>,
    pub(super) recurring: Option<Recurring>,
    pub(super) lookup_key: Option<String>,
    pub(super) nickname: Option<String>,
    pub(super) created: Option<i64>,
}

#[derive(Deserialize)]
pub(super) struct Recurring {
    pub(super) interval: String,
    pub(super) interval_count: Option<u64>,
    pub(super) usage_type: Option<String>,
}

/// The predecessor of prices.
#[derive(Deserialize)]
pub(super) struct Plan {
    id: String,
    product: Option<Expandable<Product>>,
    active: Option<bool>,
    currency: String,
    amount: Option<i64>,
    amount_decimal: Option<String>,
    billing_scheme: Option<String>,
    transform_usage: Option<IgnoredAny>,
    interval: String,
    interval_count: Option<u64>,
    usage_type: Option<String>,
    nickname: Option<String>,
    created: Option<i64>,
}

impl From<Plan> for Price {
    fn from(plan: Plan) -> Self {
        let Plan { interval, interval_count, usage_type, .. } = plan;
        Self {
            id: plan.id,
            product: plan.product,
            active: plan.active,
            currency: plan.currency,
            unit_amount: plan.amount,
            unit_amount_decimal: plan.amount_decimal,
            billing_scheme: plan.billing_scheme,
            custom_unit_amount: None,
            transform_quantity: plan.transform_usage,
            currency_options: None,
            recurring: Some(Recurring { interval, interval_count, usage_type }),
            lookup_key: None,
            nickname: plan.nickname,
            created: plan.created,
        }
    }
}

#[derive(Deserialize)]
pub(super) struct Customer {
    pub(super) id: String,
    pub(super) email: Option<String>,
    pub(super) name: Option<String>,
    pub(super) created: Option<i64>,
    pub(super) deleted: Option<bool>,
    pub(super) metadata: Option<Value>,
}

#[derive(Deserialize)]
pub(super) struct Subscription {
    pub(super) id: String,
    pub(super) customer: Option<Expandable<Customer>>,
    pub(super) status: String,
    pub(super) created: Option<i64>,
    pub(super) start_date: Option<i64>,
    /// Until 2025 here, since then with the items.
    pub(super) current_period_end: Option<i64>,
    pub(super) cancel_at_period_end: Option<bool>,
    pub(super) cancel_at: Option<i64>,
    pub(super) canceled_at: Option<i64>,
    pub(super) ended_at: Option<i64>,
    pub(super) pause_collection: Option<IgnoredAny>,
    pub(super) discount: Option<IgnoredAny>,
    pub(super) discounts: Option<Vec<IgnoredAny>>,
    pub(super) items: Option<List<Item>>,
    pub(super) metadata: Option<Value>,
}

#[derive(Deserialize)]
pub(super) struct Item {
    pub(super) price: Option<Expandable<Price>>,
    pub(super) plan: Option<Plan>,
    pub(super) quantity: Option<u64>,
    pub(super) current_period_end: Option<i64>,
}

impl Item {
    /// The price it is billed by.
    pub(super) fn price(&self) -> Option<&str> {
        let price = self.price.as_ref().map(Expandable::id);
        price.or(self.plan.as_ref().map(|plan| plan.id.as_str()))
    }
}

#[derive(Deserialize)]
pub(super) struct Invoice {
    pub(super) id: String,
    /// Until 2025 here, since then with the parent.
    pub(super) subscription: Option<Expandable<Any>>,
    pub(super) parent: Option<Parent>,
    pub(super) status: Option<String>,
    pub(super) currency: String,
    pub(super) amount_due: Option<i64>,
    pub(super) amount_paid: Option<i64>,
    pub(super) total: Option<i64>,
    pub(super) attempt_count: Option<u64>,
    pub(super) created: Option<i64>,
    pub(super) status_transitions: Option<Transitions>,
    pub(super) charge: Option<Expandable<Charge>>,
    pub(super) payment_intent: Option<Expandable<Any>>,
    pub(super) payments: Option<List<InvoicePayment>>,
    pub(super) lines: Option<List<InvoiceLine>>,
    pub(super) post_payment_credit_notes_amount: Option<i64>,
}

#[derive(Deserialize)]
pub(super) struct Parent {
    pub(super) subscription_details: Option<SubscriptionDetails>,
}

#[derive(Deserialize)]
pub(super) struct SubscriptionDetails {
    pub(super) subscription: Option<Expandable<Any>>,
}

#[derive(Default, Deserialize)]
#[expect(clippy::struct_field_names, reason = "the names are the service's")]
pub(super) struct Transitions {
    pub(super) paid_at: Option<i64>,
    pub(super) voided_at: Option<i64>,
    pub(super) marked_uncollectible_at: Option<i64>,
}

#[derive(Deserialize)]
pub(super) struct InvoicePayment {
    pub(super) payment: Option<PaymentOf>,
}

#[derive(Deserialize)]
pub(super) struct PaymentOf {
    pub(super) charge: Option<Expandable<Any>>,
    pub(super) payment_intent: Option<Expandable<Any>>,
}

#[derive(Deserialize)]
pub(super) struct InvoiceLine {
    /// Until 2025 here, since then with the parent.
    pub(super) proration: Option<bool>,
    pub(super) parent: Option<LineParent>,
}

#[derive(Deserialize)]
pub(super) struct LineParent {
    pub(super) invoice_item_details: Option<Prorated>,
    pub(super) subscription_item_details: Option<Prorated>,
}

#[derive(Deserialize)]
pub(super) struct Prorated {
    pub(super) proration: Option<bool>,
}

#[derive(Deserialize)]
pub(super) struct Charge {
    pub(super) id: String,
    pub(super) invoice: Option<Expandable<Any>>,
    pub(super) payment_intent: Option<Expandable<Any>>,
    pub(super) amount_refunded: Option<i64>,
    pub(super) disputed: Option<bool>,
    pub(super) amount: Option<i64>,
    pub(super) currency: Option<String>,
    pub(super) status: Option<String>,
    pub(super) created: Option<i64>,
}

#[derive(Deserialize)]
pub(super) struct Intent {
    pub(super) latest_charge: Option<Expandable<Charge>>,
}

#[derive(Deserialize)]
pub(super) struct Refund {
    pub(super) id: String,
    pub(super) amount: i64,
    pub(super) charge: Option<Expandable<Any>>,
    pub(super) payment_intent: Option<Expandable<Any>>,
    pub(super) status: Option<String>,
}

macro_rules! named {
    ($($name:ident),*) => {$(
        impl Named for $name {
            fn id(&self) -> &str {
                &self.id
            }
        }
    )*};
}
named!(Any, Product, Price, Customer, Charge);
