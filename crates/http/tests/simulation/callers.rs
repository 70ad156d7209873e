//! What callers do: anything, at any moment. A rejected call is part of the story.

use super::notes::{group, groups, net};
use super::world::{World, number, text, unit_of};
use perennial_domain::invoices::record::Invoice;
use perennial_domain::invoices::status::InvoiceStatus;
use perennial_store::{invoices, payments};
use serde_json::{Value, json};

const DAY: i64 = 86_400;

/// Whether nothing but prices decides what a subscription costs, so that the reference computes it to the unit: every other
/// one has no coupon, no note, no void invoice.
const fn is_plain(place: usize) -> bool {
    place.is_multiple_of(2)
}

impl World {
    pub(super) async fn subscribe(&mut self) {
        let place = self.dice.below(self.plans.len());
        let (slug, currency, cycle) = {
            let plan = &self.plans[place];
            (plan.slug.clone(), plan.currency, plan.cycle)
        };
        let user = self.dice.below(self.users.len());
        let mut billing = json!({
            "payment_method": "pm_1",
            "time_zone": self.dice.of(&["UTC", "UTC", "UTC", "Europe/Berlin", "America/New_York"]),
            "collection": self.dice.of(&["automatic", "automatic", "manual"]),
        });
        if !is_plain(self.subscriptions.len()) && self.dice.one_in(2) {
            let code = if currency == "JPY" { "YEN" } else { self.dice.of(&["QUARTER", "THIRD"]) };
            billing["coupon"] = json!(if currency == "USD" && self.dice.one_in(3) { "FIVE" } else { code });
        }
        let mut body = json!({ "user_id": self.users[user], "subscription_plan_id": slug,
            "quantity": self.dice.whole(1, 5), "billing": billing });
        // Short cycles cost as much as long ones, and fill no years.
        if let Some(days) = match cycle {
            "daily" => Some(self.dice.whole(5, 40)),
            "weekly" | "biweekly" => Some(self.dice.whole(30, 300)),
            _ => None,
        } {
            body["ends_at"] = json!(self.now().plus_seconds(days * DAY).to_string());
        }
        let answer = self.send("POST", "/subscriptions", &body).await;
        if answer.status == 201 {
            self.subscriptions.push(text(answer.data(), "id"));
        }
    }

    /// One call about a random subscription.
    pub(super) async fn call(&mut self) {
        let place = self.dice.below(self.subscriptions.len());
        let id = self.subscriptions[place].clone();
        match self.dice.roll(20) {
            9..=11 if is_plain(place) => self.change(&id).await,
            0..=6 => self.change(&id).await,
            7..=8 => self.record_usage(&id).await,
            9..=11 => self.touch_invoice(&id).await,
            12..=14 => self.touch_payment(&id).await,
            15 => self.adjust_balance().await,
            16 => self.reprice().await,
            17 => self.bill_items(&id).await,
            _ => self.subscribe().await,
        }
    }

    async fn change(&mut self, id: &str) {
        let path = format!("/subscriptions/{id}");
        let current = self.app().get(&path).await.expect(200).data().clone();
        let later = |world: &mut Self, days: i64| {
            let days = world.dice.whole(1, days);
            json!(world.now().plus_seconds(days * DAY).to_string())
        };
        let plan = self.sibling(&current);
        let mut body = match self.dice.roll(16) {
            0 | 1 => json!({ "status": "paused", "billing": { "resumes_at": later(self, 90) } }),
            2 => json!({ "status": "cancelled" }),
            3 => json!({ "status": "active" }),
            4..=6 => json!({ "quantity": self.dice.whole(1, 6) }),
            7..=9 => json!({ "subscription_plan_id": plan }),
            10 => {
                json!({ "billing": { "change": { "subscription_plan_id": plan, "quantity": self.dice.whole(1, 6) } } })
            }
            11 => json!({ "ends_at": later(self, 400) }),
            12 => json!({ "ends_at": null }),
            13 => json!({ "billing": { "coupon": self.dice.of(&["QUARTER", "THIRD", "FIVE", "YEN"]) } }),
            14 => json!({ "billing": { "collection": self.dice.of(&["automatic", "manual"]) } }),
            _ if self.dice.one_in(3) => json!({ "status": "expired", "billing": { "prorate": true } }),
            _ => json!({ "billing": { "coupon": null } }),
        };
        let moves = body.get("quantity").is_some() || body.get("subscription_plan_id").is_some();
        let is_plain = self.subscriptions.iter().position(|known| known == id).is_some_and(is_plain);
        if is_plain && body["billing"].get("coupon").is_some() {
            return;
        }
        let is_free = moves && !is_plain && self.dice.one_in(3);
        if is_free {
            body["billing"] = json!({ "prorate": false });
        }
        let answer = self.send("PUT", &path, &body).await;
        if answer.status != 200 {
            return;
        }
        let now = self.now().as_micros();
        self.changes.entry(id.to_owned()).or_default().push((now, is_free));
        if is_free {
            self.unprorated.insert(id.to_owned());
        }
        if body["status"] == "expired" {
            self.credited_ends.insert(id.to_owned());
        }
        if moves && !is_plain && self.dice.one_in(3) {
            self.credit_period(id).await;
        }
    }

