//! Invoices in the store. A list is one read: lines, taxes and everything that no statement searches by are one text.

pub(crate) mod backlog;

pub use backlog::{backlog, is_late, live_due, test_due};

use std::sync::LazyLock;

use crate::change::{Change, Guard};
use crate::codec;
use crate::column::Column;
use crate::db::Db;
use crate::error::{Error, Violation};
use crate::list::{BY_CREATION, KeysetQuery, Order, Page, Position, Range};
use crate::lock::Lock;
use crate::record::{self, Record, RowReader, RowWriter};
use crate::sql::Sql;
use crate::subscriptions::SUBSCRIPTIONS;
use crate::table::Table;
use crate::value::{Type, Value};
use perennial_domain::currency::Currency;
use perennial_domain::id::{EventId, InvoiceId, OrganizationId, SubscriptionId, UserId};
use perennial_domain::invoices::content::InvoiceContent;
use perennial_domain::invoices::record::{Invoice, InvoiceKind};
use perennial_domain::invoices::status::InvoiceStatus;
use perennial_domain::time::Time;

/// The invoices.
pub static INVOICES: Table = Table::new(
    40,
    "invoices",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("id", Type::Uuid),
        Column::fixed("subscription_id", Type::Uuid).refers_to("subscriptions").indexed(),
        Column::fixed("user_id", Type::Uuid).refers_to("users").indexed(),
        Column::mutable("number", Type::Text).nullable(),
        Column::fixed("kind", Type::Text),
        Column::mutable("status", Type::Text),
        Column::fixed("currency", Type::Text),
        Column::fixed("cycle_at", Type::Time).nullable(),
        Column::mutable("overdue", Type::Bool),
        Column::mutable("issued_at", Type::Time).nullable(),
        Column::mutable("due_at", Type::Time).nullable(),
        Column::mutable("acts_at", Type::Time).nullable(),
        Column::fixed("source_invoice_id", Type::Uuid).nullable(),
        Column::mutable("content", Type::Text),
        Column::fixed("created_at", Type::Time),
        Column::mutable("updated_at", Type::Time),
        Column::deleted_at(),
        Column::mutable("revision", Type::Uuid),
    ],
)
.under_clock();

/// The drafts of a parked subscription wait. PostgreSQL would collect all parked subscriptions for an `EXISTS`.
const NOT_PARKED: &str = "AND NOT (invoices.status = 'draft' AND (
    SELECT 1 FROM subscriptions AS s
    WHERE s.organization_id = invoices.organization_id AND s.id = invoices.subscription_id
        AND s.billing LIKE '%\"parked_at\":%') IS NOT NULL)";

/// Acts later on an invoice that cannot be read.
pub(crate) static POSTPONE: Sql =
    Sql::new("UPDATE invoices SET acts_at = $3 WHERE organization_id = $1 AND id = $2 AND acts_at < $3");

/// What the engine does next with an organization's invoices, oldest first.
pub(crate) static DUE: LazyLock<Sql> = LazyLock::new(|| {
    INVOICES.select(&format!(
        "WHERE organization_id = $1 AND acts_at <= $2 AND deleted_at IS NULL {NOT_PARKED} ORDER BY acts_at, id LIMIT $3"
    ))
});

/// One row if anything is due in real time.
pub(crate) static ANY_DUE: Sql =
    Sql::new("SELECT 1 FROM invoices WHERE acts_at <= $1 AND deleted_at IS NULL ORDER BY acts_at LIMIT 1");

/// The order by ID is explained at `WITH_DUE`.
pub(crate) static NEXT_DUE: LazyLock<Sql> = LazyLock::new(|| {
    Sql::built(format!(
        "SELECT acts_at FROM invoices WHERE organization_id = $1 AND acts_at IS NOT NULL AND deleted_at IS NULL {NOT_PARKED}
         ORDER BY acts_at, id LIMIT 1"
    ))
});

pub(crate) static OF_SUBSCRIPTION: LazyLock<Sql> = LazyLock::new(|| {
    INVOICES.select("WHERE organization_id = $1 AND subscription_id = $2 AND deleted_at IS NULL ORDER BY id")
});

