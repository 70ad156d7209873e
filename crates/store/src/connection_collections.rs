//! Collections in the store: attempts to collect a payment through a provider.

use std::sync::LazyLock;

use crate::change::Change;
use crate::codec;
use crate::column::Column;
use crate::db::Db;
use crate::error::{Error, Violation};
use crate::leases::{self, Unit};
use crate::record::{self, Purpose, Record, RowReader, RowWriter};
use crate::row::Row;
use crate::sql::Sql;
use crate::table::Table;
use crate::value::{Type, Value};
use perennial_domain::connections::collection::{Collection, CollectionState};
use perennial_domain::id::{ConnectionId, OrganizationId, PaymentId};
use perennial_domain::time::Time;

/// The name of the job in leases.
pub const JOB: &str = "collections";

/// The collections of every payment, numbered from 1.
pub static CONNECTION_COLLECTIONS: Table = Table::new(
    51,
    "connection_collections",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("payment_id", Type::Uuid),
        Column::key("number", Type::Int),
        Column::fixed("connection_id", Type::Uuid),
        Column::fixed("state", Type::Text),
        Column::fixed("payment_method", Type::Text).nullable(),
        Column::fixed("customer", Type::Text).nullable(),
        Column::fixed("intent_id", Type::Text).nullable(),
        Column::fixed("sends", Type::Int),
        Column::fixed("sent_at", Type::Time).nullable(),
        Column::fixed("next_attempt_at", Type::Time).nullable(),
        Column::fixed("code", Type::Text).nullable(),
        Column::fixed("decline_code", Type::Text).nullable(),
        Column::fixed("created_at", Type::Time),
        Column::fixed("updated_at", Type::Time),
    ],
);

pub(crate) static PUT: Sql = Sql::new(
    "INSERT INTO connection_collections (organization_id, payment_id, number, connection_id, state, payment_method,
         customer, intent_id, sends, sent_at, next_attempt_at, code, decline_code, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
     ON CONFLICT (organization_id, payment_id, number) DO UPDATE SET
         state = excluded.state, payment_method = excluded.payment_method, customer = excluded.customer,
         intent_id = excluded.intent_id, sends = excluded.sends, sent_at = excluded.sent_at,
         next_attempt_at = excluded.next_attempt_at, code = excluded.code, decline_code = excluded.decline_code,
         updated_at = excluded.updated_at",
);

pub(crate) static LAST: LazyLock<Sql> = LazyLock::new(|| {
    CONNECTION_COLLECTIONS.select("WHERE organization_id = $1 AND payment_id = $2 ORDER BY number DESC LIMIT 1")
});

pub(crate) static OF_INTENT: Sql =
    Sql::new("SELECT payment_id FROM connection_collections WHERE organization_id = $1 AND intent_id = $2 LIMIT 1");

pub(crate) static INTENTS: Sql = Sql::new(
    "SELECT intent_id FROM connection_collections
     WHERE organization_id = $1 AND payment_id = $2 AND intent_id IS NOT NULL",
);

pub(crate) static WITH_WORK: LazyLock<Sql> = LazyLock::new(|| {
    leases::timed(
        "SELECT c.organization_id, c.payment_id
         FROM connection_collections AS c
         LEFT JOIN leases AS l ON l.organization_id = c.organization_id AND l.job = 'collections' AND l.unit = c.payment_id
         LEFT JOIN connections AS k ON k.organization_id = c.organization_id AND k.id = c.connection_id AND k.deleted_at IS NULL
         WHERE c.next_attempt_at IS NOT NULL AND c.next_attempt_at <= $1 AND (k.id IS NULL OR k.is_enabled)
             AND (l.expires_at IS NULL OR l.expires_at <= {now})
         ORDER BY c.next_attempt_at LIMIT $2",
    )
});

pub(crate) static HASTEN: Sql = Sql::new(
    "UPDATE connection_collections SET next_attempt_at = $4
     WHERE organization_id = $1 AND payment_id = $2 AND connection_id = $3 AND next_attempt_at > $4",
);

/// The intent of a payment that the store has lost names that payment, and belongs to another one by now.
pub(crate) static HASTEN_ADOPTED: Sql = Sql::new(
    "UPDATE connection_collections SET next_attempt_at = $4
     WHERE organization_id = $1 AND intent_id = $2 AND connection_id = $3 AND next_attempt_at > $4",
);

