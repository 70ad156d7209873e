//! Payments in the store.

use crate::change::{Change, Guard};
use crate::codec;
use crate::column::Column;
use crate::db::Db;
use crate::error::{Error, Violation};
use crate::invoices::INVOICES;
use crate::list::{BY_CREATION, KeysetQuery, Order, Page, Position, Range};
use crate::lock::Lock;
use crate::record::{self, Record, RowReader, RowWriter};
use crate::sql::Sql;
use crate::table::{Conflict, Table};
use crate::value::{Type, Value};
use perennial_domain::currency::Currency;
use perennial_domain::id::{EventId, InvoiceId, OrganizationId, PaymentId, SubscriptionId, UserId};
use perennial_domain::invoices::Amount;
use perennial_domain::invoices::payments::Applied;
use perennial_domain::invoices::record::Invoice;
use perennial_domain::payments::{Payment, PaymentStatus};
use perennial_domain::text::Line;
use perennial_domain::time::Time;

/// The payments.
pub static PAYMENTS: Table = Table::new(
    8,
    "payments",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("id", Type::Uuid),
        Column::mutable("subscription_id", Type::Uuid).refers_to("subscriptions").indexed(),
        Column::mutable("amount", Type::Int),
        Column::mutable("currency", Type::Text),
        Column::mutable("external_id", Type::Text).nullable().unique(),
        Column::mutable("status", Type::Text),
        Column::mutable("completed_at", Type::Time).nullable(),
        Column::fixed("created_at", Type::Time),
        Column::mutable("updated_at", Type::Time),
        Column::deleted_at(),
        Column::mutable("revision", Type::Uuid),
        Column::mutable("invoice_id", Type::Uuid).nullable(),
        Column::mutable("applied", Type::Int).nullable(),
        Column::mutable("surplus", Type::Int).nullable(),
    ],
)
.on_conflict(Conflict::Reject)
.under_clock();

/// The user of the payment's subscription, which may be deleted.
pub(crate) static OWNER: Sql = Sql::new(
    "SELECT s.user_id
     FROM payments AS p
     JOIN subscriptions AS s ON s.organization_id = p.organization_id AND s.id = p.subscription_id
     WHERE p.organization_id = $1 AND p.id = $2 AND p.deleted_at IS NULL",
);

/// One row if a payment of the invoice is being processed.
pub(crate) static PROCESSING: Sql = Sql::new(
    "SELECT 1 FROM payments
     WHERE organization_id = $1 AND invoice_id = $2 AND status = 'processing' AND deleted_at IS NULL LIMIT 1",
);

/// One row if no payment of the invoice is being processed.
pub(crate) static NONE_PROCESSING: Sql = Sql::new(
    "SELECT 1 WHERE NOT EXISTS (
         SELECT 1 FROM payments
         WHERE organization_id = $1 AND invoice_id = $2 AND status = 'processing' AND deleted_at IS NULL)",
);

