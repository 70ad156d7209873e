//! API rules 22.5 (`docs/api.md`), invariant N5: whatever is called in whatever order, every running total equals the sum of the
//! stored events of its span, and what a user used is that sum.

use perennial_domain::time::Time;
use perennial_testkit::{TestApp, all_at_once};
use serde_json::{Value, json};

/// Sequences of calls, and calls of each.
const SEQUENCES: u64 = 8;
const CALLS: u64 = 40;
const PERIODS: [&str; 5] = ["billing", "day", "month", "year", "ever"];

/// A generator of calls that can be repeated from its seed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn signed(&mut self, bound: u64) -> i64 {
        i64::try_from(self.below(2 * bound)).unwrap() - i64::try_from(bound).unwrap()
    }
}

struct Sequence {
    app: TestApp,
    random: Random,
    user: String,
    subscription: String,
    /// The features that exist.
    features: usize,
    /// The IDs of events that were sent.
    sent: u64,
    accepted: u64,
    refused: u64,
}

impl Sequence {
    async fn start(seed: u64) -> Self {
        let app = TestApp::start().await;
        let meter = json!({ "slug": "calls", "name": "Calls", "aggregation": "sum" });
        app.post("/meters", &meter).await.expect(201);
        app.plan("pro", json!({})).await;
        let user = app.user("ada@example.com").await;
        let billing = if seed.is_multiple_of(2) { json!({ "collection": "manual" }) } else { Value::Null };
        let subscription = app.subscription(&user, "pro", json!({ "billing": billing })).await;
        let subscription = subscription["id"].as_str().unwrap().to_owned();
        let random = Random(seed);
        Self { app, random, user, subscription, features: 0, sent: 0, accepted: 0, refused: 0 }
    }

    async fn call(&mut self) {
        match self.random.below(10) {
            0 if self.features < PERIODS.len() => self.add_feature().await,
            1 => self.move_period().await,
            2 => self.app.advance(i64::try_from(self.random.below(5 * 86_400)).unwrap()),
            3 => self.change_limit().await,
            _ => self.send().await,
        }
    }

    async fn add_feature(&mut self) {
        let key = PERIODS[self.features];
        let feature = json!({ "key": key, "name": "F", "kind": "quota", "meter": "calls", "period": key });
        self.app.post("/features", &feature).await.expect(201);
        self.features += 1;
        let limit = self.random.below(30);
        let grants = json!({ "entitlements": { key: limit } });
        self.app.put("/subscription-plans/pro", &grants).await.expect(200);
    }

    async fn change_limit(&mut self) {
        if self.features > 0 {
            let key = PERIODS[usize::try_from(self.random.below(self.features as u64)).unwrap()];
            let grants = json!({ "entitlements": { key: self.random.below(60) } });
            let path = format!("/subscriptions/{}", self.subscription);
            self.app.put(&path, &grants).await.expect(200);
        }
    }

    /// Another system moves the renewal of an external subscription; the engine decides that of a billed one.
    async fn move_period(&mut self) {
        let renews_at = self.app.now().plus_seconds(self.random.signed(20 * 86_400));
        let path = format!("/subscriptions/{}", self.subscription);
        let answer = self.app.put(&path, &json!({ "renews_at": renews_at })).await;
        assert!(matches!(answer.status, 200 | 409 | 422), "{}", answer.json);
    }

    async fn send(&mut self) {
        let mut events = Vec::new();
        for _ in 0..=self.random.below(3) {
            // One in five was sent before, and does not count again.
            let is_again = self.sent > 0 && self.random.below(5) == 0;
            let number = if is_again { self.random.below(self.sent) } else { self.sent };
            self.sent += u64::from(!is_again);
            let at = self.app.now().plus_micros(-i64::try_from(self.random.below(3 * 86_400_000_000)).unwrap());
            let millionths = self.random.signed(6_000_000) + 3_000_000;
            let value: Value = serde_json::from_str(&decimal(millionths)).unwrap();
            events.push(json!({
                "id": format!("e{number}"), "subscription_id": self.subscription, "meter": "calls", "at": at, "value": value
            }));
        }
        let mode = if self.random.below(2) == 0 { "record" } else { "enforce" };
        let answer = self.app.post("/usage-events", &json!({ "events": events, "mode": mode })).await;
        match answer.status {
            200 => self.accepted += answer.data()["accepted"].as_u64().unwrap(),
            422 => {}
            _ => {
                answer.refused(409, "quota_exceeded");
                self.refused += 1;
            }
        }
    }