impl Record for Collection {
    fn table() -> &'static Table {
        &CONNECTION_COLLECTIONS
    }

    fn write(&self, row: &mut RowWriter) {
        row.uuid("organization_id", self.organization_id.bytes());
        row.uuid("payment_id", self.payment_id.bytes());
        row.int("number", self.number);
        row.uuid("connection_id", self.connection_id.bytes());
        row.text("state", self.state.as_str());
        row.optional_text("payment_method", self.payment_method.as_deref());
        row.optional_text("customer", self.customer.as_deref());
        row.optional_text("intent_id", self.intent_id.as_deref());
        row.int("sends", self.sends);
        row.optional_time("sent_at", self.sent_at);
        row.optional_time("next_attempt_at", self.next_attempt_at);
        row.optional_text("code", self.code.as_deref());
        row.optional_text("decline_code", self.decline_code.as_deref());
        row.time("created_at", self.created_at);
        row.time("updated_at", self.updated_at);
    }

    fn read(row: &mut RowReader<'_, '_>) -> Result<Self, Error> {
        Ok(Self {
            organization_id: OrganizationId::from_bytes(row.uuid("organization_id")?),
            payment_id: PaymentId::from_bytes(row.uuid("payment_id")?),
            number: row.int("number")?,
            connection_id: ConnectionId::from_bytes(row.uuid("connection_id")?),
            state: row.word("state", CollectionState::from_stored)?,
            payment_method: row.optional_text("payment_method")?,
            customer: row.optional_text("customer")?,
            intent_id: row.optional_text("intent_id")?,
            sends: row.int("sends")?,
            sent_at: row.optional_time("sent_at")?,
            next_attempt_at: row.optional_time("next_attempt_at")?,
            code: row.optional_text("code")?,
            decline_code: row.optional_text("decline_code")?,
            created_at: row.time("created_at")?,
            updated_at: row.time("updated_at")?,
        })
    }
}

/// The last collection of a payment.
pub async fn last(db: &Db, organization: OrganizationId, payment: PaymentId) -> Result<Option<Collection>, Error> {
    db.one(&LAST, &[organization.bytes().into(), payment.bytes().into()], record::read).await
}

/// The payment that an intent was requested or adopted for.
pub async fn of_intent(db: &Db, organization: OrganizationId, intent: &str) -> Result<Option<PaymentId>, Error> {
    let read = |row: &Row<'_>| Ok(PaymentId::from_bytes(row.uuid(0)?));
    db.one(&OF_INTENT, &[organization.bytes().into(), intent.into()], read).await
}

/// The intents that were requested or adopted for a payment.
pub async fn intents(db: &Db, organization: OrganizationId, payment: PaymentId) -> Result<Vec<String>, Error> {
    db.all(&INTENTS, &[organization.bytes().into(), payment.bytes().into()], |row| row.text(0)).await
}

/// Stores a collection, or replaces it. A replacement must be fenced by the lease on the payment.
pub fn put(change: Change, collection: &Collection) -> Change {
    change.execute(&PUT, record::values(collection, Purpose::Insert), Violation::Record)
}

/// The unit of work of a payment.
pub const fn unit(organization: OrganizationId, payment: PaymentId) -> Unit {
    Unit { job: JOB, organization, id: payment.bytes() }
}

/// Payments with a request that is due and that no server holds. Those of a disabled connection wait, and delay no others.
pub async fn with_work(db: &Db, now: Time, limit: i64) -> Result<Vec<Unit>, Error> {
    let read = |row: &Row<'_>| Ok(unit(OrganizationId::from_bytes(row.uuid(0)?), PaymentId::from_bytes(row.uuid(1)?)));
    db.all(&WITH_WORK, &[codec::time(now), limit.into()], read).await
}

/// The collection of a payment, and the one that has adopted this intent, are looked at now: the intent may have changed.
pub fn hasten(
    change: Change,
    organization: OrganizationId,
    (payment, intent): (PaymentId, &str),
    connection: ConnectionId,
    now: Time,
) -> Change {
    let params = |of: Value| vec![organization.bytes().into(), of, connection.bytes().into(), codec::time(now)];
    let change = change.execute_any(&HASTEN, params(payment.bytes().into()));
    change.execute_any(&HASTEN_ADOPTED, params(intent.into()))
}
