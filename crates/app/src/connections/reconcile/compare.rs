//! One object compared with its records. Nothing is written.

use super::Run;
use crate::error::Error;
use perennial_domain::connections::ObjectKind;
use perennial_domain::connections::apply::{NotApplied, Owner, follow_payment, follow_price, follow_subscription};
use perennial_domain::connections::facts::{ItemFacts, Mapped, PaymentFacts, PriceFacts, SubscriptionFacts};
use perennial_domain::connections::sweep::{Difference, differing_fields};
use perennial_domain::cycle::BillingCycle;
use perennial_domain::id::{PaymentId, PlanId, SubscriptionId};
use perennial_domain::plans::{Plan, PlanKey};
use perennial_store::connection_links::{self, Link};
use perennial_store::{payments, plans, subscriptions};
use serde::Serialize;
use serde_json::{Value, json};

/// A record that an object means, compared with the one here.
pub(super) struct Compared<'m> {
    pub(super) object: ObjectKind,
    pub(super) external_id: &'m str,
    pub(super) comparison: Comparison,
}

/// What a comparison shows.
pub(super) enum Comparison {
    /// The record is as the object.
    Same(Link),
    /// There is no record.
    New,
    /// The fields that differ, and whether the user would lose access.
    Different { link: Link, record_id: String, fields: Value, loses_access: bool },
}

impl Comparison {
    /// The link of the record.
    pub(super) fn into_link(self) -> Option<Link> {
        match self {
            Self::Same(link) | Self::Different { link, .. } => Some(link),
            Self::New => None,
        }
    }
}

/// The records that differ, as a result lists them.
pub(super) fn differences(records: &[Compared<'_>], repaired: bool) -> Vec<Difference> {
    let difference = |record: &Compared<'_>| match &record.comparison {
        Comparison::Different { record_id, fields, .. } => Some(Difference {
            object: record.object.as_str().to_owned(),
            external_id: record.external_id.to_owned(),
            record_id: Some(record_id.clone()),
            fields: fields.clone(),
            missing: false,
            repaired,
        }),
        Comparison::Same(_) | Comparison::New => None,
    };
    records.iter().filter_map(difference).collect()
}

