//! HTTP to identity providers, and to the operator's collector of traces: only where the operator pointed, with time-outs, a bound on the answer and no redirects.
//! A name is resolved here and the connection goes to the very address that was checked, so that a name cannot be
//! turned to a private address between the check and the use.

use crate::address::Place;
use crate::endpoint::Endpoint;
pub use crate::endpoint::Reach;
use crate::turns::Turns;
use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, HOST, HeaderMap, HeaderValue};
use http::{Method, Request, StatusCode};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use url::{Host, Url};

const LARGEST_ANSWER_BYTES: usize = 256 * 1024;
const MOST_ADDRESSES: usize = 4;

/// Why a provider could not be asked. The text is for the operator; it holds no token and no secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// The name has no address.
    #[error("the host name cannot be resolved")]
    Unresolved,
    /// Every address is one we do not connect to.
    #[error(
        "the host is at {0}, which is not on the internet; allow private addresses for this provider if that is meant"
    )]
    Forbidden(IpAddr),
    /// Nobody answers there.
    #[error("no connection can be made: {0}")]
    Unreachable(String),
    /// It took too long.
    #[error("no complete answer within the time-out")]
    TimedOut,
    /// The answer is longer than we read.
    #[error("the answer is longer than {LARGEST_ANSWER_BYTES} bytes")]
    TooLarge,
    /// Redirects are not followed.
    #[error("the answer is a redirect, and those are not followed")]
    Redirect,
    /// Another status than 200.
    #[error("the answer has status {0}")]
    Status(u16),
    /// Not what it should be.
    #[error("the answer {0}")]
    Malformed(&'static str),
    /// Too many requests to it already.
    #[error("too many requests to it are under way")]
    Busy,
}

/// How long a provider may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// To accept a connection.
    pub connect: Duration,
    /// For everything together.
    pub total: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { connect: Duration::from_secs(2), total: Duration::from_secs(5) }
    }
}

/// What came back with status 200.
pub(crate) struct Answer {
    pub(crate) body: Bytes,
    pub(crate) max_age_seconds: Option<i64>,
}

/// The client of every provider.
pub struct Fetcher {
    tls: TlsConnector,
    limits: Limits,
    turns: Turns,
}

impl Fetcher {
    /// A client that trusts the system's certificates.
    pub fn with_system_roots(limits: Limits) -> Result<Self, rustls::Error> {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if roots.is_empty() {
            tracing::warn!("this system has no root certificates: no identity provider can be reached over https");
        }
        Self::new(roots, limits)
    }

    /// A client that trusts nobody's: for plain http.
    pub fn without_roots(limits: Limits) -> Result<Self, rustls::Error> {
        Self::new(RootCertStore::empty(), limits)
    }

    /// A client that trusts these certificates.
    pub fn new(roots: RootCertStore, limits: Limits) -> Result<Self, rustls::Error> {
        // The provider is passed, not looked up: a process-wide default would belong to whoever set it first.
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Self { tls: TlsConnector::from(Arc::new(config)), limits, turns: Turns::default() })
    }

    pub(crate) async fn get(&self, endpoint: &Endpoint) -> Result<Answer, FetchError> {
        self.send(endpoint, Method::GET, HeaderMap::new(), Bytes::new()).await
    }

    /// Sends a form, with the credentials in `authorization`.
    pub(crate) async fn post_form(
        &self,
        endpoint: &Endpoint,
        mut authorization: HeaderValue,
        form: String,
    ) -> Result<Answer, FetchError> {
        authorization.set_sensitive(true);
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, authorization);
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"));
        self.send(endpoint, Method::POST, headers, form.into()).await
    }

    /// Hands a JSON document to a collector of the operator's, wherever it is; the answer's body is of no interest.
    pub async fn post_json(&self, url: &Url, mut headers: HeaderMap, document: String) -> Result<(), FetchError> {
        let reach = Reach { private_addresses: true, plain_http: true };
        let endpoint =
            Endpoint::parse(url.as_str(), reach).map_err(|_| FetchError::Malformed("has no usable address"))?;
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        self.send(&endpoint, Method::POST, headers, document.into()).await.map(drop)
    }

    async fn send(
        &self,
        endpoint: &Endpoint,
        method: Method,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<Answer, FetchError> {
        let _turn = self.turns.take(endpoint.url()).ok_or(FetchError::Busy)?;
        let exchange = async {
            let request = request(endpoint, method, headers, body)?;
            let stream = self.connect(endpoint).await?;
            if endpoint.url().scheme() == "http" {
                return exchange(stream, request).await;
            }
            let host = endpoint.url().host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
            let name = ServerName::try_from(host).map_err(|error| FetchError::Unreachable(error.to_string()))?;
            let stream = self.tls.connect(name, stream).await;
            exchange(stream.map_err(|error| FetchError::Unreachable(error.to_string()))?, request).await
        };
        timeout(self.limits.total, exchange).await.unwrap_or(Err(FetchError::TimedOut))
    }

    async fn connect(&self, endpoint: &Endpoint) -> Result<TcpStream, FetchError> {
        let addresses = resolve(endpoint.url()).await?;
        let mut failure = FetchError::Unresolved;
        for address in addresses.into_iter().take(MOST_ADDRESSES) {
            let allowed = match Place::of(address.ip()) {
                Place::Public => true,
                Place::Private => endpoint.reach().private_addresses,
                Place::Never => false,
            };
            failure = if allowed {
                match timeout(self.limits.connect, TcpStream::connect(address)).await {
                    Ok(Ok(stream)) => return Ok(stream),
                    Ok(Err(error)) => FetchError::Unreachable(error.to_string()),
                    Err(_) => FetchError::TimedOut,
                }
            } else {
                FetchError::Forbidden(address.ip())
            };
        }
        Err(failure)
    }
}

