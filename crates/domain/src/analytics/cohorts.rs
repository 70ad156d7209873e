//! Cohorts: the customers who were new in a month, and how many of them and of their revenue remain.

use super::Value;
use super::calendar::Month;
use super::rounding::{Figure, monthly, rate};
use super::sums::CohortSum;
use crate::currency::Currency;
use serde::Serialize;
use std::collections::BTreeMap;

/// A row of `/analytics/cohorts`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields are the API's")]
pub struct CohortRow {
    pub cohort: Month,
    pub customers: i64,
    pub mrr: Figure,
    pub cells: Vec<CohortCell>,
}

/// A cohort at the close of a month.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields are the API's")]
pub struct CohortCell {
    /// The number of months after the month of the cohort.
    pub month: i64,
    pub customers: i64,
    pub mrr: Figure,
    pub customer_retention: Option<Figure>,
    pub revenue_retention: Option<Figure>,
}

/// The rows of the cohorts of these months, up to the last of them. `sums` are the movements by cohort and month.
pub fn cohort_rows(
    (first, last): (Month, Month),
    sums: &BTreeMap<(Month, Month), CohortSum>,
    currency: Currency,
) -> Vec<CohortRow> {
    (first.number()..=last.number()).map(|cohort| row(Month::from_number(cohort), last, sums, currency)).collect()
}

fn row(cohort: Month, last: Month, sums: &BTreeMap<(Month, Month), CohortSum>, currency: Currency) -> CohortRow {
    let first = sums.get(&(cohort, cohort)).copied().unwrap_or_default();
    let (mut customers, mut value): (i64, Value) = (0, 0);
    let cells = (0..=last.number() - cohort.number()).map(|month| {
        let change = sums.get(&(cohort, cohort.plus(month))).copied().unwrap_or_default();
        customers += change.customers;
        value += change.value;
        CohortCell {
            month,
            customers,
            mrr: monthly(value, currency),
            customer_retention: rate(customers.into(), first.new.into()),
            revenue_retention: rate(value, first.value),
        }
    });
    CohortRow { cohort, cells: cells.collect(), customers: first.new, mrr: monthly(first.value, currency) }
}
