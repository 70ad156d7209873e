//! The client: pooled connections, one pool for endpoints that may reach private addresses and one for the others, so
//! that no endpoint is served by a connection that it could not have opened.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::{ClientConfig, RootCertStore};
use tokio::time::timeout;
use url::{Host, Url};

use crate::concurrency::ConcurrencyLimit;
use crate::endpoint::{Endpoint, Reach};
use crate::error::{FetchError, MAX_RESPONSE_BYTES};
use crate::resolver::FilteringResolver;

/// Shorter than the idle timeout of common servers, so that a connection is rarely closed while it is taken.
const IDLE: Duration = Duration::from_secs(20);
const MAX_IDLE_PER_HOST: usize = 8;

/// How long a call may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// To open a connection.
    pub connect: Duration,
    /// For everything together.
    pub total: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { connect: Duration::from_secs(2), total: Duration::from_secs(5) }
    }
}

/// A response, whatever its status.
#[derive(Debug)]
pub struct Response {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The whole body.
    pub body: Bytes,
}

impl Response {
    /// The response if its status is 200.
    pub fn ok(self) -> Result<Self, FetchError> {
        match self.status {
            StatusCode::OK => Ok(self),
            status if status.is_redirection() => Err(FetchError::Redirect),
            status => Err(FetchError::Status(status.as_u16())),
        }
    }
}

type Pool = Client<HttpsConnector<HttpConnector<FilteringResolver>>, Full<Bytes>>;

/// The client of every outbound call.
pub struct OutboundClient {
    public: Pool,
    private: Pool,
    limits: Limits,
    max_response_bytes: usize,
    in_progress: ConcurrencyLimit,
}

impl OutboundClient {
    /// A client that trusts the system's certificates.
    pub fn with_system_roots(limits: Limits) -> Result<Self, rustls::Error> {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if roots.is_empty() {
            tracing::warn!("this system has no root certificates: no server can be reached over https");
        }
        Self::new(roots, limits)
    }

    /// A client that trusts no certificate: for plain http.
    pub fn without_roots(limits: Limits) -> Result<Self, rustls::Error> {
        Self::new(RootCertStore::empty(), limits)
    }

    /// A client that trusts these certificates.
    pub fn new(roots: RootCertStore, limits: Limits) -> Result<Self, rustls::Error> {
        // The provider is passed, not looked up: a process-wide default can be set only once, by any part of the program.
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let tls = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Self {
            public: pool(tls.clone(), limits, FilteringResolver { private_addresses: false }),
            private: pool(tls, limits, FilteringResolver { private_addresses: true }),
            limits,
            max_response_bytes: MAX_RESPONSE_BYTES,
            in_progress: ConcurrencyLimit::default(),
        })
    }

    /// The same client with another bound on the response.
    pub fn with_max_response_bytes(self, max_response_bytes: usize) -> Self {
        Self { max_response_bytes, ..self }
    }

    /// Sends a request and reads the whole response.
    pub async fn send(
        &self,
        endpoint: &Endpoint,
        method: Method,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<Response, FetchError> {
        let _permit = self.in_progress.acquire(endpoint.url()).ok_or(FetchError::Busy)?;
        let exchange = async {
            let request = request(endpoint, method, headers, body)?;
            let response = self.pool(endpoint.reach()).request(request).await.map_err(|error| failure(&error))?;
            let (parts, body) = response.into_parts();
            let body = Limited::new(body, self.max_response_bytes).collect().await.map_err(|error| {
                if error.is::<LengthLimitError>() {
                    FetchError::TooLarge(self.max_response_bytes)
                } else {
                    FetchError::Unreachable(error.to_string())
                }
            })?;
            Ok(Response { status: parts.status, headers: parts.headers, body: body.to_bytes() })
        };
        timeout(self.limits.total, exchange).await.unwrap_or(Err(FetchError::TimedOut))
    }

    fn pool(&self, reach: Reach) -> &Pool {
        if reach.private_addresses { &self.private } else { &self.public }
    }
}

fn pool(tls: ClientConfig, limits: Limits, resolver: FilteringResolver) -> Pool {
    let mut connector = HttpConnector::new_with_resolver(resolver);
    connector.enforce_http(false);
    connector.set_nodelay(true);
    connector.set_connect_timeout(Some(limits.connect));
    let connector =
        HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1().wrap_connector(connector);
    Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(IDLE)
        .pool_max_idle_per_host(MAX_IDLE_PER_HOST)
        .build(connector)
}

fn request(
    endpoint: &Endpoint,
    method: Method,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Request<Full<Bytes>>, FetchError> {
    let url = endpoint.url();
    // The connector resolves names; an address in the URL never reaches the resolver.
    if let Some(address) = address(url) {
        FilteringResolver { private_addresses: endpoint.reach().private_addresses }.check(address)?;
    }
    let mut request = Request::builder()
        .method(method)
        .uri(url.as_str())
        .body(Full::new(body))
        .map_err(|error| FetchError::Unreachable(error.to_string()))?;
    request.headers_mut().extend(headers);
    Ok(request)
}

fn address(url: &Url) -> Option<IpAddr> {
    match url.host()? {
        Host::Ipv4(address) => Some(IpAddr::V4(address)),
        Host::Ipv6(address) => Some(IpAddr::V6(address)),
        Host::Domain(_) => None,
    }
}

/// The reason of a failed call: the resolver's own, if it was that, and otherwise the innermost.
fn failure(error: &hyper_util::client::legacy::Error) -> FetchError {
    let mut innermost: &(dyn std::error::Error + 'static) = error;
    loop {
        if let Some(own) = innermost.downcast_ref::<FetchError>() {
            return own.clone();
        }
        if innermost.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_incomplete_message) {
            return FetchError::Closed;
        }
        if innermost.downcast_ref::<std::io::Error>().is_some_and(|io| io.kind() == std::io::ErrorKind::TimedOut) {
            return FetchError::TimedOut;
        }
        match innermost.source() {
            Some(source) => innermost = source,
            None => return FetchError::Unreachable(innermost.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(url: &str, private_addresses: bool) -> Endpoint {
        Endpoint::parse(url, Reach { private_addresses, plain_http: true }).unwrap()
    }

    #[test]
    fn an_address_in_the_url_is_checked_too() {
        let refused = |url: &str, private| {
            request(&endpoint(url, private), Method::GET, HeaderMap::new(), Bytes::new()).err().is_some()
        };
        assert!(refused("http://127.0.0.1/", false) && refused("http://[::1]:80/", false));
        assert!(refused("http://169.254.169.254/", true) && refused("http://2852039166/", true));
        assert!(!refused("http://127.0.0.1/", true) && !refused("https://8.8.8.8/", false));
    }

    #[test]
    fn a_request_has_the_path_and_the_query() {
        let endpoint = endpoint("https://id.example.com:8443/a%20b?c=d", false);
        let request = request(&endpoint, Method::GET, HeaderMap::new(), Bytes::new()).unwrap();
        assert_eq!(request.uri(), "https://id.example.com:8443/a%20b?c=d");
    }
}
