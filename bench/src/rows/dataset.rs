//! The rows of every target: computed from their number, so that they need not be stored.

use perennial_domain::id::{EventId, PlanId, SubscriptionId, UserId, uuid_v7};
use perennial_domain::time::Time;

/// 2025-01-01: all rows lie in the past, a second apart.
const FIRST_MICROS: i64 = 1_735_689_600_000_000;
const STEP_MICROS: i64 = 1_000_000;
const MONTH_SECONDS: i64 = 30 * 86_400;
/// The free bits of an id are its number times this: `pgbench` can compute that too, without overflowing up to
/// [`MOST_ROWS`].
pub(crate) const SPREAD: u64 = 400_000_000_007;
pub(crate) const MOST_ROWS: u64 = 11_000_000;
/// So many subscriptions has each user: two pages.
const PER_USER: u64 = 100;
pub(crate) const PLANS: u64 = 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dataset {
    pub(crate) rows: u64,
}

/// A value of a column, before an engine has its way of writing it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell {
    Null,
    Uuid([u8; 16]),
    Text(String),
    Word(&'static str),
    Number(i64),
    Bool(bool),
    Time(Time),
}

/// The columns of all tables that are loaded; a target's table has some of them.
pub(crate) const SUBSCRIPTION: &[&str] = &[
    "id",
    "user_id",
    "plan_id",
    "external_id",
    "billing_cycle",
    "status",
    "is_active",
    "starts_at",
    "renews_at",
    "ends_at",
    "created_at",
    "updated_at",
];
pub(crate) const PLAN: &[&str] = &[
    "id",
    "slug",
    "name",
    "product_id",
    "variants",
    "price",
    "currency",
    "href",
    "billing_cycle",
    "description",
    "node_quota",
    "features",
    "most_popular",
    "tier",
    "is_active",
    "created_at",
    "updated_at",
];
pub(crate) const USER: &[&str] = &["id", "email", "created_at", "updated_at"];

impl Dataset {
    pub(crate) fn users(self) -> u64 {
        (self.rows / PER_USER).max(1)
    }

    /// The owner of a subscription.
    pub(crate) fn owner(self, number: u64) -> UserId {
        user(number % self.users())
    }

    /// How many subscriptions one user has at the least.
    pub(crate) fn per_user(self) -> u64 {
        self.rows / self.users()
    }

    /// How many subscriptions are `active`.
    pub(crate) fn active(self) -> u64 {
        (0..10).filter(|rest| status(*rest) == "active").map(|rest| (self.rows + 9 - rest) / 10).sum()
    }

    pub(crate) fn cell(self, table: &str, column: &str, number: u64) -> Cell {
        let at = created(number);
        match (table, column) {
            (_, "id") => Cell::Uuid(id(number)),
            (_, "created_at" | "updated_at" | "starts_at") => Cell::Time(at),
            (_, "revision") => Cell::Uuid(EventId::from_bytes(id(number)).bytes()),
            ("users", "email") => Cell::Text(format!("user{number}@example.com")),
            ("plans", "slug") => Cell::Text(slug(number)),
            ("plans", "name") => Cell::Text(format!("Bench {number}")),
            ("plans", "price") => Cell::Number(199_900),
            ("plans", "currency") => Cell::Word("USD"),
            ("plans", "variants") => Cell::Word("[]"),
            ("plans", "description") => Cell::Word("What a small team needs to start, and to stay."),
            ("plans", "features") => Cell::Word("Unlimited projects,Five seats,Support by e-mail"),
            ("plans", "node_quota") => Cell::Number(25),
            ("plans", "tier") => Cell::Number(i64::try_from(number).unwrap_or_default()),
            ("plans", "most_popular") => Cell::Bool(false),
            ("plans", "is_active") => Cell::Bool(true),
            (_, "billing_cycle") => Cell::Word("monthly"),
            ("subscriptions", "user_id") => Cell::Uuid(self.owner(number).bytes()),
            ("subscriptions", "plan_id") => Cell::Uuid(plan(number).bytes()),
            ("subscriptions", "status") => Cell::Word(status(number)),
            ("subscriptions", "is_active") => Cell::Bool(status(number) != "expired"),
            ("subscriptions", "renews_at") => Cell::Time(at.plus_seconds(MONTH_SECONDS)),
            ("subscriptions", "ends_at") if status(number) == "expired" => Cell::Time(at.plus_seconds(MONTH_SECONDS)),
            ("users", "session_epoch") => Cell::Number(0),
            _ => Cell::Null,
        }
    }
}

pub(crate) fn subscription(number: u64) -> SubscriptionId {
    SubscriptionId::from_bytes(id(number))
}

pub(crate) fn user(number: u64) -> UserId {
    UserId::from_bytes(id(number))
}

pub(crate) fn plan(number: u64) -> PlanId {
    PlanId::from_bytes(id(number % PLANS))
}

pub(crate) fn slug(number: u64) -> String {
    format!("bench-{}", number % PLANS)
}

pub(crate) fn first_millis() -> i64 {
    FIRST_MICROS / 1_000
}

/// An id as peers know it.
pub(crate) fn uuid_text(bytes: [u8; 16]) -> String {
    let hex = format!("{:032x}", u128::from_be_bytes(bytes));
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

fn created(number: u64) -> Time {
    let micros = FIRST_MICROS + i64::try_from(number).unwrap_or_default() * STEP_MICROS;
    Time::from_micros(micros).unwrap_or(Time::MAX)
}

fn id(number: u64) -> [u8; 16] {
    // The lowest two bits do not enter an id.
    uuid_v7(created(number), (number * SPREAD) << 2)
}

fn status(number: u64) -> &'static str {
    match number % 10 {
        0..=6 => "active",
        7 => "on_trial",
        8 => "past_due",
        _ => "expired",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_in_order_and_never_overflow() {
        assert!(subscription(0) < subscription(1));
        assert!(subscription(1) < subscription(MOST_ROWS - 1));
        assert_eq!(MOST_ROWS.checked_mul(SPREAD).map(|largest| largest >> 62), Some(0));
    }

    #[test]
    fn an_id_is_what_pgbench_computes() {
        let number = 123_456_u64;
        let high = ((first_millis() + 123_456 * 1_000) << 16) + 0x7000;
        let low = i64::MIN + i64::try_from(number * SPREAD).unwrap();
        let text = format!("{high:016x}{low:016x}");
        assert_eq!(text, uuid_text(id(number)).replace('-', ""));
    }

    #[test]
    fn every_user_has_a_page_and_most_rows_are_active() {
        let dataset = Dataset { rows: 1_000 };
        assert_eq!(dataset.users(), 10);
        assert_eq!(dataset.per_user(), 100);
        assert_eq!(dataset.active(), 700);
        assert_eq!(Dataset { rows: 7 }.active(), 7);
        assert_eq!(dataset.owner(11), user(1));
    }

    #[test]
    fn a_column_nobody_fills_is_null() {
        assert_eq!(Dataset { rows: 1 }.cell("plans", "href", 0), Cell::Null);
        assert_eq!(Dataset { rows: 1 }.cell("plans", "slug", 21), Cell::Text("bench-1".to_owned()));
    }
}
