//! `/authentication`: signing up and in with an identity provider's token, checking a session, refreshing its tokens.

use crate::call::Call;
use crate::error_codes::Code;
use crate::fields::{Credential, Fields, SchemaWriter};
use crate::limits;
use crate::operation::{Access, Answers, Endpoint, Operation};
use crate::problem::Problem;
use crate::reply::Reply;
use http::header::USER_AGENT;
use http::{Method, StatusCode};
use perennial_app::error::Error;
use perennial_app::sessions::{self, Credentials, Device};
use perennial_domain::clients::Scope;
use perennial_domain::users::{Email, Profile};
use perennial_domain::validation::ValidationErrors;
use serde_json::json;

mod view;

pub(crate) use view::{logged_in_example, logged_in_schema, tokens_example, tokens_schema, user_schema};

pub(crate) const TAG: &str = "Authentication";
const LONGEST_USER_AGENT: usize = 512;

pub(crate) static SIGN_UP: Operation = Operation {
    endpoint: Endpoint::SignUp,
    method: Method::POST,
    path: "/authentication/sign-up",
    id: "signUp",
    tag: TAG,
    summary: "Sign up",
    about: "`access_token` is a token of one of the organization's identity providers, `email` the address in it. A \
            user whom the operator made for this address is claimed.",
    access: Access::Scope(Scope::Auth),
    query: &[],
    takes: Some(|| {
        let mut writer = SchemaWriter::default();
        sign_up_fields(&mut writer);
        writer.finish()
    }),
    example: Some(|| {
        json!({
            "access_token": "eyJhbGciOiJSUzI1NiIs…", "email": "ada@example.com", "username": "ada",
            "first_name": "Ada", "last_name": "Lovelace", "terms": true, "notifications": false
        })
    }),
    answers: Answers::Told(StatusCode::CREATED, "Tokens"),
    refuses: &[
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
};

pub(crate) static SIGN_IN: Operation = Operation {
    endpoint: Endpoint::SignIn,
    method: Method::POST,
    path: "/authentication/sign-in",
    id: "signIn",
    tag: TAG,
    summary: "Sign in",
    about: "Begins a new session each time. An address that has changed at the identity provider is taken over, unless \
            another user has it: then the user keeps the previous address.",
    access: Access::Scope(Scope::Auth),
    query: &[],
    takes: Some(|| {
        let mut writer = SchemaWriter::default();
        credentials(&mut writer);
        writer.finish()
    }),
    example: Some(|| json!({ "access_token": "eyJhbGciOiJSUzI1NiIs…", "email": "ada@example.com" })),
    answers: Answers::Told(StatusCode::OK, "Tokens"),
    refuses: &[
        Code::InvalidIdentityToken,
        Code::EmailMismatch,
        Code::EmailNotVerified,
        Code::UserBlocked,
        Code::UserNotFound,
        Code::Contended,
        Code::RateLimited,
        Code::IdentityProviderUnavailable,
    ],
};

pub(crate) static CHECK: Operation = Operation {
    endpoint: Endpoint::CheckSession,
    method: Method::POST,
    path: "/authentication/user-logged-in",
    id: "userLoggedIn",
    tag: TAG,
    summary: "Check a session",
    about: "Who holds the token. A session that was revoked is refused at once.",
    access: Access::Session,
    query: &[],
    takes: None,
    example: None,
    answers: Answers::Told(StatusCode::OK, "LoggedIn"),
    refuses: &[],
};

pub(crate) static REFRESH: Operation = Operation {
    endpoint: Endpoint::RefreshToken,
    method: Method::POST,
    path: "/authentication/refresh-token",
    id: "refreshToken",
    tag: TAG,
    summary: "Refresh the tokens",
    about: "A refresh token is exchanged for its successor. Keep the newest one: an old one ends the session.",
    access: Access::Scope(Scope::Auth),
    query: &[],
    takes: Some(|| {
        let mut writer = SchemaWriter::default();
        refresh_token(&mut writer);
        writer.finish()
    }),
    example: Some(|| json!({ "refresh_token": "prt_AZ…" })),
    answers: Answers::Told(StatusCode::OK, "Tokens"),
    refuses: &[
        Code::InvalidRefreshToken,
        Code::RefreshTokenExpired,
        Code::RefreshTokenReused,
        Code::UserBlocked,
        Code::Contended,
        Code::RateLimited,
    ],
};

pub(crate) async fn sign_up(mut call: Call<'_>) -> Result<Reply, Problem> {
    limits::admit(&call).await?.with(try_sign_up(&mut call).await)
}

async fn try_sign_up(call: &mut Call<'_>) -> Result<Reply, Problem> {
    let body = call.body().await?;
    let (credentials, profile) = sound(body.read(|fields| sign_up_fields(fields)))?;
    let granted = sessions::sign_up(call.app, &call.caller, &credentials, profile, &device(call)).await?;
    Ok(view::tokens(StatusCode::CREATED, &granted))
}

pub(crate) async fn sign_in(mut call: Call<'_>) -> Result<Reply, Problem> {
    limits::admit(&call).await?.with(try_sign_in(&mut call).await)
}

async fn try_sign_in(call: &mut Call<'_>) -> Result<Reply, Problem> {
    let body = call.body().await?;
    let credentials = sound(body.read(|fields| credentials(fields)))?;
    let granted = sessions::sign_in(call.app, &call.caller, &credentials, &device(call)).await?;
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
    let token = sound(body.read(|fields| refresh_token(fields)))?;
    let granted = sessions::refresh(call.app, &call.caller, token.0.expose()).await?;
    Ok(view::tokens(StatusCode::OK, &granted))
}

pub(crate) fn sign_up_fields(fields: &mut impl Fields) -> Option<(Credentials, Profile)> {
    let credentials = credentials(fields);
    let profile = Profile {
        username: fields.nullable("/username", "What the person is called here.").flatten(),
        first_name: fields.nullable("/first_name", "The given name.").flatten(),
        last_name: fields.nullable("/last_name", "The family name.").flatten(),
        terms: fields.nullable("/terms", "Whether the person agreed to the terms.").flatten(),
        notifications: fields.nullable("/notifications", "Whether the person wants to hear from you.").flatten(),
        auth_type: fields.nullable("/auth_type", "How they signed up; the provider's kind unless given.").flatten(),
    };
    Some((credentials?, profile))
}

pub(crate) fn credentials(fields: &mut impl Fields) -> Option<Credentials> {
    let token = fields.required::<Credential>("/access_token", "A token of one of your identity providers.");
    let email = fields.required::<Email>("/email", "The address in that token.");
    Some(Credentials { access_token: token?.0, email: email? })
}

pub(crate) fn refresh_token(fields: &mut impl Fields) -> Option<Credential> {
    fields.required("/refresh_token", "The newest refresh token of the session.")
}

/// What a body holds, if nothing is wrong with it.
fn sound<T>((value, faults): (Option<T>, ValidationErrors)) -> Result<T, Problem> {
    let value = faults.into_result(value).map_err(Error::from)?;
    value.ok_or_else(|| Problem::internal("a field is missing, and nobody noted it"))
}

fn device(call: &Call<'_>) -> Device {
    let user_agent = call.header(&USER_AGENT).map(|text| text.chars().take(LONGEST_USER_AGENT).collect());
    Device { ip_address: call.address.to_string(), user_agent }
}
