//! `perennial invoice`.

use super::flags::{organization, read_flags};
use super::records::{self, Column, Kind, Record, parse_id, position_of, text};
use crate::arguments::{Invoice as Command, InvoiceFilters};
use crate::failure::Failure;
use crate::output;
use perennial_app::caller::Caller;
use perennial_app::context::App;
use perennial_app::error::Error;
use perennial_app::invoices::{self, Query};
use perennial_domain::invoices::Decimal;
use perennial_domain::invoices::record::Invoice;
use perennial_domain::invoices::status::InvoiceStatus;
use perennial_domain::time::Time;
use perennial_domain::validation::{InvalidValue, ValidationCode};
use perennial_http::record_fields;
use perennial_store::{Page, Position};
use serde::Serialize;

static KIND: Kind = Kind {
    name: "invoice",
    fields: || record_fields("Invoice"),
    columns: &[
        Column::new("NUMBER", "number"),
        Column::new("KIND", "kind"),
        Column::new("STATUS", "status"),
        Column::new("TOTAL", "total"),
        Column::new("DUE", "amount_due"),
        Column::new("CURRENCY", "currency"),
        Column::new("ISSUED", "issued_at"),
        Column::whole("ID", "id"),
    ],
};

pub(super) async fn run(app: &App, command: Command, json: bool) -> Result<(), Failure> {
    match command {
        Command::Record(command) => records::run::<Invoice>(app, command, json).await,
        Command::Document(document) => super::invoice_documents::write(app, document, json).await,
        Command::Series { series: named, next, org } => {
            let found = organization(app, &org.org).await?;
            if let Some(next) = next {
                let raised = invoices::series::raise(app, &found, named.as_deref(), next).await?;
                if !raised {
                    return Err(Failure::new("--next must not be less than the next number of the series"));
                }
            }
            let all: Vec<Counter> = invoices::series::all(app, found.id)
                .await?
                .into_iter()
                .map(|(series, next)| Counter { series, next })
                .collect();
            output::print(json, &all, || {
                let lines: Vec<String> =
                    all.iter().map(|counter| format!("{} {}", counter.series, counter.next)).collect();
                if lines.is_empty() { "No number was drawn yet.".to_owned() } else { lines.join("\n") }
            })
        }
    }
}

#[derive(Serialize)]
struct Counter {
    series: String,
    next: i64,
}

fn status(text: &str) -> Result<InvoiceStatus, InvalidValue> {
    let known = InvoiceStatus::ALL.map(InvoiceStatus::as_str).join(", ");
    InvoiceStatus::from_stored(text)
        .ok_or_else(|| InvalidValue::new(ValidationCode::UnknownValue, format!("must be one of {known}")))
}

impl Record for Invoice {
    type Filters = InvoiceFilters;
    type Query = Query;

    const KIND: &'static Kind = &KIND;

    async fn find(app: &App, caller: &Caller, named: &str) -> Result<Self, Error> {
        invoices::read(app, caller, parse_id(named)?).await
    }

    async fn query(_: &App, _: &Caller, filters: &InvoiceFilters) -> Result<Query, Failure> {
        let subscription = filters.subscription.as_deref().map(str::parse).transpose();
        let user = filters.user.as_deref().map(str::parse).transpose();
        Ok(Query {
            subscription_id: subscription
                .map_err(|_| Failure::new("--subscription must be an id, such as sub_01h4…"))?,
            user_id: user.map_err(|_| Failure::new("--user must be an id, such as usr_01h4…"))?,
            statuses: read_flags("status", &filters.status, status)?,
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
        invoices::page(app, caller, query.clone(), after, limit).await
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

    fn details(&self) -> Option<String> {
        let number = |value: Option<Decimal>| value.map(|value| value.to_string()).unwrap_or_default();
        let time = |value: Option<Time>| value.map(|value| value.to_string()).unwrap_or_default();
        let rows: Vec<[String; 8]> = self
            .lines
            .iter()
            .map(|line| {
                [
                    line.kind.as_str().to_owned(),
                    line.description.clone(),
                    number(line.quantity),
                    number(line.unit_price),
                    line.amount.to_string(),
                    line.discount.to_string(),
                    time(line.period_start),
                    time(line.period_end),
                ]
            })
            .collect();
        let heads = ["LINE", "DESCRIPTION", "QUANTITY", "PRICE", "AMOUNT", "DISCOUNT", "FROM", "TO"];
        (!rows.is_empty()).then(|| output::table(heads, &rows))
    }
}
