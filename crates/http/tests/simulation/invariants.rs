//! What holds for every invoice, note, payment and balance, computed again from the records alone.

use super::world::{World, unit_of};
use perennial_domain::events::{Event, RecordKind};
use perennial_domain::id::{SubscriptionId, UserId};
use perennial_domain::invoices::LineKind;
use perennial_domain::invoices::record::{Invoice, InvoiceKind, InvoiceLine, Sums};
use perennial_domain::invoices::status::InvoiceStatus;
use perennial_domain::lifecycle::billing::Collection;
use perennial_domain::payments::PaymentStatus;
use perennial_domain::plans::billing::TaxBehavior;
use perennial_store::{credit_notes, credits, invoices, payments, subscriptions};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// More rows than a simulation writes.
const ALL: usize = 100_000;

impl World {
    /// Checks what the last step touched.
    pub(super) async fn check_touched(&mut self) {
        let touched = self.new_events().await;
        let mut owners = BTreeSet::new();
        for event in &touched {
            let after = event.after.as_deref().unwrap_or("null");
            let after: serde_json::Value = serde_json::from_str(after).unwrap();
            let id = match event.kind.record_kind() {
                RecordKind::Subscription => event.record(),
                _ => after["subscription_id"].as_str().unwrap_or_default().to_owned(),
            };
            if self.subscriptions.contains(&id) {
                owners.insert(id);
            }
        }
        for id in owners {
            self.check_subscription(&id).await;
        }
        self.check_balances().await;
    }

    /// Checks everything.
    pub(super) async fn check_all(&mut self) {
        for invoice in self.checked.values_mut() {
            // Every invoice is checked once more, and compared with what it was.
            invoice.revision = perennial_domain::id::EventId::from_bytes([0; 16]);
        }
        for id in self.subscriptions.clone() {
            self.check_subscription(&id).await;
        }
        self.check_balances().await;
        self.check_numbers().await;
    }

    async fn new_events(&mut self) -> Vec<Event> {
        let app = self.app();
        let mut limit = 64;
        loop {
            let newest = perennial_app::events::list(&app.app, app.organization, None, limit).await.unwrap();
            let count = i64::try_from(newest.len()).unwrap();
            // Clocks differ by less than a step: all that is older than a known page was seen.
            let is_whole = count < limit || newest.iter().rev().take(32).all(|event| self.seen.contains(&event.id));
            if is_whole {
                let new: Vec<Event> = newest.into_iter().filter(|event| !self.seen.contains(&event.id)).collect();
                self.seen.extend(new.iter().map(|event| event.id));
                return new;
            }
            limit *= 4;
        }
    }

    async fn check_subscription(&mut self, id: &str) {
        let key: SubscriptionId = id.parse().unwrap();
        let (db, organization) = (&self.app().app.db, self.app().organization);
        let subscription = subscriptions::by_id(db, organization, key).await.unwrap().unwrap();
        let invoices = invoices::of_subscription(db, organization, key).await.unwrap();
        let context = Context::of(self, id);
        let billing = subscription.billing.as_deref().unwrap();
        assert!(billing.parked.is_none(), "{context}parked: {:?}", billing.parked);
        // I15, and the count behind it.
        let overdue = invoices.iter().filter(|invoice| invoice.is_overdue()).count();
        assert_eq!(billing.overdue_invoices, i64::try_from(overdue).unwrap(), "{context}overdue");
        if matches!(subscription.status.as_str(), "active" | "past_due") {
            assert_eq!(subscription.status.as_str() == "past_due", overdue > 0, "{context}I15");
        }
        // I5.
        let mut cycles = HashSet::new();
        for invoice in invoices.iter().filter(|invoice| invoice.status != InvoiceStatus::Void) {
            if let Some(at) = invoice.cycle_at {
                assert!(cycles.insert(at), "{context}I5: two cycle invoices at {at}");
            }
        }
        for invoice in &invoices {
            // What has not changed was checked before.
            if self.checked.get(&invoice.id).is_some_and(|before| before.revision == invoice.revision) {
                continue;
            }
            self.check_invoice(invoice, &context);
            self.check_attempts(invoice, &context);
            self.check_frozen(invoice, &context);
        }
        self.check_payments(key, &invoices, &context).await;
        self.check_notes(key, &invoices, &context).await;
        self.checked.extend(invoices.into_iter().map(|invoice| (invoice.id, invoice)));
    }

