//! Decides when a connection has taken too long, and what to do about it.
//! hyper's header timer also runs while a connection is idle, and h2 has none. This one distinguishes an incomplete head,
//! an idle connection, and a peer that does not read its response.

use crate::options::ServerOptions;
use crate::watch::{Span, Watch};
use std::time::Duration;
use tokio::time::Instant;

/// How long a closed connection still reads, so that the response is not lost to a reset.
const LINGER: Duration = Duration::from_secs(1);

/// What to do with a connection now.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Nothing before this instant.
    Wait(Instant),
    /// Release hyper's state: the connection has been idle since this instant.
    Release(Instant),
    /// The idle timeout has passed: close gracefully.
    CloseIdle,
    /// The peer is too slow: drop the connection.
    Cut,
    /// The connection is closed and has lingered long enough.
    Done,
}

/// When the current span was first seen open.
#[derive(Debug)]
struct Lap {
    mark: u32,
    since: Instant,
}

impl Lap {
    fn open_since(&mut self, span: &Span, now: Instant) -> Option<Instant> {
        let mark = span.read();
        if mark.is_multiple_of(2) {
            return None;
        }
        if mark != self.mark {
            *self = Lap { mark, since: now };
        }
        Some(self.since)
    }
}

/// Turns the state of a [`Watch`] into a [`Verdict`], after every poll of the connection.
#[derive(Debug)]
pub(crate) struct Watchdog {
    header_timeout: Duration,
    write_timeout: Duration,
    idle_timeout: Duration,
    /// `None` if idle connections are not released.
    rest_after: Option<Duration>,
    head: Lap,
    stall: Lap,
    linger: Lap,
    period_since: Instant,
    idle_since: Option<Instant>,
    closing_since: Option<Instant>,
}

impl Watchdog {
    /// `first_byte` is when the current head began.
    pub(crate) fn new(options: &ServerOptions, first_byte: Instant) -> Self {
        let lap = |mark| Lap { mark, since: first_byte };
        Watchdog {
            header_timeout: options.header_timeout,
            write_timeout: options.write_timeout,
            idle_timeout: options.idle_timeout,
            rest_after: None,
            head: lap(1),
            stall: lap(0),
            linger: lap(0),
            period_since: first_byte,
            idle_since: None,
            closing_since: None,
        }
    }

    /// The same for a connection whose state can be released while it is idle.
    pub(crate) fn with_release(mut self, options: &ServerOptions) -> Self {
        self.rest_after = Some(options.rest_after).filter(|rest| *rest < self.idle_timeout);
        self
    }

    /// The connection is closing. Once idle, it has the header timeout to do so.
    pub(crate) fn closing(&mut self, now: Instant) {
        self.closing_since.get_or_insert(now);
    }

    pub(crate) fn judge(&mut self, watch: &Watch, now: Instant) -> Verdict {
        if let Some(since) = self.linger.open_since(&watch.linger, now) {
            return until(since + LINGER, now, Verdict::Done);
        }
        // While the peer does not read, hyper does not either: an incomplete head may be caused by us.
        if let Some(since) = self.stall.open_since(&watch.stall, now) {
            return until(since + self.write_timeout, now, Verdict::Cut);
        }
        if let Some(since) = self.head.open_since(&watch.head, now) {
            self.idle_since = None;
            return until(since + self.header_timeout, now, Verdict::Cut);
        }
        if watch.pending_responses() > 0 {
            self.idle_since = None;
            return self.judge_responses(watch, now);
        }
        if watch.is_handling() {
            self.idle_since = None;
            // A handler dropped by a reset does not wake this task, so check again later.
            return Verdict::Wait(now + self.idle_timeout);
        }
        let idle_since = *self.idle_since.get_or_insert(now);
        match (self.closing_since, self.rest_after) {
            (Some(since), _) => until(idle_since.max(since) + self.header_timeout, now, Verdict::Cut),
            (None, Some(rest)) => until(idle_since + rest, now, Verdict::Release(idle_since)),
            (None, None) => until(idle_since + self.idle_timeout, now, Verdict::CloseIdle),
        }
    }

