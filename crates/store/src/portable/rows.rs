//! Records of the domain as rows that travel.

use super::Values;
use crate::value::{Type, Value};
use crate::{codec, events, payments, plans, subscriptions};
use perennial_domain::events::Event;
use perennial_domain::organizations::Organization;
use perennial_domain::payments::Payment;
use perennial_domain::plans::Plan;
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
        codec::time(organization.created_at),
        codec::time(organization.updated_at),
        codec::optional_time(organization.deleted_at),
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
        codec::optional_time(user.blocked_at),
        codec::time(user.created_at),
        codec::time(user.updated_at),
        LIVE,
        user.revision.bytes().into(),
    ]
}

/// A row of [`super::PLANS`].
pub fn plan(plan: &Plan) -> Values {
    live(plans::values(plan))
}

/// A row of [`super::SUBSCRIPTIONS`].
pub fn subscription(subscription: &Subscription) -> Values {
    live(subscriptions::values(subscription))
}

/// A row of [`super::PAYMENTS`].
pub fn payment(payment: &Payment) -> Values {
    live(payments::values(payment))
}

/// A row of [`super::EVENTS`].
pub fn event(event: &Event) -> Values {
    events::values(event)
}

/// A record as it is inserted, with the column that a new one leaves out: it stands before the revision.
fn live(mut values: Values) -> Values {
    values.insert(values.len() - 1, LIVE);
    values
}
