//! The accept loop: every connection gets a task, or one short response.
//! When the process is out of file descriptors, the loop logs it once and backs off; it neither spins nor exits.

use crate::connection;
use crate::reject_connection::ConnectionRejector;
use crate::service::Service;
use crate::shared::Shared;
use std::future::{Future, poll_fn};
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;

/// The wait after an accept failed because descriptors or memory are exhausted.
const BACK_OFF: Duration = Duration::from_millis(50);

/// Accepts until `shutdown` resolves.
pub(crate) async fn until<S: Service>(
    listener: &TcpListener,
    shared: &Arc<Shared<S>>,
    shutdown: impl Future<Output = ()>,
) {
    let mut shutdown = pin!(shutdown);
    let rejector = ConnectionRejector::default();
    let mut is_failing = false;
    loop {
        let accepted = tokio::select! {
            biased;
            () = &mut shutdown => return,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => {
                is_failing = false;
                admit(shared, &rejector, stream, peer);
            }
            Err(error) if is_of_one_connection(&error) => {}
            Err(error) => {
                if !is_failing {
                    tracing::warn!(%error, "accepting connections failed; retrying until descriptors or memory are available");
                }
                is_failing = true;
                tokio::select! {
                    biased;
                    () = &mut shutdown => return,
                    () = sleep(BACK_OFF) => {}
                }
            }
        }
    }
}

/// Accepts the connections that the kernel has already established. Closing the socket would reset them; accepted, they
/// receive a response that the server is stopping.
pub(crate) async fn backlog<S: Service>(listener: &TcpListener, shared: &Arc<Shared<S>>) {
    let rejector = ConnectionRejector::default();
    poll_fn(|cx| {
        while let Poll::Ready(Ok((stream, peer))) = listener.poll_accept(cx) {
            admit(shared, &rejector, stream, peer);
        }
        Poll::Ready(())
    })
    .await;
}

/// Completes when no connection is open.
pub(crate) async fn all_closed<S>(shared: &Shared<S>) {
    while shared.gauges.open_connections() > 0 {
        shared.drain.closing().await;
    }
}

/// Whether an error concerns one connection only. The next accept is not affected.
fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted)
}

fn admit<S: Service>(shared: &Arc<Shared<S>>, rejector: &ConnectionRejector, stream: TcpStream, peer: SocketAddr) {
    // Responses are written whole, so Nagle's algorithm could only delay them. If setting the option fails, the socket is
    // dead and its first read reports it.
    let _ = stream.set_nodelay(true);
    if shared.gauges.open_connections() >= shared.options.max_connections {
        shared.gauges.connection_refused();
        rejector.reject(&*shared.service, stream);
        return;
    }
    let open = Open::new(Arc::clone(shared));
    tokio::spawn(async move { connection::run(Arc::clone(&open.0), stream, peer).await });
}

/// Counts a connection as open until it is dropped, even if its task panics.
struct Open<S>(Arc<Shared<S>>);

impl<S> Open<S> {
    fn new(shared: Arc<Shared<S>>) -> Self {
        shared.gauges.connection_opened();
        Open(shared)
    }
}

impl<S> Drop for Open<S> {
    fn drop(&mut self) {
        if self.0.gauges.connection_closed() {
            self.0.drain.last_one_closed();
        }
    }
}
