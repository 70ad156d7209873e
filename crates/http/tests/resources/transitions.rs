//! API rules 5.3 and 6.2 (`docs/api.md`): every move between statuses, allowed or not, and the words they are named by.

use super::support::{Base, PAYMENTS, STATUSES, SUBSCRIPTIONS, assert_errors, place};
use perennial_testkit::Answer;
use serde_json::{Value, json};

/// The API rules' table for subscriptions.
const SUBSCRIPTION_MOVES: [(&str, &str); 9] = [
    ("pending", "incomplete on_trial active cancelled expired"),
    ("incomplete", "active on_trial cancelled expired"),
    ("on_trial", "active past_due paused unpaid cancelled expired"),
    ("active", "on_trial past_due unpaid paused cancelled expired"),
    ("past_due", "active unpaid paused cancelled expired"),
    ("unpaid", "active past_due paused cancelled expired"),
    ("paused", "active on_trial past_due unpaid cancelled expired"),
    ("cancelled", "active on_trial past_due unpaid paused expired"),
    ("expired", ""),
];

/// The API rules' sentence for payments.
const PAYMENT_MOVES: [(&str, &str); 8] = [
    ("pending", "processing completed failed void"),
    ("processing", "completed failed void"),
    ("failed", "pending processing completed void"),
    ("completed", "partially_refunded refunded disputed void"),
    ("partially_refunded", "refunded disputed"),
    ("disputed", "completed partially_refunded refunded"),
    ("refunded", ""),
    ("void", ""),
];

fn words(list: &str) -> Vec<&str> {
    list.split_whitespace().collect()
}

