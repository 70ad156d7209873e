//! Billed subscriptions that are imported: checked as an export writes them, and scheduled by the engine.

use super::support::{Base, id, minute};
use perennial_transfer::{Format, Import};
use serde_json::{Value, json};

/// The codes of the errors of one line, which is imported if it has none.
async fn import(base: &Base, changes: Value) -> Vec<&'static str> {
    let mut line = json!({
        "organization_id": base.app.organization.to_string(), "external_subscription_id": "old-1", "user_id": base.user,
        "subscription_plan_id": "pro", "billing_cycle": "monthly", "status": "active", "is_active": true,
        "starts_at": "2026-01-31T00:00:00Z", "renews_at": "2026-03-31T00:00:00Z", "created_at": "2026-01-31T00:00:00Z",
        "billing": { "time_zone": "UTC", "anchor_at": "2026-01-31T00:00:00Z", "period_start": "2026-02-28T00:00:00Z" },
    });
    line.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    let mut import = Import::begin(&base.app.app.db, None).await.unwrap();
    import.file(Some("subscriptions"), Format::Ndjson);
    let mut refused = import.line(1, line.to_string().as_bytes()).await.unwrap();
    refused.extend(import.end_of_file().await.unwrap());
    let codes: Vec<&str> = refused.iter().flat_map(|line| &line.errors).map(|error| error.code).collect();
    if codes.is_empty() {
        import.commit().await.unwrap();
    }
    codes
}

#[tokio::test]
async fn an_imported_subscription_is_renewed() {
    let base = Base::at("2026-03-10T12:00:00Z").await;
    base.plan("pro", json!({})).await;
    let other = base.plan("other", json!({})).await;
    for (changes, code) in [
        (json!({ "billing": { "time_zone": "UTC" } }), "invalid_format"),
        (json!({ "billing": { "time_zone": "Mars", "anchor_at": "2026-01-31T00:00:00Z" } }), "invalid_format"),
        (json!({ "billing": null, "change_plan_id": other }), "inconsistent"),
        (json!({ "change_plan_id": "plan_01h455vb4pex5vsknk084sn02q" }), "not_found"),
    ] {
        assert_eq!(import(&base, changes).await, [code]);
    }
    assert_eq!(import(&base, json!({ "change_plan_id": other })).await, [""; 0]);
    let page = base.app.get("/subscriptions?external_subscription_id=old-1").await.expect(200);
    let imported = &page.data()[0];
    assert_eq!(
        (&imported["billing"]["next_action"], minute(imported, "billing.next_action_at")),
        (&json!("renew"), "2026-03-31T00:00")
    );
    assert!(!base.act(id(imported)).await, "it is scheduled, and nothing is due");
    let renewed = base.run(id(imported), "2026-03-31T00:00:00Z").await;
    assert_eq!((&renewed["subscription_plan_id"], minute(&renewed, "renews_at")), (&json!(other), "2026-04-30T00:00"));
    assert_eq!(base.types(id(imported)).await, ["subscription.created", "subscription.renewed"]);
}
