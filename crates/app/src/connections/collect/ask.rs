//! The request of a step of a collection, and its answer.

use super::super::cache::OpenConnection;
use super::super::health;
use super::super::provider::{Account, Answer as Reply, Fetched, Request};
use crate::context::App;
use crate::error::Error;
use perennial_domain::connections::collection::{Answer, Collection, Step};
use perennial_domain::payments::Payment;
use perennial_provider_api::intents::{self, Charge};
use perennial_provider_api::{Service, lists};
use perennial_store::invoices;

/// The most pages of intents that a search reads.
const MAX_PAGES: usize = 100;

/// What is collected.
pub(super) async fn charge(
    app: &App,
    collection: &Collection,
    payment: Option<&Payment>,
) -> Result<Option<Charge>, Error> {
    let Some(payment) = payment else { return Ok(None) };
    let invoice = match payment.invoice_id {
        Some(id) => invoices::by_id(&app.db, payment.organization_id, id).await?,
        None => None,
    };
    Ok(Some(Charge {
        payment: collection.payment_id,
        number: collection.number,
        amount: payment.amount,
        currency: payment.currency,
        subscription: Some(payment.subscription_id),
        invoice: payment.invoice_id,
        period_start: invoice.and_then(|invoice| invoice.cycle_at),
    }))
}

/// The answer to the request of a step.
pub(super) async fn ask(
    app: &App,
    known: &OpenConnection,
    collection: &Collection,
    step: &Step,
    payment: Option<&Payment>,
) -> Result<Answer, Error> {
    let Some(secrets) = &known.secrets else { return Ok(Answer::NotSent { retry_after: Some(60) }) };
    let charge = match step {
        Step::Create { .. } => charge(app, collection, payment).await?,
        _ => unknown_charge(collection),
    };
    let Some(charge) = charge else {
        return Ok(Answer::NotSent { retry_after: Some(3600) });
    };
    let account =
        Account { connection: &known.connection, api_key: &secrets.api_key, db: &app.db, figures: &app.connections };
    let (mut cursor, mut found) = (None, Vec::new());
    for _ in 0..MAX_PAGES {
        let Some(request) = intents::request(step, charge, cursor.as_deref()) else {
            let code = Some("amount_not_supported".to_owned());
            return Ok(if *step == Step::Stuck {
                Answer::Nothing
            } else {
                Answer::Rejected { code, decline_code: None }
            });
        };
        let sent =
            Request { path: &request.path, form: request.form.as_deref(), idempotency_key: request.key.as_deref() };
        let reply = app.payment_providers().send(account, sent).await;
        note(app, known, &reply).await?;
        let (status, retry_after, body) = match reply {
            Reply::Response { status, retry_after, body } => (status, retry_after, body),
            Reply::NotSent { retry_after } => return Ok(Answer::NotSent { retry_after }),
            Reply::Unknown => return Ok(Answer::Unknown),
        };
        match intents::answer(step, status, &body, retry_after) {
            Answer::Intents(page) => {
                found.extend(page);
                cursor = lists::page(Service::Stripe, &body).and_then(|page| page.next);
                if cursor.is_none() {
                    return Ok(Answer::Intents(found));
                }
            }
            answer => return Ok(answer),
        }
    }
    Ok(Answer::Unknown)
}

/// A request that writes no amount needs no payment.
fn unknown_charge(collection: &Collection) -> Option<Charge> {
    use perennial_domain::currency::Currency;
    use perennial_domain::money::Money;
    let amount = Money::from_ten_thousandths(0)?;
    let (payment, number, currency) = (collection.payment_id, collection.number, Currency::USD);
    Some(Charge { payment, number, amount, currency, subscription: None, invoice: None, period_start: None })
}

/// Whether the provider responds counts for the state of the connection.
async fn note(app: &App, known: &OpenConnection, reply: &Reply) -> Result<(), Error> {
    let fetched = match reply {
        Reply::Response { status: 401 | 403 | 500.., .. } | Reply::Unknown => {
            Fetched::Unavailable { retry_after: None, is_rate_limited: false }
        }
        Reply::Response { status: 429, retry_after, .. } => {
            Fetched::Unavailable { retry_after: *retry_after, is_rate_limited: true }
        }
        Reply::NotSent { .. } => return Ok(()),
        Reply::Response { .. } => Fetched::NotFound,
    };
    health::note(app, known, &fetched).await
}