impl Record for Payment {
    fn table() -> &'static Table {
        &PAYMENTS
    }

    fn write(&self, row: &mut RowWriter) {
        row.uuid("organization_id", self.organization_id.bytes());
        row.uuid("id", self.id.bytes());
        row.uuid("subscription_id", self.subscription_id.bytes());
        row.int("amount", self.amount.ten_thousandths());
        row.text("currency", self.currency.as_str());
        row.optional_text("external_id", self.external_payment_id.as_ref().map(Line::as_str));
        row.text("status", self.status.as_str());
        row.optional_time("completed_at", self.date);
        row.time("created_at", self.created_at);
        row.time("updated_at", self.updated_at);
        row.uuid("revision", self.revision.bytes());
        row.optional_uuid("invoice_id", self.invoice_id.map(InvoiceId::bytes));
        row.optional_int("applied", self.applied.map(|applied| applied.paid.ten_thousandths()));
        row.optional_int("surplus", self.applied.map(|applied| applied.surplus.ten_thousandths()));
    }

    fn read(row: &mut RowReader<'_, '_>) -> Result<Self, Error> {
        let mut read = Self {
            organization_id: OrganizationId::from_bytes(row.uuid("organization_id")?),
            id: PaymentId::from_bytes(row.uuid("id")?),
            subscription_id: SubscriptionId::from_bytes(row.uuid("subscription_id")?),
            amount: row.money("amount")?,
            currency: row.word("currency", |word| Currency::parse(word).ok())?,
            external_payment_id: row.optional_text("external_id")?.map(Line::from_stored),
            status: row.word("status", PaymentStatus::from_stored)?,
            date: row.optional_time("completed_at")?,
            created_at: row.time("created_at")?,
            updated_at: row.time("updated_at")?,
            revision: EventId::from_bytes(row.uuid("revision")?),
            invoice_id: row.optional_uuid("invoice_id")?.map(InvoiceId::from_bytes),
            applied: None,
        };
        let amount = |value| Amount::from_ten_thousandths(value).ok();
        let paid = row.optional_number("applied", amount)?;
        let surplus = row.optional_number("surplus", amount)?;
        read.applied = paid.zip(surplus).map(|(paid, surplus)| Applied { paid, surplus });
        Ok(read)
    }
}

/// The filters of a list of payments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Payments for this subscription.
    pub subscription_id: Option<SubscriptionId>,
    /// Payments of this invoice.
    pub invoice_id: Option<InvoiceId>,
    /// Payments for the subscriptions of this user.
    pub user_id: Option<UserId>,
    /// Payments in one of these statuses; empty means any.
    pub statuses: Vec<PaymentStatus>,
    /// The payment with this external ID.
    pub external_id: Option<String>,
    /// Payments in this currency.
    pub currency: Option<Currency>,
    /// Created in this range.
    pub created: Range,
    /// Completed in this range.
    pub completed: Range,
    /// Oldest first. Newest first by default.
    pub is_ascending: bool,
}

/// A page of live payments, in the order of creation. The external ID, the invoice and the subscription have an index; the
/// other filters are checked row by row.
pub async fn list(
    db: &Db,
    organization: OrganizationId,
    query: &Query,
    after: Option<Position>,
    limit: usize,
) -> Result<Page<Payment>, Error> {
    compose(organization, query).after(after).limit(limit).page(db, record::read).await
}

/// Where the list in the order of creation continues after a payment.
pub fn position(payment: &Payment) -> Position {
    Position { values: vec![payment.id.bytes().into()] }
}

pub(crate) fn compose(organization: OrganizationId, query: &Query) -> KeysetQuery {
    let order = if query.is_ascending { Order::Ascending } else { Order::Descending };
    let list = PAYMENTS.list(organization.bytes()).sort(BY_CREATION, order);
    let subscription = query.subscription_id.map(|id| Value::from(id.bytes()));
    let invoice = query.invoice_id.map(|id| Value::from(id.bytes()));
    // The equality with the fewest rows leads, and the other ones are tested.
    let (mut list, invoice, subscription) = match (&query.external_id, invoice, subscription) {
        (Some(external_id), invoice, subscription) => {
            let list = list.equal("external_id", external_id.as_str()).created_within(query.created);
            (list, invoice, subscription)
        }
        // An invoice and a subscription have few payments. With a range of IDs, SQLite would walk the primary key instead.
        (None, Some(id), subscription) => {
            (within(list.equal("invoice_id", id), CREATED, query.created), None, subscription)
        }
        (None, None, Some(id)) => (within(list.equal("subscription_id", id), CREATED, query.created), None, None),
        (None, None, None) => (list.created_within(query.created), None, None),
    };
    if let Some(id) = invoice {
        list = list.filter("invoice_id = {}", vec![id]);
    }
    if let Some(id) = subscription {
        list = list.filter("subscription_id = {}", vec![id]);
    }
    if let Some(user) = query.user_id {
        let of_user = "subscription_id IN (SELECT id FROM subscriptions WHERE organization_id = {} AND user_id = {})";
        list = list.filter(of_user, vec![organization.bytes().into(), user.bytes().into()]);
    }
    if !query.statuses.is_empty() {
        list = list.any_of("status", query.statuses.iter().map(|status| status.as_str().into()).collect());
    }
    if let Some(currency) = query.currency {
        list = list.filter("currency = {}", vec![currency.as_str().into()]);
    }
    within(list, COMPLETED, query.completed)
}

