//! The secrets of endpoints: returned once, sealed, rotated: API rules 13.4 and 13.5.

use super::support::{ENDPOINTS, endpoint, options, place, receiver, service};
use perennial_app::key_rotation;
use perennial_app::keys::{Keys, MasterKey};
use perennial_identity::webhook_signature::WebhookKey;
use perennial_testkit::{MASTER_KEY, TestApp};
use serde_json::{Value, json};

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";

async fn rotate(app: &TestApp, endpoint: &Value, overlap: i64) -> Value {
    let body = json!({ "overlap_seconds": overlap });
    app.post(&format!("{}/rotate-secret", place(endpoint)), &body).await.expect(200).data().clone()
}

/// The signatures of a ping, and those that these secrets make of the same request.
async fn signatures(app: &TestApp, endpoint: &Value, secrets: &[&Value]) -> (Vec<String>, Vec<String>) {
    let (url, received) = receiver(OK).await;
    app.put(&place(endpoint), &json!({ "url": url })).await.expect(200);
    app.post(&format!("{}/ping", place(endpoint)), &json!({})).await.expect(200);
    let request = received.lock().unwrap()[0].clone();
    let (id, timestamp) = (request.header("webhook-id"), request.header("webhook-timestamp").parse().unwrap());
    let sent = request.header("webhook-signature").split(' ').map(str::to_owned).collect();
    let sign = |secret: &&Value| {
        let key = WebhookKey::parse_secret(secret.as_str().unwrap()).unwrap();
        key.sign(&id, timestamp, request.body.as_bytes())
    };
    (sent, secrets.iter().map(sign).collect())
}

#[tokio::test]
async fn a_secret_is_returned_once_and_appears_nowhere_else() {
    let app = service().await;
    let create = || app.request("POST", ENDPOINTS).header("idempotency-key", "one");
    let create = || create().json(&json!({ "url": "https://203.1.113.7/hook" }));
    let first = create().send().await.expect(201);
    let again = create().send().await.expect(201);
    assert_ne!(first.data()["id"], again.data()["id"], "a stored response would hold the secret");
    let rotated = rotate(&app, first.data(), 60).await;
    let canaries = [&first.data()["secret"], &again.data()["secret"], &rotated["secret"]];
    let canaries = canaries.map(|secret| secret.as_str().unwrap().trim_start_matches("whsec_").to_owned());
    let mut texts = vec![app.get(ENDPOINTS).await.expect(200).json.to_string()];
    texts.push(app.get(&place(first.data())).await.expect(200).json.to_string());
    texts.push(app.get("/events").await.expect(200).json.to_string());
    texts.push(app.delete(&place(again.data())).await.expect(200).json.to_string());
    texts.push(String::from_utf8_lossy(&app.store().files()).into_owned());
    for canary in canaries {
        assert!(texts.iter().all(|text| !text.contains(&canary)), "a secret leaked");
    }
    assert!(!texts[..4].iter().any(|text| text.contains("\"secret\"") || text.contains("seal")));
}

#[tokio::test]
async fn old_secrets_sign_until_the_overlap_ends() {
    let app = service().await;
    let made = endpoint(&app, json!({})).await;
    let two = rotate(&app, &made, 100).await;
    let (sent, expected) = signatures(&app, &made, &[&two["secret"], &made["secret"]]).await;
    assert_eq!(sent, expected, "newest first");
    let three = rotate(&app, &made, 100).await;
    let body = json!({ "overlap_seconds": 100 });
    let rotate_path = format!("{}/rotate-secret", place(&made));
    app.post(&rotate_path, &body).await.refused(409, "secret_limit");
    app.advance(100);
    let (sent, expected) = signatures(&app, &made, &[&three["secret"]]).await;
    assert_eq!(sent, expected);
    let four = rotate(&app, &made, 0).await;
    let (sent, expected) = signatures(&app, &made, &[&four["secret"]]).await;
    assert_eq!(sent, expected);
    for wrong in [json!(-1), json!(604_801), json!(1.5)] {
        app.post(&rotate_path, &json!({ "overlap_seconds": wrong })).await.expect(422);
    }
    let stale = app.request("POST", &rotate_path).header("if-match", "\"evt_01h455vb4pex5vsknk084sn02q\"");
    stale.json(&json!({})).send().await.refused(412, "stale");
}

#[tokio::test]
async fn a_key_pair_has_public_keys_and_no_secret() {
    let app = service().await;
    let made = endpoint(&app, json!({ "signature": "ed25519" })).await;
    assert_eq!(made["secret"], json!(null));
    let [first] = made["public_keys"].as_array().unwrap().as_slice() else { panic!("{made}") };
    assert!(first.as_str().unwrap().starts_with("whpk_"));
    let rotated = rotate(&app, &made, 60).await;
    assert_eq!((rotated["public_keys"].as_array().unwrap().len(), &rotated["secret"]), (2, &json!(null)));
    assert_eq!(&rotated["public_keys"][1], first);
    app.advance(60);
    let keys = app.get(&place(&made)).await.expect(200).data()["public_keys"].clone();
    assert_eq!(keys, json!([rotated["public_keys"][0]]));
}

#[tokio::test]
async fn secrets_survive_a_rotation_of_the_master_key() {
    let app = service().await;
    let made = endpoint(&app, json!({ "url": "https://203.1.113.7/hook" })).await;
    let new = MasterKey::new([8; 32]);
    let switched = app.with_keys(Keys::derive(&new).accepting(None, Some(&MASTER_KEY))).await;
    let before = key_rotation::progress(&switched.app).await.unwrap();
    key_rotation::advance(&switched.app).await.unwrap();
    let after = key_rotation::progress(&switched.app).await.unwrap();
    assert_eq!((after.other, after.lost_webhook_secrets), (0, 0));
    assert_eq!(after.current, before.current + before.other);
    assert_eq!(key_rotation::progress(&app.app).await.unwrap().lost_webhook_secrets, 1, "under the old key alone");
    let alone = app.with_keys_and(Keys::derive(&new), options()).await;
    let (sent, expected) = signatures(&alone, &made, &[&made["secret"]]).await;
    assert_eq!(sent, expected);
}

#[tokio::test]
async fn operators_need_a_recent_sign_in_to_create_to_redirect_and_to_rotate() {
    let app = service().await;
    let ada = app.signed_in_operator("Ada", "admin").await;
    let body = json!({ "url": "https://203.1.113.7/hook" });
    let made = ada.post(ENDPOINTS, &body).await.expect(201).data().clone();
    app.advance(16 * 60);
    ada.post(ENDPOINTS, &body).await.refused(403, "fresh_sign_in_required");
    ada.post(&format!("{}/rotate-secret", place(&made)), &json!({})).await.refused(403, "fresh_sign_in_required");
    let moved = json!({ "url": "https://203.1.113.8/hook" });
    ada.put(&place(&made), &moved).await.refused(403, "fresh_sign_in_required");
    ada.put(&place(&made), &json!({ "url": body["url"], "description": "x" })).await.expect(200);
    let viewer = app.signed_in_operator("Eve", "viewer").await;
    viewer.get(ENDPOINTS).await.refused(403, "insufficient_scope");
}
