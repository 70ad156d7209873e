//! The server: on loopback, on a separate thread and runtime.

use crate::Kind;
use crate::behavior::{Behavior, Seen};
use crate::intents::Keys;
use crate::respond::{Response, State};
use crate::webhooks::{self, Webhook};
use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::sync::{oneshot, watch};
use tokio::time::sleep;

/// How often a stalled request looks whether it may continue.
const STALL: Duration = Duration::from_millis(5);

/// A provider on a separate thread. It stops when it is dropped.
pub struct FakeProvider {
    /// The provider that it plays.
    pub kind: Kind,
    /// Where it is, without a slash at the end.
    pub url: String,
    state: Arc<Mutex<State>>,
    held: watch::Sender<bool>,
    stop: Option<oneshot::Sender<()>>,
}

impl FakeProvider {
    /// Starts one without objects.
    pub fn start(kind: Kind) -> Self {
        let (stop, stopped) = oneshot::channel();
        let (ready, started) = std::sync::mpsc::channel();
        let (state, held) = (Arc::<Mutex<State>>::default(), watch::Sender::new(false));
        let shared = (Arc::clone(&state), held.clone());
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async move {
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                ready.send(format!("http://{}", listener.local_addr().unwrap())).unwrap();
                tokio::select! {
                    () = accept(listener, kind, shared.0, shared.1) => {}
                    _ = stopped => {}
                }
            });
        });
        Self { kind, url: started.recv().unwrap(), state, held, stop: Some(stop) }
    }

    /// Changes its behavior.
    pub fn set(&self, change: impl FnOnce(&mut Behavior)) {
        change(&mut self.state.lock().unwrap().behavior);
    }

    /// Creates or replaces an object. The collection is the last part of its path: `subscriptions`.
    pub fn put(&self, collection: &str, object: Value) {
        self.state.lock().unwrap().objects.put(collection, object);
    }

    /// Changes an object.
    pub fn change(&self, collection: &str, id: &str, change: impl FnOnce(&mut Value)) {
        change(self.state.lock().unwrap().objects.get_mut(collection, id).expect("the object exists"));
    }

    /// Forgets an object.
    pub fn remove(&self, collection: &str, id: &str) {
        self.state.lock().unwrap().objects.remove(collection, id);
    }

    /// All objects of a collection.
    pub fn all(&self, collection: &str) -> Vec<Value> {
        self.state.lock().unwrap().objects.all(collection).to_vec()
    }

    /// An event about an object, as the list of events has it from now on, and as the webhook that is sent or lost.
    pub fn event(&self, name: &str, object: &Value, secret: &str, now: i64) -> Webhook {
        let mut state = self.state.lock().unwrap();
        let number = state.objects.events.len() + 1;
        let is_live = object["livemode"].as_bool().unwrap_or(false);
        let event = webhooks::event(self.kind, number, name, object, (now, is_live));
        state.objects.events.push(event.clone());
        Webhook::sign(self.kind, secret, now, &event.to_string())
    }

    /// Forgets all events, as providers do after 30 days.
    pub fn forget_events(&self) {
        self.state.lock().unwrap().objects.events.clear();
    }

    /// Forgets all idempotency keys, as Stripe does after a day.
    pub fn forget_keys(&self) {
        self.state.lock().unwrap().keys = Keys::default();
    }

    /// The requests so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.state.lock().unwrap().seen.clone()
    }

    /// The requests since this many.
    pub fn seen_since(&self, first: usize) -> Vec<Seen> {
        self.state.lock().unwrap().seen.get(first..).unwrap_or_default().to_vec()
    }

    /// How many requests there were.
    pub fn requests(&self) -> usize {
        self.state.lock().unwrap().seen.len()
    }

    /// Requests from now on are received, and responded to after [`Self::release`].
    pub fn hold(&self) {
        self.held.send_replace(true);
    }

    /// Responds again.
    pub fn release(&self) {
        self.held.send_replace(false);
    }
}

impl Drop for FakeProvider {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
    }
}

async fn accept(listener: TcpListener, kind: Kind, state: Arc<Mutex<State>>, held: watch::Sender<bool>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        let (state, held) = (Arc::clone(&state), held.clone());
        tokio::spawn(async move {
            let service = service_fn(move |request| respond(request, kind, Arc::clone(&state), held.subscribe()));
            let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

/// An error closes the connection without a response.
async fn respond(
    request: Request<Incoming>,
    kind: Kind,
    state: Arc<Mutex<State>>,
    mut held: watch::Receiver<bool>,
) -> Result<http::Response<Full<Bytes>>, &'static str> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.map_err(|_| "the request was cut")?.to_bytes();
    let pairs = |text: &[u8]| url::form_urlencoded::parse(text).into_owned().collect::<Vec<_>>();
    let header = |(name, value): (&http::HeaderName, &http::HeaderValue)| {
        (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    let seen = Seen {
        method: parts.method.to_string(),
        path: parts.uri.path().to_owned(),
        query: pairs(parts.uri.query().unwrap_or_default().as_bytes()),
        headers: parts.headers.iter().map(header).collect(),
        form: pairs(&body),
        at: Instant::now(),
    };
    let (response, delay) = {
        let mut state = state.lock().unwrap();
        (state.respond(kind, &seen), state.behavior.delay_millis)
    };
    if delay > 0 {
        sleep(Duration::from_millis(delay)).await;
    }
    let line = seen.line();
    while state.lock().unwrap().behavior.stall.as_ref().is_some_and(|stalled| line.contains(stalled)) {
        sleep(STALL).await;
    }
    let _ = held.wait_for(|held| !held).await;
    match response {
        Response::Lost => Err("the response is lost"),
        Response::Sent { status, body, retry_after } => {
            let builder = http::Response::builder().status(status).header("content-type", "application/json");
            let builder = match retry_after {
                Some(seconds) => builder.header("retry-after", seconds),
                None => builder,
            };
            Ok(builder.body(Full::new(Bytes::from(body.to_string()))).unwrap())
        }
    }
}
