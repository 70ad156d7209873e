//! A server to attack, and a client that sends raw bytes.

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::Full;
use perennial_server::{BodyError, Drained, Gauges, Rejection, RequestBody, Server, ServerOptions, Service};
use std::future::Future;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

/// A timeout under test.
pub(crate) const SHORT: Duration = Duration::from_millis(200);
/// A timeout that must not fire.
pub(crate) const LONG: Duration = Duration::from_mins(1);
/// How long a test waits for something that must happen.
const MAX_WAIT: Duration = Duration::from_secs(15);
pub(crate) const BIG: usize = 32 * 1024 * 1024;
pub(crate) const GET: &[u8] = b"GET / HTTP/1.1\r\nhost: a\r\n\r\n";
pub(crate) const GET_SLOW: &[u8] = b"GET /slow HTTP/1.1\r\nhost: a\r\n\r\n";

pub(crate) async fn soon<F: Future>(future: F) -> F::Output {
    timeout(MAX_WAIT, future).await.expect("it hung")
}

/// Waits until a condition holds.
pub(crate) async fn eventually(mut is_so: impl FnMut() -> bool) {
    soon(async {
        while !is_so() {
            sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
}

/// No timeout fires unless a test shortens it.
pub(crate) fn patient() -> ServerOptions {
    ServerOptions {
        header_timeout: LONG,
        body_timeout: LONG,
        write_timeout: LONG,
        idle_timeout: LONG,
        drain_timeout: LONG,
        max_wait: LONG,
        ..ServerOptions::default()
    }
}

/// Responds by path, and remembers the requests.
pub(crate) struct Echo {
    body_timeout: Duration,
    pub(crate) requests: Mutex<Vec<String>>,
    /// `/slow` responds when it gets a permit.
    pub(crate) gate: Semaphore,
}

impl Service for Echo {
    async fn call(&self, request: Request<RequestBody>, _: SocketAddr) -> Response<Full<Bytes>> {
        let path = request.uri().path().to_owned();
        self.requests.lock().unwrap().push(path.clone());
        match path.as_str() {
            "/slow" => self.gate.acquire().await.unwrap().forget(),
            "/big" => return Response::new(Full::new(Bytes::from(vec![b'x'; BIG]))),
            "/echo" => return self.echo(request).await,
            _ => {}
        }
        Response::new(Full::new(Bytes::from_static(b"hello")))
    }

    fn reject(&self, rejection: Rejection, _: &http::request::Parts) -> Response<Full<Bytes>> {
        let status = match rejection {
            Rejection::Overloaded | Rejection::ShuttingDown => StatusCode::SERVICE_UNAVAILABLE,
            Rejection::HeadersTooLarge => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            Rejection::TargetTooLong => StatusCode::URI_TOO_LONG,
            Rejection::BadHost => StatusCode::BAD_REQUEST,
        };
        Response::builder()
            .status(status)
            .header("retry-after", "1")
            .header("content-type", "application/problem+json")
            .body(Full::new(Bytes::from(format!("{rejection:?}"))))
            .unwrap()
    }
}

impl Echo {
    async fn echo(&self, request: Request<RequestBody>) -> Response<Full<Bytes>> {
        let (status, body) = match request.into_body().read(1000, self.body_timeout).await {
            Ok(body) => (200, body),
            Err(BodyError::TooLarge) => (413, Bytes::new()),
            Err(BodyError::TimedOut) => (408, Bytes::new()),
            Err(BodyError::TooMany) => (503, Bytes::new()),
            Err(BodyError::Aborted) => {
                self.requests.lock().unwrap().push("aborted".to_owned());
                (400, Bytes::new())
            }
        };
        let mut response = Response::new(Full::new(body));
        *response.status_mut() = StatusCode::from_u16(status).unwrap();
        response
    }
}

/// A running server.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) service: Arc<Echo>,
    pub(crate) gauges: Arc<Gauges>,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<Drained>,
}

impl Running {
    pub(crate) async fn start(options: ServerOptions) -> Running {
        let service =
            Arc::new(Echo { body_timeout: options.body_timeout, requests: Mutex::default(), gate: Semaphore::new(0) });
        let server = Server::bind("127.0.0.1:0".parse().unwrap(), options).await.unwrap();
        let (address, gauges) = (server.local_addr(), server.gauges());
        let (stop, stopped) = oneshot::channel::<()>();
        let serving = tokio::spawn({
            let service = Arc::clone(&service);
            async move {
                let reported = async { stopped.await.unwrap_or_default() };
                server.serve(service, reported).await
            }
        });
        Running { address, service, gauges, stop, serving }
    }

    pub(crate) async fn connect(&self) -> Peer {
        Peer(soon(TcpStream::connect(self.address)).await.unwrap())
    }

    /// A connection that has sent these bytes.
    pub(crate) async fn sent(&self, bytes: &[u8]) -> Peer {
        let mut peer = self.connect().await;
        peer.send(bytes).await;
        peer
    }

    /// Everything that a new connection returns for these bytes until it is closed.
    pub(crate) async fn talk(&self, bytes: &[u8]) -> String {
        self.sent(bytes).await.rest().await
    }

    pub(crate) fn requests(&self) -> Vec<String> {
        self.service.requests.lock().unwrap().clone()
    }

    /// Stops the server.
    pub(crate) fn stop(self) -> JoinHandle<Drained> {
        self.stop.send(()).unwrap();
        self.serving
    }
}

/// A client that sends raw bytes.
pub(crate) struct Peer(pub(crate) TcpStream);

impl Peer {
    pub(crate) async fn send(&mut self, bytes: &[u8]) {
        soon(self.0.write_all(bytes)).await.unwrap();
    }

    /// Sends these bytes one by one until the server closes the connection.
    pub(crate) async fn dribble(&mut self, bytes: impl IntoIterator<Item = u8>) {
        let mut bytes = bytes.into_iter();
        let mut buffer = [0; 64];
        soon(async {
            loop {
                tokio::select! {
                    read = self.0.read(&mut buffer) => if matches!(read, Ok(0) | Err(_)) { return },
                    () = sleep(Duration::from_millis(20)) => {
                        if self.0.write_all(&[bytes.next().expect("still open")]).await.is_err() {
                            return;
                        }
                    }
                }
            }
        })
        .await;
    }

    /// One whole HTTP/1.1 response with a short body: head and body.
    pub(crate) async fn response(&mut self) -> String {
        let mut response = Vec::new();
        soon(async {
            loop {
                response.push(self.0.read_u8().await.expect("an response"));
                let text = String::from_utf8_lossy(&response);
                let Some((head, body)) = text.split_once("\r\n\r\n") else {
                    continue;
                };
                let mut lines = head.lines();
                let length = lines.find_map(|line| line.strip_prefix("content-length: "));
                if body.len() == length.map_or(0, |length| length.parse().unwrap()) {
                    return text.into_owned();
                }
            }
        })
        .await
    }

    /// What arrives until the connection is closed, gracefully or not.
    pub(crate) async fn rest(&mut self) -> String {
        let mut rest = Vec::new();
        // A reset is an end as well.
        let _ = soon(self.0.read_to_end(&mut rest)).await;
        String::from_utf8_lossy(&rest).into_owned()
    }
}
