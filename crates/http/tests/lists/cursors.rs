//! Cursors: opaque, and good for the one list they were made for.

use super::support::*;
use perennial_domain::clients::Scope;
use perennial_testkit::TestApp;
use serde_json::{Value, json};

async fn fill(app: &TestApp) -> String {
    let user = app.user("ada@example.com").await;
    for slug in ["one", "two", "three"] {
        app.plan(slug, json!({ "tier": 1 })).await;
        let subscription = app.subscription(&user, slug, json!({})).await;
        app.subscription(&user, slug, json!({ "status": "paused" })).await;
        app.payment(subscription["id"].as_str().unwrap(), json!({})).await;
    }
    user
}

async fn cursor_of(app: &TestApp, target: &str) -> String {
    next_cursor(&app.get(&page_target(target, 1, None)).await.expect(200)).unwrap()
}

async fn refused(app: &TestApp, target: &str, cursor: &str) {
    let answer = app.get(&page_target(target, 1, Some(cursor))).await.refused(400, "invalid_cursor");
    assert_eq!(answer.faults(), ["cursor invalid_cursor"], "{target}");
}

#[tokio::test]
async fn a_cursor_of_another_sort_filter_or_list_is_rejected() {
    let app = TestApp::start().await;
    let user = fill(&app).await;
    let lists = [
        "/subscriptions".to_owned(),
        "/subscriptions?sort=created_at".to_owned(),
        "/subscriptions?sort=renews_at".to_owned(),
        "/subscriptions?sort=-renews_at".to_owned(),
        format!("/subscriptions?user_id={user}"),
        "/subscriptions?status=active".to_owned(),
        "/subscriptions?status=active,paused".to_owned(),
        "/subscriptions?is_active=true".to_owned(),
        "/subscriptions?created_after=2026-01-01T00:00:00Z".to_owned(),
        "/subscriptions?created_after=2026-01-01T00:00:01Z".to_owned(),
        "/subscriptions?subscription_plan_id=one".to_owned(),
        "/subscription-payments".to_owned(),
        "/subscription-payments?status=pending".to_owned(),
        "/subscription-plans".to_owned(),
        "/subscription-plans?sort=-tier".to_owned(),
        "/subscription-plans?sort=created_at".to_owned(),
        "/subscription-plans?tier=1".to_owned(),
    ];
    for own in &lists {
        let cursor = cursor_of(&app, own).await;
        for target in &lists {
            if target == own {
                app.get(&page_target(target, 1, Some(&cursor))).await.expect(200);
            } else {
                refused(&app, target, &cursor).await;
            }
        }
    }
}

#[tokio::test]
async fn the_same_list_said_otherwise_takes_the_cursor() {
    let app = TestApp::start().await;
    fill(&app).await;
    for (one, other) in [
        ("/subscriptions", "/subscriptions?sort=-created_at"),
        ("/subscriptions?status=active&is_active=true", "/subscriptions?is_active=true&status=ACTIVE"),
        (
            "/subscriptions?created_after=2026-01-01T00:00:00Z",
            "/subscriptions?created_after=2026-01-01T01:00:00.0%2B01:00",
        ),
        ("/subscription-plans?billing_cycle=month", "/subscription-plans?billing_cycle=monthly&sort=tier"),
    ] {
        let cursor = cursor_of(&app, one).await;
        let (one, other) = (page_target(one, 9, Some(&cursor)), page_target(other, 9, Some(&cursor)));
        assert_eq!(app.get(&one).await.expect(200).json, app.get(&other).await.expect(200).json);
    }
}

#[tokio::test]
async fn a_cursor_goes_with_any_limit_and_with_any_client_of_the_organization() {
    let app = TestApp::start().await;
    fill(&app).await;
    client(&app, app.organization, trusted("second", &[Scope::SubscriptionsRead])).await;
    let all = follow(&app, "/subscriptions", 200).await;
    let cursor = cursor_of(&app, "/subscriptions").await;
    for limit in [1, 2, 200] {
        let page = app.get(&page_target("/subscriptions", limit, Some(&cursor))).await.expect(200);
        let expected: Vec<Value> = all.iter().skip(1).take(limit).cloned().collect();
        assert_eq!(page.data().as_array().unwrap(), &expected);
    }
    let request = app.anonymous("GET", &page_target("/subscriptions", 5, Some(&cursor)));
    let page = request.header("client-id", credential("second")).send().await.expect(200);
    assert_eq!(page.data().as_array().unwrap(), &all[1..]);
}

#[tokio::test]
async fn a_cursor_of_another_organization_is_rejected() {
    let app = TestApp::start().await;
    fill(&app).await;
    let other = Tenant::new(&app, "other").await;
    for target in ["/subscriptions", "/subscription-plans"] {
        let cursor = cursor_of(&app, target).await;
        let request = other.request("GET", &page_target(target, 1, Some(&cursor)));
        request.send().await.refused(400, "invalid_cursor");
    }
}

#[tokio::test]
async fn a_cursor_with_any_character_changed_is_rejected() {
    let app = TestApp::start().await;
    fill(&app).await;
    for target in ["/subscriptions?sort=renews_at", "/subscription-plans"] {
        let cursor = cursor_of(&app, target).await;
        let requests = (0..cursor.len()).map(|place| {
            let mut forged = cursor.clone().into_bytes();
            forged[place] = if forged[place] == b'A' { b'B' } else { b'A' };
            let forged = String::from_utf8(forged).unwrap();
            app.request("GET", &page_target(target, 1, Some(&forged)))
        });
        for answer in all_at_once(requests).await {
            answer.refused(400, "invalid_cursor");
        }
    }
}

#[tokio::test]
async fn what_was_never_a_cursor_is_rejected() {
    let app = TestApp::start().await;
    fill(&app).await;
    let cursor = cursor_of(&app, "/subscriptions").await;
    let short = &cursor[..cursor.len() - 1];
    let long = "A".repeat(4000);
    for forged in
        ["", "x", "null", "0", short, &format!("{cursor}A"), &format!("{cursor}="), "%00", "%27%20OR%201=1", &long]
    {
        refused(&app, "/subscriptions", forged).await;
        refused(&app, "/subscriptions?subscription_plan_id=no-such-plan", forged).await;
    }
    let twice = format!("/subscriptions?cursor={cursor}&cursor={cursor}");
    assert_eq!(app.get(&twice).await.refused(400, "invalid_parameter").faults(), ["cursor invalid_parameter"]);
}

#[tokio::test]
async fn a_cursor_reveals_nothing_of_its_row() {
    let app = TestApp::start().await;
    fill(&app).await;
    app.plan("aaa-secret-slug", json!({})).await;
    let cursor = cursor_of(&app, "/subscription-plans").await;
    assert!(
        !cursor.contains("secret") && cursor.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    );
}
