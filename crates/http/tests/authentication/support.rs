//! What several of these tests share: the paths, further clients and organizations, what a request
//! costs and leaves behind, and the rows themselves where no endpoint shows them. It contains none of the API rules.

use perennial_app::clients::{self, Credential, NewClient, Presents};
use perennial_app::{events, organizations, providers};
use perennial_domain::clients::{Client, ClientKind, ClientName, Origin, PublicId, Scope, Scopes};
use perennial_domain::currency::Currency;
use perennial_domain::events::Event;
use perennial_domain::id::OrganizationId;
use perennial_domain::organizations::OrganizationName;
use perennial_domain::users::Email;
use perennial_store::{Change, Sql};
pub(crate) use perennial_testkit::all_at_once;
use perennial_testkit::{Answer, Held, Request, TestApp};
use serde_json::{Value, json};

pub(crate) const SIGN_UP: &str = "/authentication/sign-up";
pub(crate) const SIGN_IN: &str = "/authentication/sign-in";
pub(crate) const CHECK: &str = "/authentication/user-logged-in";
pub(crate) const REFRESH: &str = "/authentication/refresh-token";
pub(crate) const TOKENS: &str = "/authentication/tokens";
pub(crate) const LOGOUT: &str = "/authentication/tokens/logout";
pub(crate) const REVOKE_ALL: &str = "/authentication/tokens/revoke-all";
pub(crate) const REVOKE_OTHERS: &str = "/authentication/tokens/revoke-all-except-current";

/// The origin that the public client of every test lists.
pub(crate) const ORIGIN: &str = "https://app.example.com";

/// The credential of the trusted client of every test.
pub(crate) const TRUSTED: &str = "pk_TestTestTestTestTestTestTestTest";

/// An id that nothing has.
pub(crate) const UNKNOWN_ID: &str = "01h455vb4pex5vsknk084sn02q";

/// The names of an object's members, in alphabetical order.
pub(crate) fn members(object: &Value) -> Vec<&str> {
    let mut names: Vec<&str> = object.as_object().unwrap().keys().map(String::as_str).collect();
    names.sort_unstable();
    names
}

/// A member that is text.
pub(crate) fn text<'a>(object: &'a Value, member: &str) -> &'a str {
    object[member].as_str().unwrap()
}

/// A value as a path or a query carries it.
pub(crate) fn encode(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    text.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

/// The body that signs up or in the user with this `subject` at the provider.
pub(crate) fn credentials(app: &TestApp, email: &str, subject: &str) -> Value {
    json!({ "access_token": app.identity_token(email, Some(subject)), "email": email })
}

/// An object with some members set otherwise.
pub(crate) fn with(body: &Value, changes: &Value) -> Value {
    let mut body = body.clone();
    body.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    body
}

/// POSTs to sign-up or sign-in with the public client.
pub(crate) async fn present(app: &TestApp, target: &str, body: &Value) -> Answer {
    app.browser("POST", target).json(body).send().await
}

/// Calls an endpoint that takes no body, with the public client and this token.
pub(crate) async fn call(app: &TestApp, method: &str, target: &str, token: &str) -> Answer {
    app.browser(method, target).bearer(token).send().await
}

/// Where this person's account is deleted.
pub(crate) fn account(held: &Held) -> String {
    account_of(text(&held.user, "auth_id"))
}

/// Where the account of this subject is deleted.
pub(crate) fn account_of(subject: &str) -> String {
    format!("/authentication/delete-my-account/{}", encode(subject))
}

/// Where this person's session is ended.
pub(crate) fn session(held: &Held) -> String {
    format!("/authentication/tokens/revoke/{}", held.session_id())
}

/// The response of a call that ends sessions.
pub(crate) fn revoked(count: usize) -> Value {
    json!({ "success": true, "revoked": count })
}

/// The sessions that the person of this token is shown.
pub(crate) async fn listed(app: &TestApp, token: &str) -> Vec<Value> {
    let answer = call(app, "GET", TOKENS, token).await.expect(200);
    answer.data()["tokens"].as_array().unwrap().clone()
}

/// A new client of the organization; trusted if what it presents is a credential.
pub(crate) async fn client(app: &TestApp, owner: OrganizationId, presents: &str, scopes: &[Scope]) -> Client {
    let new = NewClient {
        name: ClientName::parse(presents.trim_start_matches("pk_")).unwrap(),
        presents: match Credential::chosen(presents) {
            Some(credential) => Presents::Trusted(credential),
            None => Presents::Public(PublicId::parse(presents).unwrap()),
        },
        scopes: Scopes::of(scopes),
        origins: vec![Origin::parse("https://other.example.com").unwrap()],
        cidrs: vec![],
        expires_at: None,
    };
    clients::create(&app.app, owner, new).await.unwrap().expect("what it presents is free")
}

/// Another organization, with a trusted and a public client that hold all they may.
pub(crate) struct Tenant<'a> {
    app: &'a TestApp,
    pub(crate) organization: OrganizationId,
}

impl<'a> Tenant<'a> {
    const TRUSTED: &'static str = "pk_OtherOtherOtherOtherOtherOtherOther";
    const PUBLIC: &'static str = "other-web";

