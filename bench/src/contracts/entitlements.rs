//! What a user may do: the check of one feature, the list of all, and usage against a quota.

use serde_json::json;

use super::figures::Figures;
use super::fixture::{FEW_CONNECTIONS, Fixture, millis};
use crate::failure::{Failure, Result};
use crate::load::generator::Source;
use crate::load::request::Request;
use crate::measure::statistics::ratio;
use crate::rows::dataset::{self, PLANS, slug};
use crate::targets::perennial::trusted_headers;
use crate::workloads::{self, Workload};

/// More than a run can use.
const QUOTA: u64 = 1_000_000_000;

/// Features of the organization that no plan grants.
const OTHER_FEATURES: usize = 97;

pub(super) async fn measure(fixture: &Fixture<'_>, figures: &mut Figures) -> Result {
    grant(fixture)?;
    // The users after those of the dataset have no subscription yet; the last one gets many.
    let (first, last) = (fixture.dataset.users(), fixture.dataset.rows - 1);
    let users = fixture.size(50, 2_000).min(last - first);
    let one_each = (first..first + users).map(|number| subscribe(number, number));
    fixture.send_all(one_each.collect(), fixture.options.connections).await?;
    let many = fixture.size(100, 10_000);
    fixture.send_all((0..many).map(|plan| subscribe(last, plan)).collect(), fixture.options.connections).await?;

    let all = |path: &str, needle: &str| -> Vec<Request> {
        (first..first + users).map(|number| read(number, path, needle)).collect()
    };
    let (check, by_id) = fixture.in_turns(all("/sso", "\"allowed\":true"), reads(fixture)?).await?;
    let engine = fixture.engine();
    let cpu = check.cpu_micros.zip(by_id.cpu_micros).and_then(|(check, by_id)| ratio(check, by_id));
    figures.add(engine, "check-cpu", cpu.ok_or_else(|| Failure::new("no CPU time was measured"))?);
    figures.add(engine, "check-p99", millis(check.p99_micros)?);
    figures.note(engine, "checks of a feature", check.per_second, "/s");
    let everything = fixture.rounds(all("", "\"sso\":{"), fixture.options.connections).await?;
    figures.add(engine, "entitlements-p99", millis(everything.p99_micros)?);
    let one = fixture.rounds(all("", "\"sso\":{"), FEW_CONNECTIONS).await?;
    let many = fixture.rounds(vec![read(last, "", "\"sso\":{")], FEW_CONNECTIONS).await?;
    let factor = ratio(millis(many.p99_micros)?, millis(one.p99_micros)?);
    figures.add(engine, "many-p99", factor.ok_or_else(|| Failure::new("no latency was measured"))?);
    enforce(fixture, figures).await
}

/// A feature of each kind, granted by all plans, and features that no plan grants.
fn grant(fixture: &Fixture<'_>) -> Result {
    fixture.call("POST", "/meters", &json!({ "slug": "checked", "name": "Checked", "aggregation": "sum" }))?;
    for feature in [
        json!({ "key": "sso", "name": "SSO", "kind": "boolean" }),
        json!({ "key": "projects", "name": "Projects", "kind": "limit" }),
        json!({ "key": "checked", "name": "Checked", "kind": "quota", "meter": "checked", "period": "month" }),
    ] {
        fixture.call("POST", "/features", &feature)?;
    }
    for number in 0..OTHER_FEATURES {
        let feature = json!({ "key": format!("other-{number}"), "name": "Other", "kind": "boolean" });
        fixture.call("POST", "/features", &feature)?;
    }
    let grants = json!({ "entitlements": { "sso": true, "projects": 5, "checked": QUOTA } });
    (0..PLANS)
        .try_for_each(|plan| fixture.call("PUT", &format!("/subscription-plans/{}", slug(plan)), &grants).map(drop))
}

fn subscribe(user: u64, plan: u64) -> Request {
    let body = json!({ "user_id": dataset::user(user), "subscription_plan_id": dataset::plan(plan) }).to_string();
    Request::new("POST", "/subscriptions", &trusted_headers(), &body).status(201)
}

fn read(user: u64, path: &str, needle: &str) -> Request {
    let path = format!("/users/{}/entitlements{path}", dataset::user(user));
    Request::new("GET", &path, &trusted_headers(), "").needle(needle)
}

fn reads(fixture: &Fixture<'_>) -> Result<Vec<Request>> {
    match workloads::source(Workload::Subscription, &fixture.target, fixture.dataset, Some(&fixture.home))? {
        Some(Source::Any(requests)) => Ok(requests.to_vec()),
        _ => Err(Failure::new("Perennial has no reads")),
    }
}

/// Single events against a quota.
async fn enforce(fixture: &Fixture<'_>, figures: &mut Figures) -> Result {
    let requests = (0..fixture.dataset.rows.min(1_000)).filter(|number| number % 10 < 7).map(|number| {
        let subscription = dataset::subscription(number);
        let event = json!({ "id": "enforce-############", "subscription_id": subscription, "meter": "checked" });
        let body = json!({ "events": [event], "mode": "enforce" }).to_string();
        Request::new("POST", "/usage-events", &trusted_headers(), &body).needle("\"accepted\":1,")
    });
    let round = fixture.rounds(requests.collect(), fixture.options.connections).await?;
    figures.note(fixture.engine(), "usage with `enforce`, one event in a call", round.per_second, "/s");
    figures.note(fixture.engine(), "usage with `enforce`, 64 connections: p99", millis(round.p99_micros)?, "ms");
    Ok(())
}
