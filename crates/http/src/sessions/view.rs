//! A user and their tokens as they are returned, and the schemas of both.

use crate::reply::Reply;
use crate::samples;
use crate::schema::{self, Schema};
use http::StatusCode;
use perennial_app::sessions::{Granted, SignedIn};
use perennial_domain::id::{OrganizationId, SessionId, UserId};
use perennial_domain::text::Line;
use perennial_domain::time::Time;
use perennial_domain::users::Email;
use serde::Serialize;
use serde_json::{Value, json};

/// The response of sign-up, sign-in and refresh.
pub(super) fn tokens(status: StatusCode, granted: &Granted) -> Reply {
    Reply::value(
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

/// The user of a token.
pub(super) fn logged_in(signed_in: &SignedIn) -> Reply {
    Reply::value(StatusCode::OK, LoggedIn { user: UserView::of(signed_in) })
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

/// A user as returned to that user.
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

/// What signing up, signing in and refreshing return.
pub(super) static TOKENS: Schema = Schema {
    name: "Tokens",
    definition: tokens_schema,
    example: || samples::json(tokens_sample()),
    refers_to: &[&USER],
};

/// What a session check returns.
pub(super) static LOGGED_IN: Schema = Schema {
    name: "LoggedIn",
    definition: || schema::record(&[("user", USER.reference())]),
    example: || samples::json(LoggedIn { user: user_sample() }),
    refers_to: &[&USER],
};

/// A user as returned to that user.
static USER: Schema =
    Schema { name: "User", definition: user_schema, example: || samples::json(user_sample()), refers_to: &[] };

fn tokens_schema() -> Value {
    schema::record(&[
        ("token", json!({ "type": "string", "description": "The access token, a JWT." })),
        ("token_type", schema::words(&["Bearer"])),
        ("expires_in", json!({ "type": "integer", "description": "Lifetime of the access token in seconds." })),
        ("expires_at", schema::instant()),
        (
            "refresh_token",
            json!({ "type": "string", "description": "An opaque token that changes with each refresh." }),
        ),
        (
            "refresh_expires_in",
            json!({ "type": "integer", "description": "Lifetime of the refresh token in seconds, if it is not used." }),
        ),
        ("user", USER.reference()),
    ])
}

fn tokens_sample() -> TokensView<'static> {
    TokensView {
        token: "eyJ0eXAiOiJhdCtqd3QiLCJhbGciOiJFZERTQSIs…",
        token_type: "Bearer",
        expires_in: 3600,
        expires_at: samples::now().plus_seconds(3600),
        refresh_token: "prt_AZ…",
        refresh_expires_in: 2_592_000,
        user: user_sample(),
    }
}

fn user_schema() -> Value {
    let text = || json!({ "type": ["string", "null"] });
    let boolean = || json!({ "type": ["boolean", "null"] });
    schema::record(&[
        ("id", schema::id::<UserId>()),
        ("auth_id", json!({ "type": ["string", "null"], "description": "The user's ID at the identity provider." })),
        (
            "auth_provider",
            json!({ "type": ["string", "null"], "description": "The issuer (`iss`) of the identity provider." }),
        ),
        ("auth_type", text()),
        ("auth_token_status_id", schema::id::<SessionId>()),
        ("organization_id", schema::id::<OrganizationId>()),
        ("email", text()),
        ("username", text()),
        ("first_name", text()),
        ("last_name", text()),
        ("terms", boolean()),
        ("notifications", boolean()),
        ("role", schema::words(&["user"])),
        ("created_at", schema::instant()),
        ("updated_at", schema::instant()),
    ])
}

fn user_sample() -> UserView<'static> {
    UserView {
        id: UserId::from_bytes(samples::ID),
        auth_id: Some("auth0|64f0c0ffee"),
        auth_provider: Some("https://acme.auth0.com/"),
        auth_type: Some("oidc"),
        auth_token_status_id: SessionId::from_bytes(samples::ID),
        organization_id: OrganizationId::from_bytes(samples::ID),
        email: Some("ada@example.com"),
        username: Some("ada"),
        first_name: Some("Ada"),
        last_name: Some("Lovelace"),
        terms: Some(true),
        notifications: Some(false),
        role: "user",
        created_at: samples::now(),
        updated_at: samples::now(),
    }
}