    /// Over HTTP/2 a peer can block a response by flow control while the socket's buffer is not full. Such a connection is
    /// cut after one to two times the write timeout.
    fn judge_responses(&mut self, watch: &Watch, now: Instant) -> Verdict {
        if now >= self.period_since + self.write_timeout {
            if !watch.next_period() {
                return Verdict::Cut;
            }
            self.period_since = now;
        }
        Verdict::Wait(self.period_since + self.write_timeout)
    }
}

fn until(deadline: Instant, now: Instant, then: Verdict) -> Verdict {
    if now < deadline { Verdict::Wait(deadline) } else { then }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn watched() -> (Watch, Watchdog, Instant) {
        let now = Instant::now();
        (Watch::new(), Watchdog::new(&ServerOptions::default(), now), now)
    }

    #[test]
    fn a_head_has_ten_seconds_from_its_first_byte_however_often_it_is_judged() {
        let (watch, mut watchdog, start) = watched();
        for second in 0..10 {
            let verdict = watchdog.judge(&watch, start + SECOND * second);
            assert_eq!(verdict, Verdict::Wait(start + SECOND * 10));
        }
        assert_eq!(watchdog.judge(&watch, start + SECOND * 10), Verdict::Cut);
    }

    #[test]
    fn a_second_head_has_its_own_ten_seconds() {
        let (watch, mut watchdog, start) = watched();
        watchdog.judge(&watch, start);
        watch.head.end();
        watch.head.begin();
        let later = start + SECOND * 9;
        assert_eq!(watchdog.judge(&watch, later), Verdict::Wait(later + SECOND * 10));
    }

    #[test]
    fn an_idle_connection_is_closed_gracefully_and_then_cut() {
        let (watch, mut watchdog, start) = watched();
        watch.head.end();
        assert_eq!(watchdog.judge(&watch, start), Verdict::Wait(start + SECOND * 75));
        let end = start + SECOND * 75;
        assert_eq!(watchdog.judge(&watch, end), Verdict::CloseIdle);
        watchdog.closing(end);
        assert_eq!(watchdog.judge(&watch, end), Verdict::Wait(end + SECOND * 10));
        assert_eq!(watchdog.judge(&watch, end + SECOND * 10), Verdict::Cut);
    }

    #[test]
    fn an_idle_connection_is_released_before_it_is_closed() {
        let (watch, watchdog, start) = watched();
        let mut watchdog = watchdog.with_release(&ServerOptions::default());
        watch.head.end();
        assert_eq!(watchdog.judge(&watch, start), Verdict::Wait(start + SECOND / 5));
        assert_eq!(watchdog.judge(&watch, start + SECOND / 5), Verdict::Release(start));
        watchdog.closing(start + SECOND);
        assert_eq!(watchdog.judge(&watch, start + SECOND), Verdict::Wait(start + SECOND * 11));
    }

    #[test]
    fn a_busy_connection_is_idle_only_after_its_last_response() {
        let (watch, mut watchdog, start) = watched();
        watch.head.end();
        watch.handling_begins();
        let much_later = start + SECOND * 500;
        assert!(matches!(watchdog.judge(&watch, much_later), Verdict::Wait(_)));
        watch.handling_ends();
        assert_eq!(watchdog.judge(&watch, much_later), Verdict::Wait(much_later + SECOND * 75));
    }

    #[test]
    fn a_stalled_write_takes_precedence_over_an_open_head() {
        let (watch, mut watchdog, start) = watched();
        watch.stall.begin();
        assert_eq!(watchdog.judge(&watch, start), Verdict::Wait(start + SECOND * 30));
        assert_eq!(watchdog.judge(&watch, start + SECOND * 30), Verdict::Cut);
    }

    #[test]
    fn an_unread_response_is_cut_though_others_are_read() {
        let (watch, mut watchdog, start) = watched();
        watch.head.end();
        watch.response_begins();
        let cut_after = (0..100).find(|second| {
            let others = watch.response_begins();
            let verdict = watchdog.judge(&watch, start + SECOND * *second);
            watch.response_taken(others);
            verdict == Verdict::Cut
        });
        assert!(matches!(cut_after, Some(30..=60)), "{cut_after:?}");
    }
}
