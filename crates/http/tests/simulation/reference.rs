//! What a subscription costs, computed a second time: from its history and not from its invoices.
//!
//! Each revision states what was subscribed to from then on. Price × quantity is integrated over the time of each period in
//! fixed-point numbers; invoices and notes must sum to it within one unit per line.

use super::invariants::round;
use super::world::{World, unit_of};
use perennial_domain::events::Event;
use perennial_domain::invoices::LineKind;
use perennial_domain::invoices::record::{Invoice, InvoiceLine};
use perennial_domain::invoices::status::InvoiceStatus;
use perennial_domain::time::Time;
use perennial_store::{credit_notes, events, invoices, subscriptions};
use serde_json::Value;

const DAY: i64 = 86_400_000_000;
/// Parts of a ten-thousandth.
const SCALE: i128 = 1_000_000;

/// A revision of a subscription.
pub(super) struct Revision {
    /// When it was written.
    pub(super) at: i64,
    pub(super) kind: &'static str,
    pub(super) record: Value,
}

/// A period that is being paid for.
struct Period {
    cycle: i64,
    /// Price × quantity now, and the time that is left from the last change on.
    rate: i128,
    left: i64,
    is_lifetime: bool,
}

impl World {
    /// Checks the history of every subscription. Returns the days that they lived.
    pub(super) async fn check_history(&self) -> i64 {
        let (mut compared, mut lived, mut changes) = (0, 0, 0);
        for id in &self.subscriptions {
            let history = self.history(id).await;
            self.check_periods(id, &history);
            let is_end = |revision: &&Revision| revision.record["status"] == "expired";
            let end = history.iter().find(is_end).map_or(self.now().as_micros(), |revision| revision.at);
            lived += (end - history[0].at) / DAY;
            let (db, organization) = (&self.app().app.db, self.app().organization);
            let found = invoices::of_subscription(db, organization, id.parse().unwrap()).await.unwrap();
            self.check_usage(id, &found);
            changes += self.check_changes(id, &history, &found).await;
            if history[0].record["billing"]["time_zone"] == "UTC" && !self.unprorated.contains(id) {
                compared += usize::from(self.check_total(id, &history, &found).await);
            }
        }
        assert!(compared >= self.subscriptions.len() / 8, "seed {}: only {compared} compared", self.seed);
        assert!(changes >= self.subscriptions.len() / 8, "seed {}: only {changes} prorated changes", self.seed);
        lived
    }

    /// The revisions of a subscription, oldest first. I12: the history has no gap, and its last event is the revision.
    async fn history(&self, id: &str) -> Vec<Revision> {
        let app = self.app();
        let record = subscriptions::by_id(&app.app.db, app.organization, id.parse().unwrap()).await.unwrap().unwrap();
        let mut next = Some(record.revision);
        let mut history = Vec::new();
        while let Some(revision) = next {
            let event: Event = events::by_id(&app.app.db, app.organization, revision).await.unwrap().unwrap();
            assert_eq!(event.record(), id, "I12");
            next = event.previous_id;
            let record = serde_json::from_str(event.after.as_deref().unwrap()).unwrap();
            history.push(Revision { at: event.at.as_micros(), kind: event.kind.as_str(), record });
        }
        history.reverse();
        history
    }

    /// I4 and the periods of coupons.
    fn check_periods(&self, id: &str, history: &[Revision]) {
        for pair in history.windows(2) {
            let (before, after) = (&pair[0].record, &pair[1].record);
            let context = || format!("{}{before}\n{after}", self.report(id));
            if pair[1].kind == "subscription.renewed" {
                assert_eq!(after["billing"]["period_start"], before["renews_at"], "{}I4", context());
            }
            let is_new = before["billing"]["period_start"] != after["billing"]["period_start"];
            let (left, then) = (&before["billing"]["discount"], &after["billing"]["discount"]);
            let is_engine = pair[1].kind != "subscription.updated";
            match left["periods_left"].as_i64() {
                Some(count) if is_engine && is_new && is_billed(after) => {
                    assert_eq!(then["periods_left"].as_i64().unwrap_or(0), count - 1, "{}coupon", context());
                }
                _ if is_engine => assert_eq!(left, then, "{}coupon", context()),
                _ => {}
            }
        }
    }

