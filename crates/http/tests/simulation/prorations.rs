//! Prorations, computed a second time to the unit: the credit and the charge of each change, from the history of its
//! subscription and the line that paid for the rest of the period.

use super::invariants::round;
use super::reference::{Revision, full_cycle, is_billed, micros};
use super::world::{World, unit_of};
use perennial_domain::id::InvoiceId;
use perennial_domain::invoices::LineKind;
use perennial_domain::invoices::record::{Invoice, InvoiceLine};
use perennial_domain::invoices::status::InvoiceStatus;
use perennial_domain::time::Time;
use serde_json::Value;

/// What pays for the rest of a period.
#[derive(Clone, Copy, Debug)]
struct Paid {
    /// Amount less discount.
    net: i64,
    /// The time that it paid for when it was billed. A pause moves the end and adds nothing.
    time: i64,
    source: InvoiceId,
}

/// A line as an invoice would have it, and the invoice that it is on; none if it is on a note.
type Billed = (Option<InvoiceId>, InvoiceLine);

/// The history of one subscription with its lines.
struct Books<'a> {
    world: &'a World,
    id: &'a str,
    unit: i64,
    invoices: &'a [Invoice],
    lines: Vec<Billed>,
}

impl World {
    /// Checks the lines of every change of a subscription. Returns how many were compared.
    pub(super) async fn check_changes(&self, id: &str, history: &[Revision], invoices: &[Invoice]) -> usize {
        let Some(currency) = invoices.first().map(|invoice| invoice.currency) else { return 0 };
        let on_invoices =
            invoices.iter().flat_map(|invoice| invoice.lines.iter().map(|line| (Some(invoice.id), line.clone())));
        let notes = self.notes(id.parse().unwrap()).await;
        let of_changes = notes.iter().filter(|note| note.invoice_id.is_none());
        let on_notes = of_changes.flat_map(|note| note.lines.iter().map(|line| (None, line.negated())));
        let lines = on_invoices.chain(on_notes).collect();
        let books = Books { world: self, id, unit: unit_of(currency.as_str()), invoices, lines };
        books.check(history)
    }
}

