//! The issuer: a server on loopback, on a thread and a runtime of its own, that counts what it is asked.

use crate::certificate::Certificate;
use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{Notify, oneshot};
use tokio_rustls::TlsAcceptor;

/// How the issuer answers for its keys.
#[derive(Clone, Default)]
pub(crate) enum Mood {
    #[default]
    Well,
    /// Status 500.
    Broken,
    /// Takes the request and says nothing.
    Silent,
    /// Says nothing until it is told to go on.
    Waiting(Arc<Notify>),
    /// Sends a document of so many bytes.
    Long(usize),
    /// Sends the caller elsewhere.
    Redirect(String),
}

#[derive(Default)]
pub(crate) struct Behaviour {
    pub(crate) mood: Mood,
    pub(crate) keys: Vec<Value>,
    pub(crate) cache_control: Option<String>,
    /// Fields of the discovery document that differ from the truth.
    pub(crate) discovery: Value,
    pub(crate) introspection: Value,
}

#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) discovery: AtomicUsize,
    pub(crate) keys: AtomicUsize,
    pub(crate) other: AtomicUsize,
    /// The last introspection: credentials and form.
    pub(crate) asked: Mutex<Option<(String, String)>>,
    /// Told at each request for keys.
    pub(crate) arrived: Notify,
}

pub(crate) struct Server {
    pub(crate) url: String,
    pub(crate) behaviour: Arc<Mutex<Behaviour>>,
    pub(crate) seen: Arc<Seen>,
    stop: Option<oneshot::Sender<()>>,
}

impl Server {
    pub(crate) fn start() -> Self {
        Self::start_with(None)
    }

    pub(crate) fn start_with(certificate: Option<&Certificate>) -> Self {
        let (behaviour, seen) = (Arc::new(Mutex::new(Behaviour::default())), Arc::new(Seen::default()));
        let (stop, stopped) = oneshot::channel();
        let (ready, address) = std::sync::mpsc::channel();
        let acceptor = certificate.map(Certificate::acceptor);
        let scheme = if acceptor.is_some() { "https" } else { "http" };
        let context = (Arc::clone(&behaviour), Arc::clone(&seen));
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async move {
                let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
                let address = listener.local_addr().unwrap();
                ready.send(address).unwrap();
                tokio::select! {
                    () = accept(listener, acceptor, scheme, address, context) => {}
                    _ = stopped => {}
                }
            });
        });
        let url = format!("{scheme}://{}", address.recv().unwrap());
        Self { url, behaviour, seen, stop: Some(stop) }
    }

    pub(crate) fn set(&self, change: impl FnOnce(&mut Behaviour)) {
        change(&mut self.behaviour.lock().unwrap());
    }

    pub(crate) fn key_requests(&self) -> usize {
        self.seen.keys.load(Ordering::SeqCst)
    }

    pub(crate) fn requests(&self) -> usize {
        self.key_requests() + self.seen.discovery.load(Ordering::SeqCst) + self.seen.other.load(Ordering::SeqCst)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            stop.send(()).ok();
        }
    }
}

type Context = (Arc<Mutex<Behaviour>>, Arc<Seen>);

async fn accept(
    listener: tokio::net::TcpListener,
    acceptor: Option<TlsAcceptor>,
    scheme: &'static str,
    address: SocketAddr,
    context: Context,
) {
    let url = format!("{scheme}://{address}");
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        let (acceptor, context, url) = (acceptor.clone(), context.clone(), url.clone());
        tokio::spawn(async move {
            match acceptor {
                None => serve(stream, context, url).await,
                Some(acceptor) => {
                    if let Ok(stream) = acceptor.accept(stream).await {
                        serve(stream, context, url).await;
                    }
                }
            }
        });
    }
}

async fn serve<S: AsyncRead + AsyncWrite + Unpin>(stream: S, context: Context, url: String) {
    let service = service_fn(|request| answer(request, context.clone(), url.clone()));
    // A caller that hangs up is no fault of the issuer's.
    drop(hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await);
}

async fn answer(
    request: Request<Incoming>,
    (behaviour, seen): Context,
    url: String,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let path = request.uri().path().to_owned();
    match path.as_str() {
        "/.well-known/openid-configuration" => {
            seen.discovery.fetch_add(1, Ordering::SeqCst);
            let mut document = json!({"issuer": url, "jwks_uri": format!("{url}/keys")});
            if let Some(fields) = behaviour.lock().unwrap().discovery.as_object() {
                document.as_object_mut().unwrap().extend(fields.clone());
            }
            Ok(json_answer(&document))
        }
        "/keys" => {
            seen.keys.fetch_add(1, Ordering::SeqCst);
            seen.arrived.notify_one();
            Ok(keys(&behaviour).await)
        }
        "/introspect" => {
            let header = request.headers()["authorization"].to_str().unwrap().to_owned();
            let body = request.into_body().collect().await.unwrap().to_bytes();
            *seen.asked.lock().unwrap() = Some((header, String::from_utf8(body.to_vec()).unwrap()));
            Ok(json_answer(&behaviour.lock().unwrap().introspection))
        }
        _ => {
            seen.other.fetch_add(1, Ordering::SeqCst);
            Ok(status(StatusCode::NOT_FOUND))
        }
    }
}

async fn keys(behaviour: &Mutex<Behaviour>) -> Response<Full<Bytes>> {
    let mood = behaviour.lock().unwrap().mood.clone();
    match mood {
        Mood::Well => {}
        Mood::Broken => return status(StatusCode::INTERNAL_SERVER_ERROR),
        Mood::Silent => std::future::pending().await,
        Mood::Waiting(told) => told.notified().await,
        Mood::Redirect(place) => {
            let mut response = status(StatusCode::FOUND);
            response.headers_mut().insert("location", place.parse().unwrap());
            return response;
        }
        Mood::Long(bytes) => {
            let mut document = json!({"keys": behaviour.lock().unwrap().keys, "padding": ""}).to_string();
            let padding = " ".repeat(bytes - document.len());
            document.push_str(&padding);
            return Response::new(Full::new(Bytes::from(document)));
        }
    }
    let behaviour = behaviour.lock().unwrap();
    let mut response = json_answer(&json!({ "keys": behaviour.keys }));
    if let Some(value) = &behaviour.cache_control {
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
