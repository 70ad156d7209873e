//! Vectors of the specification, and those that the clients and the guide verify.

use super::*;

const ID: &str = "msg_p5jXN8AQM9LWM0D4loKWxJek";
const BODY: &[u8] = br#"{"test": 2432232314}"#;

#[test]
fn the_published_vector_of_the_shared_secret() {
    let key = WebhookKey::parse_secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
    assert_eq!(key.sign(ID, 1_614_265_330, BODY), "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    assert_eq!(key.secret().unwrap().expose(), "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    assert_eq!(key.public_key(), None);
}

#[test]
fn the_vector_of_the_key_pair() {
    let seed: Vec<u8> = (0..32).collect();
    let key = WebhookKey::new(Scheme::Ed25519, seed.try_into().unwrap());
    assert_eq!(key.public_key().unwrap(), "whpk_A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=");
    assert_eq!(
        key.sign(ID, 1_614_265_330, BODY),
        "v1a,yoUrgEkc12aGqm0n4Sydmdz55xJfTz4AsAgieHFjmkR7LJtqVCZOQYzvvHjI5kAey+r4iaBGxTFRrl2iBQxtDQ=="
    );
    assert!(key.secret().is_none());
}

#[test]
fn a_malformed_secret_is_rejected() {
    for text in ["", "whsec_", "whsec_%", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"] {
        assert!(WebhookKey::parse_secret(text).is_err(), "{text}");
    }
}

/// What the clients, the published libraries and the snippets of the guide verify. `PERENNIAL_UPDATE_SNAPSHOTS=1` writes it.
const VECTORS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../clients/webhook-vectors.json");

const EVENT: &str = concat!(
    r#"{"id":"evt_01h455vb4pex5vsknk084sn02q","type":"plan.updated","timestamp":"2026-11-15T12:00:00.000000Z","#,
    r#""sequence":48213,"record_id":"plan_01h455vb4pex5vsknk084sn02q","client_id":null,"operator_id":null,"#,
    r#""request_id":null,"test":true,"data":{"name":"Größe \u2028 \"XL\"","price":19.90},"before":{"name":"L","price":5}}"#
);

#[test]
fn the_vectors_of_the_clients_are_what_is_signed() {
    let secret = |fill: u8| WebhookKey::new(Scheme::Hmac, [fill; 32]);
    let pair = |fill: u8| WebhookKey::new(Scheme::Ed25519, [fill; 32]);
    let published = WebhookKey::parse_secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
    let (event, at) = ("evt_01h455vb4pex5vsknk084sn02q", 1_794_700_000);
    let vectors = serde_json::json!([
        vector("published", &[published], ID, 1_614_265_330, std::str::from_utf8(BODY).unwrap()),
        vector("hmac", &[secret(7)], event, at, EVENT),
        vector("ed25519", &[pair(8)], event, at, EVENT),
        vector("rotation", &[secret(9), secret(7)], event, at, EVENT),
        vector("rotation-ed25519", &[pair(10), pair(8)], event, at, EVENT),
    ]);
    let text = format!("{vectors:#}\n");
    if std::env::var_os("PERENNIAL_UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(VECTORS, &text).unwrap();
    }
    assert_eq!(std::fs::read_to_string(VECTORS).unwrap(), text, "set PERENNIAL_UPDATE_SNAPSHOTS=1 to write it");
}

/// A request as it is sent, and the keys that verify it: one signature for each, newest first.
fn vector(name: &str, keys: &[WebhookKey], id: &str, timestamp: i64, body: &str) -> serde_json::Value {
    let signatures: Vec<String> = keys.iter().map(|key| key.sign(id, timestamp, body.as_bytes())).collect();
    let verifying = |key: &WebhookKey| {
        key.public_key().or_else(|| Some(key.secret()?.expose().to_owned())).expect("a key has one or the other")
    };
    serde_json::json!({
        "name": name,
        "keys": keys.iter().map(verifying).collect::<Vec<String>>(),
        "headers": {
            "webhook-id": id,
            "webhook-timestamp": timestamp.to_string(),
            "webhook-signature": signatures.join(" ")
        },
        "body": body
    })
}
