//! What a copy of the database contains: no private key, and nothing that works as a token.

use super::support::*;
use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair};
use data_encoding::{BASE64URL_NOPAD, HEXLOWER};
use perennial_store::Sql;
use perennial_testkit::TestApp;
use std::collections::HashSet;

const SEED_BYTES: usize = 32;
/// How an Ed25519 private key begins in PKCS #8: the algorithm's name, then the seed's two wrappings.
const PKCS8: &[u8] = &[0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];

async fn text(app: &TestApp, sql: String) -> String {
    app.app.db.one(&Sql::built(sql), &[], |row| row.text(0)).await.unwrap().unwrap()
}

/// Every byte of the database: the files of SQLite, every row of PostgreSQL with its binary values as bytes.
async fn dump(app: &TestApp) -> Vec<u8> {
    if !app.store().is_postgres() {
        let path = text(app, "SELECT file FROM pragma_database_list WHERE name = 'main'".into()).await;
        return [std::fs::read(&path).unwrap(), std::fs::read(format!("{path}-wal")).unwrap_or_default()].concat();
    }
    let tables = "SELECT string_agg(table_name, ',') FROM information_schema.tables WHERE table_schema = 'public'";
    let mut bytes = Vec::new();
    for table in text(app, tables.into()).await.split(',') {
        let rows = text(app, format!("SELECT COALESCE(string_agg(CAST(t AS TEXT), ' '), '') FROM {table} AS t")).await;
        bytes.extend_from_slice(rows.as_bytes());
        for run in rows.split(|letter: char| !letter.is_ascii_hexdigit()).filter(|run| run.len() % 2 == 0) {
            bytes.extend(HEXLOWER.decode(run.as_bytes()).unwrap_or_default());
        }
    }
    bytes
}

/// Whether any stretch of these bytes is the seed of this public key.
fn gives_away(bytes: &[u8], public: &[u8]) -> bool {
    // What is no seed for want of variety is passed over: text, zeros, ids.
    let varied = |window: &&[u8]| window.iter().collect::<HashSet<_>>().len() > 22;
    let candidates: HashSet<&[u8]> = bytes.windows(SEED_BYTES).filter(varied).collect();
    candidates.iter().any(|seed| {
        let pair = Ed25519KeyPair::from_seed_unchecked(seed).unwrap();
        pair.public_key().as_ref() == public
    })
}

#[tokio::test]
async fn a_copy_of_the_database_holds_no_private_key() {
    let app = TestApp::start().await;
    let held = sign_up(&app, "ada@example.com").await;
    refresh(&app, &held.refresh_token).await.expect(200);
    let set = app.anonymous("GET", "/.well-known/jwks.json").send().await.expect(200).json;
    let public = BASE64URL_NOPAD.decode(set["keys"][0]["x"].as_str().unwrap().as_bytes()).unwrap();
    let bytes = dump(&app).await;
    let kid = part(&held.token, 0)["kid"].as_str().unwrap().to_owned();
    assert!(bytes.windows(kid.len()).any(|window| window == kid.as_bytes()), "the key's row is in the dump");
    assert!(!bytes.windows(PKCS8.len()).any(|window| window == PKCS8), "a private key in clear");
    assert!(!gives_away(&bytes, &public), "a private key's seed in clear");
}

#[test]
fn the_search_for_a_seed_finds_one() {
    let seed: Vec<u8> = (7..7 + 32).collect();
    let pair = Ed25519KeyPair::from_seed_unchecked(&seed).unwrap();
    let public = pair.public_key().as_ref();
    let hidden = [b"some text before".as_slice(), &seed, &[0; 100]].concat();
    assert!(gives_away(&hidden, public));
    assert!(!gives_away(&hidden[17..], public));
}

#[tokio::test]
async fn nothing_in_a_copy_of_the_database_works_as_a_token() {
    let app = TestApp::start().await;
    let held = sign_up(&app, "ada@example.com").await;
    let rotated = refresh(&app, &held.refresh_token).await.expect(200);
    let secrets = [held.token.as_str(), &held.refresh_token, rotated.data()["refresh_token"].as_str().unwrap()];
    let bytes = dump(&app).await;
    for secret in secrets {
        let raw = secret.strip_prefix("prt_").map(|body| BASE64URL_NOPAD.decode(body.as_bytes()).unwrap());
        let signature = || BASE64URL_NOPAD.decode(secret.rsplit('.').next().unwrap().as_bytes()).unwrap();
        // Of a refresh token its MAC, of an access token its signature: what comes before is no secret.
        let proof = raw.map_or_else(signature, |raw| raw[20..].to_vec());
        assert!(!bytes.windows(secret.len()).any(|window| window == secret.as_bytes()));
        assert!(!bytes.windows(16).any(|window| proof.windows(16).any(|part| part == window)));
    }
}
