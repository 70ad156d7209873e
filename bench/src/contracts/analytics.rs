//! Revenue figures and the overview of the console, on a store with a history.

use super::figures::Figures;
use super::fixture::{FEW_CONNECTIONS, Fixture, millis};
use crate::clock;
use crate::failure::Result;
use crate::load::request::Request;
use crate::measure::statistics::float;
use crate::targets::perennial::trusted_headers;

const DAY: i64 = 86_400;

pub(super) async fn measure(fixture: &Fixture<'_>, figures: &mut Figures) -> Result {
    let engine = fixture.engine();
    let subscriptions = fixture.home.store().number("SELECT COUNT(*) FROM subscriptions")?;
    figures.note(engine, "subscriptions in the store of these measurements", float(subscriptions), "");
    let day = |days: i64| -> String { clock::now().plus_seconds(-days * DAY).to_string().chars().take(10).collect() };
    // 23 months before this one.
    let from = day(700)[..7].to_owned();
    let mut p99 = Vec::new();
    for path in [
        format!("/analytics/revenue?from={from}"),
        format!("/analytics/revenue?interval=day&from={}", day(89)),
        format!("/analytics/cohorts?from={from}"),
        format!("/analytics/payments?from={from}"),
        "/analytics/plans".to_owned(),
    ] {
        p99.push(of(fixture, &path).await?);
    }
    figures.add(engine, "revenue-months", p99[0]);
    figures.add(engine, "revenue-days", p99[1]);
    figures.add(engine, "cohorts", p99[2]);
    // The page waits for the first, then for the slowest of the others: less than their sum.
    figures.add(engine, "overview", p99.iter().sum());
    figures.add(engine, "payments-p99", of(fixture, "/subscription-payments?limit=50").await?);
    figures.note(engine, "movements of a page: p99", of(fixture, "/analytics/movements?limit=50").await?, "ms");
    Ok(())
}

async fn of(fixture: &Fixture<'_>, path: &str) -> Result<f64> {
    let request = Request::new("GET", path, &trusted_headers(), "").needle("\"data\":[{");
    let p99 = millis(fixture.rounds(vec![request], FEW_CONNECTIONS).await?.p99_micros)?;
    println!("{path}: p99 {p99:.2} ms");
    Ok(p99)
}