async fn resolve(url: &Url) -> Result<Vec<SocketAddr>, FetchError> {
    let port = url.port_or_known_default().ok_or(FetchError::Unresolved)?;
    match url.host() {
        Some(Host::Ipv4(address)) => Ok(vec![SocketAddr::from((address, port))]),
        Some(Host::Ipv6(address)) => Ok(vec![SocketAddr::from((address, port))]),
        Some(Host::Domain(name)) => {
            let found = tokio::net::lookup_host((name, port)).await;
            found.map(Iterator::collect).map_err(|_| FetchError::Unresolved)
        }
        None => Err(FetchError::Unresolved),
    }
}

fn request(
    endpoint: &Endpoint,
    method: Method,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Request<Full<Bytes>>, FetchError> {
    let url = endpoint.url();
    let target = &url[url::Position::BeforePath..url::Position::AfterQuery];
    let host = &url[url::Position::BeforeHost..url::Position::AfterPort];
    let mut request = Request::builder()
        .method(method)
        .uri(target)
        .header(HOST, host)
        .header(ACCEPT, "application/json")
        .body(Full::new(body))
        .map_err(|error| FetchError::Unreachable(error.to_string()))?;
    request.headers_mut().extend(headers);
    Ok(request)
}

async fn exchange<S>(stream: S, request: Request<Full<Bytes>>) -> Result<Answer, FetchError>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let unreachable = |error: hyper::Error| FetchError::Unreachable(error.to_string());
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(unreachable)?;
    // The set ends the connection when this function returns or is dropped.
    let mut connections = JoinSet::new();
    connections.spawn(connection);
    let response = sender.send_request(request).await.map_err(unreachable)?;
    match response.status() {
        StatusCode::OK => {}
        status if status.is_redirection() => return Err(FetchError::Redirect),
        status => return Err(FetchError::Status(status.as_u16())),
    }
    let max_age_seconds = max_age(response.headers());
    let body = Limited::new(response.into_body(), LARGEST_ANSWER_BYTES).collect().await.map_err(|error| {
        if error.is::<LengthLimitError>() { FetchError::TooLarge } else { FetchError::Unreachable(error.to_string()) }
    })?;
    Ok(Answer { body: body.to_bytes(), max_age_seconds })
}

fn max_age(headers: &HeaderMap) -> Option<i64> {
    let directives = headers.get_all(CACHE_CONTROL).into_iter().filter_map(|value| value.to_str().ok());
    directives.flat_map(|value| value.split(',')).find_map(|directive| {
        let (name, value) = directive.trim().split_once('=')?;
        // A number too large for us is a very long time, as RFC 9111 says.
        let digits = value.trim_matches('"');
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        (name.eq_ignore_ascii_case("max-age") && is_number).then(|| digits.parse().unwrap_or(i64::MAX))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn max_age_is_read_from_cache_control() {
        let read = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(CACHE_CONTROL, value.parse().unwrap());
            max_age(&headers)
        };
        assert_eq!(read("public, max-age=600, must-revalidate"), Some(600));
        assert_eq!(read("Max-Age=\"7\""), Some(7));
        assert_eq!(read("max-age=99999999999999999999999"), Some(i64::MAX));
        for value in ["no-store", "max-age", "max-age=", "max-age=-5", "max-age=1e3", "s-maxage=9"] {
            assert_eq!(read(value), None, "{value}");
        }
    }

    #[test]
    fn a_request_names_the_host_and_keeps_the_query() {
        let endpoint = Endpoint::parse("https://id.example.com:8443/a%20b?c=d", Reach::default()).unwrap();
        let request = request(&endpoint, Method::GET, HeaderMap::new(), Bytes::new()).unwrap();
        assert_eq!(request.uri(), "/a%20b?c=d");
        assert_eq!(request.headers()[HOST], "id.example.com:8443");
    }
}
