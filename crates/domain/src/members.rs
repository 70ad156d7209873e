//! Members of a subscription, and its seats: how many users may get what it grants. The owner has one of the seats.

use crate::entitlements::{GrantValue, Grants, SEATS, own_value};
use crate::features::{Feature, FeatureKind};
use crate::id::{OrganizationId, SubscriptionId, UserId};
use crate::subscriptions::Subscription;
use crate::time::Time;
use serde::Serialize;

/// The most members of a subscription, whatever is granted.
pub const MAX_MEMBERS: i64 = 1_000;

/// A user who gets what a subscription of another user grants. It serializes as the API returns it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct Member {
    #[serde(skip)]
    pub organization_id: OrganizationId,
    pub subscription_id: SubscriptionId,
    pub user_id: UserId,
    pub created_at: Time,
}

/// The seats of a subscription. They serialize as the API returns them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Seats {
    /// The granted number, or `unlimited`. None: nothing bounds them.
    pub limit: Option<GrantValue>,
    /// The owner and the members.
    pub used: i64,
    /// Whether more are used than granted. No member is removed.
    pub over_limit: bool,
}

/// What the seats of a subscription are bounded by: the active feature `seats`, if it is a limit.
pub fn seat_limit(seats: Option<&Feature>, subscription: &Subscription, plan: &Grants) -> Option<GrantValue> {
    let bounds = |feature: &&Feature| feature.is_active && feature.kind == FeatureKind::Limit;
    own_value(seats.filter(bounds)?, &subscription.into(), plan)
}

/// Whether a feature is the one that bounds seats.
pub fn is_seats(feature: &Feature) -> bool {
    feature.key.as_str() == SEATS
}

impl Seats {
    /// The seats of a subscription with this many members.
    pub fn of(limit: Option<GrantValue>, members: i64) -> Self {
        let used = members.saturating_add(1);
        let over_limit = matches!(limit, Some(GrantValue::Number(limit)) if used > limit);
        Self { limit, used, over_limit }
    }

    /// The number of seats at which no member can be added.
    pub fn bound(self) -> i64 {
        let most = MAX_MEMBERS + 1;
        match self.limit {
            Some(GrantValue::Number(limit)) => limit.min(most),
            _ => most,
        }
    }

    /// Whether no member can be added.
    pub fn is_full(self) -> bool {
        self.used >= self.bound()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_owner_has_a_seat() {
        let five = Some(GrantValue::Number(5));
        assert!(!Seats::of(five, 3).is_full());
        assert_eq!(Seats::of(five, 4), Seats { limit: five, used: 5, over_limit: false });
        assert!(Seats::of(five, 4).is_full());
        assert!(Seats::of(Some(GrantValue::Number(1)), 0).is_full());
        assert!(Seats::of(Some(GrantValue::Number(0)), 0).over_limit);
    }

    #[test]
    fn a_lower_limit_removes_nobody_and_takes_no_more() {
        let seats = Seats::of(Some(GrantValue::Number(2)), 4);
        assert!(seats.over_limit && seats.is_full());
        assert_eq!((seats.used, seats.bound()), (5, 2));
    }

    #[test]
    fn there_are_never_more_than_a_thousand_members() {
        for limit in [None, Some(GrantValue::Unlimited), Some(GrantValue::Number(5_000))] {
            assert!(!Seats::of(limit, MAX_MEMBERS - 1).is_full(), "{limit:?}");
            assert!(Seats::of(limit, MAX_MEMBERS).is_full(), "{limit:?}");
            assert_eq!(Seats::of(limit, MAX_MEMBERS).bound(), 1_001);
            assert!(!Seats::of(limit, MAX_MEMBERS).over_limit);
        }
    }

    proptest! {
        /// A caller that adds members while there is room ends exactly at the limit and never above it.
        #[test]
        fn adding_ends_exactly_at_the_limit(limit in 1..1_200_i64) {
            let limit = Some(GrantValue::Number(limit));
            let mut members = 0;
            while !Seats::of(limit, members).is_full() {
                members += 1;
            }
            let seats = Seats::of(limit, members);
            prop_assert_eq!(seats.used, seats.bound());
            prop_assert!(!seats.over_limit);
        }
    }
}
