//! A decision that is impossible parks its subscription and delays no other.

use super::support::{Base, id};
use perennial_app::caller::Caller;
use perennial_app::lifecycle;
use serde_json::{Value, json};

#[tokio::test]
async fn no_year_follows_9999() {
    let base = Base::at("9999-10-15T00:00:00Z").await;
    let plan = base.plan("pro", json!({})).await;
    let created = base.subscribe(&plan, json!({})).await;
    let parked = base.run(id(&created), "9999-12-20T00:00:00Z").await;
    assert_eq!(parked["billing"]["parked"], json!({ "at": "9999-12-20T00:00:00.000000Z", "reason": "out_of_range" }));
    assert_eq!((&parked["billing"]["next_action"], &parked["status"]), (&Value::Null, &json!("active")));
    assert_eq!(base.types(id(&created)).await[1..], ["subscription.renewed", "subscription.parked"]);
    let caller = Caller::system(base.app.organization);
    let tried = lifecycle::unpark(&base.app.app, &caller, id(&created).parse().unwrap()).await.unwrap();
    assert!(tried.next_action().is_some());
    assert!(base.act(id(&created)).await, "it is parked again");
    // A PUT of billing tries again, too. A cancelled subscription ends and needs no other year.
    let body = json!({ "billing": {}, "status": "expired" });
    assert_eq!(base.put(id(&created), body).await["status"], "expired");
}
