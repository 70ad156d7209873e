//! `perennial tax-rate`.

use super::records::{Column, Kind, Record, parse_id, position_of, text};
use crate::arguments::TaxRateFilters;
use crate::failure::Failure;
use perennial_app::caller::Caller;
use perennial_app::context::App;
use perennial_app::error::Error;
use perennial_app::tax_rates;
use perennial_domain::tax_rates::TaxRate;
use perennial_http::record_fields;
use perennial_store::{Page, Position};

static KIND: Kind = Kind {
    name: "tax-rate",
    fields: || record_fields("TaxRate"),
    columns: &[
        Column::whole("ID", "id"),
        Column::new("NAME", "name"),
        Column::new("PERCENTAGE", "percentage"),
        Column::new("COUNTRY", "country"),
        Column::new("ACTIVE", "is_active"),
    ],
};

impl Record for TaxRate {
    type Filters = TaxRateFilters;
    type Query = ();

    const KIND: &'static Kind = &KIND;

    async fn find(app: &App, caller: &Caller, named: &str) -> Result<Self, Error> {
        tax_rates::read(app, caller, parse_id(named)?).await
    }

    async fn query(_: &App, _: &Caller, _: &TaxRateFilters) -> Result<(), Failure> {
        Ok(())
    }

    async fn page(
        app: &App,
        caller: &Caller,
        (): &(),
        after: Option<Position>,
        limit: usize,
    ) -> Result<Page<Self>, Error> {
        tax_rates::page(app, caller, after, limit).await
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
