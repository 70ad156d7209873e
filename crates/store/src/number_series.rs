//! The counters of document numbers. A number is drawn in the change that issues its document: the row of the series is locked
//! until the commit, so that numbers have no gaps and are in the order of commits.

use crate::change::Change;
use crate::column::Column;
use crate::db::Db;
use crate::error::{Error, Violation};
use crate::sql::Sql;
use crate::table::Table;
use crate::value::Type;
use perennial_domain::id::OrganizationId;

/// The counters.
pub static NUMBER_SERIES: Table = Table::new(
    42,
    "number_series",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("series", Type::Text),
        Column::mutable("next", Type::Int),
    ],
)
.under_clock();

pub(crate) static NEXT: Sql = Sql::new("SELECT next FROM number_series WHERE organization_id = $1 AND series = $2");

pub(crate) static ALL: Sql =
    Sql::new("SELECT series, next FROM number_series WHERE organization_id = $1 ORDER BY series");

pub(crate) static OPEN: Sql =
    Sql::new("INSERT INTO number_series (organization_id, series, next) VALUES ($1, $2, 1) ON CONFLICT DO NOTHING");

/// Another change that draws waits for this one, and then finds another counter.
pub(crate) static DRAW: Sql =
    Sql::new("UPDATE number_series SET next = next + $4 WHERE organization_id = $1 AND series = $2 AND next = $3");

/// A counter is only raised.
pub(crate) static RAISE: Sql =
    Sql::new("UPDATE number_series SET next = $3 WHERE organization_id = $1 AND series = $2 AND next <= $3");

/// The next number of a series.
pub async fn next(db: &Db, organization: OrganizationId, series: &str) -> Result<i64, Error> {
    let found = db.one(&NEXT, &[organization.bytes().into(), series.into()], |row| row.int(0)).await?;
    Ok(found.unwrap_or(1))
}

/// Every series of an organization, with its next number.
pub async fn all(db: &Db, organization: OrganizationId) -> Result<Vec<(String, i64)>, Error> {
    db.all(&ALL, &[organization.bytes().into()], |row| Ok((row.text(0)?, row.int(1)?))).await
}

/// Draws `count` numbers, the first of which is `first`. Rejected with [`Violation::Number`] if another change drew it.
pub fn draw(change: Change, organization: OrganizationId, series: &str, first: i64, count: i64) -> Change {
    let change = change.execute_any(&OPEN, vec![organization.bytes().into(), series.into()]);
    let params = vec![organization.bytes().into(), series.into(), first.into(), count.into()];
    change.execute(&DRAW, params, Violation::Number)
}

/// Raises a counter; rejected with [`Violation::Number`] if it is higher already.
pub fn raise(change: Change, organization: OrganizationId, series: &str, next: i64) -> Change {
    let change = change.execute_any(&OPEN, vec![organization.bytes().into(), series.into()]);
    let params = vec![organization.bytes().into(), series.into(), next.into()];
    change.execute(&RAISE, params, Violation::Number)
}
