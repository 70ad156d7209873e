//! The note of a change, issued inside the change of its subscription.

use crate::error::Error;
use crate::invoices::context::parties;
use crate::invoices::numbers::Numbers;
use crate::invoices::unit::Unit;
use crate::lifecycle::known::known;
use perennial_domain::credits::CreditReason;
use perennial_domain::id::{CreditNoteId, EventId};
use perennial_domain::invoices::credit_note::{CHANGE_REASON, CreditNote, NoteSettlement};
use perennial_domain::invoices::credit_notes::Settlement;
use perennial_domain::invoices::record::{Invoice, InvoiceLine, Rendering, TEMPLATE};
use perennial_domain::organizations::OrganizationMode;
use perennial_domain::subscriptions::Subscription;

/// The note of a change whose total is negative.
pub(crate) struct ChangeNote {
    /// The lines and sums, as an invoice would have them.
    pub(crate) draft: Invoice,
    /// The invoice that the credit line reverses.
    pub(crate) source: Option<Invoice>,
}

/// Issues the note of a change in a unit. It reduces what is due on the invoice that the credit line reverses; the rest goes
/// to the balance.
pub(crate) async fn issue_of_change(
    unit: &mut Unit<'_>,
    subscription: &mut Subscription,
    note: ChangeNote,
) -> Result<(), Error> {
    let ChangeNote { draft, source } = note;
    let now = unit.now;
    let parties = parties(&unit.catalog, draft.user_id).await?;
    let settings = parties.organization.settings();
    let sums = draft.sums.negated();
    let settlement = match &source {
        Some(invoice) => Settlement::of(sums.total, invoice.amount_due(), invoice.status)?,
        None => Settlement { applied: perennial_domain::invoices::Amount::ZERO, rest: sums.total },
    };
    let mut numbers = Numbers::default();
    let number = numbers.draw(unit.app, &parties.organization, &settings.credit_note_prefix, now).await?;
    let created = CreditNote {
        id: CreditNoteId::new(now, unit.app.entropy.id_bits()),
        number,
        invoice_id: None,
        invoice_number: source.as_ref().and_then(|invoice| invoice.number.clone()),
        subscription_id: draft.subscription_id,
        user_id: draft.user_id,
        currency: draft.currency,
        lines: draft.lines.iter().map(InvoiceLine::negated).collect(),
        sums,
        reason: Some(CHANGE_REASON.to_owned()),
        settlement: NoteSettlement::Balance,
        refund_reference: None,
        applied_amount: settlement.applied,
        balance_amount: settlement.rest,
        issued_at: now,
        seller: Some(settings.seller.clone()),
        buyer: Some(parties.buyer),
        created_at: now,
        organization_id: unit.organization,
        revision: EventId::new(now, unit.app.entropy.id_bits()),
        source_invoice_id: draft.source_invoice_id,
        in_period: draft.in_period,
        rendering: Rendering {
            template: TEMPLATE,
            time_zone: settings.time_zone.as_str().to_owned(),
            is_test: parties.organization.mode == OrganizationMode::Test,
        },
    };
    let organization = unit.organization;
    unit.create_note(&created);
    unit.add(|change| numbers.take(change, organization));
    if let Some(before) = source.filter(|_| !settlement.applied.is_zero()) {
        let mut after = before.clone();
        let outcome = after.credit(settlement.applied, now)?;
        let steps = outcome.steps(&after);
        unit.update_invoice(&before, steps, None);
        let known = known(&unit.catalog, subscription).await?;
        if let Ok(Some((changed, _))) = subscription.after_invoice(&outcome, now, &known) {
            *subscription = changed;
        }
    }
    let id = created.id.to_string();
    unit.credit(created.user_id, created.currency, settlement.rest, CreditReason::CreditNote, id);
    Ok(())
}