pub(crate) static CLOSED_UNTIL: Sql = Sql::new(
    "SELECT cycle_at FROM invoices
     WHERE organization_id = $1 AND subscription_id = $2 AND cycle_at IS NOT NULL AND issued_at <= $3
     ORDER BY cycle_at DESC LIMIT 1",
);

/// What the engine does next with the invoices of one subscription.
pub(crate) static DUE_OF: LazyLock<Sql> = LazyLock::new(|| {
    INVOICES.select(
        "WHERE organization_id = $1 AND subscription_id = $2 AND acts_at <= $3 AND deleted_at IS NULL
         ORDER BY acts_at, id LIMIT $4",
    )
});

pub(crate) static OPEN_OF_USER: LazyLock<Sql> = LazyLock::new(|| {
    INVOICES.select(
        "WHERE organization_id = $1 AND user_id = $2 AND status IN ('draft', 'open') AND deleted_at IS NULL ORDER BY id",
    )
});

/// One row if no draft or open invoice of the subscription exists.
pub(crate) static NONE_OPEN: Sql = Sql::new(
    "SELECT 1 WHERE NOT EXISTS (
         SELECT 1 FROM invoices
         WHERE organization_id = $1 AND subscription_id = $2 AND status IN ('draft', 'open') AND deleted_at IS NULL)",
);

/// One row if no credit line that counts reverses the invoice.
pub(crate) static NOT_A_SOURCE: Sql = Sql::new(
    "SELECT 1 WHERE NOT EXISTS (
         SELECT 1 FROM invoices
         WHERE organization_id = $1 AND subscription_id = $2 AND source_invoice_id = $3 AND status <> 'void'
             AND deleted_at IS NULL
     ) AND NOT EXISTS (
         SELECT 1 FROM credit_notes WHERE organization_id = $1 AND subscription_id = $2 AND source_invoice_id = $3)",
);

impl Record for Invoice {
    fn table() -> &'static Table {
        &INVOICES
    }

    fn write(&self, row: &mut RowWriter) {
        row.uuid("organization_id", self.organization_id.bytes());
        row.uuid("id", self.id.bytes());
        row.uuid("subscription_id", self.subscription_id.bytes());
        row.uuid("user_id", self.user_id.bytes());
        row.optional_text("number", self.number.as_deref());
        row.text("kind", self.kind.as_str());
        row.text("status", self.status.as_str());
        row.text("currency", self.currency.as_str());
        row.optional_time("cycle_at", self.cycle_at);
        row.bool("overdue", self.is_overdue());
        row.optional_time("issued_at", self.issued_at);
        row.optional_time("due_at", self.due_at);
        row.optional_time("acts_at", self.next_action().map(|(_, at)| at));
        row.optional_uuid("source_invoice_id", self.source_invoice_id.map(InvoiceId::bytes));
        row.text("content", &InvoiceContent::of(self).to_stored());
        row.time("created_at", self.created_at);
        row.time("updated_at", self.updated_at);
        row.uuid("revision", self.revision.bytes());
    }

    fn read(row: &mut RowReader<'_, '_>) -> Result<Self, Error> {
        let organization_id = OrganizationId::from_bytes(row.uuid("organization_id")?);
        let id = InvoiceId::from_bytes(row.uuid("id")?);
        let subscription_id = SubscriptionId::from_bytes(row.uuid("subscription_id")?);
        let user_id = UserId::from_bytes(row.uuid("user_id")?);
        let number = row.optional_text("number")?;
        let kind = row.word("kind", InvoiceKind::from_stored)?;
        let status = row.word("status", InvoiceStatus::from_stored)?;
        let currency = row.word("currency", |word| Currency::parse(word).ok())?;
        let cycle_at = row.optional_time("cycle_at")?;
        row.bool("overdue")?;
        let issued_at = row.optional_time("issued_at")?;
        let due_at = row.optional_time("due_at")?;
        row.optional_time("acts_at")?;
        let source_invoice_id = row.optional_uuid("source_invoice_id")?.map(InvoiceId::from_bytes);
        let content = row.word("content", InvoiceContent::from_stored)?;
        Ok(Self {
            id,
            number,
            kind,
            status,
            user_id,
            subscription_id,
            currency,
            cycle_at,
            memo: content.memo(),
            collection: content.collection,
            period_start: content.period_start,
            period_end: content.period_end,
            lines: content.lines,
            sums: content.sums,
            credit_applied: content.credit_applied,
            amount_paid: content.amount_paid,
            amount_credited: content.amount_credited,
            coupon_id: content.coupon_id,
            finalizes_at: content.finalizes_at,
            issued_at,
            due_at,
            paid_at: content.paid_at,
            seller: content.seller,
            buyer: content.buyer,
            organization_id,
            credited: content.credited,
            schedule: content.schedule,
            parts: content.parts,
            terms: content.terms,
            own_rates: content.own_rates,
            chosen_rates: content.chosen_rates,
            source_invoice_id,
            in_period: content.in_period,
            begins_period: content.begins_period,
            is_stopped: content.is_stopped,
            rendering: content.rendering,
            created_at: row.time("created_at")?,
            updated_at: row.time("updated_at")?,
            revision: EventId::from_bytes(row.uuid("revision")?),
        })
    }
}