    fn check_invoice(&self, invoice: &Invoice, context: &Context<'_>) {
        let context = &context.about(&invoice.lines);
        self.check_sums(&invoice.lines, &invoice.sums, invoice.currency.as_str(), context);
        let total = invoice.sums.total.ten_thousandths();
        assert!(total >= 0, "{context}I18: negative total");
        // I17.
        let is_void = invoice.status == InvoiceStatus::Void;
        let settled = [invoice.credit_applied, invoice.amount_paid, invoice.amount_credited];
        let due = total - settled.iter().map(|amount| amount.ten_thousandths()).sum::<i64>();
        assert!(due >= 0, "{context}I17: {due} due");
        assert_eq!(invoice.amount_due().ten_thousandths(), if is_void { 0 } else { due }, "{context}I17");
        match invoice.status {
            InvoiceStatus::Paid => assert_eq!(due, 0, "{context}I17: paid"),
            InvoiceStatus::Open | InvoiceStatus::Uncollectible => assert!(due > 0, "{context}I17: nothing due"),
            InvoiceStatus::Draft | InvoiceStatus::Void => {}
        }
        // I19.
        assert_eq!(invoice.number.is_some(), invoice.status != InvoiceStatus::Draft, "{context}I19");
        assert_eq!(invoice.number.is_some(), invoice.issued_at.is_some(), "{context}I19");
        self.check_discounts(invoice, context);
    }

    /// I20.
    fn check_frozen(&self, invoice: &Invoice, context: &Context<'_>) {
        let Some(before) = self.checked.get(&invoice.id).filter(|before| before.number.is_some()) else { return };
        let frozen = |of: &Invoice| {
            let periods = (of.cycle_at, of.period_start, of.period_end, of.issued_at, of.due_at);
            (
                of.number.clone(),
                of.lines.clone(),
                of.sums.clone(),
                of.credit_applied,
                periods,
                of.seller.clone(),
                of.buyer.clone(),
            )
        };
        assert!(frozen(before) == frozen(invoice), "{context}I20: {}", invoice.id);
    }

    /// I16 and I23, with the taxes computed again.
    pub(super) fn check_sums(&self, lines: &[InvoiceLine], sums: &Sums, currency: &str, context: &Context<'_>) {
        let sum = |of: fn(&InvoiceLine) -> i64| lines.iter().map(of).sum::<i64>();
        let subtotal = sum(|line| line.amount.ten_thousandths());
        let discount = sum(|line| line.discount.ten_thousandths());
        let amounts = |inclusive_only: bool| {
            let counted = sums.taxes.iter().filter(|tax| !inclusive_only || tax.tax_behavior == TaxBehavior::Inclusive);
            counted.map(|tax| tax.amount.ten_thousandths()).sum::<i64>()
        };
        assert_eq!(sums.subtotal.ten_thousandths(), subtotal, "{context}I16: subtotal");
        assert_eq!(sums.discount.ten_thousandths(), discount, "{context}I16: discount");
        assert_eq!(sums.tax.ten_thousandths(), amounts(false), "{context}I16: tax");
        assert_eq!(sums.tax_included.ten_thousandths(), amounts(true), "{context}I16: included tax");
        let total = subtotal - discount + amounts(false) - amounts(true);
        assert_eq!(sums.total.ten_thousandths(), total, "{context}I16: total");
        let unit = unit_of(currency);
        for amount in
            [subtotal, discount, total].into_iter().chain(lines.iter().map(|line| line.amount.ten_thousandths()))
        {
            assert_eq!(amount % unit, 0, "{context}I16: a part of a minor unit");
        }
        assert_eq!(self.taxes(lines, unit), taxes_of(sums), "{context}taxes");
    }

