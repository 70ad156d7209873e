//! Connections to webhook endpoints: the name is resolved for each, and only an address that was just checked is used.

use std::error::Error as StdError;
use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder, MaybeHttpsStream};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};
use tower_service::Service;

use crate::destination::Destinations;
use crate::lookup::Lookup;

use super::WebhookError;

/// For the lookup, the connection and the TLS handshake together.
const CONNECT: Duration = Duration::from_secs(5);
/// Further addresses of a name are not tried.
const MAX_ADDRESSES: usize = 4;

type Connecting<T> = Pin<Box<dyn Future<Output = Result<T, WebhookError>> + Send>>;

/// Opens a connection, with TLS if the URL is https, within a bounded time.
#[derive(Clone)]
pub(super) struct Connector(HttpsConnector<TcpConnector>);

impl Connector {
    pub(super) fn new(tls: ClientConfig, destinations: Destinations, lookup: Lookup, is_plain: bool) -> Self {
        let tcp = TcpConnector { destinations, lookup, is_plain };
        let builder = HttpsConnectorBuilder::new().with_tls_config(tls);
        Self(builder.https_or_http().enable_http1().wrap_connector(tcp))
    }
}

impl Service<Uri> for Connector {
    type Response = MaybeHttpsStream<TokioIo<TcpStream>>;
    type Error = WebhookError;
    type Future = Connecting<Self::Response>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), WebhookError>> {
        self.0.poll_ready(context).map_err(|error| failure(error.as_ref()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let connecting = self.0.call(uri);
        Box::pin(async move {
            match timeout_at(Instant::now() + CONNECT, connecting).await {
                Ok(connected) => connected.map_err(|error| failure(error.as_ref())),
                Err(_) => Err(WebhookError::Timeout),
            }
        })
    }
}

/// What is not the error of the connection below is that of the TLS handshake.
fn failure(error: &(dyn StdError + Send + Sync + 'static)) -> WebhookError {
    error.downcast_ref::<WebhookError>().copied().unwrap_or(WebhookError::TlsFailed)
}

#[derive(Clone)]
struct TcpConnector {
    destinations: Destinations,
    lookup: Lookup,
    is_plain: bool,
}

impl TcpConnector {
    async fn connect(self, uri: Uri) -> Result<TokioIo<TcpStream>, WebhookError> {
        let port = uri.port_u16().unwrap_or(if self.is_plain { 80 } else { 443 });
        let host = uri.host().unwrap_or_default();
        let addresses = match host.trim_matches(['[', ']']).parse::<IpAddr>() {
            Ok(address) => vec![address],
            Err(_) => (self.lookup)(host.to_owned()).await.map_err(|_| WebhookError::DnsFailed)?,
        };
        if addresses.is_empty() {
            return Err(WebhookError::DnsFailed);
        }
        let mut failure = WebhookError::AddressNotAllowed;
        let allowed = addresses.into_iter().filter(|address| self.destinations.allows(*address, self.is_plain));
        for address in allowed.take(MAX_ADDRESSES) {
            match TcpStream::connect(SocketAddr::new(address, port)).await {
                Ok(stream) => {
                    // Without it small requests would wait; if it fails, they only do.
                    let _ = stream.set_nodelay(true);
                    return Ok(TokioIo::new(stream));
                }
                Err(_) => failure = WebhookError::ConnectFailed,
            }
        }
        Err(failure)
    }
}

impl Service<Uri> for TcpConnector {
    type Response = TokioIo<TcpStream>;
    type Error = WebhookError;
    type Future = Connecting<Self::Response>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), WebhookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        Box::pin(self.clone().connect(uri))
    }
}
