//! The current session of an operator as it is returned, and the schemas of these responses.

use crate::operators::view::{OPERATOR, OperatorView, sample_session};
use crate::organization::billing_definition;
use crate::organization::portal_schema;
use crate::samples;
use crate::schema::{self, Schema};
use perennial_app::caller::KnownOperator;
use perennial_app::operators::{SessionLimits, SignInMethod};
use perennial_domain::clients::Scopes;
use perennial_domain::id::{OperatorSessionId, OrganizationId};
use perennial_domain::organizations::{Organization, OrganizationMode};
use perennial_domain::time::Time;
use serde::Serialize;
use serde_json::{Value, json};

pub(super) static OPERATOR_SESSION: Schema = Schema {
    name: "OperatorSession",
    definition: session_schema,
    example: || {
        let known = KnownOperator { operator: crate::operators::sample(), session: sample_session() };
        samples::json(SessionView::of(
            &known,
            &samples::organization(),
            false,
            SessionLimits::default(),
            Some("3b9f0c1a7d5e2468"),
        ))
    },
    refers_to: &[&OPERATOR],
};

pub(super) static SIGNED_OUT: Schema = Schema {
    name: "OperatorSignedOut",
    definition: || schema::record(&[("success", schema::boolean())]),
    example: || samples::json(SignedOut { success: true }),
    refers_to: &[],
};

pub(super) static CONNECTION: Schema = Schema {
    name: "OperatorConnection",
    definition: || schema::record(&[("url", json!({ "type": "string" }))]),
    example: || samples::json(ConnectionView { url: "https://id.example.com/authorize?…" }),
    refers_to: &[],
};

/// The current session.
#[derive(Serialize)]
pub(super) struct SessionView<'a> {
    id: OperatorSessionId,
    operator: OperatorView<'a>,
    organization: &'a Organization,
    scopes: Scopes,
    method: SignInMethod,
    demo: bool,
    signed_in_at: Time,
    fresh_until: Time,
    idle_expires_at: Time,
    expires_at: Time,
    build: Option<&'a str>,
}

impl<'a> SessionView<'a> {
    pub(super) fn of(
        known: &'a KnownOperator,
        organization: &'a Organization,
        demo: bool,
        limits: SessionLimits,
        build: Option<&'a str>,
    ) -> Self {
        let KnownOperator { operator, session } = known;
        Self {
            id: session.id,
            operator: OperatorView::of(operator),
            organization,
            scopes: operator.role.scopes(),
            method: session.method,
            demo,
            signed_in_at: session.signed_in_at,
            fresh_until: session.fresh_until(limits),
            idle_expires_at: session.idle_expires_at(limits),
            expires_at: session.expires_at,
            build,
        }
    }
}

#[derive(Serialize)]
pub(super) struct SignedOut {
    pub(super) success: bool,
}

#[derive(Serialize)]
pub(super) struct ConnectionView<'a> {
    pub(super) url: &'a str,
}

fn session_schema() -> Value {
    schema::record(&[
        ("id", schema::id::<OperatorSessionId>()),
        ("operator", OPERATOR.reference()),
        ("organization", organization_schema()),
        ("scopes", json!({ "type": "array", "items": { "type": "string" } })),
        ("method", schema::words(&SignInMethod::ALL.map(SignInMethod::as_str))),
        ("demo", json!({ "type": "boolean", "description": "Whether the store was filled by `perennial demo`." })),
        ("signed_in_at", schema::instant()),
        (
            "fresh_until",
            json!({ "type": "string", "format": "date-time", "description": "Until when the sign-in is recent." }),
        ),
        ("idle_expires_at", schema::instant()),
        ("expires_at", schema::instant()),
        (
            "build",
            json!({
                "type": ["string", "null"],
                "description": "The build of the console's pages. Null if this server does not have them.",
            }),
        ),
    ])
}

fn organization_schema() -> Value {
    schema::record(&[
        ("id", schema::id::<OrganizationId>()),
        ("name", json!({ "type": "string" })),
        ("currency", json!({ "type": "string", "pattern": "^[A-Z]{3}$" })),
        ("max_sessions", json!({ "type": ["integer", "null"], "minimum": 1 })),
        ("mode", schema::id::<OrganizationMode>()),
        ("billing", billing_definition()),
        ("portal", portal_schema()),
        ("created_at", schema::instant()),
        ("updated_at", schema::instant()),
    ])
}