    async fn number(&self, sql: &'static str) -> i64 {
        let sql = perennial_store::Sql::new(sql);
        self.app.app.db.one(&sql, &[], |row| row.int(0)).await.unwrap().unwrap()
    }

    async fn check(&self) {
        let wrong = self
            .number(
                "SELECT COUNT(*) FROM usage_totals AS t
                 WHERE t.units * 1000000 + t.millionths <> (
                     SELECT COALESCE(SUM(e.value), 0) FROM usage_events AS e
                     WHERE e.organization_id = t.organization_id AND e.subscription_id = t.subscription_id
                         AND e.meter_id = t.meter_id AND e.at >= t.starts_at AND e.at < t.ends_at)",
            )
            .await;
        assert_eq!(wrong, 0, "totals that are not the sum of their events");
        let stored = self.number("SELECT COUNT(*) FROM usage_events").await;
        assert_eq!(stored.unsigned_abs(), self.accepted, "every accepted event is stored once");
        let found = self.app.get(&format!("/users/{}/entitlements", self.user)).await.expect(200);
        let Value::Object(entitlements) = &found.data()["entitlements"] else { panic!("an object") };
        for (key, entitlement) in entitlements {
            let span = Self::span(key, entitlement["resets_at"].as_str());
            if let Some((from, to)) = span {
                let path = format!("/subscriptions/{}/usage?from={from}&to={to}", self.subscription);
                let usage = self.app.get(&path).await.expect(200).data().clone();
                assert_eq!(entitlement["used"], usage["meters"][0]["quantity"], "{key}: {usage}");
            }
        }
    }

    /// The span of a calendar day, which the report of usage computes from the events.
    fn span(key: &str, resets_at: Option<&str>) -> Option<(Time, Time)> {
        let to = Time::parse(resets_at?).unwrap();
        (key == "day").then(|| (to.plus_seconds(-86_400), to))
    }
}

/// Millionths as a decimal number.
fn decimal(millionths: i64) -> String {
    let sign = if millionths < 0 { "-" } else { "" };
    format!("{sign}{}.{:06}", millionths.abs() / 1_000_000, millionths.abs() % 1_000_000)
}

#[tokio::test]
async fn totals_equal_the_sum_of_the_stored_events_after_every_call() {
    let (mut accepted, mut refused, mut totals) = (0, 0, 0);
    for seed in 0..SEQUENCES {
        let mut sequence = Sequence::start(seed).await;
        for _ in 0..CALLS {
            sequence.call().await;
            sequence.check().await;
        }
        accepted += sequence.accepted;
        refused += sequence.refused;
        totals += sequence.number("SELECT COUNT(*) FROM usage_totals").await;
    }
    assert!(accepted > 100 && refused > 5 && totals > 20, "the calls are too simple: {accepted}, {refused}, {totals}");
}

/// Calls that found no feature with the meter do not miss a total that is created before their commit.
#[tokio::test]
async fn totals_that_are_created_during_calls_have_all_events() {
    const ROUNDS: usize = 20;
    let mut sequence = Sequence::start(1).await;
    for round in 0..ROUNDS {
        let (app, subscription) = (&sequence.app, sequence.subscription.clone());
        let meter = format!("calls-{round}");
        app.post("/meters", &json!({ "slug": meter, "name": "M", "aggregation": "sum" })).await.expect(201);
        let record = |number: usize| {
            let event = json!({ "id": format!("{round}-{number}"), "subscription_id": subscription, "meter": meter });
            app.request("POST", "/usage-events").json(&json!({ "events": [event] }))
        };
        let key = format!("feature-{round}");
        let feature = json!({ "key": key, "name": "F", "kind": "quota", "meter": meter, "period": "ever" });
        let feature = app.request("POST", "/features").json(&feature);
        let grants = json!({ "entitlements": { key: 1_000 } });
        let before = tokio::spawn(all_at_once((0..20).map(record).collect::<Vec<_>>()));
        feature.send().await.expect(201);
        app.put(&format!("/subscriptions/{subscription}"), &grants).await.expect(200);
        let after = all_at_once((20..30).map(record)).await;
        let answers = before.await.unwrap().into_iter().chain(after);
        let stored = answers.filter(|answer| answer.status == 200).count();
        sequence.accepted += u64::try_from(stored).unwrap();
    }
    sequence.check().await;
    assert!(sequence.number("SELECT COUNT(*) FROM usage_totals").await > 0);
}
