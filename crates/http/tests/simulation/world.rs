//! A service with plans of every billing cycle in three currencies, and two servers over its store.

use super::dice::Dice;
use perennial_domain::id::{EventId, InvoiceId};
use perennial_domain::invoices::record::Invoice;
use perennial_domain::time::Time;
use perennial_testkit::{Answer, TestApp};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap, HashSet};

/// What the second server's clock differs by.
const SKEW: i64 = 20;

/// A plan, as callers know it.
pub(super) struct KnownPlan {
    pub(super) id: String,
    pub(super) slug: String,
    pub(super) currency: &'static str,
    pub(super) cycle: &'static str,
}

/// A usage event that was accepted: its meter, its instant in microseconds, its value.
pub(super) type Used = (&'static str, i64, i64);

pub(super) struct World {
    pub(super) servers: [TestApp; 2],
    pub(super) dice: Dice,
    pub(super) seed: u64,
    pub(super) users: Vec<String>,
    pub(super) plans: Vec<KnownPlan>,
    /// The price of each version of a plan, in ten-thousandths.
    pub(super) prices: HashMap<(String, i64), i64>,
    /// The percentages of tax rates, in ten-thousandths of a percent.
    pub(super) rates: HashMap<String, i64>,
    /// Coupons: percent in hundredths, or an amount in ten-thousandths.
    pub(super) coupons: HashMap<String, (Option<i64>, Option<i64>)>,
    pub(super) meters: HashMap<String, &'static str>,
    pub(super) subscriptions: Vec<String>,
    /// Accepted usage by subscription.
    pub(super) used: BTreeMap<String, Vec<Used>>,
    /// Subscriptions with a change that moved no money.
    pub(super) unprorated: HashSet<String>,
    /// The instants of changes in microseconds by subscription, and whether a change moved no money.
    pub(super) changes: BTreeMap<String, Vec<(i64, bool)>>,
    /// Invoices that a caller gave up.
    pub(super) written_off: HashSet<String>,
    /// Subscriptions whose end was credited.
    pub(super) credited_ends: HashSet<String>,
    pub(super) seen: HashSet<EventId>,
    /// Invoices as they were when they were checked.
    pub(super) checked: HashMap<InvoiceId, Invoice>,
    /// The last steps, for the report of a failure.
    history: Vec<String>,
    pub(super) sent: u64,
}

impl World {
    pub(super) async fn begin(seed: u64) -> Self {
        let first = TestApp::start().await;
        first.set_time("2026-01-31T10:00:00Z");
        let second = first.rival(SKEW).await;
        let mut users = Vec::new();
        for place in 0..5 {
            users.push(first.user(&format!("user{place}@example.com")).await);
        }
        let mut world = Self {
            servers: [first, second],
            dice: Dice(seed),
            seed,
            users,
            plans: Vec::new(),
            prices: HashMap::new(),
            rates: HashMap::new(),
            coupons: HashMap::new(),
            meters: HashMap::new(),
            subscriptions: Vec::new(),
            used: BTreeMap::new(),
            unprorated: HashSet::new(),
            changes: BTreeMap::new(),
            written_off: HashSet::new(),
            credited_ends: HashSet::new(),
            seen: HashSet::new(),
            checked: HashMap::new(),
            history: Vec::new(),
            sent: 0,
        };
        world.furnish().await;
        world
    }

    pub(super) fn app(&self) -> &TestApp {
        &self.servers[0]
    }

    pub(super) fn now(&self) -> Time {
        self.app().now()
    }

    pub(super) fn advance(&self, seconds: i64) {
        for server in &self.servers {
            server.advance(seconds);
        }
    }

    /// Notes a step for the report of a failure.
    pub(super) fn note(&mut self, step: &str) {
        self.history.push(format!("{} {step}", self.now()));
    }

    /// The last steps, in which a record is named or all.
    pub(super) fn report(&self, record: &str) -> String {
        let about: Vec<&String> = self.history.iter().filter(|step| step.contains(record)).collect();
        let last = about[about.len().saturating_sub(12)..].iter().map(|step| step.as_str());
        let text = last.collect::<Vec<_>>().join("\n  ");
        format!("seed {} at {} (PERENNIAL_SIMULATION_SEED={}): {record}\n  {text}\n", self.seed, self.now(), self.seed)
    }

    /// A call that must be served: nothing a caller sends is an error of the server.
    pub(super) async fn send(&mut self, method: &str, target: &str, body: &Value) -> Answer {
        let answer = self.app().request(method, target).json(body).send().await;
        self.note(&format!("{method} {target} {body}: {} {}", answer.status, answer.json["code"]));
        assert!(answer.status < 500, "{}{}", self.report(target), answer.json);
        answer
    }

    async fn furnish(&mut self) {
        let mut rates = Vec::new();
        for (name, percentage, stored) in [("VAT", json!(19), 190_000), ("City", json!(7.25), 72_500)] {
            let body = json!({ "name": name, "percentage": percentage });
            let id = text(self.send("POST", "/tax-rates", &body).await.expect(201).data(), "id");
            self.rates.insert(id.clone(), stored);
            rates.push(id);
        }
        for (code, fields, stored) in [
            ("QUARTER", json!({ "percent": 25, "duration": "repeating", "periods": 3 }), (Some(2_500), None)),
            ("THIRD", json!({ "percent": 33.33, "duration": "forever" }), (Some(3_333), None)),
            (
                "FIVE",
                json!({ "amount": 5, "currency": "USD", "duration": "repeating", "periods": 2 }),
                (None, Some(50_000)),
            ),
            ("YEN", json!({ "amount": 501, "currency": "JPY", "duration": "once" }), (None, Some(5_010_000))),
        ] {
            let mut body = json!({ "code": code });
            body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
            let id = text(self.send("POST", "/coupons", &body).await.expect(201).data(), "id");
            self.coupons.insert(id, stored);
        }
        for (slug, aggregation) in [("calls", "sum"), ("jobs", "count")] {
            let body = json!({ "slug": slug, "name": slug, "aggregation": aggregation });
            let id = text(self.send("POST", "/meters", &body).await.expect(201).data(), "id");
            self.meters.insert(id, slug);
        }
        let exempt = format!("/users/{}/billing-profile", self.users[4]);
        self.send("PUT", &exempt, &json!({ "tax_exempt": true })).await.expect(200);
        self.furnish_plans(&rates).await;
    }

    async fn furnish_plans(&mut self, rates: &[String]) {
        let charges = json!([
            { "meter_id": "calls", "name": "Calls", "model": "graduated", "tiers": [
                { "up_to": 100, "unit_price": 0.1 }, { "up_to": null, "unit_price": 0.0725 }] },
            { "meter_id": "jobs", "name": "Jobs", "model": "per_unit", "unit_price": 0.033 },
        ]);
        let dunning = json!({ "retry_days": [2, 5], "grace_days": 4, "then": "expire" });
        for (slug, currency, cycle, price, billing) in [
            ("u1", "USD", "daily", json!(0.99), json!({})),
            ("u7", "USD", "weekly", json!(7.01), json!({ "tax_rate_ids": [rates[0]] })),
            ("u14", "USD", "biweekly", json!(13.37), json!({ "tax_rate_ids": rates, "tax_behavior": "inclusive" })),
            ("um", "USD", "monthly", json!(19.99), json!({ "tax_rate_ids": [rates[0]] })),
            ("um2", "USD", "monthly", json!(49.99), json!({ "tax_rate_ids": rates, "tax_behavior": "inclusive" })),
            ("uq", "USD", "quarterly", json!(59.97), json!({ "tax_rate_ids": rates })),
            ("us", "USD", "semiannual", json!(111.11), json!({ "trial_days": 14 })),
            ("uy", "USD", "yearly", json!(199.99), json!({ "tax_rate_ids": [rates[1]], "dunning": dunning })),
            (
                "ub",
                "USD",
                "biennial",
                json!(377.77),
                json!({ "tax_behavior": "inclusive", "tax_rate_ids": [rates[0]] }),
            ),
            ("ul", "USD", "lifetime", json!(999.99), json!({ "tax_rate_ids": rates })),
            ("ux", "USD", "quarterly", json!(9.99), json!({ "charges": charges, "tax_rate_ids": [rates[0]] })),
            ("jm", "JPY", "monthly", json!(1_000), json!({ "tax_rate_ids": [rates[0]], "tax_behavior": "inclusive" })),
            ("jy", "JPY", "yearly", json!(9_801), json!({ "tax_rate_ids": rates })),
            ("jb", "JPY", "biennial", json!(17_777), json!({})),
            ("kq", "KWD", "quarterly", json!(12.345), json!({ "tax_rate_ids": rates, "tax_behavior": "inclusive" })),
            ("ky", "KWD", "yearly", json!(45.678), json!({ "tax_rate_ids": [rates[1]] })),
            ("ks", "KWD", "semiannual", json!(23.456), json!({ "trial_days": 30 })),
        ] {
            let body = json!({ "name": slug, "slug": slug, "price": price, "currency": currency,
                "billing_cycle": cycle, "billing": billing });
            let answer = self.send("POST", "/subscription-plans", &body).await.expect(201);
            self.learn_price(answer.data());
            let id = text(answer.data(), "id");
            self.plans.push(KnownPlan { id, slug: slug.to_owned(), currency, cycle });
        }
    }

    pub(super) fn learn_price(&mut self, plan: &Value) {
        let version = plan["version"].as_i64().unwrap();
        self.prices.insert((text(plan, "id"), version), ten_thousandths(&plan["price"]));
    }
}

pub(super) fn text(record: &Value, field: &str) -> String {
    record[field].as_str().unwrap_or_default().to_owned()
}

/// A JSON number in ten-thousandths. Amounts in a simulation are small enough.
pub(super) fn ten_thousandths(number: &Value) -> i64 {
    let text = number.to_string();
    let (whole, part) = text.split_once('.').unwrap_or((&text, ""));
    format!("{whole}{part:0<4}").parse().unwrap()
}

/// Ten-thousandths as a JSON number.
pub(super) fn number(amount: i64) -> Value {
    let text = format!("{}.{:04}", amount / 10_000, amount % 10_000);
    serde_json::from_str(&text).unwrap()
}

/// The smallest unit of a currency in ten-thousandths.
pub(super) fn unit_of(currency: &str) -> i64 {
    match currency {
        "JPY" => 10_000,
        "KWD" => 10,
        _ => 100,
    }
}