    /// Credits the fee of the period that a change has just credited: all of it, of which some is left at most.
    async fn credit_period(&mut self, id: &str) {
        let found = self.invoices(id).await;
        let fees = found.iter().filter(|invoice| invoice.cycle_at.is_some() && invoice.status.takes_payments());
        if let Some(invoice) = fees.max_by_key(|invoice| invoice.cycle_at) {
            let all = invoice.sums.subtotal.ten_thousandths() - invoice.sums.discount.ten_thousandths();
            let body = json!({ "invoice_id": invoice.id, "amount": number(all) });
            drop(self.send("POST", "/credit-notes", &body).await);
        }
    }

    /// A plan of the same currency. Those with charges keep theirs: their usage is counted to the last event.
    fn sibling(&mut self, subscription: &Value) -> String {
        let own = self.plans.iter().find(|plan| subscription["subscription_plan_id"] == plan.id.as_str()).unwrap();
        let currency = if self.dice.one_in(20) { "KWD" } else { own.currency };
        let is_usual = |cycle: &str| !matches!(cycle, "daily" | "weekly" | "biweekly");
        let others =
            self.plans.iter().filter(|plan| plan.currency == currency && plan.slug != "ux" && is_usual(plan.cycle));
        let slugs: Vec<String> = others.map(|plan| plan.slug.clone()).collect();
        slugs[self.dice.below(slugs.len())].clone()
    }

    async fn record_usage(&mut self, id: &str) {
        let mut events = Vec::new();
        let mut meant = Vec::new();
        for _ in 0..self.dice.whole(1, 6) {
            let meter = self.dice.of(&["calls", "jobs"]);
            let (value, ago) = (self.dice.whole(1, 90), self.dice.whole(0, 3 * DAY));
            let at = self.now().plus_seconds(-ago);
            self.sent += 1;
            let key = format!("e{}", self.sent);
            events.push(
                json!({ "id": key, "subscription_id": id, "meter": meter, "at": at.to_string(), "value": value }),
            );
            meant.push((key, (meter, at.as_micros(), value)));
        }
        let body = json!({ "events": events });
        let answer = self.send("POST", "/usage-events", &body).await;
        if answer.status != 200 {
            return;
        }
        let late = answer.data()["late"].as_array().unwrap().clone();
        let accepted = meant.into_iter().filter(|(key, _)| !late.contains(&json!(key))).map(|(_, used)| used);
        let accepted: Vec<_> = accepted.collect();
        assert_eq!(answer.data()["accepted"].as_u64(), Some(accepted.len() as u64), "{}", self.report(id));
        self.used.entry(id.to_owned()).or_default().extend(accepted);
        // Sent again, as after a lost response.
        let again = self.send("POST", "/usage-events", &body).await.expect(200);
        assert_eq!(again.data()["accepted"], 0, "{}", self.report(id));
    }

    async fn invoices(&self, id: &str) -> Vec<Invoice> {
        let app = self.app();
        invoices::of_subscription(&app.app.db, app.organization, id.parse().unwrap()).await.unwrap()
    }

    async fn touch_invoice(&mut self, id: &str) {
        let found = self.invoices(id).await;
        if found.is_empty() {
            return;
        }
        let invoice = &found[self.dice.below(found.len())];
        let path = format!("/invoices/{}", invoice.id);
        match self.dice.roll(8) {
            0 => drop(self.send("POST", &format!("{path}/void"), &Value::Null).await),
            1 => {
                let answer = self.send("POST", &format!("{path}/mark-uncollectible"), &Value::Null).await;
                if answer.status == 200 {
                    self.written_off.insert(invoice.id.to_string());
                }
            }
            2 => drop(self.send("POST", &format!("{path}/finalize"), &Value::Null).await),
            3 => {
                let line = json!({ "line": self.dice.below(2), "amount": self.dice.of(&[1, 3, 8]) });
                let body = json!({ "invoice_id": invoice.id, "lines": [line] });
                drop(self.send("POST", "/credit-notes", &body).await);
            }
            _ => {
                let unit = unit_of(invoice.currency.as_str());
                let all = invoice.sums.subtotal.ten_thousandths() - invoice.sums.discount.ten_thousandths();
                let amount = (all / unit / self.dice.whole(1, 5)).max(1) * unit;
                let settlement = self.dice.of(&["balance", "refund"]);
                let mut body = json!({ "invoice_id": invoice.id, "amount": number(amount), "settlement": settlement });
                drop(self.send("POST", "/credit-notes", &body).await);
                // Once more: all of it, or a unit more than was left.
                if self.dice.one_in(2) {
                    body["amount"] = number(all.max(unit) - if self.dice.one_in(2) { 0 } else { amount - unit });
                    drop(self.send("POST", "/credit-notes", &body).await);
                }
            }
        }
    }

