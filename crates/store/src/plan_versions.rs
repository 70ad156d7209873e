//! The versions of plans that later ones have replaced.
//!
//! A row is written in the change that replaces the version, and never again. The current version is the row of the plan
//! itself. So a plan has no second row until its price changes, and a server of an earlier release, which knows no
//! versions, leaves nothing inconsistent: it changes the current version in place.

use std::sync::LazyLock;

use crate::change::Change;
use crate::column::Column;
use crate::db::Db;
use crate::error::{Error, Violation};
use crate::record::{self, Purpose, RowReader};
use crate::row::Row;
use crate::sql::Sql;
use crate::table::{Conflict, Table};
use crate::value::Type;
use perennial_domain::currency::Currency;
use perennial_domain::cycle::BillingCycle;
use perennial_domain::plans::billing::TaxBehavior;
use perennial_domain::plans::charges;
use perennial_domain::plans::{MAX_VERSION, Plan, ReplacedVersion, Version};
use perennial_domain::time::Time;

/// The versions. An import may have made a row for the current version, which is not final: it is replaced.
pub static PLAN_VERSIONS: Table = Table::new(
    13,
    "plan_versions",
    &[
        Column::key("organization_id", Type::Uuid).unread(),
        Column::key("plan_id", Type::Uuid).unread(),
        Column::key("version", Type::Int).between(1, MAX_VERSION),
        Column::fixed("price", Type::Int),
        Column::fixed("currency", Type::Text),
        Column::fixed("billing_cycle", Type::Text),
        Column::fixed("replaced_at", Type::Time),
        Column::fixed("tax_behavior", Type::Text).nullable(),
        Column::fixed("charges", Type::Text).nullable(),
    ],
)
.on_conflict(Conflict::ReplaceIf("TRUE"))
.part_of("plans", "plan_id")
.under_clock();

pub(crate) static BELOW: LazyLock<Sql> = LazyLock::new(|| {
    PLAN_VERSIONS.select("WHERE organization_id = $1 AND plan_id = $2 AND version < $3 ORDER BY version DESC LIMIT $4")
});

pub(crate) static BY_NUMBER: LazyLock<Sql> =
    LazyLock::new(|| PLAN_VERSIONS.select("WHERE organization_id = $1 AND plan_id = $2 AND version = $3"));

/// A version of a plan that was replaced.
pub async fn by_number(db: &Db, plan: &Plan, version: Version) -> Result<Option<ReplacedVersion>, Error> {
    let params = [plan.organization_id.bytes().into(), plan.id.bytes().into(), version.get().into()];
    db.one(&BY_NUMBER, &params, read).await
}

/// The replaced versions of a plan below a number, newest first.
pub async fn below(db: &Db, plan: &Plan, version: i64, limit: usize) -> Result<Vec<ReplacedVersion>, Error> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let params = [plan.organization_id.bytes().into(), plan.id.bytes().into(), version.into(), limit.into()];
    db.all(&BELOW, &params, read).await
}

/// Records the version of a plan that this change replaces. The plan must be guarded at its revision in the same change.
pub fn insert(change: Change, before: &Plan, replaced_at: Time) -> Change {
    let replaced = ReplacedVersion::of(before, replaced_at);
    let values = record::values_of(&PLAN_VERSIONS, Purpose::Insert, |row| {
        row.uuid("organization_id", before.organization_id.bytes());
        row.uuid("plan_id", before.id.bytes());
        row.whole("version", replaced.version);
        row.int("price", replaced.price.ten_thousandths());
        row.text("currency", replaced.currency.as_str());
        row.text("billing_cycle", replaced.billing_cycle.as_str());
        row.time("replaced_at", replaced.replaced_at);
        row.optional_text("tax_behavior", Some(replaced.tax_behavior.as_str()));
        row.optional_text("charges", charges::to_stored(&replaced.charges).as_deref());
    });
    change.insert(&PLAN_VERSIONS.statements().insert, values, Violation::Record)
}

fn read(row: &Row<'_>) -> Result<ReplacedVersion, Error> {
    let row = &mut RowReader::new(row, &PLAN_VERSIONS);
    Ok(ReplacedVersion {
        version: row.whole("version")?,
        price: row.money("price")?,
        currency: row.word("currency", |word| Currency::parse(word).ok())?,
        billing_cycle: row.word("billing_cycle", BillingCycle::from_stored)?,
        replaced_at: row.time("replaced_at")?,
        tax_behavior: row.optional_word("tax_behavior", |word| TaxBehavior::parse(word).ok())?.unwrap_or_default(),
        charges: row.optional_word("charges", charges::from_stored)?.unwrap_or_default(),
    })
}