/// The filters of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Invoices of this user.
    pub user_id: Option<UserId>,
    /// Invoices of this subscription.
    pub subscription_id: Option<SubscriptionId>,
    /// The invoice with this number.
    pub number: Option<String>,
    /// Invoices in one of these statuses; empty means any.
    pub statuses: Vec<InvoiceStatus>,
    /// Invoices of this kind.
    pub kind: Option<InvoiceKind>,
    /// Whether they are overdue.
    pub overdue: Option<bool>,
    /// Issued in this range.
    pub issued: Range,
    /// Due in this range.
    pub due: Range,
    /// Created in this range.
    pub created: Range,
}

/// A page of live invoices, newest first. Number, subscription and user have an index; the other filters are checked row by
/// row.
pub async fn list(
    db: &Db,
    organization: OrganizationId,
    query: &Query,
    after: Option<Position>,
    limit: usize,
) -> Result<Page<Invoice>, Error> {
    compose(organization, query).after(after).limit(limit).page(db, record::read).await
}

pub(crate) fn compose(organization: OrganizationId, query: &Query) -> KeysetQuery {
    let mut list = INVOICES.list(organization.bytes()).sort(BY_CREATION, Order::Descending);
    let equals: [(&'static str, &'static str, Option<Value>); 3] = [
        ("number", "number = {}", query.number.as_deref().map(Value::from)),
        ("subscription_id", "subscription_id = {}", query.subscription_id.map(|id| id.bytes().into())),
        ("user_id", "user_id = {}", query.user_id.map(|id| id.bytes().into())),
    ];
    let mut leads = true;
    for (column, test, value) in equals {
        list = match value {
            None => list,
            Some(value) if std::mem::take(&mut leads) => list.equal(column, value),
            Some(value) => list.filter(test, vec![value]),
        };
    }
    let mut statuses = query.statuses.clone();
    statuses.sort_unstable();
    statuses.dedup();
    if !statuses.is_empty() {
        list = list.any_of("status", statuses.iter().map(|status| status.as_str().into()).collect());
    }
    if let Some(kind) = query.kind {
        list = list.filter("kind = {}", vec![kind.as_str().into()]);
    }
    if let Some(overdue) = query.overdue {
        list = list.filter("overdue = {}", vec![overdue.into()]);
    }
    for (from, until, range) in [
        ("issued_at >= {}", "issued_at < {}", query.issued),
        ("due_at >= {}", "due_at < {}", query.due),
        ("created_at >= {}", "created_at < {}", query.created),
    ] {
        for (condition, bound) in [(from, range.after), (until, range.before)] {
            if let Some(bound) = bound {
                list = list.filter(condition, vec![codec::time(bound)]);
            }
        }
    }
    list
}

/// The live invoice with this id.
pub async fn by_id(db: &Db, organization: OrganizationId, id: InvoiceId) -> Result<Option<Invoice>, Error> {
    record::by_id(db, organization, id.bytes()).await
}

/// The invoices of a subscription, oldest first.
pub async fn of_subscription(
    db: &Db,
    organization: OrganizationId,
    subscription: SubscriptionId,
) -> Result<Vec<Invoice>, Error> {
    db.all(&OF_SUBSCRIPTION, &[organization.bytes().into(), subscription.bytes().into()], record::read).await
}

/// The drafts and open invoices of a user.
pub async fn open_of_user(db: &Db, organization: OrganizationId, user: UserId) -> Result<Vec<Invoice>, Error> {
    db.all(&OPEN_OF_USER, &[organization.bytes().into(), user.bytes().into()], record::read).await
}

