//! What several modules need: a second organization and the events of a kind.

use perennial_app::clients::{self, Credential, NewClient, Presents};
use perennial_app::organizations;
use perennial_domain::clients::{ClientKind, ClientName, Scope, Scopes};
use perennial_domain::currency::Currency;
use perennial_domain::events::Event;
use perennial_domain::id::OrganizationId;
use perennial_domain::organizations::OrganizationName;
use perennial_testkit::TestApp;

/// The events with this name, oldest first.
pub(crate) async fn events(app: &TestApp, name: &str) -> Vec<Event> {
    app.events().await.into_iter().filter(|event| event.kind.as_str() == name).collect()
}

/// A trusted client of an organization with these scopes; the credential is returned.
pub(crate) async fn trusted(app: &TestApp, organization: OrganizationId, name: &str, scopes: &[Scope]) -> String {
    let credential = format!("pk_{name:x<32}");
    let client = NewClient {
        name: ClientName::parse(name).unwrap(),
        presents: Presents::Trusted(Credential::chosen(&credential).unwrap()),
        scopes: Scopes::of(scopes),
        origins: vec![],
        cidrs: vec![],
        expires_at: None,
    };
    clients::create(&app.app, organization, client).await.unwrap().unwrap();
    credential
}

/// A second organization, and a trusted client of it with every scope.
pub(crate) async fn tenant(app: &TestApp) -> String {
    let name = OrganizationName::parse("other").unwrap();
    let organization = organizations::create(&app.app, name, Currency::USD, None).await.unwrap().unwrap();
    let all: Vec<Scope> = ClientKind::Trusted.scopes().iter().collect();
    trusted(app, organization.id, "other", &all).await
}
