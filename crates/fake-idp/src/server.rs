//! The issuer: a server on loopback, on a separate thread and runtime, that counts its requests.

use crate::code_flow;
use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::{oneshot, watch};
use tokio_rustls::TlsAcceptor;

/// How the issuer responds to requests for its keys and about tokens.
#[derive(Clone, Default, Serialize, Deserialize)]
pub enum ResponseMode {
    /// The document.
    #[default]
    Normal,
    /// Status 500.
    Broken,
    /// Accepts the request and does not respond.
    Silent,
    /// Does not respond until the mode changes.
    Waiting,
    /// Sends a document of so many bytes.
    Long(usize),
    /// Sends the caller elsewhere.
    Redirect(String),
}

/// Everything that can be configured.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Behavior {
    /// How it responds.
    pub response_mode: ResponseMode,
    /// The keys it publishes.
    pub keys: Vec<Value>,
    /// The `max-age` that it sends.
    pub cache_control: Option<String>,
    /// Fields of the discovery document that differ from the truth.
    pub discovery: Value,
    /// The introspection response for every token.
    pub introspection: Value,
    /// The ID token that the token endpoint returns for every good code.
    pub id_token: String,
}

/// What it was asked so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// How often for its discovery document.
    pub discovery: usize,
    /// How often for its keys.
    pub keys: usize,
    /// How often about a token.
    pub introspection: usize,
    /// How often for anything else.
    pub other: usize,
    /// The last question about a token: credentials and form.
    pub asked: Option<(String, String)>,
    /// How often for tokens.
    pub tokens: usize,
}

impl Seen {
    /// How often for anything.
    pub const fn requests(&self) -> usize {
        self.discovery + self.keys + self.introspection + self.tokens + self.other
    }
}

/// An issuer on a separate thread.
pub struct Server {
    /// Where it is, which is what its tokens say in `iss`.
    pub url: String,
    state: Arc<State>,
    stop: Option<oneshot::Sender<()>>,
}

struct State {
    url: String,
    behavior: watch::Sender<Behavior>,
    seen: watch::Sender<Seen>,
    /// The challenge and the redirect URI of each code that was not exchanged yet.
    codes: Mutex<HashMap<String, (String, String)>>,
}

impl Server {
    /// Starts one that is asked in the clear.
    pub fn start() -> Self {
        Self::start_with(None)
    }

    /// Starts one, behind a certificate if there is one.
    pub fn start_with(acceptor: Option<TlsAcceptor>) -> Self {
        let (stop, stopped) = oneshot::channel();
        let (ready, started) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async move {
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                let scheme = if acceptor.is_some() { "https" } else { "http" };
                let url = format!("{scheme}://{}", listener.local_addr().unwrap());
                let (behavior, seen) = (watch::Sender::default(), watch::Sender::default());
                let state = Arc::new(State { url, behavior, seen, codes: Mutex::default() });
                ready.send(Arc::clone(&state)).unwrap();
                tokio::select! {
                    () = accept(listener, acceptor, state) => {}
                    _ = stopped => {}
                }
            });
        });
        let state = started.recv().unwrap();
        Self { url: state.url.clone(), state, stop: Some(stop) }
    }

    /// Changes its behavior.
    pub fn set(&self, change: impl FnOnce(&mut Behavior)) {
        self.state.behavior.send_modify(change);
    }

    /// What it was asked so far.
    pub fn seen(&self) -> Seen {
        self.state.seen.borrow().clone()
    }

    /// Waits until it was asked for its keys so often.
    pub async fn asked_for_keys(&self, times: usize) {
        self.state.seen.subscribe().wait_for(|seen| seen.keys >= times).await.unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            stop.send(()).ok();
        }
    }
}

