//! Records of the domain as rows that travel.

use super::Values;
use crate::kept;
use crate::value::{Type, Value};
use perennial_domain::events::Event;
use perennial_domain::id::ClientId;
use perennial_domain::organizations::Organization;
use perennial_domain::payments::Payment;
use perennial_domain::plans::{Href, Plan};
use perennial_domain::subscriptions::Subscription;
use perennial_domain::text::Line;
use perennial_domain::users::{Email, User};

/// Nothing made here is deleted.
const LIVE: Value = Value::Null(Type::Time);

/// A row of [`super::ORGANIZATIONS`].
pub fn organization(organization: &Organization) -> Values {
    vec![
        organization.id.bytes().into(),
        organization.name.as_str().into(),
        organization.currency.as_str().into(),
        organization.max_sessions.map(i64::from).into(),
        kept::time(organization.created_at),
        kept::time(organization.updated_at),
        organization.revision.bytes().into(),
    ]
}

/// A row of [`super::USERS`].
pub fn user(user: &User) -> Values {
    let (issuer, subject) = user.identity.as_ref().map(|known| (&*known.issuer, &*known.subject)).unzip();
    let profile = &user.profile;
    vec![
        user.organization_id.bytes().into(),
        user.id.bytes().into(),
        user.email.as_ref().map(Email::as_str).into(),
        issuer.into(),
        subject.into(),
        profile.auth_type.as_ref().map(Line::as_str).into(),
        profile.username.as_ref().map(Line::as_str).into(),
        profile.first_name.as_ref().map(Line::as_str).into(),
        profile.last_name.as_ref().map(Line::as_str).into(),
        profile.terms.into(),
        profile.notifications.into(),
        user.session_epoch.into(),
        kept::time(user.created_at),
        kept::time(user.updated_at),
        LIVE,
        user.revision.bytes().into(),
    ]
}

/// A row of [`super::PLANS`].
pub fn plan(plan: &Plan) -> Values {
    vec![
        plan.organization_id.bytes().into(),
        plan.id.bytes().into(),
        plan.slug.as_str().into(),
        plan.name.as_str().into(),
        plan.product_id.as_ref().map(Line::as_str).into(),
        kept::join(plan.variants.iter().map(Line::as_str)).into(),
        plan.price.ten_thousandths().into(),
        plan.currency.as_str().into(),
        plan.href.as_ref().map(Href::as_str).into(),
        plan.billing_cycle.as_str().into(),
        plan.description.as_str().into(),
        plan.node_quota.into(),
        plan.features.as_str().into(),
        plan.most_popular.into(),
        plan.tier.into(),
        plan.is_active.into(),
        kept::time(plan.created_at),
        kept::time(plan.updated_at),
        LIVE,
        plan.revision.bytes().into(),
    ]
}

/// A row of [`super::SUBSCRIPTIONS`].
pub fn subscription(subscription: &Subscription) -> Values {
    vec![
        subscription.organization_id.bytes().into(),
        subscription.id.bytes().into(),
        subscription.user_id.bytes().into(),
        subscription.plan_id.bytes().into(),
        subscription.external_subscription_id.as_ref().map(Line::as_str).into(),
        subscription.billing_cycle.as_str().into(),
        subscription.status.as_str().into(),
        subscription.is_active.into(),
        kept::time(subscription.starts_at),
        kept::optional_time(subscription.renews_at),
        kept::optional_time(subscription.ends_at),
        kept::time(subscription.created_at),
        kept::time(subscription.updated_at),
        LIVE,
        subscription.revision.bytes().into(),
    ]
}

/// A row of [`super::PAYMENTS`].
pub fn payment(payment: &Payment) -> Values {
    vec![
        payment.organization_id.bytes().into(),
        payment.id.bytes().into(),
        payment.subscription_id.bytes().into(),
        payment.amount.ten_thousandths().into(),
        payment.currency.as_str().into(),
        payment.external_payment_id.as_ref().map(Line::as_str).into(),
        payment.status.as_str().into(),
        kept::optional_time(payment.date),
        kept::time(payment.created_at),
        kept::time(payment.updated_at),
        LIVE,
        payment.revision.bytes().into(),
    ]
}

/// A row of [`super::EVENTS`].
pub fn event(event: &Event) -> Values {
    vec![
        event.organization_id.bytes().into(),
        event.id.bytes().into(),
        event.kind.as_str().into(),
        event.record_id.into(),
        event.client_id.map(ClientId::bytes).into(),
        event.request_id.as_deref().into(),
        kept::time(event.at),
        event.before.as_deref().into(),
        event.after.as_deref().into(),
    ]
}
