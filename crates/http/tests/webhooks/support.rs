//! A service that may send to this machine, and a receiver that stores what it gets.

use perennial_app::webhooks::WebhookOptions;
use perennial_testkit::{TestApp, TestOptions};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

pub(crate) const ENDPOINTS: &str = "/webhook-endpoints";

/// The options of a service that may send to 127.0.0.0/8.
pub(crate) fn options() -> TestOptions {
    let mut options = TestOptions::default();
    let private_networks = vec!["127.0.0.0/8".parse().unwrap()];
    options.app.webhooks = WebhookOptions { private_networks, timeout_seconds: 1, ..WebhookOptions::default() };
    options
}

pub(crate) async fn service() -> TestApp {
    TestApp::with(options()).await
}

/// An endpoint with these fields; the response to its create.
pub(crate) async fn endpoint(app: &TestApp, changes: Value) -> Value {
    let mut body = json!({ "url": "https://203.1.113.7/hook" });
    for (name, value) in changes.as_object().unwrap() {
        body[name] = value.clone();
    }
    app.post(ENDPOINTS, &body).await.expect(201).data().clone()
}

/// The place of an endpoint.
pub(crate) fn place(endpoint: &Value) -> String {
    format!("{ENDPOINTS}/{}", endpoint["id"].as_str().unwrap())
}

/// A request as a receiver got it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Received {
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Received {
    /// The value of a header.
    pub(crate) fn header(&self, name: &str) -> String {
        let prefix = format!("{name}: ");
        let line = self.head.lines().find_map(|line| line.strip_prefix(&prefix)).unwrap_or_default();
        line.to_owned()
    }
}

/// A receiver that responds with this text, and what it got.
pub(crate) async fn receiver(response: &'static str) -> (String, Arc<Mutex<Vec<Received>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let received = Arc::new(Mutex::new(Vec::new()));
    let store = Arc::clone(&received);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let store = Arc::clone(&store);
            tokio::spawn(async move {
                let mut bytes = Vec::new();
                loop {
                    let mut chunk = [0; 4096];
                    let count = stream.read(&mut chunk).await.unwrap_or(0);
                    bytes.extend_from_slice(&chunk[..count]);
                    let text = String::from_utf8_lossy(&bytes).into_owned();
                    let Some((head, body)) = text.split_once("\r\n\r\n") else {
                        if count == 0 {
                            return;
                        }
                        continue;
                    };
                    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
                    if body.len() >= length.and_then(|length| length.parse().ok()).unwrap_or(0) || count == 0 {
                        store.lock().unwrap().push(Received { head: head.to_owned(), body: body.to_owned() });
                        break;
                    }
                }
                let _ = stream.write_all(response.as_bytes()).await;
            });
        }
    });
    (url, received)
}
