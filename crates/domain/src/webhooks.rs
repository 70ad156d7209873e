//! Webhook endpoints: URLs that receive an organization's events.
//!
//! `state` follows from what happened: `disabled` if and only if `is_active` is false, and only then with a reason. Only
//! delivery makes an endpoint `failing`.

mod event_types;
mod options;
mod retry_after;

pub use event_types::{EventPattern, EventTypes, MAX_PATTERNS};
pub use options::WebhookOptions;
pub use retry_after::retry_after_seconds;

use crate::id::{EventId, OrganizationId, WebhookEndpointId};
use crate::plans::set;
use crate::text::Line;
use crate::time::Time;
use crate::validation::ValidationErrors;
use crate::words::words;

/// The most endpoints of an organization.
pub const MAX_ENDPOINTS: i64 = 50;

/// The most secrets of an endpoint that are valid at the same time.
pub const MAX_SECRETS: usize = 3;

/// How long old secrets continue to sign after a rotation, unless the caller chooses.
pub const OVERLAP_SECONDS: i64 = 86_400;

/// Where events are sent. Which URLs are allowed is checked by the use case.
pub type EndpointUrl = Line<1, 2048>;

/// What the endpoint is for.
pub type EndpointDescription = Line<0, 255>;

words! {
    /// How much of a record an event carries.
    Payload {
        /// The record, and the record before.
        Full = "full",
        /// Its ID.
        Thin = "thin",
    }
}

words! {
    /// How requests are signed.
    Signature {
        /// With a shared secret.
        Hmac = "hmac",
        /// With a key pair.
        Ed25519 = "ed25519",
    }
}

words! {
    /// Whether events are sent.
    EndpointState {
        /// They are.
        Active = "active",
        /// The circuit is open: only probes are.
        Failing = "failing",
        /// They are not.
        Disabled = "disabled",
    }
}

words! {
    /// Why an endpoint is disabled.
    DisabledReason {
        /// A caller disabled it.
        Manual = "manual",
        /// It responded with 410.
        Gone = "gone",
        /// It failed for too long.
        Failing = "failing",
        /// It came with a copy of the store.
        Copied = "copied",
    }
}

/// A webhook endpoint. It serializes as an event stores it, without its secrets.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct WebhookEndpoint {
    pub id: WebhookEndpointId,
    pub url: EndpointUrl,
    pub description: EndpointDescription,
    pub types: EventTypes,
    pub payload: Payload,
    pub signature: Signature,
    pub is_active: bool,
    pub state: EndpointState,
    pub disabled_reason: Option<DisabledReason>,
    pub created_at: Time,
    pub updated_at: Time,
    #[serde(skip)]
    pub organization_id: OrganizationId,
    #[serde(skip)]
    pub disabled_at: Option<Time>,
    /// The valid secrets with their expiry, sealed.
    #[serde(skip)]
    pub sealed_secrets: Vec<u8>,
    /// Its last event.
    #[serde(skip)]
    pub revision: EventId,
}

/// The fields of a create or an update; an omitted or invalid field is `None`.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct EndpointDraft {
    pub url: Option<EndpointUrl>,
    pub description: Option<EndpointDescription>,
    pub types: Option<EventTypes>,
    pub payload: Option<Payload>,
    pub signature: Option<Signature>,
    pub is_active: Option<bool>,
}

impl WebhookEndpoint {
    /// The endpoint that a draft describes, without secrets, or all its errors. `errors` are those found while parsing it.
    pub fn create(
        draft: EndpointDraft,
        errors: ValidationErrors,
        organization_id: OrganizationId,
        id: WebhookEndpointId,
        revision: EventId,
        now: Time,
    ) -> Result<Self, ValidationErrors> {
        let Some(url) = draft.url else { return Err(errors) };
        let endpoint = Self {
            id,
            url,
            description: draft.description.unwrap_or_else(|| Line::from_stored(String::new())),
            types: draft.types.unwrap_or_default(),
            payload: draft.payload.unwrap_or(Payload::Full),
            signature: draft.signature.unwrap_or(Signature::Hmac),
            is_active: true,
            state: EndpointState::Active,
            disabled_reason: None,
            created_at: now,
            updated_at: now,
            organization_id,
            disabled_at: None,
            sealed_secrets: Vec::new(),
            revision,
        };
        let is_active = draft.is_active.unwrap_or(true);
        errors.into_result(if is_active { endpoint } else { endpoint.disabled(DisabledReason::Manual, now) })
    }

    /// The endpoint after an update, apart from its stamp. A new URL and `is_active: true` close the circuit.
    pub fn merge(&self, patch: EndpointDraft, errors: ValidationErrors, now: Time) -> Result<Self, ValidationErrors> {
        let mut after = self.clone();
        set(&mut after.url, patch.url);
        set(&mut after.description, patch.description);
        set(&mut after.types, patch.types);
        set(&mut after.payload, patch.payload);
        let after = match patch.is_active {
            Some(true) => after.enabled(),
            Some(false) if self.is_active => after.disabled(DisabledReason::Manual, now),
            None if after.url != self.url => after.recovered(),
            _ => after,
        };
        errors.into_result(after)
    }

