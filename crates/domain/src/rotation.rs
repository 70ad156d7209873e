//! Rotation of refresh tokens: whether a presented token is exchanged, replayed or treated as stolen.
//! No column records that the successor of a token was never presented: presenting it increments the generation.

use crate::time::Time;

const DAY_SECONDS: i64 = 24 * 3600;
const IDLE_SECONDS: i64 = 30 * DAY_SECONDS;
const ABSOLUTE_SECONDS: i64 = 90 * DAY_SECONDS;
const FREE_SECONDS: i64 = 10;
const GRACE_WINDOW_SECONDS: i64 = DAY_SECONDS;
/// How often in a sliding window of one day the previous token is accepted after the first seconds.
pub const MOST_GRACES: usize = 3;

/// The state of a session's refresh token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rotation {
    /// The generation of the newest token.
    pub generation: u32,
    /// When the user signed in.
    pub signed_in_at: Time,
    /// When the newest token was issued.
    pub rotated_at: Time,
    /// When the previous token was accepted late; the last `MOST_GRACES` are enough.
    pub graces: Vec<Time>,
}

/// What to do with a presented token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Issue the next generation and store this state, guarded by the generation it was decided on.
    Rotate(Rotation),
    /// Return the newest token again. Nothing changes.
    Replay,
    /// Return the newest token again and store this state, which counts the exception.
    Grace(Rotation),
    /// Another party has used the token: revoke the session.
    Reuse,
    /// The session has expired.
    Expired,
}

impl Rotation {
    /// A session that starts now with its first token.
    pub const fn begin(now: Time) -> Self {
        Self { generation: 0, signed_in_at: now, rotated_at: now, graces: Vec::new() }
    }

    /// When the newest token expires if it is not used.
    pub fn expires_at(&self) -> Time {
        let idle = self.rotated_at.plus_seconds(IDLE_SECONDS);
        idle.min(self.signed_in_at.plus_seconds(ABSOLUTE_SECONDS))
    }

    /// What to do with a token of this generation.
    pub fn decide(&self, presented: u32, now: Time) -> Decision {
        if now >= self.expires_at() {
            return Decision::Expired;
        }
        match self.generation.checked_sub(presented) {
            Some(0) => self.rotate(now),
            Some(1) if self.is_free(now) => Decision::Replay,
            Some(1) => self.grace(now),
            // A future generation was issued by a store that has since been restored from a backup. The user signs in
            // again.
            _ => Decision::Reuse,
        }
    }

    fn rotate(&self, now: Time) -> Decision {
        match self.generation.checked_add(1) {
            Some(generation) => Decision::Rotate(Self { generation, rotated_at: now, ..self.clone() }),
            None => Decision::Expired,
        }
    }

    /// Concurrent callers get the identical successor. A clock that was set back does not extend the window.
    fn is_free(&self, now: Time) -> bool {
        self.rotated_at <= now.plus_seconds(FREE_SECONDS) && now <= self.rotated_at.plus_seconds(FREE_SECONDS)
    }

