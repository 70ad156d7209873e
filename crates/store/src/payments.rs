//! Payments in the store.

use crate::change::{Change, Guard, Lock, Table, Violation};
use crate::list::{BY_CREATION, List, Listing, Order, Page, Position};
use crate::row::Row;
use crate::sql::{Insert, Sql};
use crate::value::{Type, Value};
use crate::{Db, Error, codec};
use perennial_domain::currency::Currency;
use perennial_domain::id::{EventId, OrganizationId, PaymentId, SubscriptionId, UserId};
use perennial_domain::payments::{Payment, PaymentStatus};
use perennial_domain::text::Line;
use perennial_domain::time::Time;

macro_rules! columns {
    () => {
        "id, subscription_id, amount, currency, external_id, status, completed_at, created_at, updated_at, \
         organization_id, revision"
    };
}

pub(crate) static BY_ID: Sql = Sql::new(concat!(
    "SELECT ",
    columns!(),
    "
     FROM payments
     WHERE organization_id = $1 AND id = $2 AND deleted_at IS NULL"
));

/// Whose payment it is; its subscription may be gone.
pub(crate) static OWNER: Sql = Sql::new(
    "SELECT s.user_id
     FROM payments AS p
     JOIN subscriptions AS s ON s.organization_id = p.organization_id AND s.id = p.subscription_id
     WHERE p.organization_id = $1 AND p.id = $2 AND p.deleted_at IS NULL",
);

pub(crate) static ID_BY_EXTERNAL: Sql = Sql::new(
    "SELECT id FROM payments
     WHERE organization_id = $1 AND external_id = $2 AND external_id IS NOT NULL AND deleted_at IS NULL",
);

pub(crate) static INSERT: Insert = Insert::new(
    "payments",
    &[
        ("organization_id", Type::Uuid),
        ("id", Type::Uuid),
        ("subscription_id", Type::Uuid),
        ("amount", Type::Int),
        ("currency", Type::Text),
        ("external_id", Type::Text),
        ("status", Type::Text),
        ("completed_at", Type::Time),
        ("created_at", Type::Time),
        ("updated_at", Type::Time),
        ("revision", Type::Uuid),
    ],
    "ON CONFLICT DO NOTHING",
);

/// Misses when another live payment has the external id, as the insert does. The revision is said again, as the
/// subscriptions' `UPDATE` does.
pub(crate) static UPDATE: Sql = Sql::new(
    "UPDATE payments
     SET subscription_id = $3, amount = $4, currency = $5, external_id = $6, status = $7, completed_at = $8,
         updated_at = $9, revision = $10
     WHERE organization_id = $1 AND id = $2 AND revision = $11
       AND NOT EXISTS (
           SELECT 1 FROM payments AS other
           WHERE other.organization_id = $1 AND other.external_id = $6 AND other.external_id IS NOT NULL
             AND other.deleted_at IS NULL AND other.id <> $2)",
);

pub(crate) static DELETE: Sql = Sql::new(
    "UPDATE payments
     SET deleted_at = $3, revision = $4
     WHERE organization_id = $1 AND id = $2 AND revision = $5",
);

pub(crate) static AT_REVISION: Sql = Sql::new(
    "SELECT 1 FROM payments
     WHERE organization_id = $1 AND id = $2 AND revision = $3 AND deleted_at IS NULL",
);

static LISTING: Listing = Listing::new("payments", columns!()).live();

/// Which payments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Those for a subscription.
    pub subscription_id: Option<SubscriptionId>,
    /// Those in one of these statuses; empty means any.
    pub statuses: Vec<PaymentStatus>,
}

/// A page of live payments, newest first. Only the operator lists them, so what is asked for is tested row by row.
pub async fn list(
    db: &Db,
    organization: OrganizationId,
    query: &Query,
    after: Option<Position>,
    limit: usize,
) -> Result<Page<Payment>, Error> {
    compose(organization, query).after(after).limit(limit).page(db, read).await
}

pub(crate) fn compose(organization: OrganizationId, query: &Query) -> List {
    let mut list = LISTING.of(organization.bytes()).sort(BY_CREATION, Order::Descending);
    if let Some(subscription) = query.subscription_id {
        list = list.filter("subscription_id = {}", vec![subscription.bytes().into()]);
    }
    if !query.statuses.is_empty() {
        list = list.any_of("status", query.statuses.iter().map(|status| status.as_str().into()).collect());
    }
    list
}

