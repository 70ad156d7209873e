//! Calls to webhook endpoints. The status line decides the outcome: a body that is cut, slow or endless changes
//! nothing. Redirects are not followed, proxies are not used, and no error names an address.

use std::error::Error as StdError;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::RETRY_AFTER;
use http::{Method, Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_util::client::legacy::{Client, Error as ClientError};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::{ClientConfig, RootCertStore};
use tokio::time::{Instant, timeout_at};
use url::Url;

use crate::destination::{Destinations, UrlError};
use crate::lookup::{self, Lookup};

mod connector;

use connector::Connector;

/// The most bytes of headers, and of the body, that are read.
const MAX_BYTES: usize = 16 * 1024;
/// Shorter than the idle timeout of common servers (5 s), so that a connection is rarely closed while it is taken.
const IDLE: Duration = Duration::from_secs(4);
const MAX_IDLE_PER_HOST: usize = 64;

/// What an endpoint responded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookResponse {
    /// The status.
    pub status: u16,
    /// The header `Retry-After`.
    pub retry_after: Option<String>,
    /// The first 16 KiB of the body, or less if it was cut or slow.
    pub body: Vec<u8>,
}

/// Why there is no status. The names are those of attempts in the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WebhookError {
    /// No connection or no headers in time.
    #[error("no response within the timeout")]
    Timeout,
    /// No address accepted a connection.
    #[error("no connection can be made")]
    ConnectFailed,
    /// The TLS handshake failed.
    #[error("the TLS handshake failed")]
    TlsFailed,
    /// The name has no address.
    #[error("the host name cannot be resolved")]
    DnsFailed,
    /// Every address is one that must not be connected to.
    #[error("the host has no address that may be connected to")]
    AddressNotAllowed,
    /// The response is not HTTP, its headers are too large, or the connection was closed before it.
    #[error("the response is not valid HTTP")]
    ProtocolError,
}

impl WebhookError {
    /// Every error.
    pub const ALL: [Self; 6] = [
        Self::Timeout,
        Self::ConnectFailed,
        Self::TlsFailed,
        Self::DnsFailed,
        Self::AddressNotAllowed,
        Self::ProtocolError,
    ];

    /// The word in the API and in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Timeout => "timeout",
            Self::ConnectFailed => "connect_failed",
            Self::TlsFailed => "tls_failed",
            Self::DnsFailed => "dns_failed",
            Self::AddressNotAllowed => "address_not_allowed",
            Self::ProtocolError => "protocol_error",
        }
    }
}

type Pool = Client<Connector, Full<Bytes>>;

/// The client of webhooks. Connections for http and for https have separate pools, because they may use other addresses.
pub struct WebhookClient {
    https: Pool,
    http: Pool,
    destinations: Destinations,
    lookup: Lookup,
}

impl WebhookClient {
    /// A client that trusts the system's certificates and uses the system's resolver.
    pub fn with_system_roots(destinations: Destinations) -> Result<Self, rustls::Error> {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        Self::new(roots, destinations, lookup::system())
    }

    /// A client that trusts these certificates and resolves names with this lookup.
    pub fn new(roots: RootCertStore, destinations: Destinations, lookup: Lookup) -> Result<Self, rustls::Error> {
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let tls = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        let pool = |is_plain| {
            let connector = Connector::new(tls.clone(), destinations.clone(), Arc::clone(&lookup), is_plain);
            Client::builder(TokioExecutor::new())
                .pool_timer(TokioTimer::new())
                .pool_idle_timeout(IDLE)
                .pool_max_idle_per_host(MAX_IDLE_PER_HOST)
                .http1_max_buf_size(MAX_BYTES)
                .build(connector)
        };
        Ok(Self { https: pool(false), http: pool(true), destinations, lookup })
    }

    /// Checks whether a URL may be stored.
    pub async fn check(&self, url: &str) -> Result<(), UrlError> {
        self.destinations.check_resolved(url, &self.lookup).await
    }

    /// Sends one request. `total` is the time for everything.
    pub async fn post(
        &self,
        url: &str,
        headers: &[(&'static str, String)],
        body: Bytes,
        total: Duration,
    ) -> Result<WebhookResponse, WebhookError> {
        let until = Instant::now() + total;
        let url = Url::parse(url).map_err(|_| WebhookError::ProtocolError)?;
        let pool = if url.scheme() == "https" { &self.https } else { &self.http };
        let request = Request::builder().method(Method::POST).uri(url.as_str());
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, value));
        let request = request.body(Full::new(body)).map_err(|_| WebhookError::ProtocolError)?;
        match timeout_at(until, pool.request(request)).await {
            Err(_) => Err(WebhookError::Timeout),
            Ok(Err(error)) => Err(failure(&error)),
            Ok(Ok(response)) => Ok(read(response, until).await),
        }
    }
}

/// Reads the body until it ends, is long enough, or the time is over. What is left of it closes the connection.
async fn read(response: Response<Incoming>, until: Instant) -> WebhookResponse {
    let (parts, mut body) = response.into_parts();
    let mut read = Vec::new();
    while read.len() < MAX_BYTES {
        let Ok(Some(Ok(frame))) = timeout_at(until, body.frame()).await else { break };
        if let Some(data) = frame.data_ref() {
            read.extend_from_slice(&data[..data.len().min(MAX_BYTES - read.len())]);
        }
    }
    let retry_after = parts.headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok());
    WebhookResponse { status: parts.status.as_u16(), retry_after: retry_after.map(str::to_owned), body: read }
}

/// The connector's own error, if it was that. Everything after the connection is a violation of the protocol.
fn failure(error: &ClientError) -> WebhookError {
    let mut cause: Option<&(dyn StdError + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(own) = error.downcast_ref::<WebhookError>() {
            return *own;
        }
        cause = error.source();
    }
    WebhookError::ProtocolError
}
