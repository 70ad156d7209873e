//! Coupons in the store. Redemptions are counted by a statement of their own, which no update of the record overwrites.

use std::sync::LazyLock;

use crate::change::Change;
use crate::codec;
use crate::column::Column;
use crate::db::Db;
use crate::error::{Error, Violation};
use crate::list::{BY_CREATION, KeysetQuery, Order, Page, Position};
use crate::record::{self, Record, RowReader, RowWriter};
use crate::sql::Sql;
use crate::table::Table;
use crate::value::Type;
use perennial_domain::coupons::{Coupon, CouponCode, CouponPercent, Duration, MAX_REDEMPTIONS};
use perennial_domain::currency::Currency;
use perennial_domain::id::{CouponId, EventId, OrganizationId, PlanId};
use perennial_domain::money::Money;
use perennial_domain::number::Whole;
use perennial_domain::plans::Plan;
use perennial_domain::time::Time;

/// The coupons.
pub static COUPONS: Table = Table::new(
    34,
    "coupons",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("id", Type::Uuid),
        Column::fixed("code", Type::Text),
        Column::fixed("percent", Type::Int).nullable(),
        Column::fixed("amount", Type::Int).nullable(),
        Column::fixed("currency", Type::Text).nullable(),
        Column::fixed("duration", Type::Text),
        Column::fixed("periods", Type::Int).nullable(),
        Column::fixed("plan_ids", Type::Text),
        Column::fixed("redeem_by", Type::Time).nullable(),
        Column::fixed("max_redemptions", Type::Int).nullable(),
        Column::fixed("redemptions", Type::Int).between(0, MAX_REDEMPTIONS),
        Column::mutable("is_active", Type::Bool),
        Column::fixed("created_at", Type::Time),
        Column::mutable("updated_at", Type::Time),
        Column::mutable("revision", Type::Uuid),
    ],
)
.under_clock();

pub(crate) static BY_CODE: LazyLock<Sql> =
    LazyLock::new(|| COUPONS.select("WHERE organization_id = $1 AND lower(code) = lower($2)"));

/// Of concurrent redemptions each sees the count of those before it: the row is locked by the update.
pub(crate) static REDEEM: Sql = Sql::new(
    "UPDATE coupons
     SET redemptions = redemptions + 1
     WHERE organization_id = $1 AND id = $2 AND is_active
       AND (redeem_by IS NULL OR redeem_by >= $3)
       AND redemptions < COALESCE(max_redemptions, $4)",
);

impl Record for Coupon {
    fn table() -> &'static Table {
        &COUPONS
    }

    fn write(&self, row: &mut RowWriter) {
        let plan_ids: Vec<String> = self.plan_ids.iter().map(PlanId::to_string).collect();
        row.uuid("organization_id", self.organization_id.bytes());
        row.uuid("id", self.id.bytes());
        row.text("code", self.code.as_str());
        row.optional_int("percent", self.percent.map(CouponPercent::ten_thousandths));
        row.optional_int("amount", self.amount.map(Money::ten_thousandths));
        row.optional_text("currency", self.currency.as_ref().map(Currency::as_str));
        row.text("duration", self.duration.as_str());
        row.optional_int("periods", self.periods.map(Whole::get));
        row.list("plan_ids", plan_ids.iter().map(String::as_str));
        row.optional_time("redeem_by", self.redeem_by);
        row.optional_int("max_redemptions", self.max_redemptions.map(Whole::get));
        row.int("redemptions", self.redemptions);
        row.bool("is_active", self.is_active);
        row.time("created_at", self.created_at);
        row.time("updated_at", self.updated_at);
        row.uuid("revision", self.revision.bytes());
    }

    fn read(row: &mut RowReader<'_, '_>) -> Result<Self, Error> {
        Ok(Self {
            organization_id: OrganizationId::from_bytes(row.uuid("organization_id")?),
            id: CouponId::from_bytes(row.uuid("id")?),
            code: CouponCode::from_stored(row.text("code")?),
            percent: row.optional_number("percent", CouponPercent::from_ten_thousandths)?,
            amount: row.optional_number("amount", Money::from_ten_thousandths)?,
            currency: row.optional_word("currency", |word| Currency::parse(word).ok())?,
            duration: row.word("duration", Duration::from_stored)?,
            periods: row.optional_int("periods")?.map(Whole::from_stored),
            plan_ids: row.list("plan_ids")?.filter_map(|id| id.parse().ok()).collect(),
            redeem_by: row.optional_time("redeem_by")?,
            max_redemptions: row.optional_int("max_redemptions")?.map(Whole::from_stored),
            redemptions: row.int("redemptions")?,
            is_active: row.bool("is_active")?,
            created_at: row.time("created_at")?,
            updated_at: row.time("updated_at")?,
            revision: EventId::from_bytes(row.uuid("revision")?),
        })
    }
}

/// The coupon with this id.
pub async fn by_id(db: &Db, organization: OrganizationId, id: CouponId) -> Result<Option<Coupon>, Error> {
    record::by_id(db, organization, id.bytes()).await
}

/// The coupon with this code, regardless of case.
pub async fn by_code(db: &Db, organization: OrganizationId, code: &CouponCode) -> Result<Option<Coupon>, Error> {
    db.find(&BY_CODE, [organization.bytes().into(), code.as_str().into()], record::read).await
}

/// A page of an organization's coupons, newest first.
pub async fn list(
    db: &Db,
    organization: OrganizationId,
    after: Option<Position>,
    limit: usize,
) -> Result<Page<Coupon>, Error> {
    compose(organization).after(after).limit(limit).page(db, record::read).await
}

pub(crate) fn compose(organization: OrganizationId) -> KeysetQuery {
    COUPONS.list(organization.bytes()).sort(BY_CREATION, Order::Descending)
}

/// A new coupon; rejected with [`Violation::Code`] if its code is in use, and with [`Violation::Plan`] if a plan that it
/// names does not exist.
pub fn insert(change: Change, coupon: &Coupon) -> Change {
    let guard = |change, plan: &PlanId| {
        record::guard_live::<Plan>(change, coupon.organization_id, plan.bytes(), Violation::Plan)
    };
    record::insert(coupon.plan_ids.iter().fold(change, guard), coupon, Violation::Code)
}

/// The coupon as it is now, if it is still at the revision it was read at. Its redemptions stay as they are.
pub fn update(change: Change, coupon: &Coupon, read_at: EventId) -> Change {
    record::update(change, coupon, read_at, Violation::Record)
}

/// Counts a redemption; rejected with [`Violation::Coupon`] if the coupon is inactive, past its `redeem_by` or used up.
/// The condition is that of `Coupon::availability`.
pub fn redeem(change: Change, organization: OrganizationId, id: CouponId, now: Time) -> Change {
    let params = vec![organization.bytes().into(), id.bytes().into(), codec::time(now), MAX_REDEMPTIONS.into()];
    change.execute(&REDEEM, params, Violation::Coupon)
}
