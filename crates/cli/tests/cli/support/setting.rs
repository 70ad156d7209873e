//! What many tests begin with: a server, its trusted client, a plan and a user.

use super::{Caller, Place, Server};
use serde_json::{Value, json};

/// A running server with something to subscribe to and someone who may.
pub(crate) struct Setting {
    pub(crate) place: Place,
    pub(crate) server: Server,
    pub(crate) caller: Caller,
    pub(crate) user: String,
}

impl Setting {
    #[track_caller]
    pub(crate) fn new() -> Self {
        Self::at(Place::new())
    }

    #[track_caller]
    pub(crate) fn at(place: Place) -> Self {
        let server = place.serve();
        let caller = server.caller(place.first("trusted_client_id"));
        let plan = json!({ "name": "Pro", "slug": "pro", "price": 19.99, "billing_cycle": "monthly" });
        caller.post("/subscription-plans", &plan).expect(201);
        let user = place.json(&["user", "create", "--email", "ada@example.com"])["id"].as_str().unwrap().to_owned();
        Self { place, server, caller, user }
    }

    /// A subscription's body, identified by its external id.
    pub(crate) fn subscription(&self, external: &str) -> Value {
        subscription(&self.user, external)
    }
}

pub(crate) fn subscription(user: &str, external: &str) -> Value {
    json!({ "user_id": user, "subscription_plan_id": "pro", "external_subscription_id": external })
}
