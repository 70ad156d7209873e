//! The ledger of revenue figures: how fast it follows the feed, how fast it is built again, and what it costs the API.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::figures::Figures;
use super::fixture::{FEW_CONNECTIONS, Fixture, medians, millis, until};
use crate::failure::{Failure, Result, could_not};
use crate::load::call;
use crate::load::generator::Pace;
use crate::load::request::Request;
use crate::measure::processes::{peak_bytes, resident_bytes};
use crate::measure::statistics::{float, median, ratio};
use crate::results::Round;
use crate::targets::perennial::trusted_headers;

const RATE: u64 = 400;
const MEBIBYTE: f64 = 1_048_576.0;
const POLL: Duration = Duration::from_millis(5);
const NEWEST: &str = "/events?sort=-sequence&limit=1";
const FIGURES: &str = "/analytics/revenue";

/// Waits until the ledger has caught up with the feed.
pub(super) fn catch_up(fixture: &Fixture<'_>, figures: &mut Figures) -> Result {
    let start = Instant::now();
    follow(fixture)?;
    let events = fixture.home.store().number("SELECT COUNT(*) FROM events")?;
    let per_second = float(events) / start.elapsed().as_secs_f64();
    figures.note(fixture.engine(), "ledger: first pass over the history", per_second, "events/s");
    Ok(())
}

pub(super) async fn measure(fixture: &mut Fixture<'_>, figures: &mut Figures) -> Result {
    lag(fixture, figures).await?;
    rebuild(fixture, figures)?;
    next_to_api(fixture, figures).await
}

/// Waits until the figures include the newest event.
fn follow(fixture: &Fixture<'_>) -> Result {
    fixture.placed()?;
    let wanted = sequence(fixture.target.address)?;
    until("the ledger", || Ok((ledger(fixture.target.address)? >= wanted).then_some(())))
}

/// The position of the newest event.
fn sequence(address: std::net::SocketAddr) -> Result<u64> {
    let page = get(address, NEWEST)?;
    page["data"][0]["sequence"].as_u64().ok_or_else(|| Failure::new(format!("the feed is empty: {page}")))
}

/// The position that the figures include.
fn ledger(address: std::net::SocketAddr) -> Result<u64> {
    let page = get(address, FIGURES)?;
    page["meta"]["sequence"].as_u64().ok_or_else(|| Failure::new(format!("figures without a position: {page}")))
}

fn get(address: std::net::SocketAddr, path: &str) -> Result<Value> {
    call::expect(address, &Request::new("GET", path, &trusted_headers(), ""))?.json()
}

