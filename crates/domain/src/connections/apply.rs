//! Records as a provider reports them. What a provider reports is a fact: it skips the transition tables, except out of
//! `expired`. A person's own choices, `is_active`, names and slugs, stay as they are.

use super::facts::{ItemFacts, PaymentFacts, PriceFacts, SubscriptionFacts};
use crate::entitlements::Grants;
use crate::id::{ConnectionId, EventId, OrganizationId, PaymentId, PlanId, SubscriptionId, UserId};
use crate::number::Whole;
use crate::payments::Payment;
use crate::plans::{Plan, PlanDetails, ProductId, Variant, Version};
use crate::slug::Slug;
use crate::subscriptions::{ExternalSubscriptionId, Subscription, SubscriptionDetails, SubscriptionStatus};
use crate::text::Line;
use crate::time::Time;

/// Why a fact cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotApplied {
    /// The record is `expired`, and the provider's is not.
    ExpiredIsFinal,
    /// The subscription is billed here.
    BilledHere,
    /// A value is none that a record can have: the code.
    Invalid(&'static str),
}

impl NotApplied {
    /// The code of the hint.
    pub const fn code(self) -> &'static str {
        match self {
            Self::ExpiredIsFinal => "expired_is_final",
            Self::BilledHere => "billed_here",
            Self::Invalid(code) => code,
        }
    }
}

/// A new record's identity.
#[derive(Clone, Copy, Debug)]
pub struct NewRecord {
    /// The organization.
    pub organization_id: OrganizationId,
    /// The ID.
    pub id: [u8; 16],
    /// The ID of its first event.
    pub revision: EventId,
    /// When it is created.
    pub now: Time,
}

/// What a subscription refers to.
#[derive(Clone, Copy, Debug)]
pub struct Owner<'a> {
    /// The connection.
    pub connection: ConnectionId,
    /// The user of a new subscription.
    pub user: UserId,
    /// The plan.
    pub plan: &'a Plan,
    /// The item that gives the plan.
    pub item: &'a ItemFacts,
}

/// A new subscription.
pub fn new_subscription(
    facts: &SubscriptionFacts,
    owner: Owner<'_>,
    new: NewRecord,
) -> Result<Subscription, NotApplied> {
    let external = ExternalSubscriptionId::parse(&facts.external_id).map_err(|_| NotApplied::Invalid("malformed"))?;
    let blank = Subscription {
        id: SubscriptionId::from_bytes(new.id),
        user_id: owner.user,
        plan_id: owner.plan.id,
        plan_version: owner.plan.version,
        details: SubscriptionDetails { external_subscription_id: Some(external), ..SubscriptionDetails::default() },
        billing_cycle: owner.plan.billing_cycle,
        status: facts.status,
        is_active: facts.status.is_active_by_default(),
        renews_at: None,
        starts_at: facts.starts_at,
        ends_at: None,
        billing: None,
        entitlements: Grants::default(),
        managed_by: Some(owner.connection),
        created_at: new.now,
        updated_at: new.now,
        due_at: None,
        usage_closed_until: None,
        organization_id: new.organization_id,
        revision: new.revision,
    };
    follow_subscription(&blank, facts, owner, new.now)
}

/// The subscription as the provider reports it, apart from its stamp. Its user does not change.
pub fn follow_subscription(
    before: &Subscription,
    facts: &SubscriptionFacts,
    owner: Owner<'_>,
    now: Time,
) -> Result<Subscription, NotApplied> {
    if before.billing.is_some() {
        return Err(NotApplied::BilledHere);
    }
    let mut after = before.clone();
    after.managed_by = Some(owner.connection);
    if before.status == SubscriptionStatus::Expired && facts.status != SubscriptionStatus::Expired {
        return Err(NotApplied::ExpiredIsFinal);
    }
    if after.plan_id != owner.plan.id {
        (after.plan_id, after.plan_version) = (owner.plan.id, owner.plan.version);
    }
    after.billing_cycle = owner.plan.billing_cycle;
    after.details.quantity = match owner.item.quantity {
        ..=1 => Whole::default(),
        quantity @ 2..=1_000_000 => Whole::from_stored(quantity),
        _ => return Err(NotApplied::Invalid("out_of_range")),
    };
    after.status = facts.status;
    after.starts_at = facts.starts_at;
    after.renews_at = facts.renews_at.map(|renewal| renewal.max(facts.starts_at));
    after.ends_at = facts.ends_at.map(|end| end.max(facts.starts_at));
    if before.is_active == before.status.is_active_by_default() {
        after.is_active = facts.status.is_active_by_default();
    }
    after.is_active &= facts.status != SubscriptionStatus::Expired;
    after.due_at = after.access().next_change(now.max(before.updated_at));
    // A change of access that is due and not committed yet is committed first.
    if same_fields(&after, before) {
        after.due_at = before.due_at;
    }
    Ok(after)
}

