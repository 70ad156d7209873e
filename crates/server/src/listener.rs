//! A bound socket and its life: serve, then drain.

use crate::accept;
use crate::drain::Stage;
use crate::gauges::Gauges;
use crate::options::ServerOptions;
use crate::service::Service;
use crate::shared::Shared;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket};
use tokio::time::timeout;

const BACKLOG: u32 = 1024;

/// What happened to the requests in flight during a graceful shutdown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drained {
    pub finished: usize,
    pub aborted: usize,
}

/// A bound socket, ready to serve.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    local_addr: SocketAddr,
    options: ServerOptions,
    gauges: Arc<Gauges>,
}

impl Server {
    /// Binds and listens. Must be called within a tokio runtime.
    #[expect(clippy::unused_async, reason = "needs a runtime, which an async signature shows")]
    pub async fn bind(listen: SocketAddr, options: ServerOptions) -> std::io::Result<Server> {
        let socket = if listen.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
        socket.set_reuseaddr(true)?;
        socket.bind(listen)?;
        let listener = socket.listen(BACKLOG)?;
        Ok(Server { local_addr: listener.local_addr()?, listener, options, gauges: Arc::default() })
    }

    pub fn local_addr(&self) -> SocketAddr {
        self.local_addr
    }

    /// Whether IPv4 peers can connect. At `[::]` this depends on the system's default for dual-stack sockets.
    pub fn takes_ipv4(&self) -> bool {
        match self.local_addr {
            SocketAddr::V4(_) => true,
            SocketAddr::V6(address) => {
                address.ip().is_unspecified() && rustix::net::sockopt::ipv6_v6only(&self.listener) == Ok(false)
            }
        }
    }

    pub fn gauges(&self) -> Arc<Gauges> {
        Arc::clone(&self.gauges)
    }

    /// Serves until `shutdown` resolves, then drains: stops accepting, closes idle connections, rejects new requests, and
    /// lets requests in flight finish within the drain timeout.
    pub async fn serve<S: Service>(self, service: Arc<S>, shutdown: impl Future<Output = ()> + Send) -> Drained {
        let shared = Arc::new(Shared::new(service, self.options, self.gauges));
        accept::until(&self.listener, &shared, shutdown).await;
        let in_flight = shared.gauges.requests_in_flight();
        shared.drain.advance(Stage::Draining);
        accept::backlog(&self.listener, &shared).await;
        drop(self.listener);
        if timeout(shared.options.drain_timeout, accept::all_closed(&shared)).await.is_err() {
            shared.drain.advance(Stage::Cut);
            // Every remaining task drops its connection the next time it is polled.
            let _ = timeout(Duration::from_secs(1), accept::all_closed(&shared)).await;
        }
        let aborted = shared.drain.aborted_so_far();
        Drained { finished: in_flight.saturating_sub(aborted), aborted }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{Ipv4Addr, Ipv6Addr, TcpStream};

    #[tokio::test]
    async fn ipv4_is_reported_as_the_socket_accepts_it() {
        let bind = |address: &str| Server::bind(address.parse().unwrap(), ServerOptions::default());
        assert!(bind("127.0.0.1:0").await.unwrap().takes_ipv4());
        let Ok(alone) = bind("[::1]:0").await else { return eprintln!("SKIPPED: this machine has no IPv6") };
        assert!(!alone.takes_ipv4());
        for only_ipv6 in [true, false] {
            let socket = TcpSocket::new_v6().unwrap();
            rustix::net::sockopt::set_ipv6_v6only(&socket, only_ipv6).unwrap();
            socket.bind((Ipv6Addr::UNSPECIFIED, 0).into()).unwrap();
            let listener = socket.listen(1).unwrap();
            let local_addr = listener.local_addr().unwrap();
            let server = Server { listener, local_addr, options: ServerOptions::default(), gauges: Arc::default() };
            assert_eq!(server.takes_ipv4(), !only_ipv6);
            let called = TcpStream::connect((Ipv4Addr::LOCALHOST, local_addr.port()));
            assert_eq!(called.is_ok(), server.takes_ipv4(), "the report is right");
        }
    }
}
