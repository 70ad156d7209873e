//! The names of lists, which cursors are signed with: a version, the resource, then every filter and the sort.
//!
//! Servers of two versions run side by side during an upgrade, and a cursor of one must work with the other. So the
//! bytes are written out here, value by value, and a test pins them. To change them, add a version and accept both.

use super::{ListName, encode, open};
use crate::error::Error;
use crate::keys::Keys;
use perennial_domain::connections::inbox::InboxState;
use perennial_domain::currency::Currency;
use perennial_domain::cycle::BillingCycle;
use perennial_domain::features::FeatureKind;
use perennial_domain::id::{
    ConnectionId, EventId, InvoiceId, OrganizationId, PlanId, SubscriptionId, UserId, WebhookEndpointId,
};
use perennial_domain::plans::PlanKey;
use perennial_domain::time::Time;
use perennial_domain::users::{Email, EmailPrefix};
use perennial_domain::webhook_delivery::{Outcome, UndeliveredState};
use perennial_store::subscriptions::Range;
use perennial_store::{
    Position, Type, Value, connection_inbox as stored_inbox, credit_notes as stored_notes, credits as stored_credits,
    features as stored_features, invoices as stored_invoices, payments as stored_payments, plans as stored_plans,
    subscriptions as stored_subscriptions, users as stored_users, webhook_attempts as stored_attempts,
};
use std::collections::BTreeSet;

/// The position of a cursor, if one was sent: of this version or of the one before. The previous name is only made if the
/// current one does not match.
pub(crate) fn open_optional(
    keys: &Keys,
    current: &ListName,
    previous: impl FnOnce() -> ListName,
    cursor: Option<&str>,
) -> Result<Option<Position>, Error> {
    cursor.map(|cursor| open(keys, current, cursor).or_else(|_| open(keys, &previous(), cursor))).transpose()
}

/// The name of a list of subscriptions.
pub(crate) fn subscriptions(
    organization: OrganizationId,
    own: Option<UserId>,
    plan: Option<&PlanKey>,
    query: &stored_subscriptions::Query,
) -> ListName {
    let plan_key = match plan {
        None => Value::Null(Type::Uuid),
        Some(PlanKey::Id(id)) => id.bytes().into(),
        Some(PlanKey::Slug(slug)) => slug.as_str().into(),
    };
    let mut values = vec![
        organization.bytes().into(),
        own.map(UserId::bytes).into(),
        plan_key,
        query.user_id.map(UserId::bytes).into(),
        query.plan_id.map(PlanId::bytes).into(),
        statuses(query.statuses.iter().map(|status| status.as_str())),
        query.is_active.into(),
        query.billing_cycle.map(BillingCycle::as_str).into(),
        query.external_id.as_deref().into(),
    ];
    for Range { after, before } in [query.created, query.renews, query.ends] {
        values.extend([time(after), time(before)]);
    }
    let sort = match query.sort {
        stored_subscriptions::Sort::Created => "created_at",
        stored_subscriptions::Sort::Renews => "renews_at",
        stored_subscriptions::Sort::Ends => "ends_at",
    };
    values.extend([sort.into(), query.descending.into()]);
    name("subscriptions", &values)
}

/// The name that version 0.1.0 gave the same list.
pub(crate) fn previous_subscriptions(
    organization: OrganizationId,
    own: Option<UserId>,
    plan: Option<&PlanKey>,
    query: &stored_subscriptions::Query,
) -> ListName {
    format!("subscriptions {organization} {own:?} {plan:?} {query:?}").into_bytes()
}

/// The name of a list of payments.
pub(crate) fn payments(organization: OrganizationId, own: Option<UserId>, query: &stored_payments::Query) -> ListName {
    let mut values = vec![
        organization.bytes().into(),
        own.map(UserId::bytes).into(),
        query.user_id.map(UserId::bytes).into(),
        query.subscription_id.map(SubscriptionId::bytes).into(),
        statuses(query.statuses.iter().map(|status| status.as_str())),
        query.external_id.as_deref().into(),
        time(query.created.after),
        time(query.created.before),
    ];
    let stored_payments::Query { currency, completed, is_ascending, invoice_id, .. } = query;
    // Lists without these keep the names of the version that did not have them.
    if currency.is_some() || *completed != Range::default() || *is_ascending {
        let currency = currency.as_ref().map(Currency::as_str);
        values.extend([currency.into(), time(completed.after), time(completed.before), (*is_ascending).into()]);
    }
    if let Some(invoice) = invoice_id {
        values.push(invoice.bytes().into());
    }
    name("payments", &values)
}

