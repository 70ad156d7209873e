//! Credit notes: never more than is left of an invoice, of a tax group or of a period, and taxes that add up.

use super::invariants::{Context, taxes_of};
use super::world::{World, unit_of};
use perennial_domain::id::SubscriptionId;
use perennial_domain::invoices::credit_note::CreditNote;
use perennial_domain::invoices::record::{Invoice, InvoiceLine};
use perennial_domain::invoices::status::InvoiceStatus;
use perennial_domain::plans::billing::TaxBehavior;
use perennial_domain::time::Time;
use perennial_store::credit_notes;
use std::collections::{BTreeMap, BTreeSet};

/// More rows than a simulation writes.
const ALL: usize = 100_000;

impl World {
    /// The credit notes of a subscription, newest first.
    pub(super) async fn notes(&self, id: SubscriptionId) -> Vec<CreditNote> {
        let (db, organization) = (&self.app().app.db, self.app().organization);
        let query = credit_notes::Query { subscription_id: Some(id), ..credit_notes::Query::default() };
        credit_notes::list(db, organization, &query, None, ALL).await.unwrap().items
    }

    /// I18.
    pub(super) async fn check_notes(&self, id: SubscriptionId, invoices: &[Invoice], context: &Context<'_>) {
        let notes = self.notes(id).await;
        for note in &notes {
            let (total, context) = (note.sums.total.ten_thousandths(), &context.about(&note.lines));
            assert!(total >= 0, "{context}");
            if note.invoice_id.is_none() {
                self.check_sums(&note.lines, &note.sums, note.currency.as_str(), context);
            }
            let used = note.applied_amount.ten_thousandths() + note.balance_amount.ten_thousandths();
            assert!(used <= total, "{context}: {used} of {total} used");
            if note.settlement.as_str() == "balance" {
                assert_eq!(used, total, "{context}: not all used");
            }
        }
        for invoice in invoices {
            let own: Vec<&CreditNote> = notes.iter().filter(|note| note.invoice_id == Some(invoice.id)).collect();
            let credited: i64 = own.iter().map(|note| note.sums.total.ten_thousandths()).sum();
            let total = invoice.sums.total.ten_thousandths();
            assert!(credited <= total, "{context}I18: {credited} credited of {}", invoice.id);
            assert_eq!(invoice.credited.total.ten_thousandths(), credited, "{context}I18: {}", invoice.id);
            let reduces = |note: &&CreditNote| {
                note.invoice_id == Some(invoice.id)
                    || note.invoice_id.is_none() && note.source_invoice_id == Some(invoice.id)
            };
            let applied: i64 = notes.iter().filter(reduces).map(|note| note.applied_amount.ten_thousandths()).sum();
            assert_eq!(
                invoice.amount_credited.ten_thousandths(),
                applied,
                "{context}amount_credited of {}",
                invoice.id
            );
            if !own.is_empty() {
                self.check_groups(invoice, &own, &context.about(&invoice.lines));
            }
        }
        check_periods(invoices, &notes, context);
    }

    /// Of each tax group at most what it has is credited, and the taxes are those of all that was credited.
    fn check_groups(&self, invoice: &Invoice, own: &[&CreditNote], context: &Context<'_>) {
        let lines: Vec<InvoiceLine> = own.iter().flat_map(|note| note.lines.clone()).collect();
        let (bases, credited) = (groups(&invoice.lines), groups(&lines));
        for (group, credit) in &credited {
            let base = bases.get(group).copied().unwrap_or(0);
            let is_within = if base < 0 { base <= *credit && *credit <= 0 } else { 0 <= *credit && *credit <= base };
            assert!(is_within, "{context}I18: {credit} of {base} credited, {group:?} of {}", invoice.id);
        }
        let mut taxes: BTreeMap<(bool, String), i64> = BTreeMap::new();
        for (key, amount) in own.iter().flat_map(|note| taxes_of(&note.sums)) {
            *taxes.entry(key).or_default() += amount;
        }
        taxes.retain(|_, amount| *amount != 0);
        let expected = self.taxes(&lines, unit_of(invoice.currency.as_str()));
        assert_eq!(taxes, expected, "{context}I18: taxes of the notes of {}", invoice.id);
    }
}

/// Notes never credit more of the fees and prorations of a period than all its documents have.
fn check_periods(invoices: &[Invoice], notes: &[CreditNote], context: &Context<'_>) {
    let periods: BTreeSet<Time> = notes.iter().filter(|note| note.invoice_id.is_some()).filter_map(in_period).collect();
    for period in periods {
        let mut left = 0;
        for invoice in invoices.iter().filter(|one| one.in_period == Some(period) && one.status != InvoiceStatus::Void)
        {
            let others: i64 = invoice.lines.iter().filter(|line| !line.kind.is_for_time()).map(net).sum();
            let own = notes.iter().filter(|note| note.invoice_id == Some(invoice.id));
            let credited: i64 = own.flat_map(|note| &note.lines).map(net).sum();
            // Usage and items are credited first.
            left += of_time(&invoice.lines) - (credited - others.max(0)).max(0);
        }
        let of_changes = notes.iter().filter(|note| note.invoice_id.is_none() && note.in_period == Some(period));
        left -= of_changes.map(|note| of_time(&note.lines)).sum::<i64>();
        assert!(left >= 0, "{context}I18: {} more than the period of {period} has is credited", -left);
    }
}

const fn in_period(note: &CreditNote) -> Option<Time> {
    note.in_period
}

pub(super) fn net(line: &InvoiceLine) -> i64 {
    line.amount.ten_thousandths() - line.discount.ten_thousandths()
}

fn of_time(lines: &[InvoiceLine]) -> i64 {
    lines.iter().filter(|line| line.kind.is_for_time()).map(net).sum()
}

/// Behavior and tax rates. Without rates the behavior does not matter.
type Group = (bool, Vec<String>);

/// The tax group of a line.
pub(super) fn group(line: &InvoiceLine) -> Group {
    let rates: Vec<String> = line.tax_rate_ids.iter().map(ToString::to_string).collect();
    (line.tax_behavior == TaxBehavior::Inclusive && !rates.is_empty(), rates)
}

/// Amounts less discounts of each tax group.
pub(super) fn groups(lines: &[InvoiceLine]) -> BTreeMap<Group, i64> {
    let mut groups = BTreeMap::new();
    for line in lines {
        *groups.entry(group(line)).or_default() += net(line);
    }
    groups
}
