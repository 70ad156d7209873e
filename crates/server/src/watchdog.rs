//! When what is under way on a connection has taken too long, and what to do about it.
//! hyper's own header timer also runs while a connection is idle, and h2 has none at all; this one
//! tells a head under way from an idle connection and from a peer that does not take its answer.

use crate::options::ServerOptions;
use crate::watch::{Span, Watch};
use std::time::Duration;
use tokio::time::Instant;

/// How long a closed connection still listens, so that the answer is not lost to a reset.
const LINGER: Duration = Duration::from_secs(1);

/// What to do with a connection now.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Nothing before then.
    Wait(Instant),
    /// It has been idle since then, for long enough to give back what hyper holds for it.
    Rest(Instant),
    /// It has been idle for long enough: close it politely.
    CloseIdle,
    /// The peer is too slow: drop it.
    Cut,
    /// It is closed, and has lingered for long enough.
    Done,
}

/// When the span now open was first seen open.
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

/// Admission what a [`Watch`] reports into a [`Verdict`]; asked after every poll of the connection.
#[derive(Debug)]
pub(crate) struct Watchdog {
    header_timeout: Duration,
    write_timeout: Duration,
    idle_timeout: Duration,
    /// None, if it never rests.
    rest_after: Option<Duration>,
    head: Lap,
    stall: Lap,
    linger: Lap,
    period_since: Instant,
    idle_since: Option<Instant>,
    closing_since: Option<Instant>,
}

impl Watchdog {
    /// `first_byte` is when the head that is under way began.
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

    /// The same for a connection that can rest.
    pub(crate) fn with_rest(mut self, options: &ServerOptions) -> Self {
        self.rest_after = Some(options.rest_after).filter(|rest| *rest < self.idle_timeout);
        self
    }

    /// The connection was asked to close; once idle it has no more than a head's time to do so.
    pub(crate) fn closing(&mut self, now: Instant) {
        self.closing_since.get_or_insert(now);
    }

    pub(crate) fn judge(&mut self, watch: &Watch, now: Instant) -> Verdict {
        if let Some(since) = self.linger.open_since(&watch.linger, now) {
            return until(since + LINGER, now, Verdict::Done);
        }
        // While the peer does not read, hyper does not either: an unfinished head may be our doing.
        if let Some(since) = self.stall.open_since(&watch.stall, now) {
            return until(since + self.write_timeout, now, Verdict::Cut);
        }
        if let Some(since) = self.head.open_since(&watch.head, now) {
            self.idle_since = None;
            return until(since + self.header_timeout, now, Verdict::Cut);
        }
        if watch.answers() > 0 {
            self.idle_since = None;
            return self.judge_answers(watch, now);
        }
        if watch.is_handling() {
            self.idle_since = None;
            // A handler dropped by a reset does not wake this task; look again some time.
            return Verdict::Wait(now + self.idle_timeout);
        }
        let idle_since = *self.idle_since.get_or_insert(now);
        match (self.closing_since, self.rest_after) {
            (Some(since), _) => until(idle_since.max(since) + self.header_timeout, now, Verdict::Cut),
            (None, Some(rest)) => until(idle_since + rest, now, Verdict::Rest(idle_since)),
            (None, None) => until(idle_since + self.idle_timeout, now, Verdict::CloseIdle),
        }
    }

    /// Over HTTP/2 a peer can refuse an answer by flow control alone, without the socket ever being
    /// full: an answer is cut after one to two times the write time-out.
    fn judge_answers(&mut self, watch: &Watch, now: Instant) -> Verdict {
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
    fn a_head_has_ten_seconds_from_its_first_byte_however_often_it_is_looked_at() {
        let (watch, mut dog, start) = watched();
        for second in 0..10 {
            let verdict = dog.judge(&watch, start + SECOND * second);
            assert_eq!(verdict, Verdict::Wait(start + SECOND * 10));
        }
        assert_eq!(dog.judge(&watch, start + SECOND * 10), Verdict::Cut);
    }

    #[test]
    fn a_second_head_has_its_own_ten_seconds() {
        let (watch, mut dog, start) = watched();
        dog.judge(&watch, start);
        watch.head.end();
        watch.head.begin();
        let later = start + SECOND * 9;
        assert_eq!(dog.judge(&watch, later), Verdict::Wait(later + SECOND * 10));
    }

    #[test]
    fn an_idle_connection_is_closed_politely_and_then_cut() {
        let (watch, mut dog, start) = watched();
        watch.head.end();
        assert_eq!(dog.judge(&watch, start), Verdict::Wait(start + SECOND * 75));
        let end = start + SECOND * 75;
        assert_eq!(dog.judge(&watch, end), Verdict::CloseIdle);
        dog.closing(end);
        assert_eq!(dog.judge(&watch, end), Verdict::Wait(end + SECOND * 10));
        assert_eq!(dog.judge(&watch, end + SECOND * 10), Verdict::Cut);
    }

    #[test]
    fn a_connection_that_can_rest_does_so_before_it_is_closed() {
        let (watch, dog, start) = watched();
        let mut dog = dog.with_rest(&ServerOptions::default());
        watch.head.end();
        assert_eq!(dog.judge(&watch, start), Verdict::Wait(start + SECOND / 5));
        assert_eq!(dog.judge(&watch, start + SECOND / 5), Verdict::Rest(start));
        dog.closing(start + SECOND);
        assert_eq!(dog.judge(&watch, start + SECOND), Verdict::Wait(start + SECOND * 11));
    }

    #[test]
    fn a_busy_connection_is_left_alone_and_idles_from_when_it_is_done() {
        let (watch, mut dog, start) = watched();
        watch.head.end();
        watch.handling_begins();
        let much_later = start + SECOND * 500;
        assert!(matches!(dog.judge(&watch, much_later), Verdict::Wait(_)));
        watch.handling_ends();
        assert_eq!(dog.judge(&watch, much_later), Verdict::Wait(much_later + SECOND * 75));
    }

    #[test]
    fn a_stalled_write_outranks_an_open_head() {
        let (watch, mut dog, start) = watched();
        watch.stall.begin();
        assert_eq!(dog.judge(&watch, start), Verdict::Wait(start + SECOND * 30));
        assert_eq!(dog.judge(&watch, start + SECOND * 30), Verdict::Cut);
    }

    #[test]
    fn an_answer_nobody_takes_is_cut_though_others_are_taken() {
        let (watch, mut dog, start) = watched();
        watch.head.end();
        watch.answer_begins();
        let cut_after = (0..100).find(|second| {
            let others = watch.answer_begins();
            let verdict = dog.judge(&watch, start + SECOND * *second);
            watch.answer_taken(others);
            verdict == Verdict::Cut
        });
        assert!(matches!(cut_after, Some(30..=60)), "{cut_after:?}");
    }
}
