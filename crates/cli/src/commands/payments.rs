//! `perennial payment`.

use super::records::{self, Column, Kind, text};
use super::{organization, wrong};
use crate::arguments::Payment as Command;
use crate::failure::Failure;
use perennial_app::context::App;
use perennial_app::payments::{self, Query};
use perennial_domain::id::OrganizationId;
use perennial_domain::payments::{Payment, PaymentStatus};
use perennial_store::Position;

static KIND: Kind = Kind {
    name: "payment",
    fields: &[
        "id",
        "subscription_id",
        "amount",
        "currency",
        "external_payment_id",
        "status",
        "date",
        "created_at",
        "updated_at",
    ],
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

pub(super) async fn run(app: &App, command: Command, json: bool) -> Result<(), Failure> {
    match command {
        Command::List { subscription, status, portion } => {
            let organization = organization(app, &portion.org.org).await?.id;
            let statuses: Result<_, _> = status.iter().map(|word| PaymentStatus::parse(word)).collect();
            let id = subscription.map(|text| text.parse()).transpose();
            let query = Query {
                subscription_id: id.map_err(|_| Failure::new("--subscription must be an id, such as sub_01h4…"))?,
                statuses: statuses.map_err(|reason| wrong("status", &reason))?,
            };
            let after = match &portion.after {
                Some(named) => Some(Position { values: vec![find(app, organization, named).await?.id.bytes().into()] }),
                None => None,
            };
            let pages = async |after, limit| Ok(payments::page(app, organization, &query, after, limit).await?);
            records::list(&KIND, json, &portion, after, pages, |found| (found.id.to_string(), text(found))).await
        }
        Command::Get { payment, single } => {
            let organization = organization(app, &single.org.org).await?.id;
            let found = find(app, organization, &payment).await?;
            records::show(&KIND, json, &single, &text(&found))
        }
    }
}

async fn find(app: &App, organization: OrganizationId, named: &str) -> Result<Payment, Failure> {
    let found = match named.parse() {
        Ok(id) => payments::find(app, organization, id).await?,
        Err(_) => None,
    };
    found.ok_or_else(|| KIND.missing(named))
}
