//! The schemas and examples of figures. The examples are rows of the worked example in the documentation.

use crate::samples;
use crate::schema::{self, Schema};
use perennial_app::analytics::{Meta, MetaState, MovementRow, PlanRow};
use perennial_domain::analytics::calendar::Month;
use perennial_domain::analytics::cohorts::cohort_rows;
use perennial_domain::analytics::movements::MovementKind;
use perennial_domain::analytics::revenue::{Level, PaymentRow, Period, PeriodSums, TrialRow, revenue_rows};
use perennial_domain::analytics::rounding::monthly;
use perennial_domain::analytics::sums::{CohortSum, PaymentKind, Sum, SumKind};
use perennial_domain::currency::Currency;
use perennial_domain::id::{PlanId, UserId};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub(super) static REVENUE: Schema =
    Schema { name: "RevenuePeriod", definition: revenue, example: revenue_sample, refers_to: &[] };
pub(super) static MOVEMENT: Schema =
    Schema { name: "Movement", definition: movement, example: movement_sample, refers_to: &[] };
pub(super) static COHORT: Schema =
    Schema { name: "Cohort", definition: cohort, example: cohort_sample, refers_to: &[&CELL] };
static CELL: Schema = Schema { name: "CohortCell", definition: cell, example: cell_sample, refers_to: &[] };
pub(super) static TRIALS: Schema =
    Schema { name: "TrialPeriod", definition: trials, example: trials_sample, refers_to: &[] };
pub(super) static PAYMENTS: Schema =
    Schema { name: "PaymentPeriod", definition: payments, example: payments_sample, refers_to: &[&COUNTED] };
static COUNTED: Schema = Schema { name: "PaymentFigure", definition: counted, example: counted_sample, refers_to: &[] };
pub(super) static PLAN: Schema = Schema { name: "PlanFigures", definition: plan, example: plan_sample, refers_to: &[] };
pub(crate) static META: Schema =
    Schema { name: "AnalyticsMeta", definition: meta, example: meta_sample, refers_to: &[] };

fn number() -> Value {
    json!({ "type": "number" })
}

fn optional_number() -> Value {
    json!({ "type": ["number", "null"] })
}

fn count() -> Value {
    json!({ "type": "integer" })
}

fn period() -> Value {
    json!({ "type": "string", "description": "A month or a day: `2026-04` or `2026-04-05`." })
}

fn revenue() -> Value {
    schema::record(&[
        ("period", period()),
        ("start", number()),
        ("new", number()),
        ("expansion", number()),
        ("reactivation", number()),
        ("contraction", number()),
        ("churned", number()),
        ("end", number()),
        ("committed", number()),
        ("arr", number()),
        ("customers_start", count()),
        ("customers_new", count()),
        ("customers_reactivated", count()),
        ("customers_churned", count()),
        ("customers_end", count()),
        ("subscriptions", count()),
        ("arpu", optional_number()),
        ("logo_churn", optional_number()),
        ("gross_churn", optional_number()),
        ("nrr", optional_number()),
        ("grr", optional_number()),
        ("ltv", optional_number()),
    ])
}

fn movement() -> Value {
    schema::record(&[
        ("date", json!({ "type": "string", "format": "date" })),
        ("user_id", schema::id::<UserId>()),
        ("kind", schema::words(&MovementKind::ALL.map(MovementKind::as_str))),
        ("amount", number()),
        ("mrr", number()),
    ])
}

fn cohort() -> Value {
    schema::record(&[
        ("cohort", json!({ "type": "string", "description": "A month: `2026-04`." })),
        ("customers", count()),
        ("mrr", number()),
        ("cells", json!({ "type": "array", "items": CELL.reference() })),
    ])
}

fn cell() -> Value {
    schema::record(&[
        ("month", json!({ "type": "integer", "minimum": 0, "description": "Months after the month of the cohort." })),
        ("customers", count()),
        ("mrr", number()),
        ("customer_retention", optional_number()),
        ("revenue_retention", optional_number()),
    ])
}

fn trials() -> Value {
    schema::record(&[
        ("period", period()),
        ("started", count()),
        ("converted", count()),
        ("lost", count()),
        ("open", count()),
        ("rate", optional_number()),
    ])
}