/// The name of a list of users.
pub(crate) fn users(organization: OrganizationId, query: &stored_users::Query) -> ListName {
    let values = [
        organization.bytes().into(),
        query.ids.as_ref().map_or(Value::Null(Type::Bytes), |ids| Value::Bytes(sorted(ids))),
        query.email.as_ref().map(Email::as_str).into(),
        query.email_prefix.as_ref().map(EmailPrefix::as_str).into(),
        query.subject.as_deref().into(),
        time(query.created.after),
        time(query.created.before),
        query.ascending.into(),
    ];
    name("users", &values)
}

/// The name of the list of clients.
pub(crate) fn clients(organization: OrganizationId) -> ListName {
    name("clients", &[organization.bytes().into()])
}

/// The name of a list of operators.
pub(crate) fn operators(organization: OrganizationId) -> ListName {
    name("operators", &[organization.bytes().into()])
}

/// The name of a list of webhook endpoints.
pub(crate) fn webhook_endpoints(organization: OrganizationId) -> ListName {
    name("webhook_endpoints", &[organization.bytes().into()])
}

/// The name of a list of connections.
pub(crate) fn connections(organization: OrganizationId) -> ListName {
    name("connections", &[organization.bytes().into()])
}

/// The name of a list of a connection's inbox.
pub(crate) fn connection_inbox(
    organization: OrganizationId,
    connection: ConnectionId,
    query: &stored_inbox::Query,
) -> ListName {
    let values = [
        organization.bytes().into(),
        connection.bytes().into(),
        query.state.map(InboxState::as_str).into(),
        query.kind.as_deref().into(),
        query.object_id.as_deref().into(),
    ];
    name("connection_inbox", &values)
}

/// The name of the list of tax rates.
pub(crate) fn tax_rates(organization: OrganizationId) -> ListName {
    name("tax_rates", &[organization.bytes().into()])
}

/// The name of the list of features.
pub(crate) fn features(organization: OrganizationId, query: stored_features::Query) -> ListName {
    let kind = query.kind.map(FeatureKind::as_str);
    name("features", &[organization.bytes().into(), kind.into(), query.is_active.into()])
}

/// The name of the list of a subscription's members.
pub(crate) fn members(organization: OrganizationId, subscription: SubscriptionId) -> ListName {
    name("members", &[organization.bytes().into(), subscription.bytes().into()])
}

/// The name of the list of meters.
pub(crate) fn meters(organization: OrganizationId) -> ListName {
    name("meters", &[organization.bytes().into()])
}

/// The name of the list of coupons.
pub(crate) fn coupons(organization: OrganizationId) -> ListName {
    name("coupons", &[organization.bytes().into()])
}

/// The name of a list of credit notes.
pub(crate) fn credit_notes(organization: OrganizationId, own: Option<UserId>, query: &stored_notes::Query) -> ListName {
    let values = [
        organization.bytes().into(),
        own.map(UserId::bytes).into(),
        query.user_id.map(UserId::bytes).into(),
        query.subscription_id.map(SubscriptionId::bytes).into(),
        query.invoice_id.map(InvoiceId::bytes).into(),
    ];
    name("credit_notes", &values)
}

/// The name of a list of invoices.
pub(crate) fn invoices(organization: OrganizationId, own: Option<UserId>, query: &stored_invoices::Query) -> ListName {
    let stored_invoices::Query { statuses, kind, overdue, issued, due, created, .. } = query;
    let mut statuses: Vec<&str> = statuses.iter().map(|status| status.as_str()).collect();
    statuses.sort_unstable();
    statuses.dedup();
    let values = [
        organization.bytes().into(),
        own.map(UserId::bytes).into(),
        query.user_id.map(UserId::bytes).into(),
        query.subscription_id.map(SubscriptionId::bytes).into(),
        query.number.as_deref().into(),
        statuses.join(",").as_str().into(),
        kind.map(perennial_domain::invoices::record::InvoiceKind::as_str).into(),
        overdue.map(i64::from).into(),
        time(issued.after),
        time(issued.before),
        time(due.after),
        time(due.before),
        time(created.after),
        time(created.before),
    ];
    name("invoices", &values)
}

