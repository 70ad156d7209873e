//! Credit notes: the reads, and the use case that credits an issued invoice.
//!
//! **Invariant:** the notes of an invoice never exceed it, whatever runs at the same time. Every note of an organization draws a number
//! of one series. The next number is read before the invoices, and the change is rejected if another note drew it.

pub(crate) mod of_change;

use crate::business_time;
use crate::caller::Caller;
use crate::clients::confirm;
use crate::context::App;
use crate::cursor;
use crate::error::{Conflict, Error};
use crate::idempotency::{self, Key, StoredResponse};
use crate::invoices::dry_run;
use crate::invoices::issue::react;
use crate::invoices::numbers::Numbers;
use crate::invoices::unit::{Cause, Unit};
use crate::lifecycle;
use perennial_domain::credits::CreditReason;
use perennial_domain::events::EventKind;
use perennial_domain::id::{CreditNoteId, EventId};
use perennial_domain::invoices::Amount;
use perennial_domain::invoices::credit_note::CreditNote;
use perennial_domain::invoices::crediting::{Crediting, NewNote, NoteDraft, NoteRejection, left_of_period};
use perennial_domain::invoices::record::Invoice;
use perennial_domain::time::Time;
use perennial_domain::validation::{ValidationCode, ValidationErrors};
use perennial_store::{self as store, Page, Position, Violation, credit_notes, invoices, organizations, subscriptions};

pub use perennial_store::credit_notes::Query;

/// The credit note with this ID.
pub async fn read(app: &App, caller: &Caller, id: CreditNoteId) -> Result<CreditNote, Error> {
    let found = credit_notes::by_id(&app.db, caller.organization(), id).await?;
    found.filter(|note| caller.may_see(note.user_id)).ok_or(Error::NotFound)
}

/// A page of credit notes, newest first, and the cursor of the next page.
pub async fn list(
    app: &App,
    caller: &Caller,
    query: Query,
    cursor: Option<&str>,
    limit: usize,
) -> Result<(Vec<CreditNote>, Option<String>), Error> {
    let name = cursor::credit_notes(caller.organization(), caller.own, &query);
    cursor::list(&app.keys, &name, cursor, async |after| page(app, caller, query, after, limit).await).await
}

/// A page of credit notes after a position, newest first.
pub async fn page(
    app: &App,
    caller: &Caller,
    query: Query,
    after: Option<Position>,
    limit: usize,
) -> Result<Page<CreditNote>, Error> {
    if query.user_id.is_some_and(|user| !caller.may_see(user)) {
        return Ok(Page { items: vec![], next: None });
    }
    let query = Query { user_id: query.user_id.or(caller.own), ..query };
    Ok(credit_notes::list(&app.db, caller.organization(), &query, after, limit).await?)
}

/// Credits an invoice. `render` makes the response, which is stored under the idempotency key in the same change.
pub async fn create(
    app: &App,
    caller: &Caller,
    key: Option<&Key>,
    (draft, errors): (NoteDraft, ValidationErrors),
    render: impl Fn(&CreditNote) -> StoredResponse + Send + Sync,
) -> Result<StoredResponse, Error> {
    let mut guard = idempotency::lock(app, caller, key.filter(|_| !caller.is_dry_run)).await?;
    if let Some(response) = idempotency::stored(&mut guard).await? {
        return Ok(response);
    }
    let mut attempts = app.locks.turns((caller.organization().bytes(), "numbers of credit notes")).await;
    while attempts.next().await {
        if errors.is_empty() {
            catch_up(app, caller, &draft).await?;
        }
        let time = business_time::read(app, caller).await?;
        let (mut unit, note) = Box::pin(decide(app, caller, draft.clone(), errors.clone(), time.now)).await?;
        if caller.is_dry_run {
            time.check()?;
            if let Some(subscription) =
                subscriptions::by_id(&app.db, caller.organization(), note.subscription_id).await?
            {
                dry_run::report(&mut unit, caller, &subscription).await?;
            } else {
                caller.tried.set(Vec::new(), vec![note.clone()]);
            }
            return Ok(render(&note));
        }
        let response = render(&note);
        let mut change = unit.change;
        if let Some(guard) = &guard {
            change = guard.store(change, &response, app.clock.now());
        }
        let change = confirm(app, caller, time.guard(change)?).await?;
        match app.db.commit(change).await {
            Ok(()) => {
                app.lifecycle.wake();
                return Ok(response);
            }
            Err(error @ store::Error::Violated(Violation::Key)) => {
                return idempotency::recover(guard.as_ref(), error).await;
            }
            Err(store::Error::Violated(
                Violation::Record | Violation::Clock | Violation::Number | Violation::Subscription,
            )) => {}
            Err(store::Error::Violated(Violation::Balance)) => return Err(balance_too_large()),
            Err(error) => return Err(error.into()),
        }
    }
    Err(Conflict::Contended.into())
}

