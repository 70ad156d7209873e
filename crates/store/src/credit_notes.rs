//! Credit notes in the store. A note never changes.

use std::sync::LazyLock;

use crate::change::Change;
use crate::column::Column;
use crate::db::Db;
use crate::error::{Error, Violation};
use crate::list::{BY_CREATION, KeysetQuery, Order, Page, Position};
use crate::record::{self, Record, RowReader, RowWriter};
use crate::sql::Sql;
use crate::table::Table;
use crate::value::{Type, Value};
use perennial_domain::currency::Currency;
use perennial_domain::id::{CreditNoteId, EventId, InvoiceId, OrganizationId, SubscriptionId, UserId};
use perennial_domain::invoices::content::CreditNoteContent;
use perennial_domain::invoices::credit_note::{CreditNote, NoteSettlement};

/// The credit notes.
pub static CREDIT_NOTES: Table = Table::new(
    41,
    "credit_notes",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("id", Type::Uuid),
        Column::fixed("number", Type::Text),
        Column::fixed("invoice_id", Type::Uuid).nullable(),
        Column::fixed("subscription_id", Type::Uuid).refers_to("subscriptions").indexed(),
        Column::fixed("user_id", Type::Uuid).refers_to("users").indexed(),
        Column::fixed("currency", Type::Text),
        Column::fixed("settlement", Type::Text),
        Column::fixed("source_invoice_id", Type::Uuid).nullable(),
        Column::fixed("content", Type::Text),
        Column::fixed("issued_at", Type::Time),
        Column::fixed("created_at", Type::Time),
        Column::fixed("revision", Type::Uuid),
    ],
)
.under_clock();

impl Record for CreditNote {
    fn table() -> &'static Table {
        &CREDIT_NOTES
    }

    fn write(&self, row: &mut RowWriter) {
        row.uuid("organization_id", self.organization_id.bytes());
        row.uuid("id", self.id.bytes());
        row.text("number", &self.number);
        row.optional_uuid("invoice_id", self.invoice_id.map(InvoiceId::bytes));
        row.uuid("subscription_id", self.subscription_id.bytes());
        row.uuid("user_id", self.user_id.bytes());
        row.text("currency", self.currency.as_str());
        row.text("settlement", self.settlement.as_str());
        row.optional_uuid("source_invoice_id", self.source_invoice_id.map(InvoiceId::bytes));
        row.text("content", &CreditNoteContent::of(self).to_stored());
        row.time("issued_at", self.issued_at);
        row.time("created_at", self.created_at);
        row.uuid("revision", self.revision.bytes());
    }

    fn read(row: &mut RowReader<'_, '_>) -> Result<Self, Error> {
        let organization_id = OrganizationId::from_bytes(row.uuid("organization_id")?);
        let id = CreditNoteId::from_bytes(row.uuid("id")?);
        let number = row.text("number")?;
        let invoice_id = row.optional_uuid("invoice_id")?.map(InvoiceId::from_bytes);
        let subscription_id = SubscriptionId::from_bytes(row.uuid("subscription_id")?);
        let user_id = UserId::from_bytes(row.uuid("user_id")?);
        let currency = row.word("currency", |word| Currency::parse(word).ok())?;
        let settlement = row.word("settlement", NoteSettlement::from_stored)?;
        let source_invoice_id = row.optional_uuid("source_invoice_id")?.map(InvoiceId::from_bytes);
        let content = row.word("content", CreditNoteContent::from_stored)?;
        Ok(Self {
            id,
            number,
            invoice_id,
            invoice_number: content.invoice_number,
            subscription_id,
            user_id,
            currency,
            lines: content.lines,
            sums: content.sums,
            reason: content.reason,
            settlement,
            refund_reference: content.refund_reference,
            applied_amount: content.applied_amount,
            balance_amount: content.balance_amount,
            seller: content.seller,
            buyer: content.buyer,
            organization_id,
            source_invoice_id,
            in_period: content.in_period,
            rendering: content.rendering,
            issued_at: row.time("issued_at")?,
            created_at: row.time("created_at")?,
            revision: EventId::from_bytes(row.uuid("revision")?),
        })
    }
}

/// The notes of plan changes of a subscription.
pub(crate) static OF_CHANGES: LazyLock<Sql> = LazyLock::new(|| {
    CREDIT_NOTES.select("WHERE organization_id = $1 AND subscription_id = $2 AND invoice_id IS NULL ORDER BY id")
});

/// The filters of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Notes of this user.
    pub user_id: Option<UserId>,
    /// Notes of this subscription.
    pub subscription_id: Option<SubscriptionId>,
    /// Notes of this invoice.
    pub invoice_id: Option<InvoiceId>,
}

/// A page of credit notes, newest first.
pub async fn list(
    db: &Db,
    organization: OrganizationId,
    query: &Query,
    after: Option<Position>,
    limit: usize,
) -> Result<Page<CreditNote>, Error> {
    compose(organization, query).after(after).limit(limit).page(db, record::read).await
}

pub(crate) fn compose(organization: OrganizationId, query: &Query) -> KeysetQuery {
    let mut list = CREDIT_NOTES.list(organization.bytes()).sort(BY_CREATION, Order::Descending);
    let equals: [(&'static str, &'static str, Option<Value>); 3] = [
        ("invoice_id", "invoice_id = {}", query.invoice_id.map(|id| id.bytes().into())),
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
    list
}

/// The credit note with this id.
pub async fn by_id(db: &Db, organization: OrganizationId, id: CreditNoteId) -> Result<Option<CreditNote>, Error> {
    record::by_id(db, organization, id.bytes()).await
}

/// The notes that plan changes of a subscription made, oldest first.
pub async fn of_changes(
    db: &Db,
    organization: OrganizationId,
    subscription: SubscriptionId,
) -> Result<Vec<CreditNote>, Error> {
    db.all(&OF_CHANGES, &[organization.bytes().into(), subscription.bytes().into()], record::read).await
}

/// A new credit note. Its number must be drawn in the same change.
pub fn insert(change: Change, note: &CreditNote) -> Change {
    record::insert(change, note, Violation::Number)
}