/// The name of a list of a user's credits.
pub(crate) fn credits(organization: OrganizationId, query: &stored_credits::Query) -> ListName {
    let currency = query.currency.as_ref().map(Currency::as_str);
    name("credits", &[organization.bytes().into(), query.user_id.bytes().into(), currency.into()])
}

/// The name of a list of an endpoint's attempts.
pub(crate) fn webhook_attempts(
    organization: OrganizationId,
    endpoint: WebhookEndpointId,
    query: stored_attempts::Query,
) -> ListName {
    let values = [
        organization.bytes().into(),
        endpoint.bytes().into(),
        query.event_id.map(EventId::bytes).into(),
        query.outcome.map(Outcome::as_str).into(),
    ];
    name("webhook_attempts", &values)
}

/// The name of a list of an endpoint's undelivered events.
pub(crate) fn webhook_undelivered(
    organization: OrganizationId,
    endpoint: WebhookEndpointId,
    state: Option<UndeliveredState>,
) -> ListName {
    let state = state.map(UndeliveredState::as_str);
    name("webhook_undelivered", &[organization.bytes().into(), endpoint.bytes().into(), state.into()])
}

/// The name of a list of plans.
pub(crate) fn plans(organization: OrganizationId, query: &stored_plans::Query) -> ListName {
    let sort = match query.sort {
        stored_plans::Sort::Tier => "tier",
        stored_plans::Sort::Price => "price",
        stored_plans::Sort::Name => "name",
        stored_plans::Sort::Created => "created_at",
        stored_plans::Sort::Updated => "updated_at",
    };
    let values = [
        organization.bytes().into(),
        query.is_active.into(),
        query.billing_cycle.map(BillingCycle::as_str).into(),
        query.tier.into(),
        query.most_popular.into(),
        query.product_id.as_deref().into(),
        query.variant.as_deref().into(),
        sort.into(),
        query.descending.into(),
    ];
    name("plans", &values)
}

/// The name of the list of a plan's versions.
pub(crate) fn plan_versions(organization: OrganizationId, plan: PlanId) -> ListName {
    name("plan_versions", &[organization.bytes().into(), plan.bytes().into()])
}

/// The name that version 0.1.0 gave the same list.
pub(crate) fn previous_plans(organization: OrganizationId, query: &stored_plans::Query) -> ListName {
    format!("plans {organization} {query:?}").into_bytes()
}

/// Every value has a type and a length, and an unused filter is a null. So no two lists have the same name.
fn name(resource: &str, values: &[Value]) -> ListName {
    let mut name = format!("1 {resource} ").into_bytes();
    name.extend(encode(values));
    name
}

/// Sorted and without duplicates, because neither the order nor a duplicate changes the list.
fn statuses<'a>(statuses: impl Iterator<Item = &'a str>) -> Value {
    let mut words: Vec<&str> = statuses.collect();
    words.sort_unstable();
    words.dedup();
    if words.is_empty() { Value::Null(Type::Text) } else { words.join(",").into() }
}

/// The bytes of IDs, sorted and without duplicates.
fn sorted(ids: &[UserId]) -> Vec<u8> {
    let ids: BTreeSet<[u8; 16]> = ids.iter().map(|id| id.bytes()).collect();
    ids.into_iter().flatten().collect()
}

fn time(time: Option<Time>) -> Value {
    Value::optional_time(time.map(Time::as_micros))
}

#[cfg(test)]
mod tests {
    use super::super::seal;
    use super::*;
    use crate::keys::MasterKey;
    use perennial_domain::payments::PaymentStatus;
    use perennial_domain::slug::Slug;
    use perennial_domain::subscriptions::SubscriptionStatus;

    fn organization() -> OrganizationId {
        OrganizationId::from_bytes([b'o'; 16])
    }

    fn slug(text: &str) -> PlanKey {
        PlanKey::Slug(Slug::from_stored(text.to_owned()))
    }