    /// The tax of each behavior and rate, from the lines alone.
    pub(super) fn taxes(&self, lines: &[InvoiceLine], unit: i64) -> BTreeMap<(bool, String), i64> {
        let mut bases: BTreeMap<(bool, Vec<String>), i64> = BTreeMap::new();
        for line in lines.iter().filter(|line| !line.tax_rate_ids.is_empty()) {
            let rates = line.tax_rate_ids.iter().map(ToString::to_string).collect();
            let net = line.amount.ten_thousandths() - line.discount.ten_thousandths();
            *bases.entry((line.tax_behavior == TaxBehavior::Inclusive, rates)).or_default() += net;
        }
        let mut taxes = BTreeMap::new();
        for ((is_inclusive, rates), base) in bases {
            let percent: Vec<i64> = rates.iter().map(|rate| self.rates[rate]).collect();
            let amounts = if is_inclusive { included(base, &percent, unit) } else { added(base, &percent, unit) };
            for (rate, amount) in rates.into_iter().zip(amounts) {
                *taxes.entry((is_inclusive, rate)).or_default() += amount;
            }
        }
        taxes.retain(|_, amount| *amount != 0);
        taxes
    }

    /// The discount of each line, from the coupon of the invoice.
    fn check_discounts(&self, invoice: &Invoice, context: &Context<'_>) {
        let unit = unit_of(invoice.currency.as_str());
        let coupon = invoice.coupon_id.map(|id| self.coupons[&id.to_string()]);
        let is_discounted =
            |line: &InvoiceLine| matches!(line.kind, LineKind::Fee | LineKind::Usage | LineKind::ProrationCharge);
        let mut left = coupon.and_then(|(_, amount)| amount).unwrap_or(0);
        if invoice.kind == InvoiceKind::Change && !invoice.begins_period {
            left = 0;
        }
        for line in &invoice.lines {
            let amount = line.amount.ten_thousandths();
            let expected = match coupon {
                _ if !is_discounted(line) => 0,
                Some((Some(percent), _)) => round(amount.into(), percent.into(), 10_000, unit),
                _ => amount.max(0).min(left),
            };
            left -= if coupon.is_some_and(|(percent, _)| percent.is_none()) { expected } else { 0 };
            assert_eq!(line.discount.ten_thousandths(), expected, "{context}discount");
        }
    }

    /// Attempts: one when issued, then one for each retry at most, none before its instant.
    fn check_attempts(&self, invoice: &Invoice, context: &Context<'_>) {
        let Some(schedule) = invoice.schedule.as_ref() else { return };
        if invoice.collection == Some(Collection::Manual) {
            assert_eq!(schedule.attempts, 0, "{context}attempts of a manual invoice");
            return;
        }
        // A schedule that began again has attempts of both.
        if Some(schedule.counts_from) == invoice.issued_at {
            let days = schedule.counts_from.as_micros();
            let passed = |day: &&i64| days + **day * 86_400_000_000 <= self.now().as_micros() + 60_000_000;
            let most = 1 + schedule.rules.retry_days.iter().filter(passed).count();
            assert!(schedule.attempts <= i64::try_from(most).unwrap(), "{context}attempts: {schedule:?}");
        }
    }

    /// I25.
    async fn check_payments(&self, id: SubscriptionId, invoices: &[Invoice], context: &Context<'_>) {
        let (db, organization) = (&self.app().app.db, self.app().organization);
        let query = payments::Query { subscription_id: Some(id), ..payments::Query::default() };
        let found = payments::list(db, organization, &query, None, ALL).await.unwrap().items;
        for invoice in invoices {
            let of_invoice = || found.iter().filter(|payment| payment.invoice_id == Some(invoice.id));
            let paid: i64 =
                of_invoice().filter_map(|payment| payment.applied).map(|part| part.paid.ten_thousandths()).sum();
            assert_eq!(invoice.amount_paid.ten_thousandths(), paid, "{context}I25: {}", invoice.id);
            for payment in of_invoice() {
                use PaymentStatus::{Completed, Disputed, PartiallyRefunded, Refunded};
                let counts = matches!(payment.status, Completed | Disputed | PartiallyRefunded | Refunded);
                let used = payment.applied.map(|part| part.paid.ten_thousandths() + part.surplus.ten_thousandths());
                let amount = perennial_domain::invoices::Amount::from(payment.amount).ten_thousandths();
                assert_eq!(used, counts.then_some(amount), "{context}I25: {}", payment.id);
            }
        }
    }

