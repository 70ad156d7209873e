//! `perennial meter`.

use super::records::{Column, Kind, Record, position_of, text};
use crate::arguments::MeterFilters;
use crate::failure::Failure;
use perennial_app::caller::Caller;
use perennial_app::context::App;
use perennial_app::error::Error;
use perennial_app::meters;
use perennial_domain::meters::{Meter, MeterKey};
use perennial_http::record_fields;
use perennial_store::{Page, Position};

static KIND: Kind = Kind {
    name: "meter",
    fields: || record_fields("Meter"),
    columns: &[
        Column::whole("SLUG", "slug"),
        Column::new("NAME", "name"),
        Column::new("AGGREGATION", "aggregation"),
        Column::new("UNIT", "unit"),
        Column::new("ACTIVE", "is_active"),
        Column::new("ID", "id"),
    ],
};

impl Record for Meter {
    type Filters = MeterFilters;
    type Query = ();

    const KIND: &'static Kind = &KIND;

    async fn find(app: &App, caller: &Caller, named: &str) -> Result<Self, Error> {
        meters::find(app, caller, &MeterKey::parse(named).ok_or(Error::NotFound)?).await
    }

    async fn query(_: &App, _: &Caller, _: &MeterFilters) -> Result<(), Failure> {
        Ok(())
    }

    async fn page(
        app: &App,
        caller: &Caller,
        (): &(),
        after: Option<Position>,
        limit: usize,
    ) -> Result<Page<Self>, Error> {
        meters::page(app, caller, after, limit).await
    }

    fn position(&self, (): &()) -> Position {
        position_of(self.id.bytes())
    }

    fn name(&self) -> String {
        self.slug.as_str().to_owned()
    }

    fn render(&self, _: &App) -> String {
        text(self)
    }
}