    fn full() -> stored_subscriptions::Query {
        let at = Time::from_micros;
        stored_subscriptions::Query {
            user_id: Some(UserId::from_bytes([b'w'; 16])),
            plan_id: Some(PlanId::from_bytes([b'q'; 16])),
            statuses: vec![SubscriptionStatus::Paused, SubscriptionStatus::Active, SubscriptionStatus::Paused],
            is_active: Some(true),
            billing_cycle: Some(BillingCycle::ALL[0]),
            external_id: Some("x1".to_owned()),
            created: Range { after: at(1), before: at(2) },
            renews: Range { after: at(3), before: at(4) },
            ends: Range { after: at(5), before: at(6) },
            sort: stored_subscriptions::Sort::Renews,
            descending: true,
        }
    }

    fn shown(name: &ListName) -> String {
        name.escape_ascii().to_string()
    }

    #[test]
    fn the_names_of_subscription_lists_are_pinned() {
        let plain = subscriptions(organization(), None, None, &stored_subscriptions::Query::default());
        assert_eq!(shown(&plain), "1 subscriptions uooooooooooooooooUUUUSBSSTTTTTTs\\x00\\x00\\x00\\ncreated_atb\\x00");
        let full = subscriptions(organization(), Some(UserId::from_bytes([b'v'; 16])), Some(&slug("pro")), &full());
        let cycle = BillingCycle::ALL[0].as_str();
        assert_eq!(cycle, "daily");
        assert_eq!(
            shown(&full),
            "1 subscriptions uoooooooooooooooouvvvvvvvvvvvvvvvvs\\x00\\x00\\x00\\x03prouwwwwwwwwwwwwwwwwuqqqqqqqqqqqqqqqq\
             s\\x00\\x00\\x00\\ractive,pausedb\\x01s\\x00\\x00\\x00\\x05dailys\\x00\\x00\\x00\\x02x1\
             t\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x01t\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x02t\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x03\
             t\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x04t\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x05t\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x06\
             s\\x00\\x00\\x00\\trenews_atb\\x01"
        );
    }

    #[test]
    fn the_names_of_payment_lists_are_pinned() {
        let plain = payments(organization(), None, &stored_payments::Query::default());
        assert_eq!(shown(&plain), "1 payments uooooooooooooooooUUUSSTT");
        let query = stored_payments::Query {
            subscription_id: Some(SubscriptionId::from_bytes([b's'; 16])),
            user_id: Some(UserId::from_bytes([b'w'; 16])),
            statuses: vec![PaymentStatus::Refunded, PaymentStatus::Failed, PaymentStatus::Failed],
            external_id: Some("x1".to_owned()),
            created: Range { after: Time::from_micros(1), before: Time::from_micros(2) },
            ..stored_payments::Query::default()
        };
        let later = stored_payments::Query { currency: Some(Currency::USD), ..stored_payments::Query::default() };
        let named = shown(&payments(organization(), None, &later));
        assert_eq!(named, "1 payments uooooooooooooooooUUUSSTTs\\x00\\x00\\x00\\x03USDTTb\\x00");
        let invoice_id = Some(InvoiceId::from_bytes([b'i'; 16]));
        let of_invoice = stored_payments::Query { invoice_id, ..stored_payments::Query::default() };
        let named = shown(&payments(organization(), None, &of_invoice));
        assert_eq!(named, "1 payments uooooooooooooooooUUUSSTTuiiiiiiiiiiiiiiii");
        assert_eq!(
            shown(&payments(organization(), Some(UserId::from_bytes([b'v'; 16])), &query)),
            "1 payments uoooooooooooooooouvvvvvvvvvvvvvvvvuwwwwwwwwwwwwwwwwusssssssssssssssss\\x00\\x00\\x00\\x0ffailed,refunded\
             s\\x00\\x00\\x00\\x02x1t\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x01t\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x02"
        );
    }

