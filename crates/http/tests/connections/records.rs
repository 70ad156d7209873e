//! API rules 25.1: connections over the API.

use super::support::{Base, connect};
use perennial_app::connections::{self, ConnectionDraft, ConnectionKind, ConnectionMode, ConnectionName};
use perennial_app::error::{Conflict, Error};
use perennial_domain::subscriptions::SubscriptionStatus;
use serde_json::{Value, json};

#[tokio::test]
async fn a_connection_is_read_and_listed_without_its_secrets() {
    let base = Base::start().await;
    let path = format!("/connections/{}", base.connection.id);
    let answer = base.app.get(&path).await.expect(200);
    let now = base.app.now();
    let expected = json!({
        "id": base.connection.id, "kind": "stripe", "name": "main", "mode": "live", "account": null,
        "base_url": "https://api.stripe.com", "drift": "repair", "collect": false, "requests_per_minute": 600,
        "is_enabled": true, "state": "ok", "webhook_path": format!("/hooks/{}", base.connection.id),
        "last_received_at": null, "last_swept_at": null, "created_at": now, "updated_at": now
    });
    assert_eq!(answer.data(), &expected);
    assert_eq!(base.app.get("/connections").await.expect(200).data(), &json!([expected]));
    let etag = answer.header("etag").to_owned();
    base.send(r#"{"id":"evt_1","data":{"object":{"object":"invoice","id":"in_1"}}}"#).await.expect(200);
    assert_eq!(base.app.get(&path).await.header("etag"), etag, "a webhook does not write the connection");
    base.app.get("/connections/con_01h455vb4pex5vsknk084sn02q").await.refused(404, "not_found");
    base.app.get("/connections/con_01h455vb4pex5vsknk084sn02q/inbox").await.refused(404, "not_found");
    let events = base.app.events().await;
    let created = events.iter().find(|event| event.kind.as_str() == "connection.created").unwrap();
    let text = created.after.clone().unwrap();
    assert!(!text.contains("sk_1") && !text.contains("whsec"), "{text}");
    assert!(!String::from_utf8_lossy(&base.app.store().files()).contains("whsec_test"));
}

#[tokio::test]
async fn names_are_unique_and_modes_match_the_organization() {
    let base = Base::start().await;
    let draft = ConnectionDraft {
        kind: Some(ConnectionKind::Paddle),
        name: ConnectionName::parse("main").ok(),
        ..ConnectionDraft::default()
    };
    let secret = || perennial_identity::secret::Secret::new("s".to_owned());
    let made = connections::create(&base.app.app, &base.caller(), draft, secret(), secret()).await;
    assert_eq!(made.err(), Some(Error::Conflict(Conflict::NameTaken)));
    let other = connect(&base.app, ConnectionKind::Paddle, "other").await;
    let patch = ConnectionDraft { mode: Some(ConnectionMode::Test), ..ConnectionDraft::default() };
    let after = connections::update(&base.app.app, &base.caller(), other.id, patch).await.unwrap();
    assert_eq!(after.mode, ConnectionMode::Test);
    assert_eq!(after.base_url.as_str(), "https://sandbox-api.paddle.com", "the default host is that of the mode");
    let elsewhere =
        ConnectionDraft { base_url: Some("https://proxy.example.com".into()), ..ConnectionDraft::default() };
    connections::update(&base.app.app, &base.caller(), other.id, elsewhere).await.unwrap();
    let live = ConnectionDraft { mode: Some(ConnectionMode::Live), ..ConnectionDraft::default() };
    let after = connections::update(&base.app.app, &base.caller(), other.id, live).await.unwrap();
    assert_eq!(after.base_url.as_str(), "https://proxy.example.com");
}

#[tokio::test]
async fn a_connection_is_removed_once_nothing_follows_it() {
    let base = Base::start().await;
    base.memory.subscribe(1, SubscriptionStatus::Active);
    base.work();
    base.hint("evt_1", &json!({ "object": "subscription", "id": "sub_1" })).await.expect(200);
    base.quiet().await;
    let id = base.connection.id;
    let refused = connections::remove(&base.app.app, &base.caller(), id, false).await;
    assert_eq!(refused.err(), Some(Error::Conflict(Conflict::ConnectionInUse { subscriptions: 1 })));
    connections::remove(&base.app.app, &base.caller(), id, true).await.unwrap();
    let subscription = base.one("/subscriptions").await;
    assert_eq!(subscription["managed_by"], Value::Null);
    base.app.get(&format!("/connections/{id}")).await.refused(404, "not_found");
    let path = format!("/subscriptions/{}", subscription["id"].as_str().unwrap());
    base.app.put(&path, &json!({ "status": "paused" })).await.expect(200);
}