    /// I22. False if something else than prices decided.
    async fn check_total(&self, id: &str, history: &[Revision], found: &[Invoice]) -> bool {
        let app = self.app();
        let query =
            credit_notes::Query { subscription_id: Some(id.parse().unwrap()), ..credit_notes::Query::default() };
        let notes = credit_notes::list(&app.app.db, app.organization, &query, None, 100_000).await.unwrap().items;
        let is_usual = |invoice: &Invoice| {
            !matches!(invoice.status, InvoiceStatus::Void | InvoiceStatus::Uncollectible) && invoice.coupon_id.is_none()
        };
        if !found.iter().all(is_usual) || notes.iter().any(|note| note.invoice_id.is_some()) {
            return false;
        }
        let of_time = |line: &&InvoiceLine| !matches!(line.kind, LineKind::Usage | LineKind::Item);
        let billed = || found.iter().flat_map(|invoice| &invoice.lines).filter(of_time);
        let credited = || notes.iter().flat_map(|note| &note.lines).filter(of_time);
        let sum = |lines: &mut dyn Iterator<Item = &InvoiceLine>| {
            lines.map(|line| line.amount.ten_thousandths()).sum::<i64>()
        };
        let total = sum(&mut billed()) - sum(&mut credited());
        let Some(currency) = found.first().map(|invoice| invoice.currency) else { return false };
        let unit = unit_of(currency.as_str());
        let lines = i128::try_from(billed().count() + credited().count()).unwrap();
        let expected = self.integrate(id, history, found, unit);
        let difference = (i128::from(total) * SCALE - expected).abs();
        let context = || format!("{}{:#?}", self.report(id), billed().chain(credited()).collect::<Vec<_>>());
        assert!(
            difference <= (lines + 1) * i128::from(unit) * SCALE,
            "{}I22: {total} billed, {} expected",
            context(),
            expected / SCALE
        );
        true
    }

    pub(super) fn rate(&self, record: &Value) -> i128 {
        let plan = record["subscription_plan_id"].as_str().unwrap().to_owned();
        let price = self.prices[&(plan, record["plan_version"].as_i64().unwrap())];
        i128::from(price) * i128::from(record["quantity"].as_i64().unwrap())
    }

    /// Price × quantity over the time that was paid for. Fees of whole periods are compared line by line.
    fn integrate(&self, id: &str, history: &[Revision], found: &[Invoice], unit: i64) -> i128 {
        let mut sum = 0;
        let mut current: Option<Period> = None;
        let mut start = &Value::Null;
        for (place, revision) in history.iter().enumerate() {
            let record = &revision.record;
            let begins = &record["billing"]["period_start"] != start;
            start = &record["billing"]["period_start"];
            if begins && is_billed(record) {
                let began = micros(start).unwrap();
                if let Some(old) = current.take() {
                    // Another billing cycle credits what is left; a renewal leaves nothing.
                    let credited = if revision.kind == "subscription.updated" && place > 0 {
                        micros(&history[place - 1].record["renews_at"]).map_or(0, |end| (end - began).max(0))
                    } else {
                        0
                    };
                    sum += old.cost(old.left - credited.min(old.left));
                }
                let period = self.period(record, began);
                for line in found.iter().flat_map(|invoice| &invoice.lines) {
                    if line.kind == LineKind::Fee && line.period_start.map(Time::as_micros) == Some(began) {
                        let (left, of) = if period.is_lifetime { (1, 1) } else { (period.left, period.cycle) };
                        let fee = round(period.rate, left.into(), of.into(), unit);
                        assert_eq!(line.amount.ten_thousandths(), fee, "{}the fee at {start}", self.report(id));
                    }
                }
                current = Some(period);
            } else if let Some(period) = &mut current {
                let rate = self.rate(record);
                let end = micros(&record["renews_at"]);
                if rate != period.rate && !period.is_lifetime {
                    let left = end.map_or(0, |end| (end - revision.at).max(0)).min(period.left);
                    sum += period.cost(period.left - left);
                    (period.left, period.rate) = (left, rate);
                }
                let was_expired = place > 0 && history[place - 1].record["status"] == "expired";
                let is_credited = revision.kind == "subscription.updated" && self.credited_ends.contains(id);
                if record["status"] == "expired" && !was_expired && is_credited && !period.is_lifetime {
                    let paused = micros(&history[place - 1].record["billing"]["paused_at"]);
                    let left = end.map_or(0, |end| (end - paused.unwrap_or(revision.at)).max(0)).min(period.left);
                    sum += period.cost(period.left - left);
                    period.left = 0;
                }
            }
        }
        sum + current.map_or(0, |period| period.cost(period.left))
    }

    fn period(&self, record: &Value, began: i64) -> Period {
        let anchor = micros(&record["billing"]["anchor_at"]).unwrap();
        let rate = self.rate(record);
        let Some(end) = micros(&record["renews_at"]) else {
            return Period { cycle: 1, rate, left: 1, is_lifetime: true };
        };
        let cycle = full_cycle(anchor, began, record["billing_cycle"].as_str().unwrap());
        Period { cycle, rate, left: end - began, is_lifetime: false }
    }

