//! Which providers an organization has at a given moment, over a real store that two processes share.

use super::*;
use crate::context::{AppOptions, Clock, Entropy};
use crate::first_run::{self, FirstRunOptions};
use crate::keys::{Keys, MasterKey};
use aws_lc_rs::hmac;
use data_encoding::BASE64URL_NOPAD;
use perennial_domain::time::Time;
use perennial_identity::verify::Rejection;
use perennial_store::{Db, Sql, SqliteOptions};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use tempfile::TempDir;

const START: i64 = 1_800_000_000;
const SECRET: &str = "0123456789abcdef0123456789abcdef";
const OTHER_SECRET: &str = "fedcba9876543210fedcba9876543210";

static SPOIL: Sql = Sql::new("UPDATE providers SET settings = '{}' WHERE issuer = 'https://two'");

/// A store in which a server and an operator's command meet.
struct Place {
    directory: TempDir,
    clock: Arc<AtomicI64>,
}

impl Place {
    fn new() -> Self {
        Self { directory: TempDir::new().unwrap(), clock: Arc::new(AtomicI64::new(START * 1_000_000)) }
    }

    async fn process(&self, seed: u64, options: AppOptions) -> (App, OrganizationId) {
        let path = self.directory.path().join("perennial.db");
        let db = Db::open_sqlite(SqliteOptions { exclusive: false, ..SqliteOptions::new(path) }).await.unwrap();
        db.migrate().await.unwrap();
        let keys = Keys::derive(&MasterKey::new([7; 32]));
        let app = App::new(db, Clock::Fixed(Arc::clone(&self.clock)), Entropy::seeded(seed), keys, options);
        first_run::ensure(&app, FirstRunOptions { trusted: None, origins: vec![] }).await.unwrap();
        let organization = crate::organizations::find(&app, "default").await.unwrap().unwrap().id;
        (app, organization)
    }

    fn advance(&self, seconds: i64) {
        self.clock.fetch_add(seconds * 1_000_000, Ordering::Relaxed);
    }
}

fn shared_secret(issuer: &str, secret: &str) -> Description {
    Description {
        issuer: issuer.to_owned(),
        kind: ProviderKind::JwtSecret,
        settings: Settings { audience: vec!["app".to_owned()], ..Settings::default() },
        secret: Some(Secret::new(secret.to_owned())),
    }
}

fn of_file(organization: &str, issuer: &str, secret: &str) -> Configured {
    Configured { organization: organization.to_owned(), description: shared_secret(issuer, secret) }
}

fn ada() -> Email {
    Email::parse("ada@example.com").unwrap()
}

fn token(issuer: &str, secret: &str) -> String {
    let claims = json!({
        "iss": issuer, "aud": "app", "sub": "ada", "email": "ada@example.com", "email_verified": true,
        "iat": START, "exp": START + 3600,
    });
    let encode = |text: String| BASE64URL_NOPAD.encode(text.as_bytes());
    let message = format!("{}.{}", encode(json!({ "alg": "HS256" }).to_string()), encode(claims.to_string()));
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes()), message.as_bytes());
    format!("{message}.{}", BASE64URL_NOPAD.encode(tag.as_ref()))
}

/// `accepted`, or the code of the rejection.
async fn outcome(app: &App, organization: OrganizationId, token: &str) -> &'static str {
    let verifier = verifier(app, organization).await.unwrap();
    verifier.verify(token, &ada(), app.clock.now()).await.map_or_else(Rejection::code, |_| "accepted")
}

#[tokio::test]
async fn a_provider_added_or_removed_by_another_process_counts_within_five_seconds() {
    let place = Place::new();
    let (server, organization) = place.process(1, AppOptions::default()).await;
    let (operator, _) = place.process(2, AppOptions::default()).await;
    let token = token("https://one", SECRET);
    assert_eq!(outcome(&server, organization, &token).await, "identity_provider_unavailable");
    let added = add(&operator, organization, &shared_secret("https://one", SECRET)).await.unwrap();
    place.advance(4);
    assert_eq!(outcome(&server, organization, &token).await, "accepted");
    remove(&operator, organization, &added.id.unwrap().to_string()).await.unwrap().unwrap();
    place.advance(3);
    assert_eq!(outcome(&server, organization, &token).await, "accepted", "it is cached for four seconds");
    place.advance(1);
    assert_eq!(outcome(&server, organization, &token).await, "identity_provider_unavailable");
}

#[tokio::test]
async fn a_stored_provider_that_cannot_be_used_costs_the_others_nothing() {
    let place = Place::new();
    // A provider may become our own issuer when the operator chooses a public URL.
    let (operator, organization) = place.process(1, AppOptions::default()).await;
    for issuer in ["https://one", "https://two", "https://ours", "https://three"] {
        add(&operator, organization, &shared_secret(issuer, SECRET)).await.unwrap();
    }
    operator.db.commit(Change::new().execute(&SPOIL, vec![], Violation::Record)).await.unwrap();
    let options = AppOptions { public_url: Some("https://ours".to_owned()), ..AppOptions::default() };
    let (app, _) = place.process(2, options).await;
    for (issuer, expected) in [
        ("https://one", "accepted"),
        ("https://two", "invalid_identity_token"),
        ("https://ours", "invalid_identity_token"),
        ("https://three", "accepted"),
    ] {
        assert_eq!(outcome(&app, organization, &token(issuer, SECRET)).await, expected, "{issuer}");
    }
    let refused = check_at_start(&app).await.unwrap_err();
    assert!(matches!(refused, StartError::StoredOwnIssuer { .. }), "{refused}");
}