fn same_fields(after: &Subscription, before: &Subscription) -> bool {
    *after == Subscription { due_at: after.due_at, ..before.clone() }
}

/// A new plan with this slug.
pub fn new_plan(facts: &PriceFacts, slug: Slug, new: NewRecord) -> Plan {
    Plan {
        id: PlanId::from_bytes(new.id),
        name: facts.name.clone(),
        product_id: facts.product_id.as_deref().and_then(|product| ProductId::parse(product).ok()),
        variants: Variant::parse(&facts.external_id).into_iter().collect(),
        slug,
        price: facts.price,
        currency: facts.currency,
        href: facts.href.clone(),
        billing_cycle: facts.billing_cycle,
        details: PlanDetails {
            description: facts.description.clone(),
            features: facts.features.clone(),
            ..PlanDetails::default()
        },
        is_active: facts.is_active,
        version: Version::default(),
        billing: None,
        entitlements: Grants::default(),
        created_at: new.now,
        updated_at: new.now,
        organization_id: new.organization_id,
        revision: new.revision,
    }
}

/// The plan as the provider reports it, apart from its stamp: another price is another version. Whether its name differs is
/// the second value: it does not follow.
pub fn follow_price(before: &Plan, facts: &PriceFacts) -> Result<(Plan, bool), NotApplied> {
    if facts.currency != before.currency {
        return Err(NotApplied::Invalid("currency"));
    }
    let mut after = Plan { price: facts.price, is_active: facts.is_active, ..before.clone() };
    if after.price != before.price {
        after.version = before.version.next();
    }
    Ok((after, facts.name != before.name))
}

/// A new payment of a subscription.
pub fn new_payment(facts: &PaymentFacts, subscription: SubscriptionId, new: NewRecord) -> Result<Payment, NotApplied> {
    let external = Line::parse(&facts.external_id).map_err(|_| NotApplied::Invalid("malformed"))?;
    Ok(Payment {
        id: PaymentId::from_bytes(new.id),
        subscription_id: subscription,
        amount: facts.amount,
        currency: facts.currency,
        external_payment_id: Some(external),
        status: facts.status,
        date: facts.date,
        invoice_id: None,
        applied: None,
        created_at: new.now,
        updated_at: new.now,
        organization_id: new.organization_id,
        revision: new.revision,
    })
}

/// The payment as the provider reports it, apart from its stamp.
pub fn follow_payment(before: &Payment, facts: &PaymentFacts) -> Payment {
    Payment {
        amount: facts.amount,
        currency: facts.currency,
        status: facts.status,
        // A status that has no date keeps the one of the payment: it was paid once.
        date: facts.date.or(before.date),
        ..before.clone()
    }
}

/// The slug for a name: lower-case words joined by hyphens. `mark` is added if there is no word, or if it is given.
pub fn slug_for(text: &str, mark: &str, is_taken: bool) -> Slug {
    const LONGEST: usize = 80;
    let mut slug = String::new();
    for character in text.chars().flat_map(char::to_lowercase) {
        if character.is_ascii_alphanumeric() && slug.len() < LONGEST {
            slug.push(character);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let name = slug.trim_end_matches('-');
    let wanted = match (name, is_taken) {
        ("", _) => format!("p-{mark}"),
        (name, true) => format!("{name}-{mark}"),
        (name, false) => name.to_owned(),
    };
    Slug::parse(&wanted).unwrap_or_else(|_| Slug::from_stored(format!("p-{mark}")))
}

#[cfg(test)]
mod tests;
