//! Invoices that are issued in one series, and the PDF of a long one.

use serde_json::{Value, json};

use super::figures::Figures;
use super::stage::{Stage, millis, text};
use crate::failure::{Failure, Result};
use crate::load::shot::Shot;
use crate::rows::dataset;
use crate::targets::perennial::trusted_headers;

/// The lines of the long invoice.
const LINES: usize = 50;

pub(super) async fn measure(stage: &Stage<'_>, figures: &mut Figures) -> Result {
    let headers = trusted_headers();
    let (subscriptions, invoices) = stage.size((10, 50), (200, 10_000));
    let plan = json!({ "name": "Billed", "slug": "billed", "price": 10, "billing_cycle": "monthly" });
    stage.call("POST", "/subscription-plans", &plan)?;
    let users = stage.dataset.users();
    let mut ids = Vec::new();
    for number in 0..subscriptions {
        let user = dataset::user(number % users);
        let billing = json!({ "collection": "manual" });
        let body = json!({ "user_id": user, "subscription_plan_id": "billed", "billing": billing });
        ids.push(text(&stage.call("POST", "/subscriptions", &body)?["id"])?);
    }
    let drafts = (0..invoices).map(|number| {
        let subscription = &ids[number % ids.len()];
        let lines = json!([{ "description": "Set-up", "quantity": 2, "unit_price": 49.5 }]);
        let body = json!({ "subscription_id": subscription, "lines": lines }).to_string();
        Shot::new("POST", "/invoices", &headers, &body).status(201).needle("\"status\":\"draft\"")
    });
    let connections = stage.options.connections;
    let created = stage.send_all(drafts.collect(), connections).await?;
    let drafts = stage.ids(&headers, "/invoices?status=draft&kind=one_off")?;
    if drafts.len() != invoices {
        return Err(Failure::new(format!("{} drafts were listed, not {invoices}", drafts.len())));
    }
    let finalize = drafts
        .iter()
        .map(|id| Shot::new("POST", &format!("/invoices/{id}/finalize"), &headers, "").needle("\"status\":\"open\""));
    let issued = stage.send_all(finalize.collect(), connections).await?;
    let engine = stage.engine();
    figures.add(engine, "issue-rate", issued.per_second);
    figures.note(engine, "invoices created as drafts", created.per_second, "/s");
    if let Some(cpu) = issued.cpu_micros {
        figures.note(engine, "issuing: CPU of server and database per invoice", cpu, "µs");
    }
    figures.note(engine, "issuing, 64 connections: p99", millis(issued.p99_micros)?, "ms");
    pdf(stage, figures, &ids[0]).await
}

async fn pdf(stage: &Stage<'_>, figures: &mut Figures, subscription: &str) -> Result {
    let line = |number| json!({ "description": format!("Item {number}"), "quantity": number, "unit_price": 4.99 });
    let lines: Vec<Value> = (1..=LINES).map(line).collect();
    let draft = stage.call("POST", "/invoices", &json!({ "subscription_id": subscription, "lines": lines }))?;
    let id = text(&draft["id"])?;
    stage.call("POST", &format!("/invoices/{id}/finalize"), &Value::Null)?;
    let document = |format: &str, needle: &str| {
        let path = format!("/invoices/{id}/document?format={format}");
        vec![Shot::new("GET", &path, &trusted_headers(), "").needle(needle)]
    };
    let pdf = stage.rounds(document("pdf", "%PDF"), 1).await?;
    let html = stage.rounds(document("html", "</html>"), 1).await?;
    let engine = stage.engine();
    figures.add(engine, "pdf", millis(pdf.p50_micros)?);
    figures.note(engine, "a PDF of 50 lines: p99", millis(pdf.p99_micros)?, "ms");
    figures.note(engine, "an HTML document of 50 lines", millis(html.p50_micros)?, "ms");
    Ok(())
}
