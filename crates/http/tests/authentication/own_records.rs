//! API rules 2.2 (`docs/api.md`): a public client with a user's token reads that user's records and no others.

use super::support::*;
use perennial_domain::clients::Scope;
use perennial_testkit::{Held, TestApp};
use serde_json::{Value, json};

/// Ada and Eve, each with subscriptions and a payment.
struct People {
    app: TestApp,
    ada: Held,
    eve: Held,
    adas: Vec<Value>,
    eves: Vec<Value>,
}

impl People {
    async fn start() -> Self {
        let app = TestApp::start().await;
        app.plan("pro", json!({})).await;
        let (ada, eve) = (app.sign_up("ada@example.com").await, app.sign_up("eve@example.com").await);
        let (mut adas, mut eves) = (Vec::new(), Vec::new());
        for _ in 0..3 {
            for (held, records) in [(&ada, &mut adas), (&eve, &mut eves)] {
                app.advance(1);
                // Newest first, as they are listed.
                records.insert(0, app.subscription(held.user_id(), "pro", json!({})).await);
            }
        }
        Self { app, ada, eve, adas, eves }
    }
}

fn subscription(record: &Value) -> String {
    format!("/subscriptions/{}", text(record, "id"))
}

#[tokio::test]
async fn a_person_lists_their_own_subscriptions_only() {
    let People { app, ada, eve, adas, eves } = People::start().await;
    for (held, own, others) in [(&ada, &adas, &eve), (&eve, &eves, &ada)] {
        let list = async |query: &str| {
            let answer = call(&app, "GET", &format!("/subscriptions{query}"), &held.token).await.expect(200);
            answer.data().clone()
        };
        assert_eq!(list("").await, json!(own));
        assert_eq!(list(&format!("?user_id={}", held.user_id())).await, json!(own));
        assert_eq!(list(&format!("?user_id={}", others.user_id())).await, json!([]));
        assert_eq!(list(&format!("?user_id=usr_{UNKNOWN_ID}")).await, json!([]));
        assert_eq!(list("?subscription_plan_id=pro&status=active&sort=-renews_at").await, json!(own));
    }
    let all = app.get("/subscriptions").await.expect(200);
    assert_eq!(all.data().as_array().unwrap().len(), 6, "a trusted client sees them all");
}

#[tokio::test]
async fn a_page_leads_to_the_next_page_of_the_same_user_only() {
    let People { app, ada, eve, adas, .. } = People::start().await;
    let page = |cursor: &str| format!("/subscriptions?limit=2&cursor={cursor}");
    let first = call(&app, "GET", "/subscriptions?limit=2", &ada.token).await.expect(200);
    assert_eq!(first.data(), &json!(adas[..2]));
    let cursor = text(&first.json["page"], "next_cursor");
    let second = call(&app, "GET", &page(cursor), &ada.token).await.expect(200);
    assert_eq!((second.data(), &second.json["page"]["has_more"]), (&json!(adas[2..]), &json!(false)));
    let answer = call(&app, "GET", &page(cursor), &eve.token).await.refused(400, "invalid_cursor");
    assert_eq!(answer.faults(), ["cursor invalid_cursor"]);
    app.get(&page(cursor)).await.refused(400, "invalid_cursor");
    let trusted = app.get("/subscriptions?limit=2").await.expect(200);
    let cursor = text(&trusted.json["page"], "next_cursor");
    call(&app, "GET", &page(cursor), &ada.token).await.refused(400, "invalid_cursor");
    // With a filter that names the person it is another list, of the trusted client's, too.
    let filtered = format!("/subscriptions?limit=2&user_id={}", ada.user_id());
    let trusted = app.get(&filtered).await.expect(200);
    let cursor = text(&trusted.json["page"], "next_cursor");
    call(&app, "GET", &format!("{filtered}&cursor={cursor}"), &ada.token).await.refused(400, "invalid_cursor");
    // A new token of the same user continues.
    let first = call(&app, "GET", "/subscriptions?limit=2", &ada.token).await.expect(200);
    let back = app.sign_in("ada@example.com").await;
    call(&app, "GET", &page(text(&first.json["page"], "next_cursor")), &back.token).await.expect(200);
}

#[tokio::test]
async fn a_person_reads_their_own_subscription_and_anothers_is_not_found() {
    let People { app, ada, adas, eves, .. } = People::start().await;
    let own = call(&app, "GET", &subscription(&adas[0]), &ada.token).await.expect(200);
    let trusted = app.get(&subscription(&adas[0])).await.expect(200);
    assert_eq!((own.data(), own.header("etag")), (&adas[0], trusted.header("etag")));
    let request = app.browser("GET", &subscription(&adas[0])).bearer(&ada.token);
    request.header("if-none-match", own.header("etag")).send().await.expect(304);
    for id in [text(&eves[0], "id"), &format!("sub_{UNKNOWN_ID}"), "nonsense"] {
        call(&app, "GET", &format!("/subscriptions/{id}"), &ada.token).await.refused(404, "not_found");
    }
    // No tag is a way round it.
    let tag = app.get(&subscription(&eves[0])).await.expect(200).header("etag").to_owned();
    for condition in [tag.as_str(), "*"] {
        let request = app.browser("GET", &subscription(&eves[0])).bearer(&ada.token);
        request.header("if-none-match", condition).send().await.refused(404, "not_found");
    }
    app.delete(&subscription(&adas[0])).await.expect(200);
    call(&app, "GET", &subscription(&adas[0]), &ada.token).await.refused(404, "not_found");
}

