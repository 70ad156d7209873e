//! `perennial payment`.

use super::flags::{range, read_flag, read_flags};
use super::records::{Column, Kind, Record, find, parse_id, position_of, text};
use crate::arguments::PaymentFilters;
use crate::failure::Failure;
use perennial_app::caller::Caller;
use perennial_app::context::App;
use perennial_app::error::Error;
use perennial_app::payments::{self, Query};
use perennial_domain::currency::Currency;
use perennial_domain::payments::{ExternalPaymentId, Payment, PaymentStatus};
use perennial_domain::users::User;
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

    async fn query(app: &App, caller: &Caller, filters: &PaymentFilters) -> Result<Query, Failure> {
        let id = filters.subscription.as_deref().map(str::parse).transpose();
        let invoice = filters.invoice.as_deref().map(str::parse).transpose();
        let external = filters.external_payment_id.as_deref();
        let external = read_flag("external-payment-id", external, ExternalPaymentId::parse)?;
        let user = match &filters.user {
            Some(named) => Some(find::<User>(app, caller, named).await?.id),
            None => None,
        };
        Ok(Query {
            user_id: user,
            external_id: external.map(|id| id.as_str().to_owned()),
            currency: read_flag("currency", filters.currency.as_deref(), Currency::parse)?,
            created: range(["created-after", "created-before"], [&filters.created_after, &filters.created_before])?,
            invoice_id: invoice.map_err(|_| Failure::new("--invoice must be an id, such as inv_01h4…"))?,
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