/// Updates that change no value: the figures of their customers stay what they are.
fn updates(fixture: &Fixture<'_>, count: usize) -> Result<Arc<Vec<Request>>> {
    let headers = trusted_headers();
    let mut requests = Vec::new();
    let mut cursor = String::new();
    while requests.len() < count {
        let path = format!("/subscriptions?status=active&limit=200{cursor}");
        let page = get(fixture.target.address, &path)?;
        for record in page["data"].as_array().into_iter().flatten() {
            let id = record["id"].as_str().unwrap_or_default();
            let body = r#"{"renews_at":"2031-06-01T0#:0#:0#.######Z"}"#;
            requests.push(Request::new("PUT", &format!("/subscriptions/{id}"), &headers, body));
        }
        match page["page"]["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    if requests.is_empty() { Err(Failure::new("no subscription is active")) } else { Ok(Arc::new(requests)) }
}

/// The time from an event to the figures that include it, while other events come in.
async fn lag(fixture: &Fixture<'_>, figures: &mut Figures) -> Result {
    let (address, is_over) = (fixture.target.address, Arc::new(AtomicBool::new(false)));
    let over = Arc::clone(&is_over);
    let watching = std::thread::spawn(move || -> Result<Vec<f64>> {
        let mut lags = Vec::new();
        while !over.load(Ordering::Relaxed) || lags.is_empty() {
            let wanted = sequence(address)?;
            let start = Instant::now();
            until("the ledger", || Ok((ledger(address)? >= wanted).then_some(())))?;
            lags.push(start.elapsed().as_secs_f64());
        }
        Ok(lags)
    });
    let pace = Pace { connections: FEW_CONNECTIONS, rate: Some(RATE), ..fixture.options.pace() };
    let sent = fixture.paced(&updates(fixture, 2_000)?, pace).await;
    is_over.store(true, Ordering::Relaxed);
    let lags = watching.join().map_err(|_| Failure::new("the watching thread failed"))??;
    sent?;
    let engine = fixture.engine();
    // Too few for a percentile: the slowest.
    figures.add(engine, "figure-lag", lags.iter().copied().fold(0.0, f64::max));
    figures.note(engine, "commit to figure: median", median(&lags).unwrap_or_default(), "s");
    Ok(())
}

fn rebuild(fixture: &Fixture<'_>, figures: &mut Figures) -> Result {
    let store = fixture.home.store();
    let events = store.number("SELECT COUNT(*) FROM events")?;
    let movements = store.number("SELECT COUNT(*) FROM analytics_movements")?;
    let serving = resident_bytes(fixture.target.process.id());
    let start = Instant::now();
    let mut child = fixture
        .home
        .command()
        .args(["analytics", "rebuild"])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .map_err(could_not("run `perennial analytics rebuild`"))?;
    let mut peak = 0;
    let status = loop {
        peak = peak.max(peak_bytes(child.id()).unwrap_or(0));
        if let Some(status) = child.try_wait().map_err(could_not("wait for a rebuild"))? {
            break status;
        }
        std::thread::sleep(POLL);
    };
    let seconds = start.elapsed().as_secs_f64();
    if !status.success() {
        return Err(Failure::new("`perennial analytics rebuild` failed"));
    }
    let engine = fixture.engine();
    figures.add(engine, "rebuild-rate", float(events) / seconds);
    // A movement is a customer who changed on a day.
    figures.add(engine, "ledger-customers", float(movements) / seconds);
    // Of the server that runs next to it, or of the command itself: whichever did the work.
    let grown = resident_bytes(fixture.target.process.id()).unwrap_or(0).saturating_sub(serving.unwrap_or(0));
    let own = peak.saturating_sub(serving.unwrap_or(0));
    figures.add(engine, "rebuild-memory", float(grown.max(own)) / MEBIBYTE);
    Ok(())
}

/// The API with the ledger and without, in turns; what was written without it is then read by it.
async fn next_to_api(fixture: &mut Fixture<'_>, figures: &mut Figures) -> Result {
    let requests = updates(fixture, 2_000)?;
    let (mut with, mut without): (Vec<Round>, Vec<Round>) = (Vec::new(), Vec::new());
    let engine = fixture.engine();
    for _ in 0..fixture.options.rounds {
        with.push(fixture.load(&requests, FEW_CONNECTIONS).await?);
        restart(fixture, Some("false"))?;
        let unread = ledger_free(fixture)?;
        without.push(fixture.load(&requests, FEW_CONNECTIONS).await?);
        fixture.send_all(requests.iter().cycle().take(fixture.size(50, 20_000)).cloned().collect(), 64).await?;
        let written = sequence(fixture.target.address)?.saturating_sub(unread);
        restart(fixture, None)?;
        let start = Instant::now();
        follow(fixture)?;
        figures.add(engine, "ledger-no-value", float(written) / start.elapsed().as_secs_f64());
    }
    let factor = ratio(millis(medians(&with).p99_micros)?, millis(medians(&without).p99_micros)?);
    figures.add(engine, "ledger-p99", factor.ok_or_else(|| Failure::new("no latency was measured"))?);
    Ok(())
}

/// Checks that the server has no ledger, and returns the position of the newest event.
fn ledger_free(fixture: &Fixture<'_>) -> Result<u64> {
    let raw = call::send(fixture.target.address, &Request::new("GET", FIGURES, &trusted_headers(), ""))?;
    if raw.status != 404 {
        return Err(Failure::new(format!("a server without a ledger answered {} at {FIGURES}", raw.status)));
    }
    sequence(fixture.target.address)
}

fn restart(fixture: &mut Fixture<'_>, enabled: Option<&str>) -> Result {
    let environment = enabled.map(|value| ("PERENNIAL_ANALYTICS_ENABLED", value.to_owned()));
    fixture.restart(environment.into_iter().collect())
}

/// The size of the demo data for so many subscriptions, as `perennial demo` takes it.
pub(super) fn scale(rows: u64) -> String {
    let thousandths = (rows / 20).max(1);
    format!("{}.{:03}", thousandths / 1_000, thousandths % 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twenty_thousand_subscriptions_are_the_scale_one() {
        assert_eq!((scale(20_000), scale(1_000_000), scale(1_000)), ("1.000".into(), "50.000".into(), "0.050".into()));
        assert_eq!(scale(1), "0.001");
    }
}
