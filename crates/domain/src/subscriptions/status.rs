//! The status of a subscription, and the transitions between statuses.

use crate::validation::{InvalidValue, ValidationCode};

/// The status of a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SubscriptionStatus {
    /// Agreed, but not started.
    Pending,
    /// Started; the first payment is outstanding.
    Incomplete,
    /// Started with a trial.
    OnTrial,
    /// Paid and renewing.
    Active,
    /// A renewal failed; access continues while the payment is retried.
    PastDue,
    /// Retries ended without payment.
    Unpaid,
    /// Paused by agreement.
    Paused,
    /// Paid up, not renewing.
    Cancelled,
    /// Ended permanently.
    Expired,
}

use SubscriptionStatus::{Active, Cancelled, Expired, Incomplete, OnTrial, PastDue, Paused, Pending, Unpaid};

impl SubscriptionStatus {
    /// Every status.
    pub const ALL: [Self; 9] = [Pending, Incomplete, OnTrial, Active, PastDue, Unpaid, Paused, Cancelled, Expired];

    /// The word in the API and in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Pending => "pending",
            Incomplete => "incomplete",
            OnTrial => "on_trial",
            Active => "active",
            PastDue => "past_due",
            Unpaid => "unpaid",
            Paused => "paused",
            Cancelled => "cancelled",
            Expired => "expired",
        }
    }

    /// The status of a stored word.
    pub fn from_stored(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == word)
    }

    /// Parses a status or one of its aliases, in any case.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        Ok(match text.to_ascii_lowercase().as_str() {
            "pending" | "scheduled" | "draft" => Pending,
            "incomplete" => Incomplete,
            "on_trial" | "trialing" | "trial" => OnTrial,
            "active" => Active,
            "past_due" => PastDue,
            "unpaid" => Unpaid,
            "paused" => Paused,
            "cancelled" | "canceled" => Cancelled,
            "expired" | "ended" | "terminated" | "incomplete_expired" => Expired,
            _ => {
                let known = Self::ALL.map(Self::as_str).join(", ");
                return Err(InvalidValue::new(ValidationCode::UnknownValue, format!("must be one of {known}")));
            }
        })
    }

    /// The statuses that can follow.
    pub const fn next(self) -> &'static [Self] {
        match self {
            Pending => &[Incomplete, OnTrial, Active, Cancelled, Expired],
            Incomplete => &[Active, OnTrial, Cancelled, Expired],
            OnTrial => &[Active, PastDue, Paused, Unpaid, Cancelled, Expired],
            Active => &[OnTrial, PastDue, Unpaid, Paused, Cancelled, Expired],
            PastDue => &[Active, Unpaid, Paused, Cancelled, Expired],
            Unpaid => &[Active, PastDue, Paused, Cancelled, Expired],
            Paused => &[Active, OnTrial, PastDue, Unpaid, Cancelled, Expired],
            Cancelled => &[Active, OnTrial, PastDue, Unpaid, Paused, Expired],
            Expired => &[],
        }
    }

    /// Whether the transition is allowed. No change is not a transition.
    pub fn can_become(self, next: Self) -> bool {
        self == next || self.next().contains(&next)
    }

    /// Whether a subscription with this status is active by default.
    pub const fn is_active_by_default(self) -> bool {
        matches!(self, OnTrial | Active | PastDue | Cancelled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_and_aliases_are_read_in_any_case() {
        for status in SubscriptionStatus::ALL {
            assert_eq!(SubscriptionStatus::parse(&status.as_str().to_uppercase()), Ok(status));
            assert_eq!(SubscriptionStatus::from_stored(status.as_str()), Some(status));
            assert_eq!(serde_json::to_value(status).unwrap(), status.as_str());
        }
        for (aliases, status) in [
            ("scheduled draft", Pending),
            ("trialing trial", OnTrial),
            ("canceled", Cancelled),
            ("ended terminated incomplete_expired", Expired),
        ] {
            for alias in aliases.split(' ') {
                assert_eq!(SubscriptionStatus::parse(alias), Ok(status), "{alias}");
            }
        }
        assert_eq!(SubscriptionStatus::parse("pending ").unwrap_err().code, ValidationCode::UnknownValue);
        assert_eq!(SubscriptionStatus::from_stored("draft"), None);
    }

    #[test]
    fn the_moves_are_those_of_the_contract() {
        let table = [
            (Pending, "incomplete on_trial active cancelled expired"),
            (Incomplete, "active on_trial cancelled expired"),
            (OnTrial, "active past_due paused unpaid cancelled expired"),
            (Active, "on_trial past_due unpaid paused cancelled expired"),
            (PastDue, "active unpaid paused cancelled expired"),
            (Unpaid, "active past_due paused cancelled expired"),
            (Paused, "active on_trial past_due unpaid cancelled expired"),
            (Cancelled, "active on_trial past_due unpaid paused expired"),
            (Expired, ""),
        ];
        for (from, allowed) in table {
            for to in SubscriptionStatus::ALL {
                let expected = from == to || allowed.split(' ').any(|word| word == to.as_str());
                assert_eq!(from.can_become(to), expected, "{from:?} to {to:?}");
            }
        }
    }

    #[test]
    fn four_statuses_are_active_by_default() {
        let active: Vec<_> =
            SubscriptionStatus::ALL.into_iter().filter(|status| status.is_active_by_default()).collect();
        assert_eq!(active, [OnTrial, Active, PastDue, Cancelled]);
    }

    proptest! {
        #[test]
        fn every_walk_can_still_end(walk in prop::collection::vec(0_usize..9, 1..12)) {
            let mut status = Pending;
            for step in walk {
                let next = SubscriptionStatus::ALL[step];
                if status.can_become(next) {
                    status = next;
                }
                prop_assert!(status.can_become(Expired));
                prop_assert!(status == Pending || !status.can_become(Pending));
            }
        }
    }
}
