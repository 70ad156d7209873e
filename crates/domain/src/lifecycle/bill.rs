//! What is billed, as values: the use case makes documents of it in the change of the decision.

use crate::id::{CouponId, InvoiceId, PlanId, TaxRateId};
use crate::invoices::Amount;
use crate::plans::Version;
use crate::plans::billing::TaxBehavior;
use crate::time::Time;
use serde::{Deserialize, Serialize};

/// A part of the window whose usage an invoice bills, and the plan version that prices it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BilledPart {
    /// Its first instant.
    pub from: Time,
    /// The first instant after it. None: the last window.
    pub to: Option<Time>,
    /// The plan.
    pub plan_id: PlanId,
    /// Its version.
    pub version: Version,
}

/// The discount of a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct AppliedCoupon {
    pub coupon_id: CouponId,
    /// None: forever.
    pub periods_left: Option<i64>,
}

/// The line that pays for the rest of the period.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paying {
    /// Its amount less its discount, less what credit notes took back.
    pub net: Amount,
    /// From when on it pays.
    pub from: Time,
    /// Microseconds that the subscription was paused since then.
    pub paused: i64,
    /// The invoice that it is on.
    pub invoice_id: InvoiceId,
    /// Its plan.
    pub plan_id: PlanId,
    /// The version of its plan.
    pub version: Version,
    /// Its tax, if it is on a credit note and not on the invoice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tax: Option<LineTax>,
}

/// The tax of a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineTax {
    /// Whether the amount contains it.
    pub behavior: TaxBehavior,
    /// Its rates.
    pub rate_ids: Vec<TaxRateId>,
}

/// The window of usage that is not billed yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageState {
    /// Where it begins.
    pub from: Time,
    /// The plan at its beginning.
    pub plan_id: PlanId,
    /// The version of that plan.
    pub version: Version,
    /// Later changes of the plan.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<(Time, PlanId, Version)>,
}

/// What a change charges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BilledCharge {
    /// The rest of the current period, of a billing cycle of this many microseconds.
    Rest(i64),
    /// A new period until then (none: `lifetime`), of a billing cycle of this many microseconds.
    Period(Option<Time>, i64),
    /// Nothing.
    Nothing,
}

/// Something to bill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bill {
    /// A period begins: its fee, and the usage before it.
    Period {
        /// When.
        at: Time,
        /// When it ends. None: `lifetime`.
        end: Option<Time>,
        /// The length of its full billing cycle in microseconds.
        cycle: i64,
        /// The usage before it.
        parts: Vec<BilledPart>,
        /// The coupon that it uses.
        coupon: Option<CouponId>,
    },
    /// Usage alone.
    Usage {
        /// When.
        at: Time,
        /// The window.
        parts: Vec<BilledPart>,
        /// The coupon of the period that begins, or would begin, then.
        coupon: Option<CouponId>,
    },
    /// The plan or quantity changed, or the rest of the period is credited.
    Change {
        /// When.
        at: Time,
        /// The end of the period before. None: `lifetime`.
        renews_at: Option<Time>,
        /// What paid for it.
        paying: Option<Paying>,
        /// What is charged.
        charge: BilledCharge,
        /// The coupon of the period.
        coupon: Option<CouponId>,
        /// When the period before began.
        in_period: Option<Time>,
    },
}

/// What a decision bills. It is not part of the record: two records that differ in it are equal.
#[derive(Clone, Debug, Default)]
pub struct Bills(pub Vec<Bill>);

impl PartialEq for Bills {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Bills {}
