//! Movements in the ledger, by customer and by day.

use std::sync::LazyLock;

use crate::analytics_ledgers::{self, Ledger};
use crate::analytics_sums::read_amount;
use crate::change::Change;
use crate::codec;
use crate::column::Column;
use crate::db::Db;
use crate::error::Error;
use crate::record::RowWriter;
use crate::row::Row;
use crate::sql::Sql;
use crate::table::{Conflict, Table};
use crate::value::{Type, Value};
use perennial_domain::analytics::Value as Amount;
use perennial_domain::analytics::calendar::{Day, Month};
use perennial_domain::analytics::movements::{Movement, MovementKind};
use perennial_domain::analytics::steps::CustomerKey;
use perennial_domain::currency::Currency;
use perennial_domain::id::UserId;

/// The movements.
pub static ANALYTICS_MOVEMENTS: Table = Table::new(
    27,
    "analytics_movements",
    &[
        Column::key("organization_id", Type::Uuid).unread(),
        Column::key("generation", Type::Int).unread(),
        Column::key("currency", Type::Text),
        Column::key("user_id", Type::Uuid),
        Column::key("day", Type::Int),
        Column::fixed("kind", Type::Text),
        Column::fixed("amount", Type::Text),
        Column::fixed("mrr", Type::Text),
        Column::fixed("cohort", Type::Int),
    ],
)
.on_conflict(Conflict::ReplaceIf("TRUE"))
.personal();

/// The last movement of a customer. A range of one user, since PostgreSQL would search a table that it believes to be small by
/// days, to have their order.
pub(crate) static LAST: LazyLock<Sql> = LazyLock::new(|| {
    ANALYTICS_MOVEMENTS.select(
        "WHERE organization_id = $1 AND generation = $2 AND currency = $3 AND user_id BETWEEN $4 AND $4
         ORDER BY user_id DESC, day DESC",
    )
});

/// All movements of a customer. The range is for the same reason.
pub(crate) static OF_CUSTOMER: LazyLock<Sql> = LazyLock::new(|| {
    ANALYTICS_MOVEMENTS.select(
        "WHERE organization_id = $1 AND generation = $2 AND currency = $3 AND user_id BETWEEN $4 AND $4
         ORDER BY user_id, day",
    )
});

/// The movements of a customer between two days, newest first.
pub(crate) static PAGE_OF_CUSTOMER: LazyLock<Sql> = LazyLock::new(|| {
    ANALYTICS_MOVEMENTS.select(
        "WHERE organization_id = $1 AND generation = $2 AND currency = $3 AND user_id = $6 AND day >= $4 AND day < $5
         ORDER BY day DESC LIMIT $7",
    )
});

/// The rest of a day.
pub(crate) static PAGE_OF_DAY: LazyLock<Sql> = LazyLock::new(|| {
    ANALYTICS_MOVEMENTS.select(
        "WHERE organization_id = $1 AND generation = $2 AND currency = $3 AND day = $4 AND user_id > $5
         ORDER BY user_id LIMIT $6",
    )
});

/// The days before one, newest first.
pub(crate) static PAGE: LazyLock<Sql> = LazyLock::new(|| {
    ANALYTICS_MOVEMENTS.select(
        "WHERE organization_id = $1 AND generation = $2 AND currency = $3 AND day >= $4 AND day < $5
         ORDER BY day DESC, user_id LIMIT $6",
    )
});

/// The last movement of each customer, in the order of currencies and users.
pub(crate) static CUSTOMERS: Sql = Sql::new(
    "SELECT m.currency, m.user_id, m.mrr FROM analytics_movements AS m
     WHERE m.organization_id = $1 AND m.generation = $2 AND (m.currency, m.user_id) > ($3, $4)
         AND NOT EXISTS (
             SELECT 1 FROM analytics_movements AS n
             WHERE n.organization_id = $1 AND n.generation = $2 AND n.currency = m.currency AND n.user_id = m.user_id
                 AND n.day > m.day
         )
     ORDER BY m.currency, m.user_id LIMIT $5",
);

/// The currencies, each found by one step along the index.
pub(crate) static CURRENCIES: Sql = Sql::new(
    "WITH RECURSIVE known (currency) AS (
         SELECT MIN(currency) FROM analytics_movements WHERE organization_id = $1 AND generation = $2
         UNION ALL
         SELECT (
             SELECT MIN(m.currency) FROM analytics_movements AS m
             WHERE m.organization_id = $1 AND m.generation = $2 AND m.currency > known.currency
         ) FROM known WHERE known.currency IS NOT NULL
     ) SELECT currency FROM known WHERE currency IS NOT NULL ORDER BY currency",
);

pub(crate) static REMOVE_ONE: Sql = Sql::new(
    "DELETE FROM analytics_movements
     WHERE organization_id = $1 AND generation = $2 AND currency = $3 AND user_id = $4 AND day = $5",
);

pub(crate) static REMOVE: LazyLock<Sql> = LazyLock::new(|| analytics_ledgers::removal(&ANALYTICS_MOVEMENTS));
pub(crate) static ANY: LazyLock<Sql> = LazyLock::new(|| analytics_ledgers::existence(&ANALYTICS_MOVEMENTS));

