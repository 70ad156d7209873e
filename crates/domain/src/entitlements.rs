//! Entitlements: what a user has, computed from subscriptions, plans, features and an instant.
//! Nothing of it is stored, so that a change of a record or of the clock acts at once.

mod check;
mod grants;
mod period;
mod quota;
mod rules;
mod terms;

pub use check::{Check, Reason, check};
pub use grants::{GrantValue, Grants, GrantsDraft, MAX_GRANTS, MAX_VALUE, SentGrant};
pub use period::{Period, period};
pub use quota::{Bounds, Exceeded, Quota, Request, THRESHOLDS, ThresholdReached, added, quotas, requests};
pub use rules::{
    Entitlement, Holding, Holdings, MAX_CONSIDERED, MAX_USED, Remaining, SEATS, Source, TotalKey, Usage,
    UserEntitlements, compute, own_value, totals, value_of,
};
pub use terms::{PeriodTerms, Terms};

#[cfg(test)]
mod reference;
#[cfg(test)]
mod tests;