/// Checks a rejected transition: it lists the allowed ones.
#[track_caller]
fn assert_forbidden(answer: Answer, allowed: &[&str], context: &str) {
    let answer = answer.refused(409, "invalid_transition");
    let reported: Vec<&str> =
        answer.json["allowed"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
    assert_eq!(reported, allowed, "{context}");
}

fn is_active_by_default(status: &str) -> bool {
    ["on_trial", "active", "past_due", "cancelled"].contains(&status)
}

/// Requests a transition of a new subscription; checks the response and then the record.
async fn move_subscription(base: &Base, from: &str, to: &str, allowed: &[&str], overridden: bool) {
    let before_is_active = is_active_by_default(from) != overridden;
    let record = base.subscribe(json!({ "status": from, "is_active": before_is_active })).await;
    let at = place(SUBSCRIPTIONS, &record);
    let answer = base.app.put(&at, &json!({ "status": to })).await;
    let context = format!("{from} to {to}, overridden: {overridden}");
    let after = base.app.get(&at).await.expect(200);
    if from == to {
        assert_eq!(answer.expect(200).data(), &record, "{context}");
        assert_eq!(after.data(), &record, "{context}");
    } else if overridden && before_is_active && to == "expired" {
        assert_errors(answer, &["/is_active inconsistent"], &context);
        assert_eq!(after.data(), &record, "{context}");
    } else if allowed.contains(&to) {
        let answer = answer.expect(200);
        assert_eq!(answer.data()["status"], to, "{context}");
        let is_active = if overridden { before_is_active } else { is_active_by_default(to) };
        assert_eq!(answer.data()["is_active"], is_active, "{context}");
        assert_eq!(after.data(), answer.data(), "{context}");
    } else {
        assert_forbidden(answer, allowed, &context);
        assert_eq!(after.data(), &record, "{context}");
    }
}

#[tokio::test]
async fn subscription_statuses_change_as_documented_and_activity_follows() {
    let base = Base::start().await;
    for (from, allowed) in SUBSCRIPTION_MOVES {
        for to in STATUSES {
            move_subscription(&base, from, to, &words(allowed), false).await;
        }
    }
}

#[tokio::test]
async fn an_operators_override_of_activity_stays_through_every_move() {
    let base = Base::start().await;
    for (from, allowed) in SUBSCRIPTION_MOVES {
        // An expired subscription cannot be overridden.
        for to in STATUSES.into_iter().filter(|_| from != "expired") {
            move_subscription(&base, from, to, &words(allowed), true).await;
        }
    }
}

#[tokio::test]
async fn a_forbidden_transition_is_reported_after_invalid_input() {
    let base = Base::start().await;
    let record = base.subscribe(json!({ "status": "expired" })).await;
    let sent = json!({ "status": "active", "billing_cycle": "hourly" });
    let answer = base.app.put(&place(SUBSCRIPTIONS, &record), &sent).await;
    assert_errors(answer, &["/billing_cycle unknown_value"], "");
}

#[tokio::test]
async fn the_words_of_a_subscriptions_status_are_read_in_any_case() {
    let base = Base::start().await;
    for (status, aliases) in [
        ("pending", "pending scheduled draft"),
        ("incomplete", "incomplete"),
        ("on_trial", "on_trial trialing trial"),
        ("active", "active"),
        ("past_due", "past_due"),
        ("unpaid", "unpaid"),
        ("paused", "paused"),
        ("cancelled", "cancelled canceled"),
        ("expired", "expired ended terminated incomplete_expired"),
    ] {
        for word in words(aliases) {
            for spelling in
                [word.to_owned(), word.to_uppercase(), format!("{}{}", word[..1].to_uppercase(), &word[1..])]
            {
                assert_eq!(base.subscribe(json!({ "status": spelling })).await["status"], status, "{spelling}");
            }
        }
    }
    for word in ["", "trial ", "past due", "void", "completed"] {
        assert_errors(base.try_subscribe(json!({ "status": word })).await, &["/status unknown_value"], word);
    }
}

#[tokio::test]
async fn an_alias_changes_a_status_like_the_word_it_replaces() {
    let base = Base::start().await;
    let at = place(SUBSCRIPTIONS, &base.subscribe(json!({ "status": "Draft" })).await);
    for (alias, status) in [("TRIALING", "on_trial"), ("Canceled", "cancelled"), ("Terminated", "expired")] {
        assert_eq!(base.app.put(&at, &json!({ "status": alias })).await.expect(200).data()["status"], status);
    }
    assert_eq!(base.app.put(&at, &json!({ "status": "ended" })).await.expect(200).data()["status"], "expired");
}

#[tokio::test]
async fn payment_statuses_change_as_documented() {
    let base = Base::start().await;
    let subscription = base.subscribe(json!({})).await["id"].as_str().unwrap().to_owned();
    for (from, allowed) in PAYMENT_MOVES {
        for (to, _) in PAYMENT_MOVES {
            let record: Value = base.app.payment(&subscription, json!({ "status": from })).await;
            assert_eq!(record["status"], from);
            let at = place(PAYMENTS, &record);
            let answer = base.app.put(&at, &json!({ "status": to })).await;
            let context = format!("{from} to {to}");
            let after = base.app.get(&at).await.expect(200);
            if from == to {
                assert_eq!(answer.expect(200).data(), &record, "{context}");
            } else if words(allowed).contains(&to) {
                assert_eq!(answer.expect(200).data(), after.data(), "{context}");
                assert_eq!(after.data()["status"], to, "{context}");
            } else {
                assert_forbidden(answer, &words(allowed), &context);
                assert_eq!(after.data(), &record, "{context}");
            }
        }
    }
}

#[tokio::test]
async fn the_words_of_a_payments_status_are_read_in_any_case() {
    let base = Base::start().await;
    let subscription = base.subscribe(json!({})).await["id"].as_str().unwrap().to_owned();
    for (status, aliases) in [
        ("pending", "pending"),
        ("processing", "processing"),
        ("completed", "completed paid succeeded success settled captured"),
        ("failed", "failed"),
        ("partially_refunded", "partially_refunded partial_refund"),
        ("refunded", "refunded"),
        ("disputed", "disputed"),
        ("void", "void canceled cancelled voided"),
    ] {
        for word in words(aliases) {
            for spelling in [word.to_owned(), word.to_uppercase()] {
                let payment = base.app.payment(&subscription, json!({ "status": spelling })).await;
                assert_eq!(payment["status"], status, "{spelling}");
            }
        }
    }
    let at = place(PAYMENTS, &base.app.payment(&subscription, json!({})).await);
    assert_eq!(base.app.put(&at, &json!({ "status": "Paid" })).await.expect(200).data()["status"], "completed");
    for word in ["", "paid ", "active", "partially refunded"] {
        let answer = base.app.put(&at, &json!({ "status": word })).await;
        assert_errors(answer, &["/status unknown_value"], word);
    }
}
