//! One connection, from its first byte to its close.
//! hyper speaks HTTP; this decides which version it speaks, and for how long a peer may take.

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

/// How a connection ended, or came to rest.
#[derive(Debug, PartialEq, Eq)]
enum End {
    Closed,
    TimedOut,
    /// With this many requests unanswered.
    CutByDrain(usize),
    /// Idle since then.
    Resting(Instant),
}

/// Serves a connection until it is closed, by either side. All that hyper needs is in a box that is not there while the
/// connection is idle: there may be thousands of those.
pub(crate) async fn run<S: Service>(shared: Arc<Shared<S>>, mut stream: TcpStream, peer: SocketAddr) {
    let mut before = Before::Nothing;
    while let Some(opening) = opening::read(&shared, &mut stream, before).await {
        if opening.is_http2 {
            return Box::pin(speak_http2(shared, stream, opening, peer)).await;
        }
        match Box::pin(speak_http1(&shared, stream, opening, peer)).await {
            Some((resting, idle_since)) => (stream, before) = (resting, Before::Request(idle_since)),
            None => return,
        }
    }
}

/// Serves requests until the connection ends, or rests: then it gives back the socket and when it became idle.
async fn speak_http1<S: Service>(
    shared: &Arc<Shared<S>>,
    mut stream: TcpStream,
    mut opening: Opening,
    peer: SocketAddr,
) -> Option<(TcpStream, Instant)> {
    loop {
        let dog = Watchdog::new(&shared.options, opening.first_byte).with_rest(&shared.options);
        let (visit, io) = visit(shared, stream, opening, peer);
        let mut connection = shared.http1.serve_connection(io, service(&visit));
        let close = http1::Connection::graceful_shutdown;
        let idle_since = match drive(&visit, dog, Pin::new(&mut connection), close).await {
            End::Resting(since) => since,
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
        // The beginning of a head came with the request before it.
        opening = Opening { bytes: parts.read_buf.into(), is_http2: false, first_byte: idle_since };
    }
}

async fn speak_http2<S: Service>(shared: Arc<Shared<S>>, stream: TcpStream, opening: Opening, peer: SocketAddr) {
    let dog = Watchdog::new(&shared.options, opening.first_byte);
    let (visit, io) = visit(&shared, stream, opening, peer);
    let connection = pin!(shared.http2.serve_connection(io, service(&visit)));
    note(&shared, &drive(&visit, dog, connection, http2::Connection::graceful_shutdown).await);
}

/// What hyper calls for each request.
fn service<S: Service>(
    visit: &Arc<ConnectionContext<S>>,
) -> impl hyper::service::Service<
    Request<Incoming>,
    Response = Response<ResponseBody>,
    Error = Infallible,
    Future: Future<Output = Result<Response<ResponseBody>, Infallible>> + Send + 'static,
> + use<S> {
    let visit = Arc::clone(visit);
    service_fn(move |request: Request<Incoming>| Exchange::begin(Arc::clone(&visit), request.version()).answer(request))
}

fn visit<S>(
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
        End::Closed | End::Resting(_) => {}
        End::TimedOut => shared.gauges.connection_timed_out(),
        End::CutByDrain(unfinished) => shared.drain.aborted(*unfinished),
    }
}

/// Polls a connection until it ends, or until the watchdog or the drain ends it.
///
/// The bell and the timer are polled only when they are set, not at every poll of the connection: both
/// remember this task, which never changes, and what they would say is a flag and a clock away.
async fn drive<S, C: Future<Output = hyper::Result<()>>>(
    visit: &ConnectionContext<S>,
    mut dog: Watchdog,
    mut connection: Pin<&mut C>,
    close: fn(Pin<&mut C>),
) -> End {
    let (drain, watch) = (&visit.shared.drain, &visit.watch);
    let mut bell = pin!(drain.bell());
    let mut bell_is_set = false;
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
                bell.set(drain.bell());
                bell_is_set = false;
            }
            let verdict = dog.judge(watch, now);
            let wait_until = match verdict {
                Verdict::Cut => return Poll::Ready(End::TimedOut),
                Verdict::Done => return Poll::Ready(End::Closed),
                Verdict::CloseIdle => now,
                // Who is about to be closed does not lie down first.
                Verdict::Rest(since) => match close_at {
                    Some(at) => at,
                    None => return Poll::Ready(End::Resting(since)),
                },
                Verdict::Wait(until) => until,
            };
            let is_due = close_at.is_some_and(|at| now >= at);
            if !is_closing && (is_due || verdict == Verdict::CloseIdle) {
                is_closing = true;
                if watch.is_idle() {
                    watch.close_curtly();
                }
                dog.closing(now);
                close(connection.as_mut());
                continue;
            }
            if !bell_is_set {
                bell_is_set = true;
                if bell.as_mut().poll(cx).is_ready() {
                    continue;
                }
            }
            let wait_until = match close_at {
                Some(at) if !is_closing => wait_until.min(at),
                _ => wait_until,
            };
            // Left alone while it is early enough: on a busy connection the deadline only recedes.
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