/// The live payment with this id.
pub async fn by_id(db: &Db, organization: OrganizationId, id: PaymentId) -> Result<Option<Payment>, Error> {
    db.find(&BY_ID, [organization.bytes().into(), id.bytes().into()], read).await
}

/// The user whose subscription the live payment is for.
pub async fn owner(db: &Db, organization: OrganizationId, id: PaymentId) -> Result<Option<UserId>, Error> {
    let params = [organization.bytes().into(), id.bytes().into()];
    db.find(&OWNER, params, |row| Ok(UserId::from_bytes(row.uuid(0)?))).await
}

/// The live payment that has this external id.
pub async fn id_by_external(
    db: &Db,
    organization: OrganizationId,
    external_id: &str,
) -> Result<Option<PaymentId>, Error> {
    let params = [organization.bytes().into(), external_id.into()];
    db.find(&ID_BY_EXTERNAL, params, |row| Ok(PaymentId::from_bytes(row.uuid(0)?))).await
}

/// A new payment; misses with [`Violation::ExternalId`] if its external id is in use.
pub fn insert(change: Change, payment: &Payment) -> Change {
    change.insert(&INSERT, values(payment), Violation::ExternalId)
}

/// A payment as [`INSERT`] has it.
pub(crate) fn values(payment: &Payment) -> Vec<Value> {
    let mut values = keys(payment);
    values.extend(fields(payment));
    values.push(codec::time(payment.created_at));
    values.push(codec::time(payment.updated_at));
    values.push(payment.revision.bytes().into());
    values
}

/// The payment as it is now, if it is still at the revision it was read at.
pub fn update(change: Change, payment: &Payment, read_at: EventId) -> Change {
    let mut values = keys(payment);
    values.extend(fields(payment));
    values.push(codec::time(payment.updated_at));
    values.push(payment.revision.bytes().into());
    values.push(read_at.bytes().into());
    at_revision(change, payment, read_at).execute(&UPDATE, values, Violation::ExternalId)
}

/// Takes the payment away.
pub fn delete(change: Change, payment: &Payment, at: Time, revision: EventId) -> Change {
    let mut values = keys(payment);
    values.push(codec::time(at));
    values.push(revision.bytes().into());
    values.push(payment.revision.bytes().into());
    at_revision(change, payment, payment.revision).execute(&DELETE, values, Violation::Record)
}

fn at_revision(change: Change, payment: &Payment, revision: EventId) -> Change {
    let mut params = keys(payment);
    params.push(revision.bytes().into());
    change.guard(Guard {
        table: Table::Payments,
        key: payment.id.bytes(),
        lock: Lock::Exclusive,
        sql: &AT_REVISION,
        params,
        violation: Violation::Record,
    })
}

fn keys(payment: &Payment) -> Vec<Value> {
    let mut values = Vec::with_capacity(11);
    values.push(payment.organization_id.bytes().into());
    values.push(payment.id.bytes().into());
    values
}

/// What an insert and an update have in common, in the order both list it.
fn fields(payment: &Payment) -> [Value; 6] {
    [
        payment.subscription_id.bytes().into(),
        payment.amount.ten_thousandths().into(),
        payment.currency.as_str().into(),
        payment.external_payment_id.as_ref().map(Line::as_str).into(),
        payment.status.as_str().into(),
        codec::optional_time(payment.date),
    ]
}

fn read(row: &Row<'_>) -> Result<Payment, Error> {
    Ok(Payment {
        id: PaymentId::from_bytes(row.uuid(0)?),
        subscription_id: SubscriptionId::from_bytes(row.uuid(1)?),
        amount: codec::money(row.int(2)?)?,
        currency: codec::word(row.text_ref(3)?, |word| Currency::parse(word).ok())?,
        external_payment_id: row.optional_text(4)?.map(Line::from_stored),
        status: codec::word(row.text_ref(5)?, PaymentStatus::from_stored)?,
        date: codec::read_optional_time(row.optional_time(6)?)?,
        created_at: codec::read_time(row.time(7)?)?,
        updated_at: codec::read_time(row.time(8)?)?,
        organization_id: OrganizationId::from_bytes(row.uuid(9)?),
        revision: EventId::from_bytes(row.uuid(10)?),
    })
}
