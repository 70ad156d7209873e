//! The payment of an attempt. With a connection, the change of the attempt creates the payment and its collection, and the
//! collecting job sends the requests. Without one, your application charges, except for the test methods of test organizations.
//!
//! **Invariant:** an attempt creates at most one payment, in its own change, and none while another one of the invoice is
//! `processing`. So a lost answer or a second server cannot charge an invoice twice.

use super::unit::Unit;
use crate::context::App;
use crate::error::Error;
use perennial_domain::connections::collection::Collection;
use perennial_domain::id::{EventId, PaymentId};
use perennial_domain::invoices::record::Invoice;
use perennial_domain::invoices::transitions::Outcome;
use perennial_domain::lifecycle::billing::{Billing, PaymentMethod};
use perennial_domain::money::Money;
use perennial_domain::payments::{Payment, PaymentStatus};
use perennial_domain::subscriptions::Subscription;
use perennial_store::{connection_collections, payments};

/// The payment methods of test organizations.
const TEST_OK: &str = "test_ok";
const TEST_FAIL: &str = "test_fail";

/// Adds the payment of an attempt to a unit. Returns what follows for the invoice at once.
pub(crate) fn charge(
    unit: &mut Unit<'_>,
    invoice: &mut Invoice,
    subscription: &Subscription,
    is_test: bool,
) -> Result<Outcome, Error> {
    let Some(billing) = subscription.billing.as_deref() else { return Ok(Outcome::default()) };
    if billing.connection_id.is_some() {
        return collect(unit, invoice, billing);
    }
    let status = match billing.payment_method.as_ref().map(PaymentMethod::as_str) {
        Some(TEST_OK) if is_test => PaymentStatus::Completed,
        Some(TEST_FAIL) if is_test => PaymentStatus::Failed,
        _ => return Ok(Outcome::default()),
    };
    let mut payment = payment(unit, invoice, status)?;
    let outcome = if status == PaymentStatus::Completed {
        let (applied, outcome) = invoice.pay(invoice.amount_due(), unit.now)?;
        payment.applied = Some(applied);
        outcome
    } else {
        invoice.payment_failed()
    };
    unit.create_payment(&payment);
    Ok(outcome)
}

/// Rejects the change of a retry if another payment of the invoice is `processing` by now. The unit must have the update of the
/// invoice already: the guard relies on its lock.
pub(crate) fn guard(unit: &mut Unit<'_>, invoice: &Invoice, subscription: &Subscription) {
    if is_collected(subscription) {
        unit.add(|change| payments::guard_none_processing(change, invoice.organization_id, invoice.id));
    }
}

/// Wakes the collecting job after the commit of an attempt.
pub(crate) fn wake(app: &App, subscription: &Subscription) {
    if is_collected(subscription) {
        app.collection_signal.notify_one();
    }
}

fn is_collected(subscription: &Subscription) -> bool {
    subscription.billing.as_deref().is_some_and(|billing| billing.connection_id.is_some())
}

/// A payment that is `processing`, and its first collection.
fn collect(unit: &mut Unit<'_>, invoice: &Invoice, billing: &Billing) -> Result<Outcome, Error> {
    let Some(connection) = billing.connection_id else { return Ok(Outcome::default()) };
    let payment = payment(unit, invoice, PaymentStatus::Processing)?;
    let method = billing.payment_method.as_ref().map(|method| method.as_str().to_owned());
    // Requests to a provider use real time, also in a test organization.
    let now = unit.app.clock.now();
    let collection = Collection::begin(unit.organization, (payment.id, 1), connection, method, now);
    unit.create_payment(&payment);
    unit.add(|change| connection_collections::put(change, &collection));
    Ok(Outcome::default())
}

/// The payment of what is due.
fn payment(unit: &Unit<'_>, invoice: &Invoice, status: PaymentStatus) -> Result<Payment, Error> {
    let now = unit.now;
    Ok(Payment {
        id: PaymentId::new(now, unit.app.entropy.id_bits()),
        subscription_id: invoice.subscription_id,
        invoice_id: Some(invoice.id),
        amount: Money::try_from(invoice.amount_due())?,
        currency: invoice.currency,
        external_payment_id: None,
        status,
        date: (status == PaymentStatus::Completed).then_some(now),
        created_at: now,
        updated_at: now,
        organization_id: invoice.organization_id,
        applied: None,
        revision: EventId::new(now, unit.app.entropy.id_bits()),
    })
}