    /// Credits a unit more of a line than is left of its tax group or of the sum of all groups, whichever is less. Only one of
    /// the two limits is exceeded, and nothing may be credited.
    async fn credit_too_much(&mut self, invoice: &Invoice) {
        let (groups, unit) = (groups(&invoice.lines), unit_of(invoice.currency.as_str()));
        let sum: i64 = groups.values().sum();
        if groups.len() < 2 || !invoice.status.takes_payments() || invoice.credited.total.ten_thousandths() != 0 {
            return;
        }
        for (place, line) in invoice.lines.iter().enumerate().filter(|(_, line)| net(line) > 0) {
            let left = groups[&group(line)];
            let amount = left.min(sum) + unit;
            if left == sum || amount <= 0 {
                continue;
            }
            let lines = json!([{ "line": place, "amount": number(amount) }]);
            let body = json!({ "invoice_id": invoice.id, "lines": lines });
            let answer = self.send("POST", "/credit-notes", &body).await;
            let id = invoice.subscription_id.to_string();
            assert_eq!(answer.status, 409, "{}I18: {left} of {sum} left: {}", self.report(&id), answer.json);
        }
    }

    /// Customers pay most of what is open, some of it late, too little or too much.
    pub(super) async fn pay(&mut self) {
        let mut open = Vec::new();
        for user in &self.users {
            let app = self.app();
            let found = invoices::open_of_user(&app.app.db, app.organization, user.parse().unwrap()).await.unwrap();
            open.extend(found.into_iter().filter(|invoice| invoice.status == InvoiceStatus::Open));
        }
        for invoice in open {
            self.credit_too_much(&invoice).await;
            if self.dice.one_in(4) {
                continue;
            }
            let due = invoice.amount_due().ten_thousandths();
            let unit = unit_of(invoice.currency.as_str());
            let amount = match self.dice.roll(10) {
                0 => (due / unit / 2).max(1) * unit,
                1 => due + 3 * unit,
                _ => due,
            };
            let status = self.dice.of(&["completed", "completed", "completed", "processing", "failed"]);
            let body = json!({ "subscription_id": invoice.subscription_id, "invoice_id": invoice.id,
                "amount": number(amount), "currency": invoice.currency.as_str(), "status": status });
            drop(self.send("POST", "/subscription-payments", &body).await);
        }
    }

    async fn touch_payment(&mut self, id: &str) {
        let app = self.app();
        let query = payments::Query { subscription_id: Some(id.parse().unwrap()), ..payments::Query::default() };
        let found = payments::list(&app.app.db, app.organization, &query, None, 50).await.unwrap().items;
        if found.is_empty() {
            return;
        }
        let payment = &found[self.dice.below(found.len())];
        let status = self.dice.of(&["completed", "failed", "void", "refunded", "partially_refunded", "disputed"]);
        let path = format!("/subscription-payments/{}", payment.id);
        drop(self.send("PUT", &path, &json!({ "status": status })).await);
    }

    async fn adjust_balance(&mut self) {
        let currency = self.dice.of(&["USD", "JPY", "KWD"]);
        let amount = self.dice.whole(-300, 900) * unit_of(currency);
        let amount = if amount < 0 { json!(-number(-amount).as_f64().unwrap()) } else { number(amount.max(10_000)) };
        let path = format!("/users/{}/credits", self.users[self.dice.below(self.users.len())]);
        drop(self.send("POST", &path, &json!({ "currency": currency, "amount": amount })).await);
    }

    /// A new version of a plan. Subscriptions stay on theirs.
    async fn reprice(&mut self) {
        let place = self.dice.below(self.plans.len());
        let (slug, unit) = (self.plans[place].slug.clone(), unit_of(self.plans[place].currency));
        let price = number(self.dice.whole(700, 30_000) * unit);
        let answer =
            self.send("PUT", &format!("/subscription-plans/{slug}"), &json!({ "price": price })).await.expect(200);
        self.learn_price(answer.data());
    }

    async fn bill_items(&mut self, id: &str) {
        let mut lines = json!([{ "description": "Setup", "quantity": self.dice.whole(1, 4), "unit_price": 3 }]);
        if self.dice.one_in(2) {
            // Another tax group.
            let rate = self.rates.keys().max().unwrap().clone();
            let item = json!({ "description": "Travel", "unit_price": 7, "tax_behavior": "inclusive", "tax_rate_ids": [rate] });
            lines.as_array_mut().unwrap().push(item);
        }
        let answer = self.send("POST", "/invoices", &json!({ "subscription_id": id, "lines": lines })).await;
        if answer.status == 201 {
            let path = format!("/invoices/{}/finalize", text(answer.data(), "id"));
            drop(self.send("POST", &path, &Value::Null).await);
        }
    }
}