#[tokio::test]
async fn a_person_lists_the_payments_of_their_own_subscriptions_only() {
    let People { app, ada, eve, adas, eves } = People::start().await;
    for (held, own, others) in [(&ada, &adas, &eves), (&eve, &eves, &adas)] {
        let payment = app.payment(text(&own[0], "id"), json!({})).await;
        app.payment(text(&others[0], "id"), json!({})).await;
        let list = async |query: &str| {
            let answer = call(&app, "GET", &format!("/subscription-payments{query}"), &held.token).await.expect(200);
            answer.data().as_array().unwrap().clone()
        };
        assert!(list("").await.contains(&payment));
        assert!(list("").await.iter().all(|payment| payment["subscription_id"] == own[0]["id"]));
        assert_eq!(list(&format!("?subscription_id={}", text(&others[0], "id"))).await, Vec::<Value>::new());
    }
    assert_eq!(app.get("/subscription-payments").await.expect(200).data().as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn a_person_reads_the_payments_of_their_own_subscriptions() {
    let People { app, ada, adas, eves, .. } = People::start().await;
    let (own, others) =
        (app.payment(text(&adas[0], "id"), json!({})).await, app.payment(text(&eves[0], "id"), json!({})).await);
    let path = |payment: &Value| format!("/subscription-payments/{}", text(payment, "id"));
    assert_eq!(call(&app, "GET", &path(&own), &ada.token).await.expect(200).data(), &own);
    call(&app, "GET", &path(&others), &ada.token).await.refused(404, "not_found");
    call(&app, "GET", "/subscription-payments/nonsense", &ada.token).await.refused(404, "not_found");
    // The payment stays when its subscription is deleted, and stays the person's.
    app.delete(&subscription(&adas[0])).await.expect(200);
    app.delete(&subscription(&eves[0])).await.expect(200);
    assert_eq!(call(&app, "GET", &path(&own), &ada.token).await.expect(200).data(), &own);
    call(&app, "GET", &path(&others), &ada.token).await.refused(404, "not_found");
    app.delete(&path(&own)).await.expect(200);
    call(&app, "GET", &path(&own), &ada.token).await.refused(404, "not_found");
}

#[tokio::test]
async fn without_a_token_there_is_nothing_to_see() {
    let People { app, adas, .. } = People::start().await;
    let payment = app.payment(text(&adas[0], "id"), json!({})).await;
    for target in [
        "/subscriptions".to_owned(),
        subscription(&adas[0]),
        format!("/subscription-payments/{}", text(&payment, "id")),
    ] {
        let answer = app.browser("GET", &target).send().await.refused(401, "token_required");
        assert_eq!(answer.header("www-authenticate"), "Bearer");
        let answer = call(&app, "GET", &target, "garbage").await.refused(401, "invalid_token");
        assert_eq!(answer.header("www-authenticate"), "Bearer error=\"invalid_token\"");
    }
}

#[tokio::test]
async fn a_public_client_needs_the_scope_of_each_kind_and_never_writes() {
    let People { app, adas, .. } = People::start().await;
    let payment = app.payment(text(&adas[0], "id"), json!({})).await;
    let payment = format!("/subscription-payments/{}", text(&payment, "id"));
    client(&app, app.organization, "half", &[Scope::Auth, Scope::SubscriptionsReadOwn]).await;
    let half = |method: &str, target: &str| app.anonymous(method, target).header("client-id", "half");
    let answer = half("POST", SIGN_IN).json(&app.credentials("ada@example.com")).send().await.expect(200);
    let token = text(answer.data(), "token");
    half("GET", &subscription(&adas[0])).bearer(token).send().await.expect(200);
    let refused = half("GET", &payment).bearer(token).send().await.refused(403, "insufficient_scope");
    assert_eq!(refused.json["required_scope"], "payments:read:own");
    for (method, target) in [
        ("POST", "/subscriptions"),
        ("PUT", &subscription(&adas[0])),
        ("DELETE", &subscription(&adas[0])),
        ("POST", "/subscription-payments"),
        ("PUT", &payment),
        ("DELETE", &payment),
    ] {
        half(method, target).bearer(token).json(&json!({})).send().await.refused(403, "insufficient_scope");
    }
}

#[tokio::test]
async fn a_trusted_client_sees_all_whatever_token_comes_along() {
    let People { app, ada, eves, .. } = People::start().await;
    for token in [ada.token.as_str(), "garbage"] {
        let list = app.request("GET", "/subscriptions").bearer(token).send().await.expect(200);
        assert_eq!(list.data().as_array().unwrap().len(), 6);
        let read = app.request("GET", &subscription(&eves[0])).bearer(token).send().await.expect(200);
        assert_eq!(read.data(), &eves[0]);
    }
    let twice = app.request("GET", "/subscriptions").bearer("a").bearer("b");
    twice.send().await.expect(200);
}
