//! Search, lists of users, and calls by an operator.

use serde_json::{Value, json};

use super::figures::Figures;
use super::stage::{DESK, Stage, millis, text};
use crate::failure::{Failure, Result};
use crate::load::call;
use crate::load::shot::Shot;
use crate::measure::statistics::ratio;
use crate::rows::dataset;
use crate::targets::perennial::trusted_headers;
use crate::targets::target::Headers;
use perennial_harness::SeededRandom;

/// Different requests of a kind.
const SHOTS: u64 = 500;

pub(super) async fn measure(stage: &Stage<'_>, figures: &mut Figures) -> Result {
    let engine = stage.engine();
    let mut worst: f64 = 0.0;
    for path in ["/search?q=user{}@example.com", "/search?q=user{}"] {
        let round = stage.rounds(shots(stage, path, "\"kind\":\"user\""), DESK).await?;
        worst = worst.max(millis(round.p99_micros)?);
    }
    figures.add(engine, "search-p99", worst);
    worst = 0.0;
    for path in [
        "/users?limit=50",
        "/users?limit=50&email=user{}@example.com",
        "/users?limit=50&email_prefix=user{}",
        "/users?limit=50&created_after=2025-01-01T00:00:00Z&sort=created_at",
    ] {
        let round = stage.rounds(shots(stage, path, "\"id\":\"usr_"), DESK).await?;
        let p99 = millis(round.p99_micros)?;
        println!("{path}: p99 {p99:.2} ms");
        worst = worst.max(p99);
    }
    figures.add(engine, "users-p99", worst);
    let list = shots(stage, "/subscriptions?status=active&limit=50", "\"status\":\"active\"");
    figures.add(engine, "list-p99", millis(stage.rounds(list, DESK).await?.p99_micros)?);
    operator(stage, figures).await
}

fn shots(stage: &Stage<'_>, path: &str, needle: &str) -> Vec<Shot> {
    let (headers, mut random) = (trusted_headers(), SeededRandom::new(5));
    let number = |random: &mut SeededRandom| random.below(stage.dataset.rows).to_string();
    let count = if path.contains("{}") { SHOTS } else { 1 };
    (0..count)
        .map(|_| Shot::new("GET", &path.replace("{}", &number(&mut random)), &headers, "").needle(needle))
        .collect()
}

async fn operator(stage: &Stage<'_>, figures: &mut Figures) -> Result {
    let headers = sign_in(stage)?;
    let reads = |headers: &Headers| -> Vec<Shot> {
        let read = |number: u64| {
            let id = dataset::subscription(number);
            Shot::new("GET", &format!("/subscriptions/{id}"), headers, "").needle(format!("\"id\":\"{id}\""))
        };
        (0..stage.dataset.rows.min(5_000)).map(read).collect()
    };
    let (operator, client) = stage.in_turns(reads(&headers), reads(&trusted_headers())).await?;
    let factor = operator.cpu_micros.zip(client.cpu_micros).and_then(|(operator, client)| ratio(operator, client));
    figures.add(stage.engine(), "operator-cpu", factor.ok_or_else(|| Failure::new("no CPU time was measured"))?);
    Ok(())
}

/// The headers of an operator's calls, after a sign-in with a one-time link.
fn sign_in(stage: &Stage<'_>) -> Result<Headers> {
    let url = text(&stage.home.json(&["console", "open"])?["url"])?;
    let (_, link) = url.split_once("#link=").ok_or_else(|| Failure::new("an address without a link"))?;
    let host = stage.target.address.to_string();
    let mut headers: Headers = vec![
        ("host".to_owned(), host.clone()),
        ("origin".to_owned(), format!("http://{host}")),
        ("x-perennial-console".to_owned(), "1".to_owned()),
    ];
    let body: Value = json!({ "link": link });
    let raw = call::expect(stage.target.address, &Shot::new("POST", "/operator-session", &headers, &body.to_string()))?;
    let head = String::from_utf8_lossy(&raw.bytes[..raw.body_start]).into_owned();
    let cookie = head
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.eq_ignore_ascii_case("set-cookie"))
        .and_then(|(_, value)| value.trim().split(';').next())
        .ok_or_else(|| Failure::new("the sign-in set no cookie"))?;
    headers.push(("cookie".to_owned(), cookie.to_owned()));
    Ok(headers)
}
