//! A unit of work: the records that change together, with their events in the order in which things happened.
//!
//! A record that has several events in one change has one row, and its revision is the last of them.

use crate::audit::{json, system_event};
use crate::caller::Caller;
use crate::catalog::Catalog;
use crate::context::App;
use perennial_domain::credits::{Credit, CreditAmount, CreditReason};
use perennial_domain::currency::Currency;
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::{ConnectionId, CreditId, EventId, OrganizationId, UserId};
use perennial_domain::invoices::Amount;
use perennial_domain::invoices::credit_note::{CreditNote, CreditNoteEvent};
use perennial_domain::invoices::record::{Invoice, InvoiceEvent};
use perennial_domain::invoices::status::InvoiceStatus;
use perennial_domain::lifecycle::billing::{Billing, PaymentMethod};
use perennial_domain::payments::Payment;
use perennial_domain::stamp::{Stamp, Stamped};
use perennial_domain::subscriptions::Subscription;
use perennial_domain::time::Time;
use perennial_store::{Change, credit_notes, credits, events, invoices, payments, subscriptions};
use serde::Serialize;
use std::sync::Arc;

const NAME: &str = "lifecycle";

/// Who causes the events.
#[derive(Clone, Copy)]
pub(crate) enum Cause<'a> {
    /// The engine.
    Engine,
    /// A caller.
    Caller(&'a Caller),
}

/// Whose balance changes, and by how much.
pub(crate) type BalanceChange = ((UserId, Currency), Amount);

/// Records that change together.
pub(crate) struct Unit<'a> {
    pub(crate) app: &'a App,
    pub(crate) catalog: Arc<Catalog<'a>>,
    pub(crate) organization: OrganizationId,
    pub(crate) cause: Cause<'a>,
    /// The instant of the change.
    pub(crate) now: Time,
    pub(crate) change: Change,
    /// The invoices that the change creates or issues, for a dry run.
    pub(crate) invoices: Vec<Invoice>,
    /// The credit notes that it creates.
    pub(crate) notes: Vec<CreditNote>,
    /// What it adds to balances and takes from them, for a dry run.
    pub(crate) credited: Vec<BalanceChange>,
    /// The event of a payment that an attempt made. It follows that of the attempt.
    attempted: Option<Event>,
}

/// A subscription and its access at an instant, which cannot be computed from the time of a late event.
#[derive(Serialize)]
struct WithAccess<'a> {
    #[serde(flatten)]
    subscription: &'a Subscription,
    has_access: bool,
}

#[derive(Serialize)]
struct PaymentDue<'a> {
    #[serde(flatten)]
    invoice: InvoiceEvent<'a>,
    payment_method: Option<&'a PaymentMethod>,
    connection_id: Option<ConnectionId>,
}

impl<'a> Unit<'a> {
    pub(crate) fn new(app: &'a App, organization: OrganizationId, cause: Cause<'a>, now: Time) -> Self {
        Self::with(Arc::new(Catalog::new(app, organization)), cause, now)
    }

    /// A unit that shares a catalog with others.
    pub(crate) fn with(catalog: Arc<Catalog<'a>>, cause: Cause<'a>, now: Time) -> Self {
        let (app, organization, change) = (catalog.app, catalog.organization_id, Change::new());
        Self {
            app,
            catalog,
            organization,
            cause,
            now,
            change,
            invoices: Vec::new(),
            notes: Vec::new(),
            credited: Vec::new(),
            attempted: None,
        }
    }

    /// Adds statements to the change.
    pub(crate) fn add(&mut self, step: impl FnOnce(Change) -> Change) {
        self.change = step(std::mem::take(&mut self.change));
    }

    /// An event of this change.
    pub(crate) fn event(&self, kind: EventKind, record: [u8; 16], id: EventId, at: Time) -> Event {
        match self.cause {
            Cause::Engine => {
                let event = system_event(self.organization, kind, record, id, at);
                Event { request_id: Some(NAME.to_owned()), ..event }
            }
            Cause::Caller(caller) => caller.event(kind, record, id, at),
        }
    }

    fn push(&mut self, event: &Event) {
        self.add(|change| events::insert(change, event));
    }

    /// The stamps of several events of one record, all at the same instant.
    fn stamps(&self, before: &impl Stamped, count: usize) -> Vec<Stamp> {
        let mut stamps: Vec<Stamp> = Vec::with_capacity(count);
        for _ in 0..count {
            let next = match stamps.last() {
                Some(last) => Stamp { at: last.at, ..last.next(self.now, self.app.entropy.id_bits()) },
                None => self.app.stamp(before, self.now),
            };
            stamps.push(next);
        }
        stamps
    }

    /// A new invoice.
    pub(crate) fn create_invoice(&mut self, invoice: &Invoice) {
        self.add(|change| invoices::insert(change, invoice));
        let event = self.event(EventKind::InvoiceCreated, invoice.id.bytes(), invoice.revision, invoice.created_at);
        self.push(&Event { after: Some(json(&InvoiceEvent { invoice, has_lines: false })), ..event });
        self.invoices.push(invoice.clone());
    }

