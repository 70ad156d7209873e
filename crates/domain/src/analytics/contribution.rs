//! What one subscription contributes to the figures at the close of a day.

use super::Value;
use super::calendar::Day;
use super::state::State;
use crate::currency::Currency;
use crate::id::{PlanId, UserId};
use crate::time::Time;

/// What a subscription contributes at the close of a day and of those after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The first day.
    pub day: Day,
    /// Whether it pays, which it also may with a value of 0.
    pub pays: bool,
    /// Its value, if it pays and has one.
    pub contribution: Option<Contribution>,
}

/// A value that is paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contribution {
    /// By which user.
    pub user_id: UserId,
    /// For which plan.
    pub plan_id: PlanId,
    /// In which currency.
    pub currency: Currency,
    /// The value.
    pub value: Value,
    /// Whether it is expected to continue.
    pub is_committed: bool,
}

impl Contribution {
    /// What a state contributes at an instant.
    pub fn of(state: &State, at: Time) -> Option<Self> {
        let (currency, value) = state.price.filter(|(_, value)| *value > 0)?;
        state.pays(at).then(|| Self {
            user_id: state.user_id,
            plan_id: state.plan_id,
            currency,
            value,
            is_committed: state.is_committed(),
        })
    }
}

/// A user in a currency.
pub type CustomerKey = (Currency, UserId);