#[tokio::test]
async fn the_file_comes_before_the_store_and_counts_in_its_own_organization() {
    let place = Place::new();
    let options = AppOptions {
        providers: vec![of_file("default", "https://one", OTHER_SECRET)],
        local_provider: true,
        ..AppOptions::default()
    };
    let (app, organization) = place.process(1, options).await;
    add(&app, organization, &shared_secret("https://one", SECRET)).await.unwrap();
    assert_eq!(outcome(&app, organization, &token("https://one", OTHER_SECRET)).await, "accepted");
    assert_eq!(outcome(&app, organization, &token("https://one", SECRET)).await, "invalid_identity_token");
    let local = local_token(&app, organization, &ada(), None);
    assert_eq!(outcome(&app, organization, local.expose()).await, "accepted");
    let listed = list(&app, organization).await.unwrap();
    let seen: Vec<(Source, bool)> = listed.iter().map(|listed| (listed.source, listed.overridden)).collect();
    assert_eq!(seen, [(Source::File, false), (Source::Store, true)]);

    let name = perennial_domain::organizations::OrganizationName::parse("acme").unwrap();
    let currency = perennial_domain::currency::Currency::USD;
    let acme = crate::organizations::create(&app, name, currency, None).await.unwrap().unwrap().id;
    assert_eq!(outcome(&app, acme, &token("https://one", OTHER_SECRET)).await, "invalid_identity_token");
    assert_eq!(outcome(&app, acme, local.expose()).await, "invalid_identity_token");
}

#[tokio::test]
async fn the_file_is_held_to_account_before_the_first_caller_comes() {
    let place = Place::new();
    let fault = async |providers: Vec<Configured>| {
        let options = AppOptions { public_url: Some("https://ours".to_owned()), providers, ..AppOptions::default() };
        check_at_start(&place.process(1, options).await.0).await.err()
    };
    assert_eq!(Box::pin(fault(vec![of_file("default", "https://one", SECRET)])).await, None);
    let unknown = Box::pin(fault(vec![of_file("nowhere", "https://one", SECRET)])).await;
    assert_eq!(unknown, Some(StartError::UnknownOrganization("nowhere".to_owned())));
    let (_, organization) = place.process(1, AppOptions::default()).await;
    let by_id = organization.to_string();
    for (providers, expected) in [
        (vec![of_file("default", "https://ours", SECRET)], ProviderError::OwnIssuer("https://ours".to_owned())),
        (vec![of_file("default", "https://x", "short")], ProviderError::ShortSecret),
        (
            vec![of_file("default", "https://x", SECRET), of_file(&by_id, "https://x", SECRET)],
            ProviderError::IssuerTwice("https://x".to_owned()),
        ),
    ] {
        match Box::pin(fault(providers)).await {
            Some(StartError::File { fault, .. }) => assert_eq!(fault, expected),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn an_addition_is_refused_for_our_own_issuer_a_taken_one_and_a_second_introspection() {
    let place = Place::new();
    let (app, organization) = place.process(1, AppOptions::default()).await;
    let ours = signing_keys::issuer(&app).await.unwrap();
    let refused = async |description: Description| add(&app, organization, &description).await.unwrap_err();
    let own = refused(shared_secret(&ours, SECRET)).await;
    assert_eq!(own, NotAdded::Fault(ProviderError::OwnIssuer(ours)));
    add(&app, organization, &shared_secret("https://one", SECRET)).await.unwrap();
    assert_eq!(refused(shared_secret("https://one", OTHER_SECRET)).await, NotAdded::IssuerTaken);
    let asked = |issuer: &str| {
        let mut description = shared_secret(issuer, SECRET);
        description.kind = ProviderKind::Introspection;
        description.settings.endpoint = Some("https://id.example.com/introspect".to_owned());
        description.settings.client_id = Some("perennial".to_owned());
        description
    };
    add(&app, organization, &asked("https://two")).await.unwrap();
    assert_eq!(refused(asked("https://three")).await, NotAdded::Fault(ProviderError::IntrospectionTwice));
    assert_eq!(list(&app, organization).await.unwrap().len(), 2);
}

#[test]
fn a_flood_of_organizations_stays_bounded() {
    let (verifiers, now) = (verifiers::Verifiers::new(FetchLimits::default()), Time::from_micros(0).unwrap());
    let verifier = perennial_identity::verify::Verifier::new(verifiers.keyring(), vec![], "https://ours").map(Arc::new);
    let verifier = verifier.unwrap_or_else(|fault| panic!("{fault}"));
    for number in 0..30_000_u128 {
        verifiers.put(OrganizationId::from_bytes(number.to_be_bytes()), Arc::clone(&verifier), now);
    }
    assert!(verifiers.entries() <= 10_000);
}
