//! Drafts as lines that an import reads. IDs are derived from the service's ID and the time of creation, so that the same
//! object is always the same record, and records are in the order of creation. They have no revision: the import adds
//! the event of their creation.

use perennial_app::audit::json;
use perennial_app::keys::sha256;
use perennial_domain::currency::Currency;
use perennial_domain::cycle::BillingCycle;
use perennial_domain::entitlements::Grants;
use perennial_domain::id::{EventId, OrganizationId, PaymentId, PlanId, SubscriptionId, UserId, uuid_v7};
use perennial_domain::organizations::{Organization, OrganizationName};
use perennial_domain::payments::{ExternalPaymentId, Payment};
use perennial_domain::plans::{Plan, PlanDetails, ProductId, Variant, Version};
use perennial_domain::slug::Slug;
use perennial_domain::subscriptions::{ExternalSubscriptionId, Subscription, SubscriptionDetails};
use perennial_domain::time::Time;
use perennial_domain::users::{Email, PersonalName};
use perennial_provider_api::{
    ImportedPayment, ImportedPlan, ImportedSubscription, ImportedUser, Quantity, Service, Source,
};
use serde::Serialize;

/// A record as a line.
pub(super) struct Ready {
    pub(super) source: Source,
    pub(super) line: String,
}

/// The organization that records are imported into, and the service they come from.
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
    pub(super) fn plan(self, imported: ImportedPlan, slug: Slug) -> (PlanId, Ready) {
        let id = self.id("plan", &imported.source, imported.created_at);
        let plan = Plan {
            id: PlanId::from_bytes(id),
            name: imported.name,
            product_id: imported.product.and_then(|product| ProductId::parse(&product).ok()),
            variants: Variant::parse(&imported.source.id).into_iter().collect(),
            slug,
            price: imported.price,
            currency: imported.currency,
            href: imported.href,
            billing_cycle: imported.cycle,
            details: PlanDetails {
                description: imported.description,
                features: imported.features,
                ..PlanDetails::default()
            },
            is_active: imported.is_active,
            version: Version::default(),
            billing: None,
            entitlements: Grants::default(),
            created_at: imported.created_at,
            updated_at: imported.updated_at,
            organization_id: self.organization,
            revision: EventId::from_bytes(id),
        };
        (plan.id, Ready { line: self.line("plan", &plan), source: imported.source })
    }

    pub(super) fn user(self, user: ImportedUser) -> (UserId, Ready) {
        let id = UserId::from_bytes(self.id("user", &user.source, user.created_at));
        let fields = UserFields {
            id,
            email: user.email.as_ref(),
            first_name: user.first_name.as_ref(),
            last_name: user.last_name.as_ref(),
            notifications: user.notifications,
            created_at: user.created_at,
            updated_at: user.updated_at,
        };
        (id, Ready { line: self.line("user", &fields), source: user.source })
    }

    pub(super) fn subscription(
        self,
        imported: ImportedSubscription,
        user_id: UserId,
        (plan_id, billing_cycle): (PlanId, BillingCycle),
        quantity: Quantity,
    ) -> (SubscriptionId, Ready) {
        let id = self.id("subscription", &imported.source, imported.created_at);
        let subscription = Subscription {
            id: SubscriptionId::from_bytes(id),
            user_id,
            plan_id,
            plan_version: Version::default(),
            details: SubscriptionDetails {
                external_subscription_id: ExternalSubscriptionId::parse(&imported.external_id).ok(),
                quantity,
            },
            billing_cycle,
            status: imported.status,
            is_active: imported.status.is_active_by_default(),
            renews_at: imported.renews_at,
            starts_at: imported.starts_at,
            ends_at: imported.ends_at,
            billing: None,
            entitlements: Grants::default(),
            managed_by: None,
            created_at: imported.created_at,
            updated_at: imported.updated_at,
            due_at: None,
            usage_closed_until: None,
            organization_id: self.organization,
            revision: EventId::from_bytes(id),
        };
        let line = self.line("subscription", &subscription);
        (subscription.id, Ready { line, source: imported.source })
    }

    pub(super) fn payment(self, imported: ImportedPayment, subscription_id: SubscriptionId) -> Ready {
        let id = self.id("payment", &imported.source, imported.created_at);
        let payment = Payment {
            invoice_id: None,
            applied: None,
            id: PaymentId::from_bytes(id),
            subscription_id,
            amount: imported.amount,
            currency: imported.currency,
            external_payment_id: ExternalPaymentId::parse(&imported.external_id).ok(),
            status: imported.status,
            date: imported.date,
            created_at: imported.created_at,
            updated_at: imported.updated_at,
            organization_id: self.organization,
            revision: EventId::from_bytes(id),
        };
        Ready { line: self.line("payment", &payment), source: imported.source }
    }

    /// The line of the organization itself, if the store has none.
    pub(super) fn organization(organization: &Organization) -> String {
        let Organization { id, name, currency, created_at, updated_at, .. } = organization;
        json(&OrganizationLine { r#type: "organization", id, name, currency, created_at, updated_at })
    }

    /// One object may become several records, as an order does.
    fn id(self, kind: &str, source: &Source, at: Time) -> [u8; 16] {
        let hash = sha256(&[[self.service.as_str(), source.object, &source.id, kind].join("\0").as_bytes()]);
        let bits = hash[..8].try_into().expect("a hash has 32 bytes");
        uuid_v7(at, u64::from_be_bytes(bits))
    }

    fn line<T: Serialize>(self, r#type: &'static str, record: &T) -> String {
        json(&Line { r#type, organization_id: self.organization, record })
    }
}

/// The settings have their defaults.
#[derive(Serialize)]
struct OrganizationLine<'a> {
    r#type: &'static str,
    id: &'a OrganizationId,
    name: &'a OrganizationName,
    currency: &'a Currency,
    created_at: &'a Time,
    updated_at: &'a Time,
}