const CREATED: [&str; 2] = ["created_at >= {}", "created_at < {}"];
const COMPLETED: [&str; 2] = ["completed_at >= {}", "completed_at < {}"];

/// Tests a time row by row.
fn within(mut list: KeysetQuery, [from, until]: [&'static str; 2], range: Range) -> KeysetQuery {
    for (condition, bound) in [(from, range.after), (until, range.before)] {
        if let Some(bound) = bound {
            list = list.filter(condition, vec![codec::time(bound)]);
        }
    }
    list
}

/// The live payment with this id.
pub async fn by_id(db: &Db, organization: OrganizationId, id: PaymentId) -> Result<Option<Payment>, Error> {
    record::by_id(db, organization, id.bytes()).await
}

/// The user whose subscription the live payment is for.
pub async fn owner(db: &Db, organization: OrganizationId, id: PaymentId) -> Result<Option<UserId>, Error> {
    let params = [organization.bytes().into(), id.bytes().into()];
    db.find(&OWNER, params, |row| Ok(UserId::from_bytes(row.uuid(0)?))).await
}

/// Whether a payment of an invoice is being processed.
pub async fn is_processing(db: &Db, organization: OrganizationId, invoice: InvoiceId) -> Result<bool, Error> {
    let params = [organization.bytes().into(), invoice.bytes().into()];
    Ok(db.one(&PROCESSING, &params, |_| Ok(())).await?.is_some())
}

/// Rejects the change with [`Violation::Record`] if a payment of the invoice is being processed. The change must lock the
/// invoice exclusively; a change by which a payment becomes `processing` locks it with [`guard_invoice`].
pub fn guard_none_processing(change: Change, organization: OrganizationId, invoice: InvoiceId) -> Change {
    let params = vec![organization.bytes().into(), invoice.bytes().into()];
    let (lock, violation) = (Lock::None, Violation::Record);
    change.guard(Guard { table: &INVOICES, key: invoice.bytes(), lock, sql: &NONE_PROCESSING, params, violation })
}

/// Locks the invoice of a payment that becomes `processing`, so that no attempt begins at the same time.
pub fn guard_invoice(change: Change, payment: &Payment) -> Change {
    match payment.invoice_id.filter(|_| payment.status == PaymentStatus::Processing) {
        Some(id) => record::guard_live::<Invoice>(change, payment.organization_id, id.bytes(), Violation::Record),
        None => change,
    }
}

/// The live payment that has this external id.
pub async fn id_by_external(
    db: &Db,
    organization: OrganizationId,
    external_id: &str,
) -> Result<Option<PaymentId>, Error> {
    Ok(record::id_by_unique::<Payment>(db, organization, external_id).await?.map(PaymentId::from_bytes))
}

/// A new payment; rejected with [`Violation::ExternalId`] if its external id is in use.
pub fn insert(change: Change, payment: &Payment) -> Change {
    record::insert(change, payment, Violation::ExternalId)
}

/// The payment as it is now, if it is still at the revision it was read at; rejected with [`Violation::ExternalId`] if
/// its external id is in use.
pub fn update(change: Change, payment: &Payment, read_at: EventId) -> Change {
    record::update(change, payment, read_at, Violation::ExternalId)
}

/// Soft-deletes the payment.
pub fn delete(change: Change, payment: &Payment, at: Time, revision: EventId) -> Change {
    record::delete(change, payment, payment.revision, (at, revision), Violation::Record)
}