fn payments() -> Value {
    schema::record(&[
        ("period", period()),
        ("collected", COUNTED.reference()),
        ("refunded", COUNTED.reference()),
        ("failed", COUNTED.reference()),
        ("failure_rate", optional_number()),
    ])
}

fn counted() -> Value {
    schema::record(&[("count", count()), ("amount", number())])
}

fn plan() -> Value {
    schema::record(&[
        ("subscription_plan_id", schema::id::<PlanId>()),
        ("slug", schema::optional_text()),
        ("name", schema::optional_text()),
        ("subscriptions", count()),
        ("mrr", number()),
    ])
}

fn meta() -> Value {
    schema::record(&[
        (
            "as_of",
            json!({ "type": "string", "format": "date-time", "description": "The figures are complete up to this time." }),
        ),
        (
            "sequence",
            json!({ "type": "integer", "minimum": 0, "description": "The last position of the feed that they include." }),
        ),
        ("lag_seconds", json!({ "type": "integer", "minimum": 0 })),
        ("state", schema::words(&MetaState::ALL.map(MetaState::as_str))),
        (
            "currency",
            json!({ "type": ["string", "null"], "description": "Null if the figures are of all currencies." }),
        ),
        (
            "currencies",
            json!({ "type": "array", "items": { "type": "string" }, "description": "Currencies with a movement." }),
        ),
    ])
}

/// A monthly amount of cents as a value.
const fn cents(cents: i128) -> i128 {
    cents * 100 * 24
}

fn april() -> Month {
    Month::parse("2026-04").expect("the month is valid")
}

fn revenue_sample() -> Value {
    let mut sums = PeriodSums::default();
    sums.add(SumKind::Movement(MovementKind::New), Sum { amount: cents(1_950), count: 1 });
    sums.add(SumKind::Movement(MovementKind::Churned), Sum { amount: -cents(3_900), count: 1 });
    sums.add(SumKind::Subscriptions, Sum { amount: cents(1_950), count: 1 });
    let base = Level { value: cents(25_000), committed: cents(20_000), customers: 4, subscriptions: 5 };
    samples::json(revenue_rows(base, &[(Period::Month(april()), sums)], 0, Currency::USD).pop())
}

fn movement_sample() -> Value {
    samples::json(MovementRow {
        date: april().first(),
        user_id: UserId::from_bytes(samples::ID),
        kind: MovementKind::Expansion,
        amount: monthly(cents(7_000), Currency::USD),
        mrr: monthly(cents(7_900), Currency::USD),
    })
}

fn cohort_sample() -> Value {
    let cell = CohortSum { new: 4, customers: 4, value: cents(9_117) };
    let sums = BTreeMap::from([((april(), april()), cell)]);
    samples::json(cohort_rows((april(), april()), &sums, Currency::USD).pop())
}

fn cell_sample() -> Value {
    cohort_sample()["cells"][0].clone()
}

fn trials_sample() -> Value {
    samples::json(TrialRow::new(Period::Month(april()), 5, 3, 1))
}

fn payments_sample() -> Value {
    let sum = |kind: PaymentKind| match kind {
        PaymentKind::Collected => Sum { amount: 870_000, count: 3 },
        PaymentKind::Refunded => Sum { amount: 290_000, count: 1 },
        PaymentKind::Failed => Sum { amount: 90_000, count: 1 },
    };
    samples::json(PaymentRow::new(Period::Month(april()), sum, Currency::USD))
}

fn counted_sample() -> Value {
    payments_sample()["collected"].clone()
}

fn plan_sample() -> Value {
    samples::json(PlanRow {
        subscription_plan_id: PlanId::from_bytes(samples::ID),
        slug: Some("pro".to_owned()),
        name: Some("Pro".to_owned()),
        subscriptions: 2,
        mrr: monthly(cents(5_800), Currency::USD),
    })
}

fn meta_sample() -> Value {
    samples::json(Meta {
        as_of: samples::now(),
        sequence: 48_213,
        lag_seconds: 0,
        state: MetaState::Current,
        currency: Some(Currency::USD),
        currencies: vec!["EUR".to_owned(), "USD".to_owned()],
    })
}
