//! What a provider has of one customer.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Trial,
    Active,
    PastDue,
    Paused,
    /// It ends with its period.
    Leaving,
    Expired,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Paid {
    Pending,
    Failed,
    Completed,
    InPart,
    Refunded,
    Void,
}

/// A subscription and its one payment.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) number: usize,
    pub(super) status: Status,
    pub(super) quantity: u64,
    /// When the period ends, in seconds since 1970.
    pub(super) renews: i64,
    pub(super) paid: Paid,
    pub(super) cents: i64,
    /// How often it changed: the body of each webhook is different.
    pub(super) version: u64,
}
