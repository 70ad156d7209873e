//! Facts: what an object of a payment provider means here, with references by the provider's IDs. A mapping of a fetched
//! object gives facts; records are decided from them.

use crate::currency::Currency;
use crate::cycle::BillingCycle;
use crate::id::UserId;
use crate::money::Money;
use crate::payments::PaymentStatus;
use crate::plans::{Description, Features, Href, PlanName};
use crate::subscriptions::SubscriptionStatus;
use crate::time::Time;
use crate::users::{Email, PersonalName};

/// A customer: a user here.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct CustomerFacts {
    /// The ID at the provider.
    pub external_id: String,
    /// The user that the customer's metadata names. It counts only if it is a live user of the organization.
    pub user_id: Option<UserId>,
    /// The address, if it is a valid one.
    pub email: Option<Email>,
    /// The first name.
    pub first_name: Option<PersonalName>,
    /// The last name.
    pub last_name: Option<PersonalName>,
    /// The consent to mail, if it is known.
    pub notifications: Option<bool>,
    /// When the customer was created there.
    pub created_at: Time,
}

/// A price or a variant: a plan here.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct PriceFacts {
    /// The ID at the provider.
    pub external_id: String,
    /// The ID of its product.
    pub product_id: Option<String>,
    /// The name of a new plan.
    pub name: PlanName,
    /// The text that the slug of a new plan is made from.
    pub slug_text: String,
    /// The price.
    pub price: Money,
    /// Its currency.
    pub currency: Currency,
    /// How often it is paid.
    pub billing_cycle: BillingCycle,
    /// A link to it.
    pub href: Option<Href>,
    /// The description of a new plan.
    pub description: Description,
    /// The features of a new plan.
    pub features: Features,
    /// Whether it is sold. False if it is archived.
    pub is_active: bool,
    /// When it was created there.
    pub created_at: Time,
}

/// An item of a subscription.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct ItemFacts {
    /// The ID of its price.
    pub price: String,
    /// How many were bought; at least 1.
    pub quantity: i64,
}

/// A subscription, or an order that is paid once.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct SubscriptionFacts {
    /// The ID at the provider. An order of Lemon Squeezy is `order-<id>`.
    pub external_id: String,
    /// The ID of its customer.
    pub customer: String,
    /// The user that the subscription's metadata names. It counts only if it is a live user of the organization.
    pub user_id: Option<UserId>,
    /// What was bought. The first item whose price can be a plan gives plan and quantity.
    pub items: Vec<ItemFacts>,
    /// The status.
    pub status: SubscriptionStatus,
    /// When it starts.
    pub starts_at: Time,
    /// When it renews.
    pub renews_at: Option<Time>,
    /// When it ends.
    pub ends_at: Option<Time>,
    /// Whether it is a subscription only if its plan is paid once.
    pub is_single: bool,
    /// When it was created there.
    pub created_at: Time,
}

/// An invoice, a transaction or an order: a payment here.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct PaymentFacts {
    /// The ID at the provider. An order of Lemon Squeezy is `order-<id>`.
    pub external_id: String,
    /// The external ID of its subscription. Empty: a charge of a payment that was collected here, or of no record.
    pub subscription: String,
    /// The amount.
    pub amount: Money,
    /// The currency.
    pub currency: Currency,
    /// The status.
    pub status: PaymentStatus,
    /// When it was paid.
    pub date: Option<Time>,
    /// Whether it belongs to an order, whose subscription may have separate payments.
    pub is_single: bool,
    /// When it was created there.
    pub created_at: Time,
}

/// What one fetched object means. An order of Lemon Squeezy is a subscription and its payment; every other object is one
/// record.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Mapped {
    /// The user.
    pub customer: Option<CustomerFacts>,
    /// The plan.
    pub price: Option<PriceFacts>,
    /// The subscription.
    pub subscription: Option<SubscriptionFacts>,
    /// The payment.
    pub payment: Option<PaymentFacts>,
    /// What was lost: `several_items`, `coupon`, `collection_paused`.
    pub codes: Vec<&'static str>,
}
