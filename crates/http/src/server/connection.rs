//! One connection, from its first byte to its close.
//! hyper speaks HTTP; this decides which version it speaks, and for how long a peer may take.

use super::drain::Stage;
use super::exchange::Exchange;
use super::io::WatchedStream;
use super::opening;
use super::watch::Watch;
use super::watchdog::{Verdict, Watchdog};
use super::{Edge, Service};
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use std::future::{Future, poll_fn};
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep_until};

/// When draining, how long an idle connection is still listened to: a request may already be on the
/// wire, or even here and not yet noticed, and deserves an answer instead of a reset.
pub(super) const LAST_CALL: Duration = Duration::from_millis(25);

/// What the requests of one connection have in common.
pub(super) struct Visit<S> {
    pub(super) edge: Arc<Edge<S>>,
    pub(super) watch: Arc<Watch>,
    pub(super) peer: SocketAddr,
}

/// How a connection ended.
#[derive(Debug, PartialEq, Eq)]
enum End {
    Closed,
    TimedOut,
    /// With this many requests unanswered.
    CutByDrain(usize),
}

/// Serves a connection until it is closed, by either side.
pub(super) async fn run<S: Service>(edge: Arc<Edge<S>>, mut stream: TcpStream, peer: SocketAddr) {
    let Some(opening) = opening::read(&edge, &mut stream).await else {
        return;
    };
    let (is_http2, first_byte) = (opening.is_http2, opening.first_byte);
    let watch = Arc::new(Watch::new());
    let io = TokioIo::new(WatchedStream::new(stream, opening, Arc::clone(&watch)));
    let visit = Arc::new(Visit { edge, watch, peer });
    let to_answer = Arc::clone(&visit);
    let service = service_fn(move |request: http::Request<_>| {
        Exchange::begin(Arc::clone(&to_answer), request.version()).answer(request)
    });
    let dog = Watchdog::new(&visit.edge.options, first_byte);
    let end = if is_http2 {
        let connection = visit.edge.http2.serve_connection(io, service);
        // Boxed, so that the many HTTP/1.1 connections do not carry its size.
        Box::pin(drive(&visit, dog, connection, http2::Connection::graceful_shutdown)).await
    } else {
        let connection = visit.edge.http1.serve_connection(io, service);
        drive(&visit, dog, connection, http1::Connection::graceful_shutdown).await
    };
    match end {
        End::Closed => {}
        End::TimedOut => visit.edge.gauges.connection_timed_out(),
        End::CutByDrain(unfinished) => visit.edge.drain.aborted(unfinished),
    }
}

/// Polls a connection until it ends, or until the watchdog or the drain ends it.
///
/// The bell and the timer are polled only when they are set, not at every poll of the connection: both
/// remember this task, which never changes, and what they would say is a flag and a clock away.
async fn drive<S, C: Future<Output = hyper::Result<()>>>(
    visit: &Visit<S>,
    mut dog: Watchdog,
    connection: C,
    close: fn(Pin<&mut C>),
) -> End {
    let (drain, watch) = (&visit.edge.drain, &visit.watch);
    let mut connection = pin!(connection);
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
                let wait = if watch.is_idle() { LAST_CALL } else { Duration::ZERO };
                close_at = Some(now + wait);
                bell.set(drain.bell());
                bell_is_set = false;
            }
            let verdict = dog.judge(watch, now);
            let wait_until = match verdict {
                Verdict::Cut => return Poll::Ready(End::TimedOut),
                Verdict::Done => return Poll::Ready(End::Closed),
                Verdict::CloseIdle => now,
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
