//! What one fetched object of a provider is here: facts with references by the provider's IDs.

use crate::drafts::{ImportedPayment, ImportedPlan, ImportedSubscription, ImportedUser};
use crate::findings::Why;
use perennial_domain::connections::ObjectKind;
use perennial_domain::connections::facts::{
    CustomerFacts, ItemFacts, Mapped, PaymentFacts, PriceFacts, SubscriptionFacts,
};

/// Losses that an inbox item reports. The importer reports more.
const REPORTED: [&str; 3] = ["several_items", "coupon", "collection_paused"];

/// What a fetched object is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Read {
    /// A record, or an order: two of them.
    Mapped(Box<Mapped>),
    /// No record, but a way to others.
    LeadsTo(Vec<(ObjectKind, String)>),
    /// No record: `draft_invoice` or `no_subscription`.
    Ignored(&'static str),
    /// A payment that names no subscription, or not yet.
    AwaitsSubscription,
    /// The provider deleted it, and returns only its ID.
    Gone,
    /// It cannot be a record; the code of the importer.
    Malformed(&'static str),
}

impl Read {
    pub(crate) fn order((subscription, payment): (ImportedSubscription, ImportedPayment), losses: &[Why]) -> Self {
        let mapped = Mapped {
            subscription: Some(subscription_facts(subscription)),
            payment: Some(payment_facts(payment)),
            ..reported(losses)
        };
        Self::Mapped(Box::new(mapped))
    }
}

fn reported(losses: &[Why]) -> Mapped {
    let is_lost = |code: &&'static str| losses.iter().any(|why| why.code == *code);
    Mapped { codes: REPORTED.into_iter().filter(is_lost).collect(), ..Mapped::default() }
}

impl From<(ImportedUser, Vec<Why>)> for Read {
    fn from((user, losses): (ImportedUser, Vec<Why>)) -> Self {
        let customer = CustomerFacts {
            external_id: user.source.id,
            user_id: user.user_id,
            email: user.email,
            first_name: user.first_name,
            last_name: user.last_name,
            notifications: user.notifications,
            created_at: user.created_at,
        };
        Self::Mapped(Box::new(Mapped { customer: Some(customer), ..reported(&losses) }))
    }
}

impl From<(ImportedPlan, Vec<Why>)> for Read {
    fn from((plan, losses): (ImportedPlan, Vec<Why>)) -> Self {
        let price = PriceFacts {
            external_id: plan.source.id,
            product_id: plan.product,
            name: plan.name,
            slug_text: plan.called,
            price: plan.price,
            currency: plan.currency,
            billing_cycle: plan.cycle,
            href: plan.href,
            description: plan.description,
            features: plan.features,
            is_active: plan.is_active,
            created_at: plan.created_at,
        };
        Self::Mapped(Box::new(Mapped { price: Some(price), ..reported(&losses) }))
    }
}

impl From<(ImportedSubscription, Vec<Why>)> for Read {
    fn from((subscription, losses): (ImportedSubscription, Vec<Why>)) -> Self {
        let subscription = Some(subscription_facts(subscription));
        Self::Mapped(Box::new(Mapped { subscription, ..reported(&losses) }))
    }
}

impl From<(ImportedPayment, Vec<Why>)> for Read {
    fn from((payment, losses): (ImportedPayment, Vec<Why>)) -> Self {
        Self::Mapped(Box::new(Mapped { payment: Some(payment_facts(payment)), ..reported(&losses) }))
    }
}

fn subscription_facts(given: ImportedSubscription) -> SubscriptionFacts {
    let items = given.items.into_iter();
    SubscriptionFacts {
        external_id: given.external_id,
        customer: given.customer,
        user_id: given.user_id,
        items: items.map(|item| ItemFacts { price: item.plan, quantity: item.quantity.get() }).collect(),
        status: given.status,
        starts_at: given.starts_at,
        renews_at: given.renews_at,
        ends_at: given.ends_at,
        is_single: given.is_single,
        created_at: given.created_at,
    }
}

fn payment_facts(given: ImportedPayment) -> PaymentFacts {
    PaymentFacts {
        external_id: given.external_id,
        subscription: given.subscription,
        amount: given.amount,
        currency: given.currency,
        status: given.status,
        date: given.date,
        is_single: given.is_single,
        created_at: given.created_at,
    }
}
