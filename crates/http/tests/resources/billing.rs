//! API rules 4.1 and 5.1 (`docs/api.md`): the words of a billing cycle, and when a subscription first renews.

use super::support::{Base, PLANS, SUBSCRIPTIONS, assert_errors, place};
use perennial_testkit::TestApp;
use serde_json::{Value, json};

/// Every cycle with its aliases.
const WORDS: &[(&str, &[&str])] = &[
    ("daily", &["daily", "day"]),
    ("weekly", &["weekly", "week"]),
    ("biweekly", &["biweekly", "every_two_weeks", "fortnightly"]),
    ("monthly", &["monthly", "month"]),
    ("quarterly", &["quarterly", "quarter"]),
    ("semiannual", &["semiannual", "half_yearly", "semiannually"]),
    ("yearly", &["yearly", "year", "annual", "annually"]),
    ("biennial", &["biennial"]),
    ("lifetime", &["lifetime", "one_time", "onetime", "once"]),
];

/// The word as people may write it: lower, upper and mixed.
fn spellings(word: &str) -> [String; 3] {
    let (first, rest) = word.split_at(1);
    [word.to_owned(), word.to_uppercase(), format!("{}{rest}", first.to_uppercase())]
}

#[tokio::test]
async fn every_cycle_is_read_by_all_its_names_in_any_case() {
    let app = TestApp::start().await;
    let mut number = 0;
    for (cycle, words) in WORDS {
        for word in words.iter().flat_map(|word| spellings(word)) {
            number += 1;
            let plan = app.plan(&format!("p{number}"), json!({ "billing_cycle": word })).await;
            assert_eq!(plan["billing_cycle"], *cycle, "{word}");
        }
    }
}

#[tokio::test]
async fn an_update_and_a_subscription_read_the_same_names() {
    let base = Base::start().await;
    let at = place(SUBSCRIPTIONS, &base.subscribe(json!({})).await);
    for (cycle, words) in WORDS {
        for word in *words {
            let sent = json!({ "billing_cycle": word.to_uppercase() });
            let plan = base.app.put("/subscription-plans/pro", &sent).await.expect(200);
            assert_eq!(plan.data()["billing_cycle"], *cycle, "{word}");
            let subscription = base.app.put(&at, &sent).await.expect(200);
            assert_eq!(subscription.data()["billing_cycle"], *cycle, "{word}");
        }
    }
    let created = base.subscribe(json!({ "billing_cycle": "Fortnightly" })).await;
    assert_eq!(created["billing_cycle"], "biweekly");
}

#[tokio::test]
async fn ambiguous_and_unknown_cycles_are_rejected_everywhere() {
    let base = Base::start().await;
    let at = place(SUBSCRIPTIONS, &base.subscribe(json!({})).await);
    for (word, code) in [
        ("bimonthly", "ambiguous"),
        ("BiMonthly", "ambiguous"),
        ("biannual", "ambiguous"),
        ("BIANNUAL", "ambiguous"),
        ("hourly", "unknown_value"),
        ("monthly ", "unknown_value"),
        ("", "unknown_value"),
    ] {
        let fault = format!("/billing_cycle {code}");
        let plan = json!({ "name": "P", "slug": "p", "price": 1, "billing_cycle": word });
        assert_errors(base.app.post(PLANS, &plan).await, &[&fault], word);
        let sent = json!({ "billing_cycle": word });
        assert_errors(base.app.put("/subscription-plans/pro", &sent).await, &[&fault], word);
        assert_errors(base.try_subscribe(sent.clone()).await, &[&fault], word);
        assert_errors(base.app.put(&at, &sent).await, &[&fault], word);
    }
}

/// When a subscription renews that started then and bills so.
async fn renewal(base: &Base, cycle: &str, start: &str) -> Value {
    let subscription = base.subscribe(json!({ "billing_cycle": cycle, "starts_at": start })).await;
    assert_eq!(subscription["starts_at"], start);
    subscription["renews_at"].clone()
}

