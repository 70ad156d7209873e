//! The engine in the background, on one server and on two.

use super::support::{Base, id};
use perennial_app::lifecycle::Lifecycle;
use serde_json::json;
use std::time::Duration;

async fn until(base: &Base, ids: &[String], events: usize) {
    for _ in 0..1_000 {
        let mut complete = true;
        for id in ids {
            complete &= base.types(id).await.len() >= events;
        }
        if complete {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the engine never made {events} events");
}

#[tokio::test]
async fn the_engine_renews_each_subscription_once_whatever_the_number_of_servers() {
    let base = Base::at("2026-03-10T12:00:00Z").await;
    let plan = base.plan("pro", json!({})).await;
    let mut ids = Vec::new();
    for _ in 0..8 {
        ids.push(id(&base.subscribe(&plan, json!({})).await).to_owned());
    }
    let other = base.app.second_server().await;
    let _working = (base.app.work(Lifecycle), other.as_ref().map(|other| other.work(Lifecycle)));
    base.app.set_time("2026-06-01T00:00:00Z");
    until(&base, &ids, 3).await;
    for id in &ids {
        let types = base.types(id).await;
        assert_eq!(types, ["subscription.created", "subscription.renewed", "subscription.renewed"]);
    }
}
