//! Invoices that are issued in one series, by the engine and over the API, and the PDF of a long one.

use serde_json::{Value, json};

use super::figures::Figures;
use super::fixture::{FEW_CONNECTIONS, Fixture, Sandbox, millis, text};
use crate::failure::{Failure, Result};
use crate::load::request::Request;
use crate::measure::statistics::float;
use crate::rows::dataset;
use crate::targets::perennial::trusted_headers;

/// The lines of the long invoice.
const LINES: usize = 50;
const START: &str = "2026-03-01T00:00:00Z";
/// When all drafts are issued, and an hour later.
const DUE: &str = "2026-03-02T00:00:00.000000Z";
const AFTER: &str = "2026-03-02T01:00:00.000000Z";

pub(super) async fn measure(fixture: &Fixture<'_>, figures: &mut Figures) -> Result {
    let sandbox = Sandbox::create(fixture, "issue", START)?;
    let (subscriptions, invoices) = fixture.size((10, 50), (200, 10_000));
    let plan = json!({ "name": "Free", "slug": "free", "price": 0, "billing_cycle": "monthly" });
    fixture.call_as(&sandbox.headers, "POST", "/subscription-plans", &plan)?;
    let subscription = json!({
        "user_id": sandbox.user, "subscription_plan_id": "free", "billing": { "collection": "manual" },
    });
    let mut ids = Vec::new();
    for _ in 0..subscriptions {
        ids.push(text(&fixture.call_as(&sandbox.headers, "POST", "/subscriptions", &subscription)?["id"])?);
    }
    let drafts = (0..invoices).map(|number| {
        let lines = json!([{ "description": "Set-up", "quantity": 2, "unit_price": 49.5 }]);
        let body = json!({ "subscription_id": ids[number % ids.len()], "lines": lines }).to_string();
        Request::new("POST", "/invoices", &sandbox.headers, &body).status(201).needle("\"status\":\"draft\"")
    });
    let created = fixture.send_all(drafts.collect(), FEW_CONNECTIONS).await?;
    figures.note(fixture.engine(), "invoices created as drafts", created.per_second, "/s");
    let drafts = fixture.ids(&sandbox.headers, "/invoices?status=draft&kind=one_off")?;
    if drafts.len() != invoices {
        return Err(Failure::new(format!("{} drafts were listed, not {invoices}", drafts.len())));
    }
    let (by_api, by_engine) = drafts.split_at(invoices / 5);
    over_the_api(fixture, figures, &sandbox, by_api).await?;
    let body = json!({ "finalizes_at": DUE }).to_string();
    let put = |id: &String| Request::new("PUT", &format!("/invoices/{id}"), &sandbox.headers, &body).needle(DUE);
    fixture.send_all(by_engine.iter().map(put).collect(), FEW_CONNECTIONS).await?;
    let took = sandbox.advance(fixture.target.address, AFTER)?;
    let left = fixture.ids(&sandbox.headers, "/invoices?status=draft&kind=one_off")?;
    if !left.is_empty() {
        return Err(Failure::new(format!("{} drafts were not issued", left.len())));
    }
    figures.add(fixture.engine(), "issue-rate", float(by_engine.len() as u64) / took.as_secs_f64());
    Ok(())
}

async fn over_the_api(fixture: &Fixture<'_>, figures: &mut Figures, sandbox: &Sandbox, drafts: &[String]) -> Result {
    let finalize = drafts.iter().map(|id| {
        Request::new("POST", &format!("/invoices/{id}/finalize"), &sandbox.headers, "").needle("\"status\":\"open\"")
    });
    let issued = fixture.send_all(finalize.collect(), FEW_CONNECTIONS).await?;
    let engine = fixture.engine();
    figures.note(engine, "invoices finalized over the API, four connections", issued.per_second, "/s");
    figures.note(engine, "invoices finalized over the API: p99", millis(issued.p99_micros)?, "ms");
    if let Some(cpu) = issued.cpu_micros {
        figures.note(engine, "invoices finalized over the API: CPU of server and database", cpu, "µs");
    }
    Ok(())
}

pub(super) async fn pdf(fixture: &Fixture<'_>, figures: &mut Figures) -> Result {
    let plan = json!({ "name": "Billed", "slug": "billed", "price": 10, "billing_cycle": "monthly" });
    fixture.call("POST", "/subscription-plans", &plan)?;
    let billing = json!({ "collection": "manual" });
    let body = json!({ "user_id": dataset::user(0), "subscription_plan_id": "billed", "billing": billing });
    let subscription = fixture.call("POST", "/subscriptions", &body)?;
    let line = |number| json!({ "description": format!("Item {number}"), "quantity": number, "unit_price": 4.99 });
    let lines: Vec<Value> = (1..=LINES).map(line).collect();
    let draft = fixture.call("POST", "/invoices", &json!({ "subscription_id": subscription["id"], "lines": lines }))?;
    let id = text(&draft["id"])?;
    fixture.call("POST", &format!("/invoices/{id}/finalize"), &Value::Null)?;
    let document = |format: &str, needle: &str| {
        let path = format!("/invoices/{id}/document?format={format}");
        vec![Request::new("GET", &path, &trusted_headers(), "").needle(needle)]
    };
    let pdf = fixture.rounds(document("pdf", "%PDF"), 1).await?;
    let html = fixture.rounds(document("html", "</html>"), 1).await?;
    let engine = fixture.engine();
    figures.add(engine, "pdf", millis(pdf.p50_micros)?);
    figures.note(engine, "a PDF of 50 lines: p99", millis(pdf.p99_micros)?, "ms");
    figures.note(engine, "an HTML document of 50 lines", millis(html.p50_micros)?, "ms");
    Ok(())
}
