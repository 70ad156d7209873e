//! The token bucket of a connection's requests, of all servers together. No minute has more requests than the limit: the burst
//! is a part of it, and the rest is refilled.
//!
//! A request takes its turn by reserving it, so that requests are sent in the order in which they came. A sweep pays twice, and
//! leaves half of the burst to others: it uses at most half of the limit.

use crate::time::Time;

/// The parts of a token that are counted: a refill of one token in a minute is exact in every microsecond.
const TOKEN: i64 = 60_000_000;
/// How long requests are slower after the provider asked for patience.
pub const SLOW_SECONDS: i64 = 600;
/// How long the connection stops if the provider asked for patience without a time.
pub const PAUSE_SECONDS: i64 = 30;
/// The longest pause that a provider can ask for.
pub const MAX_PAUSE_SECONDS: i64 = 86_400;

/// What a request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Priority {
    /// A hint or a collection.
    First,
    /// A sweep.
    Sweep,
}

/// The state of a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// Parts of tokens. Negative: turns are reserved.
    pub tokens: i64,
    /// When that was. None: the bucket is new and full.
    pub at: Option<Time>,
    /// No request is sent before this.
    pub paused_until: Option<Time>,
    /// The rate is halved until then.
    pub slow_until: Option<Time>,
}

/// The answer to a request for a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// The bucket afterwards, and the instant at which the request is sent.
    Reserved(Bucket, Time),
    /// Others go first, or the provider asked for patience: ask again then.
    NotBefore(Time),
}

impl Bucket {
    /// A turn for a request.
    pub fn take(self, per_minute: i64, priority: Priority, now: Time) -> Turn {
        if let Some(until) = self.paused_until.filter(|until| *until > now) {
            return Turn::NotBefore(until);
        }
        let is_slow = self.slow_until.is_some_and(|until| until > now);
        let rate = if is_slow { (per_minute / 2).max(1) } else { per_minute.max(1) };
        let burst = (rate / 6).max(1);
        let refill = (rate - burst).max(1);
        let elapsed = self.at.map_or(i64::MAX, |at| (now.as_micros() - at.as_micros()).max(0));
        let full = burst * TOKEN;
        let tokens = self.tokens.saturating_add(elapsed.saturating_mul(refill)).min(full);
        // A clock that went back does not lose what was reserved.
        let at = self.at.map_or(now, |at| at.max(now));
        let (cost, least) = match priority {
            Priority::First => (TOKEN, None),
            Priority::Sweep => (2 * TOKEN, Some((full / 2).max(TOKEN).min(full))),
        };
        if let Some(least) = least.filter(|least| tokens < *least) {
            return Turn::NotBefore(at.plus_micros(micros(least - tokens, refill)));
        }
        let left = tokens - cost;
        // A sweep pays the second token afterwards.
        let missing = (cost.min(TOKEN) - tokens).max(0);
        Turn::Reserved(Self { tokens: left, at: Some(at), ..self }, at.plus_micros(micros(missing, refill)))
    }

    /// Whether a request would be sent at once.
    pub fn has_turn(self, per_minute: i64, now: Time) -> bool {
        matches!(self.take(per_minute, Priority::First, now), Turn::Reserved(_, turn) if turn <= now)
    }

    /// Whether no request is sent at this time, because the provider asked for patience.
    pub fn is_paused(self, now: Time) -> bool {
        self.paused_until.is_some_and(|until| until > now)
    }

    /// The bucket after the provider answered that there were too many requests.
    pub fn paused(self, retry_after: Option<i64>, now: Time) -> Self {
        let pause = retry_after.unwrap_or(PAUSE_SECONDS).clamp(1, MAX_PAUSE_SECONDS);
        let until = now.plus_seconds(pause);
        let until = self.paused_until.map_or(until, |before| before.max(until));
        Self { paused_until: Some(until), slow_until: Some(until.plus_seconds(SLOW_SECONDS)), ..self }
    }
}