/// The last movement of each customer, in their order.
pub async fn last(
    db: &Db,
    ledger: &Ledger,
    customers: impl Iterator<Item = CustomerKey>,
) -> Result<Vec<Option<Movement>>, Error> {
    let key = |(currency, user): CustomerKey| -> [Value; 4] {
        [ledger.organization_id.bytes().into(), ledger.generation.into(), currency.as_str().into(), user.bytes().into()]
    };
    db.find_each(&LAST, &customers.map(key).collect::<Vec<_>>(), read).await
}

/// All movements of a customer, oldest first.
pub async fn of_customer(db: &Db, ledger: &Ledger, customer: CustomerKey) -> Result<Vec<Movement>, Error> {
    let mut params = of_currency(ledger, customer.0);
    params.push(customer.1.bytes().into());
    db.all(&OF_CUSTOMER, &params, read).await
}

/// Movements from a day on and before another one, newest first.
pub async fn page_of_customer(
    db: &Db,
    ledger: &Ledger,
    customer: CustomerKey,
    (from, before): (Day, Day),
    limit: i64,
) -> Result<Vec<Movement>, Error> {
    let mut params = of_currency(ledger, customer.0);
    params.extend([from.number().into(), before.number().into(), customer.1.bytes().into(), limit.into()]);
    db.all(&PAGE_OF_CUSTOMER, &params, read).await
}

/// Movements of a day after a user, and then those of earlier days down to another one, newest first.
pub async fn page(
    db: &Db,
    ledger: &Ledger,
    currency: Currency,
    from: Day,
    (day, after): (Day, UserId),
    limit: i64,
) -> Result<Vec<Movement>, Error> {
    let mut params = of_currency(ledger, currency);
    params.extend([day.number().into(), after.bytes().into(), limit.into()]);
    let mut found = db.all(&PAGE_OF_DAY, &params, read).await?;
    let rest = limit - i64::try_from(found.len()).unwrap_or(limit);
    if rest > 0 {
        let mut params = of_currency(ledger, currency);
        params.extend([from.number().into(), day.number().into(), rest.into()]);
        found.extend(db.all(&PAGE, &params, read).await?);
    }
    Ok(found)
}

/// The customers after one, with their values now.
pub async fn customers(
    db: &Db,
    ledger: &Ledger,
    after: Option<CustomerKey>,
    limit: i64,
) -> Result<Vec<(CustomerKey, Amount)>, Error> {
    let (currency, user) =
        after.map_or((String::new(), [0; 16]), |(currency, user)| (currency.to_string(), user.bytes()));
    let mut params = analytics_ledgers::key(ledger);
    params.extend([currency.as_str().into(), user.into(), limit.into()]);
    let read = |row: &Row<'_>| {
        let currency = codec::word(row.text_ref(0)?, |word| Currency::parse(word).ok())?;
        Ok(((currency, UserId::from_bytes(row.uuid(1)?)), read_amount(row.text_ref(2)?)?))
    };
    db.all(&CUSTOMERS, &params, read).await
}

/// The currencies with a movement, sorted.
pub async fn currencies(db: &Db, ledger: &Ledger) -> Result<Vec<String>, Error> {
    db.all(&CURRENCIES, &analytics_ledgers::key(ledger), |row| row.text(0)).await
}

/// Stores a movement, or replaces that of its day.
pub fn put(change: Change, ledger: &Ledger, movement: &Movement) -> Change {
    analytics_ledgers::put(change, &ANALYTICS_MOVEMENTS, ledger, |row| write(row, movement))
}

/// Stores a movement of a day on which its customer has none yet. If there is one, PostgreSQL logs the IDs of the key, of which
/// that of the user is the only personal data.
pub fn insert(change: Change, ledger: &Ledger, movement: &Movement) -> Change {
    analytics_ledgers::insert_new(change, &ANALYTICS_MOVEMENTS, ledger, |row| write(row, movement))
}

fn write(row: &mut RowWriter, movement: &Movement) {
    row.text("currency", movement.currency.as_str());
    row.uuid("user_id", movement.user_id.bytes());
    row.int("day", movement.day.number());
    row.text("kind", movement.kind.as_str());
    row.text("amount", &movement.amount.to_string());
    row.text("mrr", &movement.after.to_string());
    row.int("cohort", movement.cohort.number());
}

/// Removes the movement of a day.
pub fn remove(change: Change, ledger: &Ledger, (currency, user): CustomerKey, day: Day) -> Change {
    let mut params = of_currency(ledger, currency);
    params.extend([user.bytes().into(), day.number().into()]);
    change.execute_any(&REMOVE_ONE, params)
}

fn of_currency(ledger: &Ledger, currency: Currency) -> Vec<Value> {
    let mut params = analytics_ledgers::key(ledger);
    params.push(currency.as_str().into());
    params
}

fn read(row: &Row<'_>) -> Result<Movement, Error> {
    Ok(Movement {
        currency: codec::word(row.text_ref(0)?, |word| Currency::parse(word).ok())?,
        user_id: UserId::from_bytes(row.uuid(1)?),
        day: Day::from_number(row.int(2)?),
        kind: codec::word(row.text_ref(3)?, MovementKind::from_stored)?,
        amount: read_amount(row.text_ref(4)?)?,
        after: read_amount(row.text_ref(5)?)?,
        cohort: Month::from_number(row.int(6)?),
    })
}
