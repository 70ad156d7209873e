//! A movement: the change of a customer's revenue on a day.

use super::Value;
use super::calendar::{Day, Month};
use crate::currency::Currency;
use crate::id::UserId;

/// What a movement means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the words of the API")]
pub enum MovementKind {
    New,
    Expansion,
    Reactivation,
    Contraction,
    Churned,
}

/// The change of a customer's value on a day. Never 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Movement {
    /// The currency.
    pub currency: Currency,
    /// The customer.
    pub user_id: UserId,
    /// The day.
    pub day: Day,
    /// What it means.
    pub kind: MovementKind,
    /// The change.
    pub amount: Value,
    /// The value after it.
    pub after: Value,
    /// The month of the customer's first movement.
    pub cohort: Month,
}

/// A customer before a day: none if there was no movement yet.
pub type Before = Option<(Value, Month)>;

impl MovementKind {
    /// Every kind.
    pub const ALL: [Self; 5] = [Self::New, Self::Expansion, Self::Reactivation, Self::Contraction, Self::Churned];

    /// The word in the API and in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Expansion => "expansion",
            Self::Reactivation => "reactivation",
            Self::Contraction => "contraction",
            Self::Churned => "churned",
        }
    }

    /// The kind of a stored word.
    pub fn from_stored(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == word)
    }

    /// The kind of the change from one value to another one.
    pub(super) const fn of(before: Value, after: Value, is_known: bool) -> Self {
        match (before, after) {
            (0, _) if is_known => Self::Reactivation,
            (0, _) => Self::New,
            (_, 0) => Self::Churned,
            _ if after > before => Self::Expansion,
            _ => Self::Contraction,
        }
    }
}

impl Movement {
    /// The customer before this movement.
    pub fn before(&self) -> Before {
        (self.kind != MovementKind::New).then_some((self.after - self.amount, self.cohort))
    }

    /// The customer after this movement.
    pub fn after(&self) -> Before {
        Some((self.after, self.cohort))
    }
}