    /// I21.
    async fn check_balances(&self) {
        let (db, organization) = (&self.app().app.db, self.app().organization);
        for user in &self.users {
            let user: UserId = user.parse().unwrap();
            let query = credits::Query { user_id: user, currency: None };
            let entries = credits::list(db, organization, &query, None, ALL).await.unwrap().items;
            let mut sums: BTreeMap<String, i64> = BTreeMap::new();
            for entry in &entries {
                *sums.entry(entry.currency.as_str().to_owned()).or_default() += entry.amount.ten_thousandths();
            }
            for balance in credits::balances(db, organization, user).await.unwrap() {
                let amount = perennial_domain::invoices::Amount::from(balance.amount).ten_thousandths();
                let sum = sums.remove(balance.currency.as_str()).unwrap_or(0);
                assert!(sum == amount && sum >= 0, "{}I21: {amount} is not {sum}", self.report(&user.to_string()));
            }
            assert!(sums.values().all(|sum| *sum == 0), "{}I21: no balance", self.report(&user.to_string()));
        }
    }

    /// I19.
    async fn check_numbers(&self) {
        let (db, organization) = (&self.app().app.db, self.app().organization);
        let mut numbers: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for id in &self.subscriptions {
            let found = invoices::of_subscription(db, organization, id.parse().unwrap()).await.unwrap();
            numbers.entry("INV").or_default().extend(found.into_iter().filter_map(|invoice| invoice.number));
        }
        let notes =
            credit_notes::list(db, organization, &credit_notes::Query::default(), None, ALL).await.unwrap().items;
        numbers.insert("CRN", notes.into_iter().map(|note| note.number).collect());
        for (prefix, mut found) in numbers {
            found.sort();
            let expected: Vec<String> = (1..=found.len()).map(|place| format!("{prefix}-{place:06}")).collect();
            assert!(found == expected, "{}I19: {prefix}: {found:?}", self.report(""));
        }
    }
}

/// What a failure is about. It is rendered only for a failure.
pub(super) struct Context<'a> {
    world: &'a World,
    id: &'a str,
    lines: &'a [InvoiceLine],
}

impl<'a> Context<'a> {
    const fn of(world: &'a World, id: &'a str) -> Self {
        Self { world, id, lines: &[] }
    }

    pub(super) const fn about(&self, lines: &'a [InvoiceLine]) -> Self {
        Self { world: self.world, id: self.id, lines }
    }
}

impl std::fmt::Display for Context<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.world.report(self.id))?;
        for line in self.lines {
            writeln!(formatter, "  {line:?}")?;
        }
        Ok(())
    }
}

pub(super) fn taxes_of(sums: &Sums) -> BTreeMap<(bool, String), i64> {
    let mut taxes = BTreeMap::new();
    for tax in &sums.taxes {
        let key = (tax.tax_behavior == TaxBehavior::Inclusive, tax.tax_rate_id.to_string());
        *taxes.entry(key).or_default() += tax.amount.ten_thousandths();
    }
    taxes.retain(|_, amount| *amount != 0);
    taxes
}

/// `value` × `by` / `of` in whole units, half away from zero.
pub(super) fn round(value: i128, by: i128, of: i128, unit: i64) -> i64 {
    let (numerator, denominator) = (value * by, of * i128::from(unit));
    let whole = (2 * numerator.abs() + denominator) / (2 * denominator);
    i64::try_from(whole * numerator.signum()).unwrap() * unit
}

fn added(base: i64, rates: &[i64], unit: i64) -> Vec<i64> {
    rates.iter().map(|rate| round(base.into(), (*rate).into(), 1_000_000, unit)).collect()
}

/// The tax in a price, split by largest remainder: units are handed out one by one.
fn included(base: i64, rates: &[i64], unit: i64) -> Vec<i64> {
    let sum: i64 = rates.iter().sum();
    let net = round(base.into(), 1_000_000, i128::from(1_000_000 + sum), unit);
    let tax = base - net;
    let units = (tax / unit).abs();
    let mut shares: Vec<i64> = rates.iter().map(|rate| units * rate / sum.max(1)).collect();
    while shares.iter().sum::<i64>() < units {
        let rest = |place: &usize| (units * rates[*place]) % sum;
        let behind: Vec<usize> =
            (0..rates.len()).filter(|place| shares[*place] == units * rates[*place] / sum).collect();
        let most = behind.iter().map(rest).max().unwrap();
        let place = behind.into_iter().find(|place| rest(place) == most).unwrap();
        shares[place] += 1;
    }
    shares.into_iter().map(|share| share * unit * tax.signum()).collect()
}