/// How long a refill of these parts takes.
const fn micros(parts: i64, refill: i64) -> i64 {
    (parts + refill - 1) / refill
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NEW: Bucket = Bucket { tokens: 0, at: None, paused_until: None, slow_until: None };

    fn at(micros: i64) -> Time {
        Time::from_micros(1_000_000_000_000 + micros).unwrap()
    }

    /// The instants at which requests are sent that arrive at these instants, in order.
    fn sent(rate: i64, arrivals: &[(i64, Priority)]) -> Vec<(i64, Priority)> {
        let (mut bucket, mut sent) = (NEW, Vec::new());
        for (arrival, priority) in arrivals {
            let mut now = at(*arrival);
            loop {
                match bucket.take(rate, *priority, now) {
                    Turn::Reserved(next, turn) => {
                        bucket = next;
                        sent.push((turn.as_micros() - at(0).as_micros(), *priority));
                        break;
                    }
                    Turn::NotBefore(later) => {
                        assert!(later > now, "waiting must end");
                        now = later;
                    }
                }
            }
        }
        sent
    }

    #[test]
    fn a_burst_is_sent_at_once_and_the_rest_at_the_rate() {
        let sent = sent(60, &[(0, Priority::First); 12]);
        let instants: Vec<i64> = sent.iter().map(|(instant, _)| *instant).collect();
        assert_eq!(instants[..10], [0; 10]);
        assert_eq!(instants[10..], [1_200_000, 2_400_000]);
    }

    #[test]
    fn there_is_a_turn_until_the_burst_is_used_up() {
        let mut bucket = NEW;
        for _ in 0..10 {
            assert!(bucket.has_turn(60, at(0)));
            let Turn::Reserved(after, _) = bucket.take(60, Priority::First, at(0)) else { panic!("it is not paused") };
            bucket = after;
        }
        assert!(!bucket.has_turn(60, at(1_199_999)) && bucket.has_turn(60, at(1_200_000)));
        assert!(!NEW.paused(Some(30), at(0)).has_turn(60, at(29_999_999)));
    }

    #[test]
    fn a_pause_stops_every_request_and_then_the_rate_is_halved() {
        let paused = NEW.paused(Some(30), at(0));
        let Turn::NotBefore(until) = paused.take(600, Priority::First, at(29_999_999)) else { panic!("it is paused") };
        assert_eq!(until, at(30_000_000));
        assert!(paused.is_paused(at(29_999_999)) && !paused.is_paused(at(30_000_000)) && !NEW.is_paused(at(0)));
        let Turn::Reserved(after, turn) = paused.take(60, Priority::First, at(30_000_000)) else {
            panic!("it is over")
        };
        assert_eq!((turn, after.tokens), (at(30_000_000), 4 * TOKEN));
        let later = at(630_000_000);
        let Turn::Reserved(after, _) = paused.take(60, Priority::First, later) else { panic!("it is over") };
        assert_eq!(after.tokens, 9 * TOKEN);
        let longer = paused.paused(Some(1), at(0));
        assert_eq!(longer.paused_until, paused.paused_until);
    }

    proptest! {
        /// Half-open windows of a minute, of any rate and any arrivals.
        #[test]
        fn no_minute_has_more_requests_than_the_limit(
            rate in 2..200_i64,
            gaps in prop::collection::vec((0..3_000_000_i64, any::<bool>()), 1..200),
        ) {
            let mut now = 0;
            let arrivals: Vec<(i64, Priority)> = gaps.iter().map(|(gap, sweeps)| {
                now += gap;
                (now, if *sweeps { Priority::Sweep } else { Priority::First })
            }).collect();
            let mut sent = sent(rate, &arrivals);
            sent.sort_by_key(|(instant, _)| *instant);
            for (first, (from, _)) in sent.iter().enumerate() {
                let window = sent[first..].iter().take_while(|(instant, _)| *instant < from + 60_000_000);
                prop_assert!(i64::try_from(window.count()).unwrap() <= rate);
            }
        }

        #[test]
        fn sweeps_alone_use_at_most_half(rate in 12..600_i64) {
            let sent = sent(rate, &[(0, Priority::Sweep); 300]);
            let (first, last) = (sent[0].0, sent[299].0);
            // After the burst, two tokens each.
            let least = (300 * 2 - rate / 6 - 3) * 60_000_000 / rate;
            prop_assert!(last - first >= least, "{} < {least}", last - first);
        }
    }
}