/// The end of the last window of a subscription that an invoice issued at `issued_by` or earlier closed.
pub async fn closed_until(
    db: &Db,
    organization: OrganizationId,
    subscription: SubscriptionId,
    issued_by: Time,
) -> Result<Option<Time>, Error> {
    let params = [organization.bytes().into(), subscription.bytes().into(), codec::time(issued_by)];
    let micros = db.one(&CLOSED_UNTIL, &params, |row| row.time(0)).await?;
    codec::read_optional_time(micros)
}

/// Whether anything is due in real time.
pub async fn any_due(db: &Db, now: Time) -> Result<bool, Error> {
    Ok(db.one(&ANY_DUE, &[codec::time(now)], |_| Ok(())).await?.is_some())
}

/// An organization's invoices on which the engine acts at `now`, oldest first. Of a row that cannot be read, its id.
pub async fn due(
    db: &Db,
    organization: OrganizationId,
    now: Time,
    limit: i64,
) -> Result<Vec<Result<Invoice, [u8; 16]>>, Error> {
    db.all(&DUE, &[organization.bytes().into(), codec::time(now), limit.into()], record::read_or_id).await
}

/// A subscription's invoices on which the engine acts at `now`, oldest first.
pub async fn due_of(
    db: &Db,
    organization: OrganizationId,
    subscription: SubscriptionId,
    now: Time,
    limit: i64,
) -> Result<Vec<Invoice>, Error> {
    let params = [organization.bytes().into(), subscription.bytes().into(), codec::time(now), limit.into()];
    db.all(&DUE_OF, &params, record::read).await
}

/// When the engine acts next on an invoice of an organization, past or future.
pub async fn next_due(db: &Db, organization: OrganizationId) -> Result<Option<Time>, Error> {
    let micros = db.one(&NEXT_DUE, &[organization.bytes().into()], |row| row.time(0)).await?;
    codec::read_optional_time(micros)
}

/// Whether a draft or open invoice of the subscription exists.
pub async fn has_open(db: &Db, organization: OrganizationId, subscription: SubscriptionId) -> Result<bool, Error> {
    let params = [organization.bytes().into(), subscription.bytes().into()];
    Ok(db.one(&NONE_OPEN, &params, |_| Ok(())).await?.is_none())
}

/// Whether a credit line that counts reverses the invoice.
pub async fn is_source(db: &Db, invoice: &Invoice) -> Result<bool, Error> {
    let params =
        [invoice.organization_id.bytes().into(), invoice.subscription_id.bytes().into(), invoice.id.bytes().into()];
    Ok(db.one(&NOT_A_SOURCE, &params, |_| Ok(())).await?.is_none())
}

/// Rejects the change with [`Violation::InUse`] if a draft or open invoice of the subscription exists. The change must lock
/// the subscription exclusively.
pub fn guard_none_open(change: Change, organization: OrganizationId, subscription: SubscriptionId) -> Change {
    let params = vec![organization.bytes().into(), subscription.bytes().into()];
    let key = subscription.bytes();
    let (table, lock, violation) = (&SUBSCRIPTIONS, Lock::None, Violation::InUse);
    change.guard(Guard { table, key, lock, sql: &NONE_OPEN, params, violation })
}

/// Postpones the work on an invoice that cannot be read.
pub fn postpone(change: Change, organization: OrganizationId, id: [u8; 16], until: Time) -> Change {
    change.execute_any(&POSTPONE, vec![organization.bytes().into(), id.into(), codec::time(until)])
}

/// A new invoice; rejected with [`Violation::Cycle`] if the period has one.
pub fn insert(change: Change, invoice: &Invoice) -> Change {
    record::insert(change, invoice, Violation::Cycle)
}

/// The invoice as it is now, if it is still at the revision it was read at.
pub fn update(change: Change, invoice: &Invoice, read_at: EventId) -> Change {
    record::update(change, invoice, read_at, Violation::Record)
}

/// Soft-deletes the invoice.
pub fn delete(change: Change, invoice: &Invoice, at: Time, revision: EventId) -> Change {
    record::delete(change, invoice, invoice.revision, (at, revision), Violation::Record)
}
