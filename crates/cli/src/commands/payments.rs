//! `perennial payment`.

use super::flags::read_flags;
use super::records::{Column, Kind, Record, parse_id, position_of, text};
use crate::arguments::PaymentFilters;
use crate::failure::Failure;
use perennial_app::caller::Caller;
use perennial_app::context::App;
use perennial_app::error::Error;
use perennial_app::payments::{self, Query};
use perennial_domain::payments::{Payment, PaymentStatus};
use perennial_http::record_fields;
use perennial_store::{Page, Position};

static KIND: Kind = Kind {
    name: "payment",
    fields: || record_fields("Payment"),
    columns: &[
        Column::whole("ID", "id"),
        Column::new("AMOUNT", "amount"),
        Column::new("CURRENCY", "currency"),
        Column::new("STATUS", "status"),
        Column::new("DATE", "date"),
        Column::new("SUBSCRIPTION", "subscription_id"),
        Column::new("EXTERNAL ID", "external_payment_id"),
    ],
};

impl Record for Payment {
    type Filters = PaymentFilters;
    type Query = Query;

    const KIND: &'static Kind = &KIND;

    async fn find(app: &App, caller: &Caller, named: &str) -> Result<Self, Error> {
        payments::read(app, caller, parse_id(named)?).await
    }

    async fn query(_: &App, _: &Caller, filters: &PaymentFilters) -> Result<Query, Failure> {
        let id = filters.subscription.as_deref().map(str::parse).transpose();
        Ok(Query {
            subscription_id: id.map_err(|_| Failure::new("--subscription must be an id, such as sub_01h4…"))?,
            statuses: read_flags("status", &filters.status, PaymentStatus::parse)?,
            ..Query::default()
        })
    }

    async fn page(
        app: &App,
        caller: &Caller,
        query: &Query,
        after: Option<Position>,
        limit: usize,
    ) -> Result<Page<Self>, Error> {
        payments::page(app, caller, query.clone(), after, limit).await
    }

    fn position(&self, _: &Query) -> Position {
        position_of(self.id.bytes())
    }

    fn name(&self) -> String {
        self.id.to_string()
    }

    fn render(&self, _: &App) -> String {
        text(self)
    }
}
