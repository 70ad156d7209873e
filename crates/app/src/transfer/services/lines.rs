//! Drafts as the lines that an import reads. Ids are made from what the service calls the object and from when it was made
//! there, so that the same object is always the same record, and records stand in the order in which they came into
//! being. They come without a revision: the import tells, in an event, that they were created.

use super::Service;
use super::drafts::{Agreement, Bill, Offer, Person};
use super::findings::Source;
use crate::caller::json;
use crate::keys::sha256;
use perennial_domain::cycle::BillingCycle;
use perennial_domain::id::{EventId, OrganizationId, PaymentId, PlanId, SubscriptionId, UserId, uuid_v7};
use perennial_domain::organizations::Organization;
use perennial_domain::payments::{ExternalPaymentId, Payment};
use perennial_domain::plans::{Plan, ProductId, Variant};
use perennial_domain::slug::Slug;
use perennial_domain::subscriptions::{ExternalSubscriptionId, Subscription};
use perennial_domain::time::Time;
use perennial_domain::users::{Email, PersonalName};
use serde::Serialize;

/// A record on its way.
pub(super) struct Ready {
    pub(super) source: Source,
    pub(super) line: String,
}

/// Into which organization records go, and from which service.
#[derive(Clone, Copy)]
pub(super) struct Writer {
    pub(super) organization: OrganizationId,
    pub(super) service: Service,
}

#[derive(Serialize)]
struct Line<'a, T> {
    r#type: &'static str,
    organization_id: OrganizationId,
    #[serde(flatten)]
    record: &'a T,
}

#[derive(Serialize)]
struct UserFields<'a> {
    id: UserId,
    email: Option<&'a Email>,
    first_name: Option<&'a PersonalName>,
    last_name: Option<&'a PersonalName>,
    notifications: Option<bool>,
    created_at: Time,
    updated_at: Time,
}

impl Writer {
    pub(super) fn plan(self, offer: Offer, slug: Slug) -> (PlanId, Ready) {
        let id = self.id("plan", &offer.source, offer.created_at);
        let plan = Plan {
            id: PlanId::from_bytes(id),
            name: offer.name,
            product_id: offer.product.and_then(|product| ProductId::parse(&product).ok()),
            variants: Variant::parse(&offer.source.id).into_iter().collect(),
            slug,
            price: offer.price,
            currency: offer.currency,
            href: offer.href,
            billing_cycle: offer.cycle,
            description: offer.description,
            node_quota: 0,
            features: offer.features,
            most_popular: false,
            tier: 0,
            is_active: offer.is_active,
            created_at: offer.created_at,
            updated_at: offer.updated_at,
            organization_id: self.organization,
            revision: EventId::from_bytes(id),
        };
        (plan.id, Ready { line: self.line("plan", &plan), source: offer.source })
    }

    pub(super) fn user(self, person: Person) -> (UserId, Ready) {
        let id = UserId::from_bytes(self.id("user", &person.source, person.created_at));
        let fields = UserFields {
            id,
            email: person.email.as_ref(),
            first_name: person.first_name.as_ref(),
            last_name: person.last_name.as_ref(),
            notifications: person.notifications,
            created_at: person.created_at,
            updated_at: person.updated_at,
        };
        (id, Ready { line: self.line("user", &fields), source: person.source })
    }

    pub(super) fn subscription(
        self,
        agreement: Agreement,
        user_id: UserId,
        (plan_id, billing_cycle): (PlanId, BillingCycle),
    ) -> (SubscriptionId, Ready) {
        let id = self.id("subscription", &agreement.source, agreement.created_at);
        let subscription = Subscription {
            id: SubscriptionId::from_bytes(id),
            user_id,
            plan_id,
            external_subscription_id: ExternalSubscriptionId::parse(&agreement.external_id).ok(),
            billing_cycle,
            status: agreement.status,
            is_active: agreement.status.is_active_by_default(),
            renews_at: agreement.renews_at,
            starts_at: agreement.starts_at,
            ends_at: agreement.ends_at,
            created_at: agreement.created_at,
            updated_at: agreement.updated_at,
            organization_id: self.organization,
            revision: EventId::from_bytes(id),
        };
        let line = self.line("subscription", &subscription);
        (subscription.id, Ready { line, source: agreement.source })
    }

    pub(super) fn payment(self, bill: Bill, subscription_id: SubscriptionId) -> Ready {
        let id = self.id("payment", &bill.source, bill.created_at);
        let payment = Payment {
            id: PaymentId::from_bytes(id),
            subscription_id,
            amount: bill.amount,
            currency: bill.currency,
            external_payment_id: ExternalPaymentId::parse(&bill.external_id).ok(),
            status: bill.status,
            date: bill.date,
            created_at: bill.created_at,
            updated_at: bill.updated_at,
            organization_id: self.organization,
            revision: EventId::from_bytes(id),
        };
        Ready { line: self.line("payment", &payment), source: bill.source }
    }

    /// The line of the organization itself, where there is none yet.
    pub(super) fn organization(organization: &Organization) -> String {
        json(&OrganizationLine { r#type: "organization", record: organization })
    }

    /// One object may be several records, as an order is.
    fn id(self, kind: &str, source: &Source, at: Time) -> [u8; 16] {
        let hash = sha256(&[[self.service.as_str(), source.object, &source.id, kind].join("\0").as_bytes()]);
        let bits = hash[..8].try_into().expect("a hash has 32 bytes");
        uuid_v7(at, u64::from_be_bytes(bits))
    }

    fn line<T: Serialize>(self, r#type: &'static str, record: &T) -> String {
        json(&Line { r#type, organization_id: self.organization, record })
    }
}

#[derive(Serialize)]
struct OrganizationLine<'a> {
    r#type: &'static str,
    #[serde(flatten)]
    record: &'a Organization,
}
