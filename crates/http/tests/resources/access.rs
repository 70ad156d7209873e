//! API rules 5.2 (`docs/api.md`): `has_access` is computed from the record and the clock for each response, never stored.

use super::support::{Base, STATUSES, SUBSCRIPTIONS, place};
use serde_json::{Value, json};

/// The API rules' sentence, in seconds since the test began.
fn expected(status: &str, is_active: bool, starts: i64, ends: Option<i64>, now: i64) -> bool {
    let not_over = match ends {
        None => status != "cancelled",
        Some(end) => now < end,
    };
    is_active && ["on_trial", "active", "past_due", "cancelled"].contains(&status) && starts <= now && not_over
}

async fn access(base: &Base, record: &Value) -> bool {
    base.app.get(&place(SUBSCRIPTIONS, record)).await.expect(200).data()["has_access"].as_bool().unwrap()
}

#[tokio::test]
async fn access_is_a_matter_of_status_activity_start_end_and_the_clock() {
    let base = Base::start().await;
    let mut cases = Vec::new();
    for status in STATUSES {
        for is_active in [true, false] {
            if is_active && status == "expired" {
                continue;
            }
            for ends in [None, Some(20)] {
                let sent = json!({
                    "status": status, "is_active": is_active, "starts_at": "2026-03-10T12:00:10Z",
                    "ends_at": ends.map(|second| format!("2026-03-10T12:00:{second}Z"))
                });
                let record = base.subscribe(sent).await;
                assert_eq!(record["has_access"], false, "{status}: not begun when created");
                cases.push((status, is_active, ends, record));
            }
        }
    }
    let mut clock = 0;
    let mut granted = 0;
    for now in [9, 10, 19, 20] {
        base.app.advance(now - clock);
        clock = now;
        for (status, is_active, ends, record) in &cases {
            let wanted = expected(status, *is_active, 10, *ends, now);
            assert_eq!(access(&base, record).await, wanted, "{status} {is_active} {ends:?} at {now}");
            granted += u32::from(wanted);
        }
    }
    // Open-ended at 10, 19 and 20 in three statuses; with an end at 10 and 19 in four.
    assert_eq!(granted, 3 * 3 + 2 * 4);
}

#[tokio::test]
async fn access_turns_with_the_clock_to_the_microsecond_and_writes_nothing() {
    let base = Base::start().await;
    let sent = json!({ "starts_at": "2026-03-10T12:00:00.000001Z", "ends_at": "2026-03-10T12:00:05.5Z" });
    let record = base.subscribe(sent).await;
    for (now, wanted) in [
        ("2026-03-10T12:00:00.000000Z", false),
        ("2026-03-10T12:00:00.000001Z", true),
        ("2026-03-10T12:00:05.499999Z", true),
        ("2026-03-10T12:00:05.500000Z", false),
        ("2026-03-10T12:00:05.499999Z", true),
    ] {
        base.app.set_time(now);
        assert_eq!(access(&base, &record).await, wanted, "{now}");
    }
    let read = base.app.get(&place(SUBSCRIPTIONS, &record)).await.expect(200);
    assert_eq!(read.data()["updated_at"], record["updated_at"]);
}

#[tokio::test]
async fn every_response_has_the_access_of_its_own_time() {
    let base = Base::start().await;
    let record = base.subscribe(json!({ "ends_at": "2026-03-10T12:00:10Z" })).await;
    assert_eq!(record["has_access"], true);
    let at = place(SUBSCRIPTIONS, &record);
    let listed = base.app.get(SUBSCRIPTIONS).await.expect(200);
    assert_eq!(listed.data()[0]["has_access"], true);
    let early = base.app.get(&at).await.expect(200);
    base.app.advance(10);
    let late = base.app.get(&at).await.expect(200);
    assert_ne!(early.header("etag"), late.header("etag"), "the tag holds the bit of has_access");
    let listed = base.app.get(SUBSCRIPTIONS).await.expect(200);
    assert_eq!(listed.data()[0]["has_access"], false);
    assert_eq!(base.app.put(&at, &json!({})).await.expect(200).data()["has_access"], false);
    let longer = json!({ "ends_at": "2026-03-10T12:00:11Z" });
    assert_eq!(base.app.put(&at, &longer).await.expect(200).data()["has_access"], true);
    base.app.advance(1);
    assert_eq!(base.app.delete(&at).await.expect(200).data()["has_access"], false);
}

#[tokio::test]
async fn a_renewal_that_is_overdue_takes_no_access_away() {
    let base = Base::start().await;
    let record = base.subscribe(json!({ "starts_at": "2020-01-01T00:00:00Z" })).await;
    assert_eq!((&record["renews_at"], &record["has_access"]), (&json!("2020-02-01T00:00:00.000000Z"), &json!(true)));
}