/// Commits the late actions of the subscription whose invoice is credited.
async fn catch_up(app: &App, caller: &Caller, draft: &NoteDraft) -> Result<(), Error> {
    let Some(id) = draft.invoice_id else { return Ok(()) };
    let Some(invoice) = invoices::by_id(&app.db, caller.organization(), id).await? else { return Ok(()) };
    let subscription = subscriptions::by_id(&app.db, caller.organization(), invoice.subscription_id).await?;
    if let Some(subscription) = subscription {
        lifecycle::catch_up_invoices_for(app, caller, &subscription).await?;
    }
    Ok(())
}

/// The note that a draft describes, and the change that writes it.
async fn decide<'a>(
    app: &'a App,
    caller: &'a Caller,
    draft: NoteDraft,
    errors: ValidationErrors,
    now: Time,
) -> Result<(Unit<'a>, CreditNote), Error> {
    let id = caller.organization();
    let organization = organizations::by_id(&app.db, id).await?.ok_or(Error::NotFound)?;
    // Before the invoices: see the invariant.
    let mut numbers = Numbers::default();
    let number = numbers.draw(app, &organization, &organization.settings().credit_note_prefix, now).await?;
    let before = match draft.invoice_id {
        Some(invoice) => invoices::by_id(&app.db, id, invoice).await?,
        None => None,
    };
    let left = match &before {
        Some(invoice) => left(app, invoice).await?,
        None => Amount::ZERO,
    };
    let new = NewNote {
        id: CreditNoteId::new(now, app.entropy.id_bits()),
        number,
        revision: EventId::new(now, app.entropy.id_bits()),
        now,
    };
    let crediting = draft.credit(errors, before.as_ref(), left, new).map_err(|rejection| match rejection {
        NoteRejection::Invalid(errors) => Error::from(errors),
        NoteRejection::ExceedsInvoice => Conflict::CreditExceedsInvoice.into(),
    })?;
    let before = before.ok_or(Error::NotFound)?;
    let mut unit = Unit::new(app, id, Cause::Caller(caller), now);
    unit.add(|change| numbers.take(change, id));
    write(&mut unit, &before, &crediting).await?;
    Ok((unit, crediting.note))
}

/// What notes left of the fees and prorations of the invoice's period.
async fn left(app: &App, invoice: &Invoice) -> Result<Amount, Error> {
    let (organization, subscription) = (invoice.organization_id, invoice.subscription_id);
    let all = invoices::of_subscription(&app.db, organization, subscription).await?;
    let notes = credit_notes::of_changes(&app.db, organization, subscription).await?;
    Ok(left_of_period(&all, &notes, invoice.in_period)?)
}

/// Adds the note, the invoice after it, the balance and what follows for the subscription.
async fn write(unit: &mut Unit<'_>, before: &Invoice, crediting: &Crediting) -> Result<(), Error> {
    let Crediting { note, invoice, outcome, of_time } = crediting;
    unit.create_note(note);
    let steps = outcome.steps(invoice);
    unit.update_invoice(before, steps, None);
    let record = note.id.to_string();
    unit.credit(note.user_id, note.currency, note.balance_amount, CreditReason::CreditNote, record);
    // What the decision depends on: the lines of the period, and the subscription that the invoice may change.
    let found = subscriptions::by_id(&unit.app.db, before.organization_id, before.subscription_id).await?;
    let Some(subscription) = found else { return Ok(()) };
    let reduced = subscription.after_credit(before, *of_time)?;
    if react(unit, &reduced, outcome, unit.now).await?.is_some() {
        return Ok(());
    }
    if reduced == subscription {
        unit.add(|change| subscriptions::guard_unchanged(change, &subscription));
    } else {
        // No returned field changes. The event makes a plan change that read the subscription before decide again.
        unit.update_subscription(&subscription, reduced, EventKind::SubscriptionUpdated, unit.now);
    }
    Ok(())
}

fn balance_too_large() -> Error {
    let mut errors = ValidationErrors::none();
    errors.note("/amount", ValidationCode::OutOfRange, "would make the balance larger than 999999999999");
    errors.into()
}