    #[test]
    fn the_names_of_user_lists_are_pinned() {
        let plain = users(organization(), &stored_users::Query::default());
        assert_eq!(shown(&plain), "1 users uooooooooooooooooYSSSTTb\\x00");
        let id = |byte| UserId::from_bytes([byte; 16]);
        let query = stored_users::Query {
            ids: Some(vec![id(b'w'), id(b'v'), id(b'w')]),
            email: Email::parse("a@b").ok(),
            email_prefix: EmailPrefix::parse("abc").ok(),
            subject: Some("s".to_owned()),
            created: Range { after: Time::from_micros(1), before: Time::from_micros(2) },
            ascending: true,
        };
        assert_eq!(
            shown(&users(organization(), &query)),
            "1 users uooooooooooooooooy\\x00\\x00\\x00 vvvvvvvvvvvvvvvvwwwwwwwwwwwwwwwws\\x00\\x00\\x00\\x03a@b\
             s\\x00\\x00\\x00\\x03abcs\\x00\\x00\\x00\\x01s\
             t\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x01t\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x02b\\x01"
        );
    }

    #[test]
    fn the_names_of_plan_lists_are_pinned() {
        let plain = plans(organization(), &stored_plans::Query::default());
        assert_eq!(shown(&plain), "1 plans uooooooooooooooooBSIBSSs\\x00\\x00\\x00\\x04tierb\\x00");
        let query = stored_plans::Query {
            is_active: Some(false),
            billing_cycle: None,
            tier: Some(258),
            most_popular: Some(true),
            product_id: Some("p".to_owned()),
            variant: Some("v".to_owned()),
            sort: stored_plans::Sort::Updated,
            descending: true,
        };
        assert_eq!(
            shown(&plans(organization(), &query)),
            "1 plans uoooooooooooooooob\\x00Si\\x00\\x00\\x00\\x00\\x00\\x00\\x01\\x02b\\x01s\\x00\\x00\\x00\\x01ps\\x00\\x00\\x00\\x01v\
             s\\x00\\x00\\x00\\nupdated_atb\\x01"
        );
    }

    /// The names that version 0.1.0 made, as text. Cursors that are in use during the upgrade depend on them.
    #[test]
    fn a_cursor_of_the_version_before_still_opens() {
        let keys = Keys::derive(&MasterKey::new([7; 32]));
        let position = Position { values: vec![Value::Uuid([9; 16])] };
        let organization = organization();
        let plan_list = format!(
            "plans {organization} Query {{ is_active: None, billing_cycle: None, tier: None, most_popular: None, \
             product_id: None, variant: None, sort: Tier, descending: false }}"
        );
        let query = stored_plans::Query::default();
        let name = plans(organization, &query);
        let old = seal(&keys, &plan_list.into_bytes(), &position);
        let opened = open_optional(&keys, &name, || previous_plans(organization, &query), Some(&old));
        assert_eq!(opened, Ok(Some(position.clone())));
        let subscription_list = format!(
            "subscriptions {organization} None Some(Slug(Slug(\"pro\"))) Query {{ user_id: None, plan_id: None, \
             statuses: [Paused, Active, Paused], is_active: None, billing_cycle: None, external_id: None, \
             created: Range {{ after: None, before: None }}, renews: Range {{ after: None, before: None }}, \
             ends: Range {{ after: None, before: None }}, sort: Created, descending: true }}"
        );
        let query = stored_subscriptions::Query {
            statuses: full().statuses,
            descending: true,
            ..stored_subscriptions::Query::default()
        };
        let plan = slug("pro");
        let name = subscriptions(organization, None, Some(&plan), &query);
        let previous = || previous_subscriptions(organization, None, Some(&plan), &query);
        let old = seal(&keys, &subscription_list.into_bytes(), &position);
        assert_eq!(open_optional(&keys, &name, previous, Some(&old)), Ok(Some(position.clone())));
        let new = seal(&keys, &name, &position);
        assert_eq!(open_optional(&keys, &name, previous, Some(&new)), Ok(Some(position)));
        assert_eq!(open_optional(&keys, &name, previous, Some("AAAA")), Err(Error::InvalidCursor));
    }

    #[test]
    fn a_slug_is_not_taken_for_an_id_or_for_a_filter() {
        let query = stored_subscriptions::Query::default();
        let id = PlanKey::Id(PlanId::from_bytes([b'p'; 16]));
        let by_id = subscriptions(organization(), None, Some(&id), &query);
        let by_slug = subscriptions(organization(), None, Some(&slug("pppppppppppppppp")), &query);
        let by_owner = subscriptions(organization(), Some(UserId::from_bytes([b'p'; 16])), None, &query);
        assert!(by_id != by_slug && by_id != by_owner && by_slug != by_owner);
    }
}
