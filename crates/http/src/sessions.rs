//! `/authentication`: sign-up and sign-in with an identity provider's token, session checks, token refresh.

use crate::access::Access;
use crate::call::Call;
use crate::error_codes::Code;
use crate::fields::{Credential, Fields};
use crate::limits;
use crate::operation::{BodySpec, Handler, Operation, ResponseKind};
use crate::problem::Problem;
use crate::query::QuerySpec;
use crate::reply::Reply;
use http::{Method, StatusCode};
use perennial_app::error::Error;
use perennial_app::sessions::{self, Credentials};
use perennial_domain::clients::Scope;
use perennial_domain::users::{Email, Profile};
use perennial_domain::validation::ValidationErrors;
use serde_json::{Value, json};

mod view;

use view::{LOGGED_IN, TOKENS};

pub(crate) const TAG: &str = "Authentication";

pub(crate) static OPERATIONS: &[Operation] = &[
    Operation {
        id: "signUp",
        method: Method::POST,
        path: "/authentication/sign-up",
        tag: TAG,
        summary: "Sign up",
        description: "`access_token` is a token of one of the organization's identity providers, `email` the address in it. A \
            user that the operator created for this address is linked to the identity.",
        access: Access::Scope(Scope::Auth),
        query: QuerySpec::NONE,
        body: Some(BodySpec {
            fields: |fields| {
                sign_up_fields(fields);
            },
            example: sign_up_example,
        }),
        response: ResponseKind::Value(StatusCode::CREATED, &TOKENS),
        errors: &[
            Code::InvalidIdentityToken,
            Code::EmailMismatch,
            Code::EmailNotVerified,
            Code::UserBlocked,
            Code::UserAlreadyExists,
            Code::EmailTaken,
            Code::Contended,
            Code::RateLimited,
            Code::IdentityProviderUnavailable,
        ],
        handler: Handler::Write(|call| Box::pin(sign_up(call))),
    },
    Operation {
        id: "signIn",
        method: Method::POST,
        path: "/authentication/sign-in",
        tag: TAG,
        summary: "Sign in",
        description: "Starts a new session. If the address has changed at the identity provider, the user's address is updated, unless \
            another user has the new one.",
        access: Access::Scope(Scope::Auth),
        query: QuerySpec::NONE,
        body: Some(BodySpec {
            fields: |fields| {
                credentials(fields);
            },
            example: sign_in_example,
        }),
        response: ResponseKind::Value(StatusCode::OK, &TOKENS),
        errors: &[
            Code::InvalidIdentityToken,
            Code::EmailMismatch,
            Code::EmailNotVerified,
            Code::UserBlocked,
            Code::UserNotFound,
            Code::EmailTaken,
            Code::Contended,
            Code::RateLimited,
            Code::IdentityProviderUnavailable,
        ],
        handler: Handler::Write(|call| Box::pin(sign_in(call))),
    },
    Operation {
        id: "userLoggedIn",
        method: Method::POST,
        path: "/authentication/user-logged-in",
        tag: TAG,
        summary: "Check a session",
        description: "Returns the user of the access token. A revoked session is rejected immediately.",
        access: Access::Session,
        query: QuerySpec::NONE,
        body: None,
        response: ResponseKind::Value(StatusCode::OK, &LOGGED_IN),
        errors: &[],
        handler: Handler::Read(|call| Box::pin(check(call))),
    },
    Operation {
        id: "refreshToken",
        method: Method::POST,
        path: "/authentication/refresh-token",
        tag: TAG,
        summary: "Refresh tokens",
        description: "Exchanges a refresh token for a new access token and refresh token. Store only the newest \
                      refresh token: using an old one ends the session.",
        access: Access::Scope(Scope::Auth),
        query: QuerySpec::NONE,
        body: Some(BodySpec {
            fields: |fields| {
                refresh_token(fields);
            },
            example: refresh_example,
        }),
        response: ResponseKind::Value(StatusCode::OK, &TOKENS),
        errors: &[
            Code::InvalidRefreshToken,
            Code::RefreshTokenExpired,
            Code::RefreshTokenReused,
            Code::UserBlocked,
            Code::Contended,
            Code::RateLimited,
        ],
        handler: Handler::Write(|call| Box::pin(refresh(call))),
    },
];

