//! Search, lists of users, and calls by an operator.

use serde_json::{Value, json};

use super::figures::Figures;
use super::fixture::{FEW_CONNECTIONS, Fixture, millis, text};
use crate::failure::{Failure, Result};
use crate::load::call;
use crate::load::request::Request;
use crate::measure::statistics::ratio;
use crate::rows::dataset;
use crate::targets::perennial::trusted_headers;
use crate::targets::target::Headers;
use perennial_harness::SeededRandom;

/// Different requests of a kind.
const REQUESTS: u64 = 500;

pub(super) async fn measure(fixture: &Fixture<'_>, figures: &mut Figures) -> Result {
    let engine = fixture.engine();
    let mut worst: f64 = 0.0;
    for path in ["/search?q=user{}@example.com", "/search?q=user{}"] {
        let round = fixture.rounds(requests(fixture, path, "\"kind\":\"user\""), FEW_CONNECTIONS).await?;
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
        let round = fixture.rounds(requests(fixture, path, "\"id\":\"usr_"), FEW_CONNECTIONS).await?;
        let p99 = millis(round.p99_micros)?;
        println!("{path}: p99 {p99:.2} ms");
        worst = worst.max(p99);
    }
    figures.add(engine, "users-p99", worst);
    let list = requests(fixture, "/subscriptions?status=active&limit=50", "\"status\":\"active\"");
    figures.add(engine, "list-p99", millis(fixture.rounds(list, FEW_CONNECTIONS).await?.p99_micros)?);
    operator(fixture, figures).await
}

fn requests(fixture: &Fixture<'_>, path: &str, needle: &str) -> Vec<Request> {
    let (headers, mut random) = (trusted_headers(), SeededRandom::new(5));
    let number = |random: &mut SeededRandom| random.below(fixture.dataset.rows).to_string();
    let count = if path.contains("{}") { REQUESTS } else { 1 };
    (0..count)
        .map(|_| Request::new("GET", &path.replace("{}", &number(&mut random)), &headers, "").needle(needle))
        .collect()
}

async fn operator(fixture: &Fixture<'_>, figures: &mut Figures) -> Result {
    let headers = sign_in(fixture)?;
    let reads = |headers: &Headers| -> Vec<Request> {
        let read = |number: u64| {
            let id = dataset::subscription(number);
            Request::new("GET", &format!("/subscriptions/{id}"), headers, "").needle(format!("\"id\":\"{id}\""))
        };
        (0..fixture.dataset.rows.min(5_000)).map(read).collect()
    };
    let (operator, client) = fixture.in_turns(reads(&headers), reads(&trusted_headers())).await?;
    let factor = operator.cpu_micros.zip(client.cpu_micros).and_then(|(operator, client)| ratio(operator, client));
    figures.add(fixture.engine(), "operator-cpu", factor.ok_or_else(|| Failure::new("no CPU time was measured"))?);
    Ok(())
}

/// The headers of an operator's calls, after a sign-in with a one-time link.
fn sign_in(fixture: &Fixture<'_>) -> Result<Headers> {
    let url = text(&fixture.home.json(&["console", "open"])?["url"])?;
    let (_, link) = url.split_once("#link=").ok_or_else(|| Failure::new("an address without a link"))?;
    let host = fixture.target.address.to_string();
    let mut headers: Headers = vec![
        ("host".to_owned(), host.clone()),
        ("origin".to_owned(), format!("http://{host}")),
        ("x-perennial-console".to_owned(), "1".to_owned()),
    ];
    let body: Value = json!({ "link": link });
    let raw =
        call::expect(fixture.target.address, &Request::new("POST", "/operator-session", &headers, &body.to_string()))?;
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