    pub(crate) async fn new(app: &'a TestApp) -> Self {
        let name = OrganizationName::parse("other").unwrap();
        let organization = organizations::create(&app.app, name, Currency::USD, None).await.unwrap().unwrap().id;
        for (presents, kind) in [(Self::TRUSTED, ClientKind::Trusted), (Self::PUBLIC, ClientKind::Public)] {
            let scopes: Vec<Scope> = kind.scopes().iter().collect();
            client(app, organization, presents, &scopes).await;
        }
        Self { app, organization }
    }

    /// A request by its trusted client.
    pub(crate) fn request(&self, method: &str, target: &str) -> Request {
        self.app.anonymous(method, target).header("client-id", Self::TRUSTED)
    }

    /// A request by its public client.
    pub(crate) fn browser(&self, method: &str, target: &str) -> Request {
        self.app.anonymous(method, target).header("client-id", Self::PUBLIC)
    }

    /// The body that signs this person up or in here.
    pub(crate) fn credentials(&self, email: &str) -> Value {
        let address = Email::parse(email).unwrap();
        let token = providers::local_token(&self.app.app, self.organization, &address, None);
        json!({ "access_token": token.expose(), "email": email })
    }

    pub(crate) async fn sign_up(&self, email: &str) -> Held {
        Held::of(&self.browser("POST", SIGN_UP).json(&self.credentials(email)).send().await.expect(201))
    }

    pub(crate) async fn events(&self) -> Vec<Event> {
        events::list(&self.app.app, self.organization, None, 10_000).await.unwrap()
    }
}

/// The answer to a request, and how many statements it took.
pub(crate) async fn cost(app: &TestApp, request: Request) -> (Answer, u64) {
    let before = app.app.db.metrics().statements;
    let answer = request.send().await;
    (answer, app.app.db.metrics().statements - before)
}

/// A response without the ID of its request and the number of remaining attempts.
pub(crate) fn without_request_id(answer: &Answer) -> (u16, Value, Vec<(String, String)>) {
    let mut body = answer.json.clone();
    if let Some(members) = body.as_object_mut() {
        members.remove("request_id");
    }
    let reported = |name: &str| !["date", "x-request-id", "content-length", "ratelimit"].contains(&name);
    let headers = answer.headers.iter().filter(|(name, _)| reported(name.as_str()));
    let headers = headers.map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned())).collect();
    (answer.status, body, headers)
}

/// The events that came since `known` were there, oldest first.
pub(crate) async fn new_events(app: &TestApp, known: &[Event]) -> Vec<Event> {
    app.events().await.into_iter().filter(|event| !known.contains(event)).collect()
}

/// What happened, and to which records, in alphabetical order: events of one instant have none of their own.
pub(crate) fn reported(events: &[Event]) -> Vec<String> {
    let mut reported: Vec<String> =
        events.iter().map(|event| format!("{} {}", event.kind.as_str(), event.record())).collect();
    reported.sort_unstable();
    reported
}

/// A number from the database itself.
pub(crate) async fn count(app: &TestApp, sql: &'static str) -> i64 {
    app.app.db.one(&Sql::new(sql), &[], |row| row.int(0)).await.unwrap().unwrap()
}

/// Changes the database past the service.
pub(crate) async fn execute(app: &TestApp, sql: &'static Sql) {
    app.app.db.commit(Change::new().execute_any(sql, vec![])).await.unwrap();
}

static TABLES: Sql = Sql::split(
    "SELECT t.name, c.name
     FROM sqlite_master AS t
     JOIN pragma_table_info(t.name) AS c
     WHERE t.type = 'table'",
    "SELECT table_name::text, column_name::text
     FROM information_schema.columns
     WHERE table_schema = 'public'",
);

/// Every value of every column of every table: its place and its text. Bytes are written in hexadecimal.
pub(crate) async fn dump(app: &TestApp) -> Vec<(String, String)> {
    let read = |row: &perennial_store::Row<'_>| Ok((row.text(0)?, row.text(1)?));
    let columns = app.app.db.all(&TABLES, &[], read).await.unwrap();
    let mut values = Vec::new();
    // Positions in the feed are given after the commit, whatever the test does.
    for (table, column) in columns.into_iter().filter(|(table, _)| !table.starts_with("feed")) {
        let written = if app.store().is_postgres() {
            format!(
                "CASE WHEN left(\"{column}\"::text, 2) = '\\x' THEN substr(\"{column}\"::text, 3)
                     ELSE \"{column}\"::text END"
            )
        } else {
            format!(
                "CASE typeof(\"{column}\") WHEN 'blob' THEN lower(hex(\"{column}\")) ELSE CAST(\"{column}\" AS TEXT) END"
            )
        };
        let sql = Sql::built(format!("SELECT {written} FROM \"{table}\" WHERE \"{column}\" IS NOT NULL"));
        let place = format!("{table}.{column}");
        let found = app.app.db.all(&sql, &[], |row| row.text(0)).await.unwrap();
        values.extend(found.into_iter().map(|value| (place.clone(), value)));
    }
    assert!(values.len() > 50, "the dump found almost nothing");
    values
}

/// The places of a text in a dump, in upper or lower case.
pub(crate) fn places<'a>(dump: &'a [(String, String)], wanted: &str) -> Vec<&'a str> {
    let wanted = wanted.to_lowercase();
    let found = dump.iter().filter(|(_, value)| value.to_lowercase().contains(&wanted));
    found.map(|(place, _)| place.as_str()).collect()
}
