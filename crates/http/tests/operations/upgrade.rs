//! Servers of two versions on one store: both are ready and both serve, as long as the newer schema allows the older one.

use perennial_app::keys::Keys;
use perennial_store::{Index, Migration, Migrations};
use perennial_testkit::{MASTER_KEY, TestApp};
use serde_json::json;

fn later(oldest_program: i64) -> Migration {
    Migration {
        version: Migrations::sqlite().version() + 1,
        name: "later",
        text: "ALTER TABLE plans ADD COLUMN note TEXT NOT NULL DEFAULT ''",
        oldest_program,
        indexes: &[Index { name: "plans_by_note", on: "plans (organization_id, note, id)" }],
    }
}

async fn readiness(app: &TestApp) -> u16 {
    app.anonymous("GET", "/readyz").send().await.status
}

/// A create, a change and a read, each seen by the other server.
async fn serves(writer: &TestApp, reader: &TestApp, slug: &str) {
    writer.plan(slug, json!({})).await;
    let target = format!("/subscription-plans/{slug}");
    let changed = writer.put(&target, &json!({ "description": "Changed" })).await.expect(200).data().clone();
    assert_eq!(reader.get(&target).await.expect(200).data(), &changed);
}

#[tokio::test]
async fn two_versions_serve_side_by_side_on_a_compatible_schema() {
    let old = TestApp::start().await;
    serves(&old, &old, "before").await;
    let new = old.upgraded(later(Migrations::sqlite().version())).await;
    assert_eq!((readiness(&old).await, readiness(&new).await), (200, 200));
    serves(&old, &new, "by-the-old").await;
    serves(&new, &old, "by-the-new").await;
    // A restart of the older version, or a downgrade to it.
    let again = old.with_keys(Keys::derive(&MASTER_KEY)).await;
    assert_eq!(readiness(&again).await, 200);
    serves(&again, &new, "again").await;
}

#[tokio::test]
async fn the_older_version_is_not_ready_on_a_schema_that_has_left_it_behind() {
    let old = TestApp::start().await;
    assert_eq!(readiness(&old).await, 200);
    let new = old.upgraded(later(Migrations::sqlite().version() + 1)).await;
    assert_eq!((readiness(&old).await, readiness(&new).await), (503, 200));
}