    /// Whether an update changed what a delivery in progress depends on.
    pub fn is_redirected_from(&self, before: &Self) -> bool {
        (&self.url, &self.types, self.payload, self.is_active, self.state)
            != (&before.url, &before.types, before.payload, before.is_active, before.state)
    }

    /// The endpoint with an open circuit, if it is active.
    #[must_use]
    pub fn failing(&self) -> Self {
        let state = if self.is_active { EndpointState::Failing } else { self.state };
        Self { state, ..self.clone() }
    }

    /// The endpoint with a closed circuit, if it is active.
    #[must_use]
    pub fn recovered(&self) -> Self {
        let state = if self.is_active { EndpointState::Active } else { self.state };
        Self { state, ..self.clone() }
    }

    /// The endpoint, enabled and with a closed circuit.
    #[must_use]
    pub fn enabled(&self) -> Self {
        let state = EndpointState::Active;
        Self { is_active: true, state, disabled_reason: None, disabled_at: None, ..self.clone() }
    }

    /// The endpoint, disabled for this reason.
    #[must_use]
    pub fn disabled(&self, reason: DisabledReason, now: Time) -> Self {
        Self {
            is_active: false,
            state: EndpointState::Disabled,
            disabled_reason: Some(reason),
            disabled_at: Some(now),
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plans::tests::{event, instant};

    fn endpoint(draft: EndpointDraft) -> Result<WebhookEndpoint, ValidationErrors> {
        let now = instant("2026-01-01T00:00:00Z");
        let (organization, id) = (OrganizationId::new(now, 1), WebhookEndpointId::new(now, 1));
        WebhookEndpoint::create(draft, ValidationErrors::none(), organization, id, event(1), now)
    }

    fn draft() -> EndpointDraft {
        EndpointDraft { url: EndpointUrl::parse("https://example.com").ok(), ..EndpointDraft::default() }
    }

    fn merged(endpoint: &WebhookEndpoint, patch: EndpointDraft) -> WebhookEndpoint {
        endpoint.merge(patch, ValidationErrors::none(), instant("2026-01-02T00:00:00Z")).unwrap()
    }

    #[test]
    fn an_endpoint_has_the_defaults_of_the_contract_and_shows_no_secret() {
        let mut created = endpoint(draft()).unwrap();
        created.sealed_secrets = b"sealed".to_vec();
        let json = serde_json::to_value(&created).unwrap();
        assert_eq!(json["types"], serde_json::json!(["*"]));
        assert_eq!(
            (&json["payload"], &json["signature"], &json["state"]),
            (&"full".into(), &"hmac".into(), &"active".into())
        );
        assert_eq!(
            (json["is_active"].clone(), json["disabled_reason"].clone()),
            (true.into(), serde_json::Value::Null)
        );
        assert!(!json.to_string().contains("seal"), "{json}");
    }

    #[test]
    fn disabled_is_a_state_with_a_reason_and_enabling_removes_both() {
        let off = endpoint(EndpointDraft { is_active: Some(false), ..draft() }).unwrap();
        assert_eq!((off.state, off.disabled_reason), (EndpointState::Disabled, Some(DisabledReason::Manual)));
        assert!(off.disabled_at.is_some());
        let gone = endpoint(draft()).unwrap().disabled(DisabledReason::Gone, Time::MAX);
        let again = merged(&gone, EndpointDraft { is_active: Some(false), ..EndpointDraft::default() });
        assert_eq!(again, gone, "the reason stays");
        let on = merged(&gone, EndpointDraft { is_active: Some(true), ..EndpointDraft::default() });
        assert_eq!((on.state, on.disabled_reason, on.disabled_at), (EndpointState::Active, None, None));
        let moved = merged(&gone, EndpointDraft { url: EndpointUrl::parse("https://b.example").ok(), ..draft() });
        assert_eq!(moved.state, EndpointState::Disabled);
        assert_eq!(gone.failing().state, EndpointState::Disabled);
    }

    #[test]
    fn a_new_url_and_enabling_close_the_circuit_and_other_updates_do_not() {
        let failing = endpoint(draft()).unwrap().failing();
        let state = |patch| merged(&failing, patch).state;
        assert_eq!(state(EndpointDraft { is_active: Some(true), ..EndpointDraft::default() }), EndpointState::Active);
        let url = EndpointUrl::parse("https://b.example").ok();
        assert_eq!(state(EndpointDraft { url, ..EndpointDraft::default() }), EndpointState::Active);
        assert_eq!(state(draft()), EndpointState::Failing, "the same URL");
        let payload = Some(Payload::Thin);
        assert_eq!(state(EndpointDraft { payload, ..EndpointDraft::default() }), EndpointState::Failing);
    }
}
