//! Before the first request of a charge in a restored store: whether the money was taken in the time that the store has lost.
//! Without a restore no request is sent.

use super::super::cache::OpenConnection;
use super::ask::{ask, charge};
use crate::context::App;
use crate::error::Error;
use perennial_domain::connections::collection::{Answer, Collection, Effect, Intent};
use perennial_domain::holds::LostTime;
use perennial_domain::payments::Payment;
use perennial_store::{connection_collections, holds, invoices, payments};

/// The collection after a look at the customer's intents of the lost time, and what follows for the payment. None: nothing of
/// it was charged, and the intent may be requested.
pub(super) async fn find(
    app: &App,
    known: &OpenConnection,
    collection: &Collection,
    payment: Option<&Payment>,
) -> Result<Option<(Collection, Effect)>, Error> {
    // After the first request the key prevents a second charge, as before the restore.
    let Some(payment) = payment.filter(|_| collection.sends == 0) else { return Ok(None) };
    let Some(lost) = lost_time(app, payment).await? else { return Ok(None) };
    let Some(charge) = charge(app, collection, Some(payment)).await? else { return Ok(None) };
    let (step, wanted) = (collection.compare(lost), charge.wanted());
    let answer = ask(app, known, collection, &step, Some(payment)).await?;
    let now = app.clock.now();
    let Answer::Intents(intents) = answer else { return Ok(Some(collection.after(&step, answer, now))) };
    let unknown = unknown(app, payment, wanted.candidates(intents)).await?;
    let outcome = collection.with_earlier(unknown, &wanted, now);
    if let Some((next, effect)) = &outcome {
        tracing::warn!(
            organization = %payment.organization_id, payment = %payment.id, intent = next.intent_id.as_deref(), ?effect,
            "a payment was charged before the store was restored: it is not charged again"
        );
    }
    Ok(outcome)
}

/// The lost time of the organization, if the payment may have been charged in it.
async fn lost_time(app: &App, payment: &Payment) -> Result<Option<LostTime>, Error> {
    let Some(lost) = holds::find(&app.db, payment.organization_id).await?.lost else { return Ok(None) };
    let invoice = match payment.invoice_id {
        Some(id) => invoices::by_id(&app.db, payment.organization_id, id).await?,
        None => None,
    };
    let of_invoice = invoice.into_iter().flat_map(|invoice| [Some(invoice.created_at), invoice.cycle_at]);
    let instants = of_invoice.flatten().chain([payment.created_at]);
    Ok(Some(lost).filter(|lost| lost.concerns(instants)))
}

/// The intents that no payment here has.
async fn unknown(app: &App, payment: &Payment, intents: Vec<Intent>) -> Result<Vec<Intent>, Error> {
    let (organization, mut unknown) = (payment.organization_id, Vec::new());
    for intent in intents {
        let is_known = payments::id_by_external(&app.db, organization, &intent.id).await?.is_some()
            || connection_collections::of_intent(&app.db, organization, &intent.id).await?.is_some();
        if !is_known {
            unknown.push(intent);
        }
    }
    Ok(unknown)
}
