//! What several of these tests need: one record of each kind, clients of every sort, and a peer that speaks bytes.

use perennial_app::clients::{self, Credential, NewClient, Presents};
use perennial_domain::clients::{Client, ClientName, Origin, PublicId, Scope, Scopes};
use perennial_testkit::{Answer, TestApp};
use serde_json::{Value, json};
use std::future::Future;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The id of the trusted client of a test's organization, for requests written by hand.
pub(crate) const TRUSTED: &str = "pk_TestTestTestTestTestTestTestTest";

/// How long a test waits for what must happen.
const PATIENCE: Duration = Duration::from_secs(15);

pub(crate) async fn soon<F: Future>(future: F) -> F::Output {
    tokio::time::timeout(PATIENCE, future).await.expect("it hung")
}

/// One record of each kind.
pub(crate) struct Records {
    pub(crate) user: String,
    pub(crate) plan: Value,
    pub(crate) subscription: Value,
    pub(crate) payment: Value,
}

impl Records {
    pub(crate) async fn create(app: &TestApp) -> Self {
        let user = app.user("ada@example.com").await;
        let plan = app.plan("pro", json!({})).await;
        let subscription = app.subscription(&user, "pro", json!({})).await;
        let payment = app.payment(text(&subscription, "id"), json!({})).await;
        Self { user, plan, subscription, payment }
    }

    pub(crate) fn subscription_path(&self) -> String {
        format!("/subscriptions/{}", text(&self.subscription, "id"))
    }

    pub(crate) fn payment_path(&self) -> String {
        format!("/subscription-payments/{}", text(&self.payment, "id"))
    }

    /// Where each of them is, and what it was when it was created.
    pub(crate) fn all(&self) -> [(String, &Value); 3] {
        [
            ("/subscription-plans/pro".to_owned(), &self.plan),
            (self.subscription_path(), &self.subscription),
            (self.payment_path(), &self.payment),
        ]
    }
}

/// A field that is text.
pub(crate) fn text<'a>(record: &'a Value, field: &str) -> &'a str {
    record[field].as_str().unwrap()
}

/// The names of an object's members, in alphabetical order.
pub(crate) fn members(object: &Value) -> Vec<&str> {
    let mut names: Vec<&str> = object.as_object().unwrap().keys().map(String::as_str).collect();
    names.sort_unstable();
    names
}

/// The body of a plan's create, with `changes`.
pub(crate) fn plan_body(slug: &str, changes: &Value) -> Value {
    with(&json!({ "name": "Pro", "slug": slug, "price": 19.99, "billing_cycle": "monthly" }), changes)
}

/// An object with some members set otherwise.
pub(crate) fn with(body: &Value, changes: &Value) -> Value {
    let mut body = body.clone();
    body.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    body
}

/// Posts a plan whose field `field` is written `value`, byte for byte.
pub(crate) async fn plan_with(app: &TestApp, slug: &str, field: &str, value: &str) -> Answer {
    let mut body = plan_body(slug, &json!({}));
    body.as_object_mut().unwrap().remove(field);
    let text = body.to_string();
    let body = format!("{{\"{field}\":{value},{}", &text[1..]);
    app.request("POST", "/subscription-plans").json_text(body).send().await
}

/// A new client; trusted if what it presents is a credential. A trusted one lists origins only if a rule was forgotten.
pub(crate) async fn client(app: &TestApp, presents: &str, scopes: &[Scope], origins: &[&str]) -> Client {
    let new = NewClient {
        name: ClientName::parse("another").unwrap(),
        presents: if presents.starts_with("pk_") {
            Presents::Trusted(Credential::chosen(presents).unwrap())
        } else {
            Presents::Public(PublicId::parse(presents).unwrap())
        },
        scopes: Scopes::of(scopes),
        origins: origins.iter().map(|origin| Origin::parse(origin).unwrap()).collect(),
        cidrs: Vec::new(),
        expires_at: None,
    };
    clients::create(&app.app, app.organization, new).await.unwrap().expect("what it presents is free")
}

/// A connection on which a test writes what it likes.
pub(crate) struct Peer {
    stream: TcpStream,
    received: Vec<u8>,
}

/// An answer as it came over the wire.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) status: u16,
    /// The status line and the headers, in lower case.
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Told {
    pub(crate) fn code(&self) -> String {
        let document: Value = serde_json::from_slice(&self.body).unwrap();
        text(&document, "code").to_owned()
    }
}

impl Peer {
    pub(crate) async fn connect(app: &TestApp) -> Self {
        Self::at(app.address).await
    }

    pub(crate) async fn at(address: SocketAddr) -> Self {
        Self { stream: TcpStream::connect(address).await.unwrap(), received: Vec::new() }
    }

    pub(crate) async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        soon(self.stream.write_all(bytes.as_ref())).await.unwrap();
    }

    /// The next answer; `None` if the connection ended instead. An answer to HEAD is read with `head`.
    pub(crate) async fn next(&mut self) -> Option<Told> {
        let (status, head) = self.head().await?;
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let length: usize = length.map_or(0, |length| length.parse().unwrap());
        while self.received.len() < length {
            assert!(self.fill().await, "the answer was cut short: {head}");
        }
        let body = self.received.drain(..length).collect();
        Some(Told { status, head, body })
    }

    pub(crate) async fn answer(&mut self) -> Told {
        self.next().await.expect("the connection ended without an answer")
    }

    /// The head of the next answer: its status, and all of it.
    pub(crate) async fn head(&mut self) -> Option<(u16, String)> {
        loop {
            if let Some(end) = self.received.windows(4).position(|window| window == b"\r\n\r\n") {
                let head: Vec<u8> = self.received.drain(..end + 4).collect();
                let head = String::from_utf8(head).unwrap().to_ascii_lowercase();
                return Some((head["http/1.1 ".len()..][..3].parse().unwrap(), head));
            }
            if !self.fill().await {
                return None;
            }
        }
    }

    async fn fill(&mut self) -> bool {
        soon(self.stream.read_buf(&mut self.received)).await.unwrap_or(0) > 0
    }
}
