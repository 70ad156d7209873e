//! The URLs that the service calls for an operator, and how much it reads from them.

use super::support::{Service, UNAVAILABLE, introspection, issuer, options, sign_in, sign_up};
use perennial_fake_idp::{Issuer, ResponseMode};
use perennial_testkit::TestApp;
use serde_json::json;

const BOUND: usize = 256 * 1024;

/// The code and status of signing up with an issuer that has this setting.
async fn sign_up_with(set_length: impl FnOnce(&Issuer)) -> (u16, Service) {
    let service = Service::with(|issuer, _| set_length(issuer)).await;
    let answer = sign_up(&service.app, &service.token(|_, _| ())).await;
    if answer.status != 201 {
        answer.clone().refused(503, UNAVAILABLE);
    }
    (answer.status, service)
}

#[tokio::test]
async fn a_document_of_keys_beyond_256_kib_is_not_used() {
    for (bytes, status) in [(BOUND, 201), (BOUND + 1, 503), (64 * BOUND, 503)] {
        let set_length = |issuer: &Issuer| issuer.set(|behavior| behavior.response_mode = ResponseMode::Long(bytes));
        assert_eq!(sign_up_with(set_length).await.0, status, "{bytes}");
    }
}

#[tokio::test]
async fn a_document_of_more_than_a_hundred_keys_is_not_used() {
    for (others, status) in [(99, 201), (100, 503)] {
        let set_length = |issuer: &Issuer| {
            let jwk = issuer.make("other", "EdDSA").jwk;
            let keys = (0..others).map(|number| {
                let mut jwk = jwk.clone();
                jwk["kid"] = json!(format!("other-{number}"));
                jwk
            });
            issuer.set(|behavior| behavior.keys.extend(keys));
        };
        assert_eq!(sign_up_with(set_length).await.0, status, "{others}");
    }
}

#[tokio::test]
async fn attack_30_a_redirect_is_not_followed() {
    let elsewhere = issuer();
    let place = format!("{}/keys", elsewhere.url);
    let (status, service) = sign_up_with(|issuer| {
        let keys = issuer.rotate("k1", "EdDSA").jwk;
        elsewhere.set(|behavior| behavior.keys = vec![keys]);
        issuer.set(|behavior| behavior.response_mode = ResponseMode::Redirect(place));
    })
    .await;
    assert_eq!((status, service.issuer.seen().keys, elsewhere.seen().requests()), (503, 1, 0));
}

#[tokio::test]
async fn attack_30_a_private_address_is_not_called_unless_the_operator_allows_it() {
    let service = Service::with(|issuer, options| {
        options.app.providers[0].description.settings.allow_private_addresses = false;
        let settings = &mut options.app.providers[0].description.settings;
        settings.jwks_url = Some(format!("{}/keys", issuer.url));
    })
    .await;
    sign_up(&service.app, &service.token(|_, _| ())).await.refused(503, UNAVAILABLE);
    assert_eq!(service.issuer.seen().requests(), 0);

    let mut private = introspection(&service.issuer.url);
    private.settings.allow_private_addresses = false;
    let app = TestApp::with(options(vec![("default", private)])).await;
    sign_in(&app, "opaque").await.refused(503, UNAVAILABLE);
    assert_eq!(service.issuer.seen().requests(), 0);
}

#[tokio::test]
async fn attack_30_a_discovery_document_of_another_issuer_or_to_a_private_network_leads_nowhere() {
    let elsewhere = issuer();
    for document in [
        json!({ "issuer": elsewhere.url, "jwks_uri": format!("{}/keys", elsewhere.url) }),
        json!({ "issuer": null, "jwks_uri": format!("{}/keys", elsewhere.url) }),
        json!({ "jwks_uri": "file:///etc/passwd" }),
        json!({ "jwks_uri": "http://169.254.1.1/keys" }),
    ] {
        let (status, service) =
            sign_up_with(|issuer| issuer.set(|behavior| behavior.discovery = document.clone())).await;
        assert_eq!((status, service.issuer.seen().requests()), (503, 1), "{document}");
    }
    assert_eq!(elsewhere.seen().requests(), 0);
}