    fn grace(&self, now: Time) -> Decision {
        let is_counted = |grace: &&Time| now < grace.plus_seconds(GRACE_WINDOW_SECONDS);
        let mut graces: Vec<Time> = self.graces.iter().filter(is_counted).copied().collect();
        if graces.len() >= MOST_GRACES {
            return Decision::Reuse;
        }
        graces.push(now);
        Decision::Grace(Self { graces, ..self.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const START: i64 = 1_800_000_000;

    fn at(seconds: i64) -> Time {
        Time::from_micros((START + seconds) * 1_000_000).unwrap()
    }

    /// Presents the tokens one after the other and returns the outcome of each.
    fn present(presented: &[(u32, i64)]) -> Vec<&'static str> {
        let mut row = Some(Rotation::begin(at(0)));
        let mut outcomes = Vec::new();
        for (generation, now) in presented {
            let decision = row.as_ref().map(|row| row.decide(*generation, at(*now)));
            outcomes.push(match decision {
                Some(Decision::Rotate(next)) => {
                    row = Some(next);
                    "rotate"
                }
                Some(Decision::Replay) => "replay",
                Some(Decision::Grace(next)) => {
                    row = Some(next);
                    "grace"
                }
                Some(Decision::Reuse) => {
                    row = None;
                    "reuse"
                }
                Some(Decision::Expired) => "expired",
                None => "dead",
            });
        }
        outcomes
    }

    #[test]
    fn refresh_replay_r1_r2_r1_kills_the_session() {
        assert_eq!(present(&[(0, 1), (1, 2), (0, 3)]), ["rotate", "rotate", "reuse"]);
        assert_eq!(present(&[(0, 1), (1, 2), (0, 3), (2, 4)])[3], "dead");
    }

    #[test]
    fn concurrent_callers_get_the_identical_successor() {
        assert_eq!(present(&[(0, 0), (0, 0), (0, 10), (0, 11)]), ["rotate", "replay", "replay", "grace"]);
    }

    #[test]
    fn a_lost_response_is_accepted_three_times_a_day() {
        let lost = [(0, 0), (0, 100), (0, 200), (0, 300), (0, 400)];
        assert_eq!(present(&lost), ["rotate", "grace", "grace", "grace", "reuse"]);
        let next_day = [(0, 0), (0, 100), (0, 200), (0, 300), (0, 100 + 86_400)];
        assert_eq!(present(&next_day), ["rotate", "grace", "grace", "grace", "grace"]);
        let not_yet = [(0, 0), (0, 100), (0, 200), (0, 300), (0, 99 + 86_400)];
        assert_eq!(present(&not_yet)[4], "reuse");
    }

    #[test]
    fn a_thief_alternating_with_the_victim_is_detected_at_the_fourth_retry() {
        let presented: Vec<(u32, i64)> =
            (0..8).flat_map(|turn| [(turn, i64::from(turn) * 600), (turn, i64::from(turn) * 600 + 60)]).collect();
        let outcomes = present(&presented);
        assert_eq!(outcomes.iter().filter(|outcome| **outcome == "grace").count(), 3);
        assert_eq!(outcomes[7], "reuse");
        assert!(outcomes[8..].iter().all(|outcome| *outcome == "dead"));
    }

    #[test]
    fn a_session_expires_after_thirty_idle_days_and_ninety_in_total() {
        let day = 86_400;
        assert_eq!(present(&[(0, 30 * day - 1)]), ["rotate"]);
        assert_eq!(present(&[(0, 30 * day)]), ["expired"]);
        let refreshed = [(0, 29 * day), (1, 58 * day), (2, 87 * day), (3, 90 * day - 1), (4, 90 * day)];
        assert_eq!(present(&refreshed), ["rotate", "rotate", "rotate", "rotate", "expired"]);
        assert_eq!(Rotation::begin(at(0)).expires_at(), at(30 * day));
    }

    #[test]
    fn a_token_of_a_future_generation_is_reuse() {
        assert_eq!(present(&[(1, 0)]), ["reuse"]);
        let last = Rotation { generation: u32::MAX, ..Rotation::begin(at(0)) };
        assert_eq!(last.decide(u32::MAX, at(1)), Decision::Expired);
    }

    #[test]
    fn a_clock_that_is_set_back_does_not_extend_the_window() {
        assert_eq!(present(&[(0, 1000), (0, 990)]), ["rotate", "replay"]);
        assert_eq!(present(&[(0, 1000), (0, 700), (0, 600), (0, 500), (0, 400)])[4], "reuse");
    }

    proptest! {
        #[test]
        fn at_most_three_late_tokens_are_accepted_in_a_day(presented in prop::collection::vec((0..4_u32, 11..4000_i64), 1..40)) {
            let mut now = 0;
            let presented: Vec<(u32, i64)> = presented.into_iter().map(|(generation, step)| { now += step; (generation, now) }).collect();
            let outcomes = present(&presented);
            let mut graces = Vec::new();
            for ((_, now), outcome) in presented.iter().zip(outcomes) {
                if outcome == "grace" {
                    graces.push(*now);
                    prop_assert!(graces.iter().filter(|grace| *now - **grace < 86_400).count() <= MOST_GRACES);
                }
            }
        }
    }
}