    /// The invoice after each of its events. Returns it as it is stored. `billing` is what an attempt charges.
    pub(crate) fn update_invoice(
        &mut self,
        before: &Invoice,
        steps: Vec<(EventKind, Invoice)>,
        billing: Option<&Billing>,
    ) -> Invoice {
        let mut previous = before.clone();
        for (stamp, (kind, mut after)) in self.stamps(before, steps.len()).into_iter().zip(steps) {
            (after.updated_at, after.revision) = (stamp.at, stamp.revision);
            let view = InvoiceEvent { invoice: &after, has_lines: kind == EventKind::InvoiceFinalized };
            let data = match kind {
                EventKind::InvoicePaymentDue => json(&PaymentDue {
                    invoice: view,
                    payment_method: billing.and_then(|billing| billing.payment_method.as_ref()),
                    connection_id: billing.and_then(|billing| billing.connection_id),
                }),
                _ => json(&view),
            };
            let event = self.event(kind, after.id.bytes(), stamp.revision, stamp.at).following(previous.revision);
            let earlier = json(&InvoiceEvent { invoice: &previous, has_lines: false });
            self.push(&Event { before: Some(earlier), after: Some(data), ..event });
            if kind == EventKind::InvoicePaymentDue {
                self.push_attempted();
            }
            previous = after;
        }
        self.push_attempted();
        self.add(|change| invoices::update(change, &previous, before.revision));
        if before.status == InvoiceStatus::Draft {
            self.invoices.push(previous.clone());
        }
        previous
    }

    /// Writes an invoice of which no returned field changed.
    pub(crate) fn touch_invoice(&mut self, before: &Invoice, after: &Invoice) {
        self.add(|change| invoices::update(change, after, before.revision));
    }

    /// Deletes a draft.
    pub(crate) fn delete_invoice(&mut self, invoice: &Invoice) {
        let stamp = self.app.stamp(invoice, self.now);
        self.add(|change| invoices::delete(change, invoice, stamp.at, stamp.revision));
        let event = self.event(EventKind::InvoiceDeleted, invoice.id.bytes(), stamp.revision, stamp.at);
        let earlier = json(&InvoiceEvent { invoice, has_lines: false });
        self.push(&Event { before: Some(earlier), ..event.following(invoice.revision) });
    }

    /// The subscription after an event, and a change of access that follows from it at `instant`.
    pub(crate) fn update_subscription(
        &mut self,
        before: &Subscription,
        mut after: Subscription,
        kind: EventKind,
        instant: Time,
    ) -> Subscription {
        let (had, has) = (before.had_access(instant), after.has_access(instant));
        let flips = had != has && kind != EventKind::SubscriptionUpdated;
        let stamps = self.stamps(before, 1 + usize::from(flips));
        let first = stamps[0];
        (after.updated_at, after.revision) = (first.at, first.revision);
        let event = self.event(kind, after.id.bytes(), first.revision, first.at).following(before.revision);
        let first_event = Event { before: Some(json(before)), after: Some(json(&after)), ..event };
        self.push(&first_event);
        if let Some(second) = stamps.get(1) {
            let previous = after.revision;
            after.revision = second.revision;
            let kind = EventKind::SubscriptionAccessChanged;
            let event = self.event(kind, after.id.bytes(), second.revision, second.at).following(previous);
            let event = Event {
                before: Some(json(&WithAccess { subscription: &after, has_access: had })),
                after: Some(json(&WithAccess { subscription: &after, has_access: has })),
                ..event
            };
            self.push(&event);
        }
        self.add(|change| subscriptions::update(change, &after, before.revision));
        after
    }

    /// The payment of an attempt. Its event follows that of the attempt, which the update of the invoice writes.
    pub(crate) fn create_payment(&mut self, payment: &Payment) {
        self.add(|change| payments::insert(change, payment));
        let event = self.event(EventKind::PaymentCreated, payment.id.bytes(), payment.revision, payment.created_at);
        self.attempted = Some(Event { after: Some(json(payment)), ..event });
    }

    fn push_attempted(&mut self) {
        if let Some(event) = self.attempted.take() {
            self.push(&event);
        }
    }

    /// A new entry of a user's ledger. An amount of 0 makes none.
    pub(crate) fn credit(
        &mut self,
        user_id: UserId,
        currency: Currency,
        amount: Amount,
        reason: CreditReason,
        record: String,
    ) {
        self.credited.push(((user_id, currency), amount));
        let Some(amount) = CreditAmount::from_ten_thousandths(amount.ten_thousandths()) else { return };
        let now = self.now;
        let id = CreditId::new(now, self.app.entropy.id_bits());
        let credit = Credit {
            id,
            user_id,
            currency,
            amount,
            reason,
            record_id: Some(record),
            description: None,
            created_at: now,
            organization_id: self.organization,
        };
        self.add(|change| credits::insert_any(change, &credit));
        let event =
            self.event(EventKind::CreditCreated, id.bytes(), EventId::new(now, self.app.entropy.id_bits()), now);
        self.push(&Event { after: Some(json(&credit)), ..event });
    }

    /// A new credit note.
    pub(crate) fn create_note(&mut self, note: &CreditNote) {
        self.add(|change| credit_notes::insert(change, note));
        let event = self.event(EventKind::CreditNoteCreated, note.id.bytes(), note.revision, note.created_at);
        self.push(&Event { after: Some(json(&CreditNoteEvent(note))), ..event });
        self.notes.push(note.clone());
    }
}