    /// I26 and I28: usage lines are the accepted events of their windows, each once.
    fn check_usage(&self, id: &str, found: &[Invoice]) {
        let events = self.used.get(id).map(Vec::as_slice).unwrap_or_default();
        let metered = &self.plans.iter().find(|plan| plan.slug == "ux").unwrap().id;
        let mut covered = vec![0; events.len()];
        for invoice in found.iter().filter(|invoice| invoice.number.is_some()) {
            let mut expected = Vec::new();
            for part in invoice.parts.iter().filter(|part| part.plan_id.to_string() == *metered) {
                let (from, to) = (part.from.as_micros(), part.to.map_or(i64::MAX, Time::as_micros));
                let mut totals = [0, 0];
                for (place, (meter, at, value)) in events.iter().enumerate() {
                    if from <= *at && *at < to {
                        covered[place] += 1;
                        totals[usize::from(*meter == "jobs")] += if *meter == "jobs" { 1 } else { *value };
                    }
                }
                let first = totals[0].min(100);
                let calls = round(i128::from(first * 1_000 + (totals[0] - first) * 725), 1, 1, 100);
                let jobs = round(i128::from(totals[1] * 330), 1, 1, 100);
                expected.extend(
                    [("calls", totals[0], calls), ("jobs", totals[1], jobs)].into_iter().filter(|line| line.1 > 0),
                );
            }
            let lines = invoice.lines.iter().filter(|line| line.kind == LineKind::Usage);
            let line = |line: &InvoiceLine| {
                let meter = self.meters[&line.meter_id.unwrap().to_string()];
                let quantity: i64 = line.quantity.as_ref().unwrap().to_string().parse().unwrap();
                (meter, quantity, line.amount.ten_thousandths())
            };
            let mut lines: Vec<_> = lines.map(line).collect();
            lines.sort_unstable();
            expected.sort_unstable();
            assert_eq!(lines, expected, "{}I26: {}", self.report(id), invoice.id);
        }
        assert!(covered.iter().all(|count| *count <= 1), "{}I28: {covered:?}", self.report(id));
    }
}

impl Period {
    fn cost(&self, time: i64) -> i128 {
        self.rate * i128::from(time) * SCALE / i128::from(self.cycle)
    }
}

pub(super) fn is_billed(record: &Value) -> bool {
    !matches!(record["status"].as_str().unwrap(), "on_trial" | "pending")
        && record["billing"]["period_start"] != Value::Null
        && !(record["status"] == "paused" && record["billing"]["paused_at"] == record["billing"]["trial_ends_at"])
}

pub(super) fn micros(instant: &Value) -> Option<i64> {
    instant.as_str().map(|text| Time::parse(text).unwrap().as_micros())
}

/// The length of the billing cycle that contains an instant, in UTC.
pub(super) fn full_cycle(anchor: i64, at: i64, cycle: &str) -> i64 {
    let months = match cycle {
        "daily" => return DAY,
        "weekly" => return 7 * DAY,
        "biweekly" => return 14 * DAY,
        "monthly" => 1,
        "quarterly" => 3,
        "semiannual" => 6,
        "yearly" => 12,
        "biennial" => 24,
        other => panic!("{other}"),
    };
    let (date, time) = (anchor.div_euclid(DAY), anchor.rem_euclid(DAY));
    let (year, month, day) = civil(date);
    let boundary = |count: i64| {
        let place = year * 12 + month - 1 + count * months;
        let (year, month) = (place.div_euclid(12), place.rem_euclid(12) + 1);
        let next = if month == 12 { first_day(year + 1, 1) } else { first_day(year, month + 1) };
        (first_day(year, month) + day - 1).min(next - 1) * DAY + time
    };
    let mut count = 0;
    while boundary(count) <= at {
        count += 1;
    }
    while boundary(count - 1) > at {
        count -= 1;
    }
    boundary(count) - boundary(count - 1)
}

/// Days from 1970-01-01 to the first day of a month, by counting.
fn first_day(year: i64, month: i64) -> i64 {
    let is_leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let years: i64 = (1970..year).map(|year| 365 + i64::from(is_leap(year))).sum();
    let lengths = [31, 28 + i64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    years + lengths[..usize::try_from(month - 1).unwrap()].iter().sum::<i64>()
}

fn civil(date: i64) -> (i64, i64, i64) {
    let mut year = 1970;
    while first_day(year + 1, 1) <= date {
        year += 1;
    }
    let month = (1..=12).rev().find(|month| first_day(year, *month) <= date).unwrap();
    (year, month, date - first_day(year, month) + 1)
}