async fn accept(listener: TcpListener, acceptor: Option<TlsAcceptor>, state: Arc<State>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        let (acceptor, state) = (acceptor.clone(), Arc::clone(&state));
        tokio::spawn(async move {
            match acceptor {
                None => serve(stream, &state).await,
                Some(acceptor) => {
                    if let Ok(stream) = acceptor.accept(stream).await {
                        serve(stream, &state).await;
                    }
                }
            }
        });
    }
}

async fn serve<S: AsyncRead + AsyncWrite + Unpin>(stream: S, state: &State) {
    let service = service_fn(|request| async { Ok::<_, Infallible>(answer(request, state).await) });
    // A caller that hangs up is no fault of the issuer's.
    drop(hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await);
}

async fn answer(request: Request<Incoming>, state: &State) -> Response<Full<Bytes>> {
    match request.uri().path() {
        "/.well-known/openid-configuration" => {
            state.seen.send_modify(|seen| seen.discovery += 1);
            let at = |path: &str| format!("{}/{path}", state.url);
            let mut document = json!({
                "issuer": state.url, "jwks_uri": at("keys"), "authorization_endpoint": at("authorize"),
                "token_endpoint": at("token")
            });
            if let Some(fields) = state.behavior.borrow().discovery.as_object() {
                document.as_object_mut().unwrap().extend(fields.clone());
            }
            json_answer(&document)
        }
        "/keys" => {
            state.seen.send_modify(|seen| seen.keys += 1);
            respond_by_mode(state, |behavior| json!({ "keys": behavior.keys })).await
        }
        "/introspect" => {
            let header = request.headers()["authorization"].to_str().unwrap().to_owned();
            let body = request.into_body().collect().await.unwrap().to_bytes();
            let form = String::from_utf8(body.to_vec()).unwrap();
            state.seen.send_modify(|seen| {
                seen.introspection += 1;
                seen.asked = Some((header, form));
            });
            respond_by_mode(state, |behavior| behavior.introspection.clone()).await
        }
        "/authorize" => code_flow::authorize(request.uri(), &state.url, &state.codes),
        "/token" => {
            state.seen.send_modify(|seen| seen.tokens += 1);
            let body = request.into_body().collect().await.unwrap().to_bytes();
            if !code_flow::is_good(&body, &state.codes) {
                return status(StatusCode::BAD_REQUEST);
            }
            respond_by_mode(state, |behavior| json!({ "id_token": behavior.id_token, "token_type": "Bearer" })).await
        }
        _ => {
            state.seen.send_modify(|seen| seen.other += 1);
            status(StatusCode::NOT_FOUND)
        }
    }
}

/// The document, or what the mode has instead of it.
async fn respond_by_mode(state: &State, document: impl Fn(&Behavior) -> Value) -> Response<Full<Bytes>> {
    let mut changes = state.behavior.subscribe();
    let behavior =
        changes.wait_for(|behavior| !matches!(behavior.response_mode, ResponseMode::Waiting)).await.unwrap().clone();
    let document = document(&behavior);
    let mut response = match behavior.response_mode {
        ResponseMode::Normal => json_answer(&document),
        ResponseMode::Silent | ResponseMode::Waiting => std::future::pending().await,
        ResponseMode::Broken => return status(StatusCode::INTERNAL_SERVER_ERROR),
        ResponseMode::Redirect(place) => {
            let mut response = status(StatusCode::FOUND);
            response.headers_mut().insert("location", place.parse().unwrap());
            return response;
        }
        ResponseMode::Long(bytes) => {
            let document = document.to_string();
            let padding = " ".repeat(bytes - document.len());
            Response::new(Full::new(Bytes::from(document + &padding)))
        }
    };
    if let Some(value) = &behavior.cache_control {
        response.headers_mut().insert("cache-control", value.parse().unwrap());
    }
    response
}

fn json_answer(document: &Value) -> Response<Full<Bytes>> {
    Response::new(Full::new(Bytes::from(document.to_string())))
}

fn status(status: StatusCode) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::new()));
    *response.status_mut() = status;
    response
}