impl Books<'_> {
    fn check(&self, history: &[Revision]) -> usize {
        let (mut compared, mut paid, mut cycle) = (0, None, None);
        let mut before = &Value::Null;
        for revision in history {
            let record = &revision.record;
            let is_put = revision.kind == "subscription.updated";
            let begins = before["billing"]["period_start"] != record["billing"]["period_start"] && is_billed(record);
            if is_put && is_running(before) && is_changed(before, record) {
                paid = self.check_change(before, revision, paid, cycle);
                compared += 1;
                if begins {
                    cycle = cycle_of(record, self.sent_at(revision).0);
                }
            } else if begins {
                let start = micros(&record["billing"]["period_start"]).unwrap();
                cycle = cycle_of(record, start);
                paid = self.paid(LineKind::Fee, start, micros(&record["renews_at"]), None);
            } else if is_put && record["status"] == "expired" && before["status"] != "expired" {
                let at = micros(&before["billing"]["paused_at"]).unwrap_or(self.sent_at(revision).0);
                let is_credited = self.world.credited_ends.contains(self.id);
                let expected = self.credit(before, at, paid.filter(|_| is_credited));
                self.compare(LineKind::ProrationCredit, at, expected);
                compared += 1;
            }
            before = record;
        }
        compared
    }

    /// Checks the lines of a change, and returns what pays for the rest after it.
    fn check_change(
        &self,
        before: &Value,
        revision: &Revision,
        paid: Option<Paid>,
        cycle: Option<i64>,
    ) -> Option<Paid> {
        let record = &revision.record;
        let (at, is_free) = self.sent_at(revision);
        let end = micros(&record["renews_at"]);
        let is_same_cycle = before["billing_cycle"] == record["billing_cycle"];
        let was_lifetime = before["billing_cycle"] == "lifetime";
        if is_same_cycle && (is_free || was_lifetime) {
            self.compare(LineKind::ProrationCredit, at, Some(0));
            self.compare(LineKind::ProrationCharge, at, Some(0));
            return paid;
        }
        let credited = paid.filter(|_| !is_free && !was_lifetime);
        self.compare(LineKind::ProrationCredit, at, self.credit(before, at, credited));
        let rate = self.world.rate(record);
        let of = if is_same_cycle { cycle } else { cycle_of(record, at) };
        let charge = match (end, of) {
            (None, _) => Some(round(rate, 1, 1, self.unit)),
            (Some(end), Some(of)) => Some(round(rate, (end - at).max(0).into(), of.into(), self.unit)),
            (Some(_), None) => None,
        };
        self.compare(LineKind::ProrationCharge, at, charge);
        self.paid(LineKind::ProrationCharge, at, end, paid.map(|paid| paid.source))
    }

    /// When the call was made that wrote a revision, and whether it moved no money. A revision that follows another of the same
    /// instant is microseconds later.
    fn sent_at(&self, revision: &Revision) -> (i64, bool) {
        let calls = self.world.changes.get(self.id).map(Vec::as_slice).unwrap_or_default();
        let call = calls.iter().rev().find(|(at, _)| (0..1_000_000).contains(&(revision.at - at)));
        *call.unwrap_or_else(|| panic!("{}no call made the change at {}", self.world.report(self.id), revision.at))
    }

    /// What a credit at an instant is. None: other documents decide it too.
    fn credit(&self, before: &Value, at: i64, paid: Option<Paid>) -> Option<i64> {
        let (Some(paid), Some(end)) = (paid, micros(&before["renews_at"])) else { return Some(0) };
        let start = micros(&before["billing"]["period_start"]);
        let is_decided = self.invoices.iter().any(|invoice| {
            let is_of_period = invoice.in_period.map(Time::as_micros) == start;
            let is_given_up = matches!(invoice.status, InvoiceStatus::Void | InvoiceStatus::Uncollectible)
                || self.world.written_off.contains(&invoice.id.to_string());
            is_of_period && invoice.credited.total.ten_thousandths() != 0 || invoice.id == paid.source && is_given_up
        });
        let left = (end - at).clamp(0, paid.time);
        (!is_decided).then(|| -round(paid.net.into(), left.into(), paid.time.into(), self.unit))
    }

    /// What a line pays for. A note names no invoice: the earlier one continues.
    fn paid(&self, kind: LineKind, from: i64, end: Option<i64>, earlier: Option<InvoiceId>) -> Option<Paid> {
        let (invoice, line) = self.line(kind, from)?;
        let net = line.amount.ten_thousandths() - line.discount.ten_thousandths();
        Some(Paid { net, time: end? - from, source: invoice.or(earlier)? })
    }

    fn line(&self, kind: LineKind, at: i64) -> Option<&Billed> {
        let is_it = |line: &&Billed| line.1.kind == kind && line.1.period_start.map(Time::as_micros) == Some(at);
        let mut found = self.lines.iter().filter(is_it);
        let line = found.next();
        assert!(found.next().is_none(), "{}two lines at {at}", self.world.report(self.id));
        line
    }

    fn compare(&self, kind: LineKind, at: i64, expected: Option<i64>) {
        let Some(expected) = expected else { return };
        let found = self.line(kind, at).map_or(0, |(_, line)| line.amount.ten_thousandths());
        let at = Time::from_micros(at).unwrap();
        assert_eq!(found, expected, "{}{kind:?} of the change at {at}", self.world.report(self.id));
    }
}

/// The full length of the billing cycle of a period. Outside of UTC that of a period that nothing cuts short.
fn cycle_of(record: &Value, start: i64) -> Option<i64> {
    let end = micros(&record["renews_at"])?;
    if record["billing"]["time_zone"] == "UTC" {
        let anchor = micros(&record["billing"]["anchor_at"]).unwrap();
        return Some(full_cycle(anchor, start, record["billing_cycle"].as_str().unwrap()));
    }
    let is_whole = micros(&record["ends_at"]).is_none_or(|last| last > end);
    is_whole.then_some(end - start)
}

/// Whether a change acts now and moves money.
fn is_running(before: &Value) -> bool {
    matches!(before["status"].as_str(), Some("active" | "past_due"))
}

fn is_changed(before: &Value, after: &Value) -> bool {
    ["subscription_plan_id", "quantity"].iter().any(|field| before[field] != after[field])
}