impl Run<'_> {
    pub(super) async fn link(&self, object: ObjectKind, id: &str) -> Result<Option<Link>, Error> {
        let connection = &self.open.connection;
        let (organization, connection) = (connection.organization_id, connection.id);
        Ok(connection_links::of_object(&self.app.db, organization, connection, object, id).await?)
    }

    /// Compares an object with its records: none if it is no record here, two if it is an order of Lemon Squeezy.
    pub(super) async fn compare<'m>(&self, mapped: &'m Mapped) -> Result<Vec<Compared<'m>>, Error> {
        let mut records = Vec::new();
        if let Some(facts) = &mapped.subscription {
            if facts.is_single && !self.is_paid_once(facts).await? {
                return Ok(records);
            }
            let comparison = self.compare_subscription(facts).await?;
            records.push(Compared { object: ObjectKind::Subscription, external_id: &facts.external_id, comparison });
        }
        if let Some(facts) = &mapped.payment {
            let comparison = self.compare_payment(facts).await?;
            records.push(Compared { object: ObjectKind::Payment, external_id: &facts.external_id, comparison });
        }
        if let Some(facts) = &mapped.price {
            let comparison = self.compare_price(facts).await?;
            records.push(Compared { object: ObjectKind::Price, external_id: &facts.external_id, comparison });
        }
        Ok(records)
    }

    /// Whether an order is a subscription. An unknown price is fetched when the order is applied.
    async fn is_paid_once(&self, facts: &SubscriptionFacts) -> Result<bool, Error> {
        let plan = self.plan_of(facts).await?;
        Ok(plan.is_none_or(|(plan, _)| plan.billing_cycle == BillingCycle::Lifetime))
    }

    async fn compare_subscription(&self, facts: &SubscriptionFacts) -> Result<Comparison, Error> {
        let organization = self.open.connection.organization_id;
        let Some(link) = self.link(ObjectKind::Subscription, &facts.external_id).await? else {
            return Ok(Comparison::New);
        };
        let id = SubscriptionId::from_bytes(link.record_id);
        let Some(ours) = subscriptions::by_id(&self.app.db, organization, id).await? else {
            return Ok(Comparison::New);
        };
        let Some((plan, item)) = self.plan_of(facts).await? else {
            // Another price, which is no plan yet.
            return Ok(different(
                link,
                id.to_string(),
                json!({ "subscription_plan_id": { "ours": ours.plan_id.to_string(), "theirs": null } }),
                false,
            ));
        };
        let owner = Owner { connection: self.open.connection.id, user: ours.user_id, plan: &plan, item: &item };
        let now = self.app.clock.now();
        Ok(match follow_subscription(&ours, facts, owner, now) {
            Ok(theirs) => {
                let loses_access = ours.has_access(now) && !theirs.has_access(now);
                compared(link, id.to_string(), &ours, &theirs, loses_access)
            }
            // It is applied as a hint, which reports that it cannot be.
            Err(NotApplied::ExpiredIsFinal) => {
                let status = json!({ "ours": ours.status.as_str(), "theirs": facts.status.as_str() });
                different(link, id.to_string(), json!({ "status": status }), false)
            }
            // What is billed here, or cannot be a record, does not follow.
            Err(NotApplied::BilledHere | NotApplied::Invalid(_)) => Comparison::Same(link),
        })
    }

    async fn compare_payment(&self, facts: &PaymentFacts) -> Result<Comparison, Error> {
        let organization = self.open.connection.organization_id;
        let Some(link) = self.link(ObjectKind::Payment, &facts.external_id).await? else { return Ok(Comparison::New) };
        let id = PaymentId::from_bytes(link.record_id);
        let Some(ours) = payments::by_id(&self.app.db, organization, id).await? else { return Ok(Comparison::New) };
        let theirs = follow_payment(&ours, facts);
        Ok(compared(link, id.to_string(), &ours, &theirs, false))
    }

    async fn compare_price(&self, facts: &PriceFacts) -> Result<Comparison, Error> {
        let Some(link) = self.link(ObjectKind::Price, &facts.external_id).await? else { return Ok(Comparison::New) };
        let Some(ours) = self.plan(&link).await? else { return Ok(Comparison::New) };
        Ok(match follow_price(&ours, facts) {
            Ok((theirs, _)) => compared(link, ours.id.to_string(), &ours, &theirs, false),
            Err(_) => Comparison::Same(link),
        })
    }

    async fn plan(&self, link: &Link) -> Result<Option<Plan>, Error> {
        let key = PlanKey::Id(PlanId::from_bytes(link.record_id));
        Ok(plans::find(&self.app.db, self.open.connection.organization_id, &key).await?)
    }

    /// The first item whose price is a plan.
    async fn plan_of(&self, facts: &SubscriptionFacts) -> Result<Option<(Plan, ItemFacts)>, Error> {
        for item in &facts.items {
            if let Some(link) = self.link(ObjectKind::Price, &item.price).await?
                && let Some(plan) = self.plan(&link).await?
            {
                return Ok(Some((plan, item.clone())));
            }
        }
        Ok(None)
    }
}

fn compared<T: Serialize>(link: Link, record_id: String, ours: &T, theirs: &T, loses_access: bool) -> Comparison {
    let value = |record: &T| serde_json::to_value(record).unwrap_or_default();
    let fields = differing_fields(&value(ours), &value(theirs));
    if fields.as_object().is_some_and(serde_json::Map::is_empty) {
        Comparison::Same(link)
    } else {
        different(link, record_id, fields, loses_access)
    }
}

const fn different(link: Link, record_id: String, fields: Value, loses_access: bool) -> Comparison {
    Comparison::Different { link, record_id, fields, loses_access }
}
