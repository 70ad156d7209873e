//! `x-forwarded-for` over a socket: the address a trusted client is allowed to call from.

use perennial_app::clients::{self, Credential, NewClient, Presents};
use perennial_domain::clients::{ClientName, Scope, Scopes};
use perennial_http::ApiOptions;
use perennial_testkit::{Answer, TestApp, TestOptions};

const CREDENTIAL: &str = "pk_NearNearNearNearNearNearNearNear";
const ALLOWED: &str = "198.51.100.7";

/// A service with a client that may call from one address only, which is not the test's own.
async fn service(trusted_proxies: &[&str]) -> TestApp {
    let trusted_proxies = trusted_proxies.iter().map(|network| network.parse().unwrap()).collect();
    let api = ApiOptions { trusted_proxies, ..ApiOptions::default() };
    let app = TestApp::with(TestOptions { api, ..TestOptions::default() }).await;
    let client = NewClient {
        name: ClientName::parse("near").unwrap(),
        presents: Presents::Trusted(Credential::chosen(CREDENTIAL).unwrap()),
        scopes: Scopes::of(&[Scope::PlansRead]),
        origins: vec![],
        cidrs: vec![format!("{ALLOWED}/32").parse().unwrap()],
        expires_at: None,
    };
    clients::create(&app.app, app.organization, client).await.unwrap().unwrap();
    app
}

async fn call(app: &TestApp, forwarded_for: &[&str]) -> Answer {
    let request = app.anonymous("GET", "/subscription-plans").header("client-id", CREDENTIAL);
    forwarded_for.iter().fold(request, |request, line| request.header("x-forwarded-for", line)).send().await
}

#[tokio::test]
async fn no_proxy_is_trusted_by_default() {
    let app = service(&[]).await;
    let answer = call(&app, &[ALLOWED]).await.refused(403, "address_not_allowed");
    assert!(answer.json["detail"].as_str().unwrap().contains("127.0.0.1"), "{}", answer.json);
    let elsewhere = service(&["10.0.0.0/8"]).await;
    call(&elsewhere, &[ALLOWED]).await.refused(403, "address_not_allowed");
}

#[tokio::test]
async fn a_trusted_proxy_is_believed_about_who_called_it_and_no_further() {
    let app = service(&["127.0.0.0/8", "10.0.0.0/8"]).await;
    call(&app, &[ALLOWED]).await.expect(200);
    call(&app, &["203.0.113.5", &format!("{ALLOWED}, 10.1.1.1"), "10.2.2.2"]).await.expect(200);
    call(&app, &[ALLOWED, "203.0.113.5"]).await.refused(403, "address_not_allowed");
    call(&app, &[&format!("{ALLOWED}, 203.0.113.5")]).await.refused(403, "address_not_allowed");
    call(&app, &[&format!("{ALLOWED}, rubbish")]).await.refused(403, "address_not_allowed");
    call(&app, &[]).await.refused(403, "address_not_allowed");
}