pub(crate) async fn sign_up(mut call: Call<'_>) -> Result<Reply, Problem> {
    limits::admit(&call).await?.add_to(try_sign_up(&mut call).await)
}

async fn try_sign_up(call: &mut Call<'_>) -> Result<Reply, Problem> {
    let body = call.body().await?;
    let (credentials, profile) = valid(body.read(|fields| sign_up_fields(fields)))?;
    let granted = sessions::sign_up(call.app, &call.caller, &credentials, profile, &call.device()).await?;
    Ok(view::tokens(StatusCode::CREATED, &granted))
}

pub(crate) async fn sign_in(mut call: Call<'_>) -> Result<Reply, Problem> {
    limits::admit(&call).await?.add_to(try_sign_in(&mut call).await)
}

async fn try_sign_in(call: &mut Call<'_>) -> Result<Reply, Problem> {
    let body = call.body().await?;
    let credentials = valid(body.read(|fields| credentials(fields)))?;
    let granted = sessions::sign_in(call.app, &call.caller, &credentials, &call.device()).await?;
    Ok(view::tokens(StatusCode::OK, &granted))
}

pub(crate) async fn check(mut call: Call<'_>) -> Result<Reply, Problem> {
    call.no_body().await?;
    Ok(view::logged_in(call.signed_in()?))
}

pub(crate) async fn refresh(mut call: Call<'_>) -> Result<Reply, Problem> {
    limits::admit_refresh(&call).await?;
    let result = try_refresh(&mut call).await;
    limits::count_failure(&call, result)
}

async fn try_refresh(call: &mut Call<'_>) -> Result<Reply, Problem> {
    let body = call.body().await?;
    let token = valid(body.read(|fields| refresh_token(fields)))?;
    let granted = sessions::refresh(call.app, &call.caller, token.0.expose()).await?;
    Ok(view::tokens(StatusCode::OK, &granted))
}

pub(crate) fn sign_up_fields(fields: &mut impl Fields) -> Option<(Credentials, Profile)> {
    let credentials = credentials(fields);
    let profile = Profile {
        username: fields.nullable("/username", "The user name.").flatten(),
        first_name: fields.nullable("/first_name", "The given name.").flatten(),
        last_name: fields.nullable("/last_name", "The family name.").flatten(),
        terms: fields.nullable("/terms", "Whether the user agreed to the terms.").flatten(),
        notifications: fields.nullable("/notifications", "Whether the user wants notifications.").flatten(),
        auth_type: fields
            .nullable("/auth_type", "How the user signed up. Defaults to the kind of the identity provider.")
            .flatten(),
    };
    Some((credentials?, profile))
}

pub(crate) fn credentials(fields: &mut impl Fields) -> Option<Credentials> {
    let token = fields.required::<Credential>("/access_token", "A token of one of your identity providers.");
    let email = fields.required::<Email>("/email", "The e-mail address in that token.");
    Some(Credentials { access_token: token?.0, email: email? })
}

pub(crate) fn refresh_token(fields: &mut impl Fields) -> Option<Credential> {
    fields.required("/refresh_token", "The newest refresh token of the session.")
}

/// The value of a body, if it is valid.
pub(crate) fn valid<T>((value, errors): (Option<T>, ValidationErrors)) -> Result<T, Problem> {
    let value = errors.into_result(value).map_err(Error::from)?;
    value.ok_or_else(|| Problem::internal("a required field is missing without an error"))
}

fn sign_up_example() -> Value {
    {
        json!({
            "access_token": "eyJhbGciOiJSUzI1NiIs…", "email": "ada@example.com", "username": "ada",
            "first_name": "Ada", "last_name": "Lovelace", "terms": true, "notifications": false
        })
    }
}

fn sign_in_example() -> Value {
    json!({ "access_token": "eyJhbGciOiJSUzI1NiIs…", "email": "ada@example.com" })
}

fn refresh_example() -> Value {
    json!({ "refresh_token": "prt_AZ…" })
}