#[tokio::test]
async fn the_first_renewal_is_one_cycle_after_the_start() {
    let base = Base::start().await;
    for (cycle, expected) in [
        ("daily", json!("2026-02-01T23:30:15.123456Z")),
        ("weekly", json!("2026-02-07T23:30:15.123456Z")),
        ("biweekly", json!("2026-02-14T23:30:15.123456Z")),
        ("monthly", json!("2026-02-28T23:30:15.123456Z")),
        ("quarterly", json!("2026-04-30T23:30:15.123456Z")),
        ("semiannual", json!("2026-07-31T23:30:15.123456Z")),
        ("yearly", json!("2027-01-31T23:30:15.123456Z")),
        ("biennial", json!("2028-01-31T23:30:15.123456Z")),
        ("lifetime", json!(null)),
    ] {
        assert_eq!(renewal(&base, cycle, "2026-01-31T23:30:15.123456Z").await, expected, "{cycle}");
    }
}

#[tokio::test]
async fn month_ends_clamp() {
    let base = Base::start().await;
    for (cycle, start, expected) in [
        ("monthly", "2028-01-31T00:00:00.000000Z", "2028-02-29T00:00:00.000000Z"),
        ("monthly", "2027-01-29T00:00:00.000000Z", "2027-02-28T00:00:00.000000Z"),
        ("monthly", "2026-03-31T00:00:00.000000Z", "2026-04-30T00:00:00.000000Z"),
        ("monthly", "2026-12-31T00:00:00.000000Z", "2027-01-31T00:00:00.000000Z"),
        ("quarterly", "2026-11-30T00:00:00.000000Z", "2027-02-28T00:00:00.000000Z"),
        ("semiannual", "2026-08-31T00:00:00.000000Z", "2027-02-28T00:00:00.000000Z"),
        ("yearly", "2028-02-29T00:00:00.000000Z", "2029-02-28T00:00:00.000000Z"),
        ("biennial", "2028-02-29T00:00:00.000000Z", "2030-02-28T00:00:00.000000Z"),
        ("monthly", "2026-02-28T00:00:00.000000Z", "2026-03-28T00:00:00.000000Z"),
    ] {
        assert_eq!(renewal(&base, cycle, start).await, expected, "{cycle} from {start}");
    }
}

#[tokio::test]
async fn a_first_renewal_may_lie_in_the_past_or_far_ahead() {
    let base = Base::start().await;
    assert_eq!(renewal(&base, "monthly", "2020-01-31T00:00:00.000000Z").await, "2020-02-29T00:00:00.000000Z");
    assert_eq!(renewal(&base, "daily", "1970-01-01T00:00:00.000000Z").await, "1970-01-02T00:00:00.000000Z");
    assert_eq!(renewal(&base, "daily", "9999-12-30T23:59:59.999999Z").await, "9999-12-31T23:59:59.999999Z");
    let last = json!({ "starts_at": "9999-12-31T00:00:00Z" });
    assert_errors(base.try_subscribe(last).await, &["/starts_at out_of_range"], "no renewal fits");
    let open = json!({ "starts_at": "9999-12-31T00:00:00Z", "renews_at": null });
    assert_eq!(base.subscribe(open).await["renews_at"], json!(null));
    assert_eq!(renewal(&base, "lifetime", "9999-12-31T23:59:59.999999Z").await, json!(null));
    let faulty = json!({ "starts_at": "9999-12-31T00:00:00Z", "renews_at": "soon" });
    assert_errors(base.try_subscribe(faulty).await, &["/renews_at invalid_format"], "one error, reported once");
}

#[tokio::test]
async fn the_plans_cycle_is_the_default_and_counts_for_the_renewal() {
    let base = Base::start().await;
    base.app.plan("yearly", json!({ "billing_cycle": "yearly" })).await;
    base.app.plan("forever", json!({ "billing_cycle": "lifetime" })).await;
    let yearly = base.subscribe(json!({ "subscription_plan_id": "yearly" })).await;
    assert_eq!(
        (&yearly["billing_cycle"], &yearly["renews_at"]),
        (&json!("yearly"), &json!("2027-03-10T12:00:00.000000Z"))
    );
    let forever = base.subscribe(json!({ "subscription_plan_id": "forever" })).await;
    assert_eq!((&forever["billing_cycle"], &forever["renews_at"]), (&json!("lifetime"), &json!(null)));
    let own = base.subscribe(json!({ "subscription_plan_id": "forever", "billing_cycle": "weekly" })).await;
    assert_eq!((&own["billing_cycle"], &own["renews_at"]), (&json!("weekly"), &json!("2026-03-17T12:00:00.000000Z")));
    let sent = json!({ "subscription_plan_id": "forever", "renews_at": "2027-01-01T00:00:00Z" });
    assert_eq!(base.subscribe(sent).await["renews_at"], "2027-01-01T00:00:00.000000Z");
}
