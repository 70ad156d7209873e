//! Providers that come and go in the store while the service runs.

use super::support::{REFUSED, UNAVAILABLE, adas_token, issuer, oidc, options, outcome, sign_in, sign_up};
use perennial_app::providers;
use perennial_testkit::TestApp;

#[tokio::test]
async fn a_provider_added_to_the_store_works_and_one_removed_stops_within_five_seconds() {
    let issuer = issuer();
    issuer.rotate("k1", "EdDSA");
    let app = TestApp::with(options(vec![])).await;
    sign_up(&app, &adas_token(&app, &issuer)).await.refused(401, REFUSED);
    let added = providers::add(&app.app, app.organization, &oidc(&issuer.url)).await.unwrap();
    app.advance(5);
    let ada = sign_up(&app, &adas_token(&app, &issuer)).await.expect(201);
    assert_eq!(outcome(&sign_in(&app, &adas_token(&app, &issuer)).await), "accepted");
    providers::remove(&app.app, app.organization, &added.id.unwrap().to_string()).await.unwrap().unwrap();
    app.advance(5);
    sign_in(&app, &adas_token(&app, &issuer)).await.refused(401, REFUSED);
    let bearer = format!("Bearer {}", ada.data()["token"].as_str().unwrap());
    let session = app.request("POST", "/authentication/user-logged-in").header("authorization", bearer);
    session.send().await.expect(200);
}

#[tokio::test]
async fn without_the_last_provider_no_token_is_accepted() {
    let issuer = issuer();
    issuer.rotate("k1", "EdDSA");
    let mut options = options(vec![]);
    options.app.local_provider = false;
    let app = TestApp::with(options).await;
    providers::add(&app.app, app.organization, &oidc(&issuer.url)).await.unwrap();
    sign_up(&app, &adas_token(&app, &issuer)).await.expect(201);
    providers::remove(&app.app, app.organization, &issuer.url).await.unwrap().unwrap();
    app.advance(5);
    sign_in(&app, &adas_token(&app, &issuer)).await.refused(503, UNAVAILABLE);
}
