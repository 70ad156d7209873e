//! A webhook endpoint as it is returned, and its schemas. Only the response to a create or a rotation has a secret.

use super::sample;
use crate::samples;
use crate::schema::{self, Schema};
use perennial_app::webhooks::Endpoint;
use perennial_domain::id::WebhookEndpointId;
use perennial_domain::webhooks::{
    DisabledReason, EndpointDescription, EndpointState, EndpointUrl, EventTypes, Payload, Signature,
};
use serde::Serialize;
use serde_json::{Value, json};

pub(crate) static WEBHOOK_ENDPOINT: Schema = Schema {
    name: "WebhookEndpoint",
    definition: || schema::record(&fields()),
    example: || samples::json(sample()),
    refers_to: &[],
};

pub(super) static WEBHOOK_ENDPOINT_WITH_SECRET: Schema = Schema {
    name: "WebhookEndpointWithSecret",
    definition: || schema::record(&[fields(), vec![("secret", schema::optional_text())]].concat()),
    example: || samples::json(WithSecret::of(&sample(), Some("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))),
    refers_to: &[],
};

/// An endpoint with the secret that was just made.
#[derive(Serialize)]
pub(super) struct WithSecret<'a> {
    #[serde(flatten)]
    endpoint: &'a Endpoint,
    secret: Option<&'a str>,
}

impl<'a> WithSecret<'a> {
    pub(super) fn of(endpoint: &'a Endpoint, secret: Option<&'a str>) -> Self {
        Self { endpoint, secret }
    }
}

fn fields() -> Vec<(&'static str, Value)> {
    let words = |words: &[&str]| schema::words(words);
    let states: Vec<&str> = EndpointState::ALL.iter().map(|state| state.as_str()).collect();
    let reasons = DisabledReason::ALL.iter().map(|reason| Some(reason.as_str())).chain([None]);
    vec![
        ("id", schema::id::<WebhookEndpointId>()),
        ("url", schema::id::<EndpointUrl>()),
        ("description", schema::id::<EndpointDescription>()),
        ("types", schema::id::<EventTypes>()),
        ("payload", schema::id::<Payload>()),
        ("signature", schema::id::<Signature>()),
        ("is_active", schema::boolean()),
        ("state", words(&states)),
        ("disabled_reason", json!({ "type": ["string", "null"], "enum": reasons.collect::<Vec<_>>() })),
        ("created_at", schema::instant()),
        ("updated_at", schema::instant()),
        ("public_keys", json!({ "type": "array", "items": { "type": "string" } })),
        ("failing_since", schema::optional_instant()),
        ("oldest_undelivered_at", schema::optional_instant()),
    ]
}
