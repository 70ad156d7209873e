//! What several of these tests share: a list followed to its end, further organizations and clients,
//! requests sent all at once, and the rows themselves where no endpoint shows them.

use perennial_app::clients::{self, Credential, NewClient, Presents};
use perennial_app::organizations;
use perennial_domain::clients::{Client, ClientKind, ClientName, PublicId, Scope, Scopes};
use perennial_domain::currency::Currency;
use perennial_domain::id::OrganizationId;
use perennial_domain::organizations::OrganizationName;
use perennial_store::{Change, Sql};
pub(crate) use perennial_testkit::all_at_once;
use perennial_testkit::{Answer, Request, TestApp};
use serde_json::Value;

/// Every record of a list, page by page; checks the envelope of each page.
pub(crate) async fn follow(app: &TestApp, target: &str, limit: usize) -> Vec<Value> {
    let mut records = Vec::new();
    let mut cursor = None;
    loop {
        let answer = app.get(&page_target(target, limit, cursor.as_deref())).await.expect(200);
        let page = answer.data().as_array().unwrap();
        records.extend(page.iter().cloned());
        assert!(page.len() <= limit);
        cursor = next_cursor(&answer);
        assert_eq!(answer.json["page"]["limit"], limit);
        assert_eq!(answer.json["page"]["has_more"], cursor.is_some());
        match cursor {
            Some(_) => assert_eq!(page.len(), limit, "a page with more behind it is full"),
            None => return records,
        }
        assert!(records.len() < 10_000, "the list does not end");
    }
}

/// The target of a page of a list.
pub(crate) fn page_target(target: &str, limit: usize, cursor: Option<&str>) -> String {
    let sign = if target.contains('?') { '&' } else { '?' };
    let cursor = cursor.map(|cursor| format!("&cursor={cursor}")).unwrap_or_default();
    format!("{target}{sign}limit={limit}{cursor}")
}

/// Where the next page begins, if there is one.
pub(crate) fn next_cursor(answer: &Answer) -> Option<String> {
    answer.json["page"]["next_cursor"].as_str().map(str::to_owned)
}

/// The ids of records, in their order.
pub(crate) fn ids(records: &[Value]) -> Vec<&str> {
    records.iter().map(|record| record["id"].as_str().unwrap()).collect()
}

/// A value as a query carries it.
pub(crate) fn encode(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    text.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

/// Another organization.
pub(crate) async fn organization(app: &TestApp, name: &str) -> OrganizationId {
    let name = OrganizationName::parse(name).unwrap();
    organizations::create(&app.app, name, Currency::USD, None).await.unwrap().unwrap().id
}

/// A trusted client's credential, made from a short name.
pub(crate) fn credential(name: &str) -> String {
    format!("pk_{name:x<32}")
}

/// What a trusted client with these scopes is made of.
pub(crate) fn trusted(name: &str, scopes: &[Scope]) -> NewClient {
    NewClient {
        name: ClientName::parse(name).unwrap(),
        presents: Presents::Trusted(Credential::chosen(&credential(name)).unwrap()),
        scopes: Scopes::of(scopes),
        origins: vec![],
        cidrs: vec![],
        expires_at: None,
    }
}

/// What a public client with these scopes is made of; its name is its id.
pub(crate) fn public(name: &str, scopes: &[Scope]) -> NewClient {
    NewClient { presents: Presents::Public(PublicId::parse(name).unwrap()), ..trusted(name, scopes) }
}

/// Makes a client.
pub(crate) async fn client(app: &TestApp, organization: OrganizationId, new: NewClient) -> Client {
    clients::create(&app.app, organization, new).await.unwrap().unwrap()
}

/// Another organization with a trusted client that holds every scope, and a way to call as that client.
pub(crate) struct Tenant<'a> {
    pub(crate) app: &'a TestApp,
    pub(crate) organization: OrganizationId,
    credential: String,
}

impl<'a> Tenant<'a> {
    pub(crate) async fn new(app: &'a TestApp, name: &str) -> Self {
        let organization = organization(app, name).await;
        let scopes: Vec<Scope> = ClientKind::Trusted.scopes().iter().collect();
        client(app, organization, trusted(name, &scopes)).await;
        Self { app, organization, credential: credential(name) }
    }

    pub(crate) fn request(&self, method: &str, target: &str) -> Request {
        self.app.anonymous(method, target).header("client-id", &self.credential)
    }

    pub(crate) async fn post(&self, target: &str, body: &Value) -> Answer {
        self.request("POST", target).json(body).send().await
    }
}

/// A number from the database itself.
pub(crate) async fn count(app: &TestApp, sql: &'static str) -> i64 {
    app.app.db.one(&Sql::new(sql), &[], |row| row.int(0)).await.unwrap().unwrap()
}

/// Changes the database past the service.
pub(crate) async fn execute(app: &TestApp, sql: &'static Sql) {
    app.app.db.commit(Change::new().execute_any(sql, vec![])).await.unwrap();
}
