//! One connection, from its first byte to its close.
//! hyper implements HTTP; this file selects the version and enforces the timeouts.

use crate::drain::{CLOSE_DELAY, Stage};
use crate::exchange::Exchange;
use crate::io::WatchedStream;
use crate::opening::{self, Before, Opening};
use crate::response_body::ResponseBody;
use crate::service::Service;
use crate::shared::{ConnectionContext, Shared};
use crate::watch::Watch;
use crate::watchdog::{Verdict, Watchdog};
use http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep_until};

/// How a connection ended, or that it is idle.
#[derive(Debug, PartialEq, Eq)]
enum End {
    Closed,
    TimedOut,
    /// With this many unfinished requests.
    CutByDrain(usize),
    /// Idle since then.
    Idle(Instant),
}

/// Serves a connection until either side closes it. hyper's state is in a box that is released while the connection is
/// idle, because there may be thousands of idle connections.
pub(crate) async fn run<S: Service>(shared: Arc<Shared<S>>, mut stream: TcpStream, peer: SocketAddr) {
    let mut before = Before::Nothing;
    while let Some(opening) = opening::read(&shared, &mut stream, before).await {
        if opening.is_http2 {
            return Box::pin(serve_http2(shared, stream, opening, peer)).await;
        }
        match Box::pin(serve_http1(&shared, stream, opening, peer)).await {
            Some((idle, idle_since)) => (stream, before) = (idle, Before::Request(idle_since)),
            None => return,
        }
    }
}

/// Serves requests until the connection ends or becomes idle. Returns the socket of an idle connection, and since when it
/// is idle.
async fn serve_http1<S: Service>(
    shared: &Arc<Shared<S>>,
    mut stream: TcpStream,
    mut opening: Opening,
    peer: SocketAddr,
) -> Option<(TcpStream, Instant)> {
    loop {
        let watchdog = Watchdog::new(&shared.options, opening.first_byte).with_release(&shared.options);
        let (context, io) = context(shared, stream, opening, peer);
        let mut connection = shared.http1.serve_connection(io, service(&context));
        let close = http1::Connection::graceful_shutdown;
        let idle_since = match drive(&context, watchdog, Pin::new(&mut connection), close).await {
            End::Idle(since) => since,
            end => {
                note(shared, &end);
                return None;
            }
        };
        let parts = connection.into_parts();
        stream = parts.io.into_inner().into_stream();
        if parts.read_buf.is_empty() {
            return Some((stream, idle_since));
        }
        // The beginning of the next head arrived together with the previous request.
        opening = Opening { bytes: parts.read_buf.into(), is_http2: false, first_byte: idle_since };
    }
}

async fn serve_http2<S: Service>(shared: Arc<Shared<S>>, stream: TcpStream, opening: Opening, peer: SocketAddr) {
    let watchdog = Watchdog::new(&shared.options, opening.first_byte);
    let (context, io) = context(&shared, stream, opening, peer);
    let connection = pin!(shared.http2.serve_connection(io, service(&context)));
    note(&shared, &drive(&context, watchdog, connection, http2::Connection::graceful_shutdown).await);
}

/// The function that hyper calls for each request.
fn service<S: Service>(
    connection: &Arc<ConnectionContext<S>>,
) -> impl hyper::service::Service<
    Request<Incoming>,
    Response = Response<ResponseBody>,
    Error = Infallible,
    Future: Future<Output = Result<Response<ResponseBody>, Infallible>> + Send + 'static,
> + use<S> {
    let connection = Arc::clone(connection);
    service_fn(move |request: Request<Incoming>| {
        Exchange::begin(Arc::clone(&connection), request.version()).respond(request)
    })
}

fn context<S>(
    shared: &Arc<Shared<S>>,
    stream: TcpStream,
    opening: Opening,
    peer: SocketAddr,
) -> (Arc<ConnectionContext<S>>, TokioIo<WatchedStream>) {
    let watch = Arc::new(Watch::new());
    let io = TokioIo::new(WatchedStream::new(stream, opening, Arc::clone(&watch)));
    (Arc::new(ConnectionContext { shared: Arc::clone(shared), watch, peer }), io)
}

fn note<S>(shared: &Shared<S>, end: &End) {
    match end {
        End::Closed | End::Idle(_) => {}
        End::TimedOut => shared.gauges.connection_timed_out(),
        End::CutByDrain(unfinished) => shared.drain.aborted(*unfinished),
    }
}

/// Polls a connection until it ends, or until the watchdog or the drain ends it.
///
/// The notification and the timer are polled only when they are set, not at every poll of the connection. Both remember
/// this task, which never changes, and their state is also visible in a flag and in the clock.
async fn drive<S, C: Future<Output = hyper::Result<()>>>(
    context: &ConnectionContext<S>,
    mut watchdog: Watchdog,
    mut connection: Pin<&mut C>,
    close: fn(Pin<&mut C>),
) -> End {
    let (drain, watch) = (&context.shared.drain, &context.watch);
    let mut change = pin!(drain.changed());
    let mut change_is_set = false;
    let mut timer = pin!(sleep_until(Instant::now()));
    let mut timer_at = None;
    let mut close_at = None;
    let mut is_closing = false;
    poll_fn(|cx| {
        loop {
            if connection.as_mut().poll(cx).is_ready() {
                return Poll::Ready(End::Closed);
            }
            let now = Instant::now();
            let stage = drain.stage();
            if stage == Stage::Cut {
                return Poll::Ready(End::CutByDrain(watch.unfinished()));
            }
            if stage == Stage::Draining && close_at.is_none() {
                let wait = if watch.is_idle() { CLOSE_DELAY } else { Duration::ZERO };
                close_at = Some(now + wait);
                change.set(drain.changed());
                change_is_set = false;
            }
            let verdict = watchdog.judge(watch, now);
            let wait_until = match verdict {
                Verdict::Cut => return Poll::Ready(End::TimedOut),
                Verdict::Done => return Poll::Ready(End::Closed),
                Verdict::CloseIdle => now,
                // A connection that is about to be closed is not released first.
                Verdict::Release(since) => match close_at {
                    Some(at) => at,
                    None => return Poll::Ready(End::Idle(since)),
                },
                Verdict::Wait(until) => until,
            };
            let is_due = close_at.is_some_and(|at| now >= at);
            if !is_closing && (is_due || verdict == Verdict::CloseIdle) {
                is_closing = true;
                if watch.is_idle() {
                    watch.close_at_once();
                }
                watchdog.closing(now);
                close(connection.as_mut());
                continue;
            }
            if !change_is_set {
                change_is_set = true;
                if change.as_mut().poll(cx).is_ready() {
                    continue;
                }
            }
            let wait_until = match close_at {
                Some(at) if !is_closing => wait_until.min(at),
                _ => wait_until,
            };
            // The timer is not reset while it fires early enough: on a busy connection the deadline only moves later.
            if timer_at.is_none_or(|at| wait_until < at || now >= at) {
                timer.as_mut().reset(wait_until);
                timer_at = Some(wait_until);
                if timer.as_mut().poll(cx).is_ready() {
                    continue;
                }
            }
            return Poll::Pending;
        }
    })
    .await
}
