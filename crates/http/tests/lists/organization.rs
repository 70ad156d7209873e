//! API rules 2.5 (`docs/api.md`): the organization over the API.

use super::support::*;
use perennial_domain::events::EventKind;
use perennial_testkit::TestApp;
use serde_json::json;

const PATH: &str = "/organization";

#[tokio::test]
async fn a_client_reads_its_organization() {
    let app = TestApp::start().await;
    let read = app.get(PATH).await.expect(200);
    let at = "2026-03-10T12:00:00.000000Z";
    assert_eq!(
        read.data(),
        &json!({
            "id": app.organization.to_string(), "name": "default", "currency": "USD", "max_sessions": null,
            "mode": "live",
            "billing": {
                "time_zone": "UTC", "payment_terms_days": 14,
                "dunning": { "retry_days": [1, 3, 5, 7], "grace_days": 7, "then": "unpaid" },
                "draft_hours": 1, "tax_rate_ids": [],
            "seller": { "name": null, "address": [], "country": null, "tax_id": null, "email": null, "note": null },
            "invoice_prefix": "INV", "credit_note_prefix": "CRN", "yearly_numbers": false,
            "spread_minutes": 0, "renewal_notice_days": 0
            },
            "portal": {
                "name": null, "accent": "#17734b", "cancel": "period_end", "resume": true, "change": "off", "return_origins": []
            },
            "created_at": at, "updated_at": at
        })
    );
    let unchanged = app.request("GET", PATH).header("if-none-match", read.header("etag"));
    unchanged.send().await.expect(304);
    let other = Tenant::new(&app, "other").await;
    let others = other.request("GET", PATH).send().await.expect(200);
    assert_eq!(
        (&others.data()["id"], &others.data()["name"]),
        (&json!(other.organization.to_string()), &json!("other"))
    );
}

#[tokio::test]
async fn the_number_of_sessions_can_be_changed_and_nothing_else() {
    let app = TestApp::start().await;
    let read = app.get(PATH).await.expect(200);
    app.advance(1);
    let updated = app.put(PATH, &json!({ "max_sessions": 3 })).await.expect(200);
    assert_eq!(updated.data()["max_sessions"], 3);
    assert_ne!(updated.data()["updated_at"], read.data()["updated_at"]);
    let stale = app.request("PUT", PATH).header("if-match", read.header("etag")).json(&json!({ "max_sessions": 4 }));
    stale.send().await.refused(412, "stale");
    let same = app.put(PATH, updated.data()).await.expect(200);
    assert_eq!(same.header("etag"), updated.header("etag"), "nothing changes");
    let body = json!({
        "id": "org_01h455vb4pex5vsknk084sn02q", "name": "mine", "currency": "EUR", "max_sessions": 0,
        "created_at": "2020-01-01T00:00:00Z", "mode": "test", "owner": "ada"
    });
    let faults = [
        "/max_sessions out_of_range",
        "/id read_only_field",
        "/name read_only_field",
        "/currency read_only_field",
        "/mode read_only_field",
        "/created_at read_only_field",
        "/owner unknown_field",
    ];
    assert_eq!(app.put(PATH, &body).await.expect(422).faults(), faults);
    for wrong in [json!("3"), json!(1.5), json!(4_294_967_296_i64), json!(-1), json!([])] {
        app.put(PATH, &json!({ "max_sessions": wrong })).await.expect(422);
    }
    let cleared = app.put(PATH, &json!({ "max_sessions": null })).await.expect(200);
    assert_eq!(cleared.data()["max_sessions"], json!(null));
    app.delete(PATH).await.refused(405, "method_not_allowed");
}

#[tokio::test]
async fn a_change_takes_effect_in_the_list_of_sessions_and_has_an_event() {
    let app = TestApp::start().await;
    let tokens = app.sign_up("ada@example.com").await;
    app.sign_in("ada@example.com").await;
    let request = app.request("PUT", PATH).header("x-request-id", "limit").json(&json!({ "max_sessions": 1 }));
    request.send().await.expect(200);
    app.advance(5);
    let list = app.browser("GET", "/authentication/tokens").bearer(&tokens.token).send().await.expect(200);
    assert_eq!(list.data()["number_of_tokens_to_revoke"], 1);
    let events = app.events().await;
    let event = events.iter().find(|event| event.kind == EventKind::OrganizationUpdated).unwrap();
    assert_eq!(event.request_id.as_deref(), Some("limit"));
    assert!(event.client_id.is_some() && event.record() == app.organization.to_string());
}

#[tokio::test]
async fn the_settings_of_the_portal_merge_by_member_and_report_all_errors() {
    let app = TestApp::start().await;
    let portal = json!({ "name": "Acme", "cancel": "now", "return_origins": ["https://app.example.com"] });
    app.put(PATH, &json!({ "portal": portal })).await.expect(200);
    let changed = app.put(PATH, &json!({ "portal": { "accent": "#B00020", "name": null } })).await.expect(200);
    let expected = json!({
        "name": null, "accent": "#b00020", "cancel": "now", "resume": true, "change": "off",
        "return_origins": ["https://app.example.com"]
    });
    assert_eq!(changed.data()["portal"], expected);
    // The whole record can be sent back.
    let same = app.put(PATH, changed.data()).await.expect(200);
    assert_eq!(same.header("etag"), changed.header("etag"));
    let wrong = json!({ "portal": {
        "name": "", "accent": "#ffffff", "cancel": "later", "resume": 1, "change": null, "return_origins": ["x"], "other": 1
    } });
    let refused = app.put(PATH, &wrong).await.refused(422, "invalid_input");
    let mut faults = refused.faults();
    faults.sort();
    let expected = [
        "/portal/accent out_of_range",
        "/portal/cancel unknown_value",
        "/portal/change not_nullable",
        "/portal/name too_short",
        "/portal/other unknown_field",
        "/portal/resume invalid_type",
        "/portal/return_origins/0 invalid_format",
    ];
    assert_eq!(faults, expected);
    app.put(PATH, &json!({ "portal": [] })).await.refused(422, "invalid_type");
    app.put(PATH, &json!({ "portal": null })).await.refused(422, "not_nullable");
}
