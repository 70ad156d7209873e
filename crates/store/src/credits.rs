//! The ledger of credits, and the balances that are its sums. An entry and its balance are written by one change, so that
//! they never differ, and no balance becomes negative whatever runs at the same time.

use crate::bulk::Bulk;
use crate::change::Change;
use crate::column::Column;
use crate::db::Db;
use crate::error::{Error, Violation};
use crate::list::{BY_CREATION, KeysetQuery, Order, Page, Position};
use crate::record::{self, Purpose, Record, RowReader, RowWriter};
use crate::row::Row;
use crate::sql::Sql;
use crate::table::Table;
use crate::value::Type;
use crate::{codec, users};
use perennial_domain::credits::{Balance, Credit, CreditAmount, CreditReason, MAX_BALANCE};
use perennial_domain::currency::Currency;
use perennial_domain::id::{CreditId, OrganizationId, UserId};
use perennial_domain::money::Money;
use perennial_domain::text::Line;

/// The entries of all ledgers.
pub static CREDITS: Table = Table::new(
    35,
    "credits",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("id", Type::Uuid),
        Column::fixed("user_id", Type::Uuid).refers_to("users").indexed(),
        Column::fixed("currency", Type::Text),
        Column::fixed("amount", Type::Int),
        Column::fixed("reason", Type::Text),
        Column::fixed("record_id", Type::Text).nullable(),
        Column::fixed("description", Type::Text).nullable(),
        Column::fixed("created_at", Type::Time),
    ],
)
.under_clock();

/// The balance of each user and currency: the sum of the entries.
pub static CREDIT_BALANCES: Table = Table::new(
    36,
    "credit_balances",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("user_id", Type::Uuid),
        Column::key("currency", Type::Text),
        Column::mutable("amount", Type::Int),
    ],
)
.part_of("users", "user_id")
.under_clock();

pub(crate) static BALANCES: Sql = Sql::new(
    "SELECT currency, amount FROM credit_balances
     WHERE organization_id = $1 AND user_id = $2 ORDER BY currency",
);

pub(crate) static BALANCE: Sql =
    Sql::new("SELECT amount FROM credit_balances WHERE organization_id = $1 AND user_id = $2 AND currency = $3");

pub(crate) static OPEN_BALANCE: Sql = Sql::new(
    "INSERT INTO credit_balances (organization_id, user_id, currency, amount) VALUES ($1, $2, $3, 0)
     ON CONFLICT DO NOTHING",
);

pub(crate) static ADD: Sql = Sql::new(
    "UPDATE credit_balances
     SET amount = amount + $4
     WHERE organization_id = $1 AND user_id = $2 AND currency = $3 AND amount + $4 BETWEEN 0 AND $5",
);

/// `WHERE TRUE` separates the query from `ON CONFLICT` for SQLite.
pub(crate) static COMPUTE: Sql = Sql::new(
    "INSERT INTO credit_balances (organization_id, user_id, currency, amount)
     SELECT organization_id, user_id, currency, CAST(SUM(amount) AS BIGINT) FROM credits
     WHERE TRUE GROUP BY organization_id, user_id, currency
     ON CONFLICT (organization_id, user_id, currency) DO UPDATE SET amount = excluded.amount",
);

impl Record for Credit {
    fn table() -> &'static Table {
        &CREDITS
    }

    fn write(&self, row: &mut RowWriter) {
        row.uuid("organization_id", self.organization_id.bytes());
        row.uuid("id", self.id.bytes());
        row.uuid("user_id", self.user_id.bytes());
        row.text("currency", self.currency.as_str());
        row.int("amount", self.amount.ten_thousandths());
        row.text("reason", self.reason.as_str());
        row.optional_text("record_id", self.record_id.as_deref());
        row.optional_text("description", self.description.as_ref().map(Line::as_str));
        row.time("created_at", self.created_at);
    }

    fn read(row: &mut RowReader<'_, '_>) -> Result<Self, Error> {
        Ok(Self {
            organization_id: OrganizationId::from_bytes(row.uuid("organization_id")?),
            id: CreditId::from_bytes(row.uuid("id")?),
            user_id: UserId::from_bytes(row.uuid("user_id")?),
            currency: row.word("currency", |word| Currency::parse(word).ok())?,
            amount: row.number("amount", CreditAmount::from_ten_thousandths)?,
            reason: row.word("reason", CreditReason::from_stored)?,
            record_id: row.optional_text("record_id")?,
            description: row.optional_text("description")?.map(Line::from_stored),
            created_at: row.time("created_at")?,
        })
    }
}

/// The filters of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Query {
    /// The user whose ledger it is.
    pub user_id: UserId,
    /// Entries of this currency.
    pub currency: Option<Currency>,
}

/// A page of a user's ledger, newest first.
pub async fn list(
    db: &Db,
    organization: OrganizationId,
    query: &Query,
    after: Option<Position>,
    limit: usize,
) -> Result<Page<Credit>, Error> {
    compose(organization, query).after(after).limit(limit).page(db, record::read).await
}

pub(crate) fn compose(organization: OrganizationId, query: &Query) -> KeysetQuery {
    let list = CREDITS.list(organization.bytes()).equal("user_id", query.user_id.bytes());
    let list = list.sort(BY_CREATION, Order::Descending);
    match query.currency {
        Some(currency) => list.filter("currency = {}", vec![currency.as_str().into()]),
        None => list,
    }
}

/// The balances of a user, by currency. A balance of 0 is listed once there was another.
pub async fn balances(db: &Db, organization: OrganizationId, user: UserId) -> Result<Vec<Balance>, Error> {
    let read = |row: &Row<'_>| {
        let currency = codec::word(&row.text(0)?, |word| Currency::parse(word).ok())?;
        Ok(Balance { currency, amount: codec::money(row.int(1)?)? })
    };
    db.all(&BALANCES, &[organization.bytes().into(), user.bytes().into()], read).await
}

/// The balance of a user in a currency. None: there was never another than 0.
pub async fn balance(
    db: &Db,
    organization: OrganizationId,
    user: UserId,
    currency: Currency,
) -> Result<Option<Money>, Error> {
    let key = [organization.bytes().into(), user.bytes().into(), currency.as_str().into()];
    db.find(&BALANCE, key, |row| codec::money(row.int(0)?)).await
}

/// Computes all balances from the ledger, in a transaction that imports entries.
pub async fn compute_balances(bulk: &mut Bulk) -> Result<u64, Error> {
    bulk.execute(&COMPUTE, &[Vec::new()]).await
}

/// A new entry, and the balance after it. Rejected with [`Violation::Balance`] if the balance would be negative or too
/// large, and with [`Violation::User`] if the user does not exist.
pub fn insert(change: Change, credit: &Credit) -> Change {
    insert_any(users::guard_live(change, credit.organization_id, credit.user_id), credit)
}

/// The same for a user that may have been erased: documents of the user can still change the balance.
pub fn insert_any(change: Change, credit: &Credit) -> Change {
    let Credit { organization_id, user_id, currency, amount, .. } = credit;
    let key = || vec![organization_id.bytes().into(), user_id.bytes().into(), currency.as_str().into()];
    let mut added = key();
    added.extend([amount.ten_thousandths().into(), MAX_BALANCE.into()]);
    let change = change.execute_any(&OPEN_BALANCE, key());
    let change = change.execute(&ADD, added, Violation::Balance);
    change.insert(&CREDITS.statements().insert, record::values(credit, Purpose::Insert), Violation::Record)
}
