//! How a person and their tokens are answered, and the schemas of both.

use crate::filters::schema;
use crate::reply::Reply;
use http::StatusCode;
use perennial_app::sessions::{Granted, SignedIn};
use perennial_domain::id::{OrganizationId, SessionId, UserId};
use perennial_domain::text::Line;
use perennial_domain::time::Time;
use perennial_domain::users::Email;
use serde::Serialize;
use serde_json::{Value, json};

/// What somebody holds after signing up, signing in or refreshing.
pub(super) fn tokens(status: StatusCode, granted: &Granted) -> Reply {
    Reply::told(
        status,
        TokensView {
            token: granted.token.expose(),
            token_type: "Bearer",
            expires_in: granted.token_seconds,
            expires_at: granted.token_expires_at,
            refresh_token: granted.refresh_token.expose(),
            refresh_expires_in: granted.refresh_seconds,
            user: UserView::of(&granted.signed_in),
        },
    )
}

/// Who holds a token.
pub(super) fn logged_in(signed_in: &SignedIn) -> Reply {
    Reply::told(StatusCode::OK, LoggedIn { user: UserView::of(signed_in) })
}

#[derive(Serialize)]
struct TokensView<'a> {
    token: &'a str,
    token_type: &'static str,
    expires_in: i64,
    expires_at: Time,
    refresh_token: &'a str,
    refresh_expires_in: i64,
    user: UserView<'a>,
}

#[derive(Serialize)]
struct LoggedIn<'a> {
    user: UserView<'a>,
}

/// A person as they see themselves.
#[derive(Serialize)]
struct UserView<'a> {
    id: UserId,
    auth_id: Option<&'a str>,
    auth_provider: Option<&'a str>,
    auth_type: Option<&'a str>,
    auth_token_status_id: SessionId,
    organization_id: OrganizationId,
    email: Option<&'a str>,
    username: Option<&'a str>,
    first_name: Option<&'a str>,
    last_name: Option<&'a str>,
    terms: Option<bool>,
    notifications: Option<bool>,
    role: &'static str,
    created_at: Time,
    updated_at: Time,
}

impl<'a> UserView<'a> {
    fn of(signed_in: &'a SignedIn) -> Self {
        let SignedIn { user, session } = signed_in;
        let (identity, profile) = (&user.identity, &user.profile);
        Self {
            id: user.id,
            auth_id: identity.as_ref().map(|identity| identity.subject.as_str()),
            auth_provider: identity.as_ref().map(|identity| identity.issuer.as_str()),
            auth_type: profile.auth_type.as_ref().map(Line::as_str),
            auth_token_status_id: session.id,
            organization_id: user.organization_id,
            email: user.email.as_ref().map(Email::as_str),
            username: profile.username.as_ref().map(Line::as_str),
            first_name: profile.first_name.as_ref().map(Line::as_str),
            last_name: profile.last_name.as_ref().map(Line::as_str),
            terms: profile.terms,
            notifications: profile.notifications,
            role: "user",
            created_at: user.created_at,
            updated_at: user.updated_at,
        }
    }
}

/// The schema of what signing in answers.
pub(crate) fn tokens_schema() -> Value {
    schema::record(&[
        ("token", json!({ "type": "string", "description": "The access token: a JWT." })),
        ("token_type", schema::words(&["Bearer"])),
        ("expires_in", json!({ "type": "integer", "description": "Seconds." })),
        ("expires_at", schema::instant()),
        ("refresh_token", json!({ "type": "string", "description": "Opaque; it changes with each refresh." })),
        ("refresh_expires_in", json!({ "type": "integer", "description": "Seconds, if it is not used." })),
        ("user", json!({ "$ref": "#/components/schemas/User" })),
    ])
}

/// What signing in may answer.
pub(crate) fn tokens_example() -> Value {
    json!({
        "token": "eyJ0eXAiOiJhdCtqd3QiLCJhbGciOiJFZERTQSIs…", "token_type": "Bearer", "expires_in": 3600,
        "expires_at": "2026-01-31T10:30:00.000000Z", "refresh_token": "prt_AZ…", "refresh_expires_in": 2_592_000,
        "user": user_example()
    })
}

/// The schema of what a session check answers.
pub(crate) fn logged_in_schema() -> Value {
    schema::record(&[("user", json!({ "$ref": "#/components/schemas/User" }))])
}

/// What a session check may answer.
pub(crate) fn logged_in_example() -> Value {
    json!({ "user": user_example() })
}

/// The schema of a person as they see themselves.
pub(crate) fn user_schema() -> Value {
    let text = || json!({ "type": ["string", "null"] });
    let answer = || json!({ "type": ["boolean", "null"] });
    schema::record(&[
        ("id", schema::id::<UserId>()),
        ("auth_id", json!({ "type": ["string", "null"], "description": "The person's id at the identity provider." })),
        ("auth_provider", json!({ "type": ["string", "null"], "description": "The identity provider's `iss`." })),
        ("auth_type", text()),
        ("auth_token_status_id", schema::id::<SessionId>()),
        ("organization_id", schema::id::<OrganizationId>()),
        ("email", text()),
        ("username", text()),
        ("first_name", text()),
        ("last_name", text()),
        ("terms", answer()),
        ("notifications", answer()),
        ("role", schema::words(&["user"])),
        ("created_at", schema::instant()),
        ("updated_at", schema::instant()),
    ])
}

fn user_example() -> Value {
    json!({
        "id": "usr_01h455vb4pex5vsknk084sn02q", "auth_id": "auth0|64f0c0ffee", "auth_provider": "https://acme.auth0.com/",
        "auth_type": "oidc", "auth_token_status_id": "ses_01h455vb4pex5vsknk084sn02q",
        "organization_id": "org_01h455vb4pex5vsknk084sn02q", "email": "ada@example.com", "username": "ada",
        "first_name": "Ada", "last_name": "Lovelace", "terms": true, "notifications": false, "role": "user",
        "created_at": "2026-01-31T09:30:00.000000Z", "updated_at": "2026-01-31T09:30:00.000000Z"
    })
}
