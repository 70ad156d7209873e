//! `perennial coupon`.

use super::records::{Column, Kind, Record, parse_id, position_of, text};
use crate::arguments::CouponFilters;
use crate::failure::Failure;
use perennial_app::caller::Caller;
use perennial_app::context::App;
use perennial_app::coupons;
use perennial_app::error::Error;
use perennial_domain::coupons::Coupon;
use perennial_http::record_fields;
use perennial_store::{Page, Position};

static KIND: Kind = Kind {
    name: "coupon",
    fields: || record_fields("Coupon"),
    columns: &[
        Column::whole("CODE", "code"),
        Column::new("PERCENT", "percent"),
        Column::new("AMOUNT", "amount"),
        Column::new("CURRENCY", "currency"),
        Column::new("DURATION", "duration"),
        Column::new("REDEMPTIONS", "redemptions"),
        Column::new("ACTIVE", "is_active"),
        Column::new("ID", "id"),
    ],
};

impl Record for Coupon {
    type Filters = CouponFilters;
    type Query = ();

    const KIND: &'static Kind = &KIND;

    async fn find(app: &App, caller: &Caller, named: &str) -> Result<Self, Error> {
        coupons::read(app, caller, parse_id(named)?).await
    }

    async fn query(_: &App, _: &Caller, _: &CouponFilters) -> Result<(), Failure> {
        Ok(())
    }

    async fn page(
        app: &App,
        caller: &Caller,
        (): &(),
        after: Option<Position>,
        limit: usize,
    ) -> Result<Page<Self>, Error> {
        coupons::page(app, caller, after, limit).await
    }

    fn position(&self, (): &()) -> Position {
        position_of(self.id.bytes())
    }

    fn name(&self) -> String {
        self.id.to_string()
    }

    fn render(&self, _: &App) -> String {
        text(self)
    }
}
