//! Operators, their sessions and links as they are returned, and the schemas of these.

use super::sample;
use crate::samples;
use crate::schema::{self, Schema};
use perennial_app::operators::{Operator, OperatorSession, Role, SessionLimits, SignInMethod};
use perennial_domain::id::{OperatorId, OperatorSessionId, OrganizationId};
use perennial_domain::time::Time;
use serde::Serialize;
use serde_json::{Value, json};

pub(crate) static OPERATOR: Schema = Schema {
    name: "Operator",
    definition: operator_schema,
    example: || samples::json(OperatorView::of(&sample())),
    refers_to: &[],
};

pub(super) static OPERATOR_SESSION_RECORD: Schema = Schema {
    name: "OperatorSessionRecord",
    definition: session_schema,
    example: || samples::json(SessionRecord::of(&sample_session(), SessionLimits::default())),
    refers_to: &[],
};

pub(super) static LINK: Schema = Schema {
    name: "OperatorLink",
    definition: || schema::record(&[("url", json!({ "type": "string" })), ("expires_at", schema::instant())]),
    example: || {
        let url = "https://billing.example.com/console/#link=lnk_…".to_owned();
        samples::json(LinkView { url, expires_at: samples::now() })
    },
    refers_to: &[],
};

/// An operator.
#[derive(Serialize)]
pub(crate) struct OperatorView<'a> {
    id: OperatorId,
    organization_id: OrganizationId,
    name: &'a str,
    role: Role,
    issuer: Option<&'a str>,
    subject: Option<&'a str>,
    is_active: bool,
    last_sign_in_at: Option<Time>,
    created_at: Time,
    updated_at: Time,
}

impl<'a> OperatorView<'a> {
    pub(crate) fn of(operator: &'a Operator) -> Self {
        Self {
            id: operator.id,
            organization_id: operator.organization_id,
            name: operator.name.as_str(),
            role: operator.role,
            issuer: operator.identity.as_ref().map(|identity| identity.issuer.as_str()),
            subject: operator.identity.as_ref().map(|identity| identity.subject.as_str()),
            is_active: operator.is_active,
            last_sign_in_at: operator.last_sign_in_at,
            created_at: operator.created_at,
            updated_at: operator.updated_at,
        }
    }
}

/// A session in the list of an operator's sessions.
#[derive(Serialize)]
pub(super) struct SessionRecord<'a> {
    id: OperatorSessionId,
    operator_id: OperatorId,
    method: SignInMethod,
    signed_in_at: Time,
    last_used_at: Time,
    idle_expires_at: Time,
    expires_at: Time,
    ip_address: Option<&'a str>,
    user_agent: Option<&'a str>,
}

impl<'a> SessionRecord<'a> {
    pub(super) fn of(session: &'a OperatorSession, limits: SessionLimits) -> Self {
        Self {
            id: session.id,
            operator_id: session.operator_id,
            method: session.method,
            signed_in_at: session.signed_in_at,
            last_used_at: session.last_used_at,
            idle_expires_at: session.idle_expires_at(limits),
            expires_at: session.expires_at,
            ip_address: session.ip_address.as_deref(),
            user_agent: session.user_agent.as_deref(),
        }
    }
}

#[derive(Serialize)]
pub(super) struct LinkView {
    pub(super) url: String,
    pub(super) expires_at: Time,
}

/// The session of the examples.
pub(crate) fn sample_session() -> OperatorSession {
    OperatorSession {
        organization_id: samples::organization().id,
        id: OperatorSessionId::from_bytes(samples::ID),
        operator_id: OperatorId::from_bytes(samples::ID),
        method: SignInMethod::Link,
        signed_in_at: samples::now(),
        last_used_at: samples::now(),
        expires_at: samples::now().plus_seconds(SessionLimits::default().max_seconds),
        ip_address: Some("192.0.2.7".to_owned()),
        user_agent: Some("Mozilla/5.0".to_owned()),
        ended_at: None,
    }
}

fn operator_schema() -> Value {
    schema::record(&[
        ("id", schema::id::<OperatorId>()),
        ("organization_id", schema::id::<OrganizationId>()),
        ("name", json!({ "type": "string" })),
        ("role", schema::words(&Role::ALL.map(Role::as_str))),
        ("issuer", json!({ "type": ["string", "null"] })),
        ("subject", json!({ "type": ["string", "null"] })),
        ("is_active", schema::boolean()),
        ("last_sign_in_at", schema::optional_instant()),
        ("created_at", schema::instant()),
        ("updated_at", schema::instant()),
    ])
}

fn session_schema() -> Value {
    schema::record(&[
        ("id", schema::id::<OperatorSessionId>()),
        ("operator_id", schema::id::<OperatorId>()),
        ("method", schema::words(&SignInMethod::ALL.map(SignInMethod::as_str))),
        ("signed_in_at", schema::instant()),
        ("last_used_at", schema::instant()),
        ("idle_expires_at", schema::instant()),
        ("expires_at", schema::instant()),
        ("ip_address", json!({ "type": ["string", "null"] })),
        ("user_agent", json!({ "type": ["string", "null"] })),
    ])
}
