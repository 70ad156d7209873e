//! `/operator-session`: sign-in, the current session and sign-out of an operator; `/console/oidc`: sign-in at the identity
//! provider. Only pages of the console can make these calls.

use crate::access::{Access, ConsoleAccess};
use crate::call::Call;
use crate::console_access::ConsoleCookie;
use crate::error_codes::Code;
use crate::fields::{Credential, Fields};
use crate::limits;
use crate::operation::{BodySpec, Handler, Operation, ResponseKind};
use crate::operator_access;
use crate::problem::Problem;
use crate::query::{Parameter, Query, QuerySpec};
use crate::reply::{Content, Reply};
use crate::schema;
use crate::sessions::valid;
use http::header::{CONTENT_SECURITY_POLICY, REFERRER_POLICY, SET_COOKIE};
use http::{HeaderName, HeaderValue, Method, StatusCode};
use perennial_app::caller::KnownOperator;
use perennial_app::console::{self, Callback, SignInFault};
use perennial_app::error::Error;
use perennial_app::operators;
use serde_json::json;

mod view;

use view::{CONNECTION, ConnectionView, OPERATOR_SESSION, SIGNED_OUT, SessionView, SignedOut};

const PATH: &str = "/operator-session";
const TAG: &str = "Operator sessions";
const HTML: &str = "text/html";
const CLEAR_SITE_DATA: HeaderName = HeaderName::from_static("clear-site-data");

pub(crate) static OPERATIONS: &[Operation] = &[
    Operation {
        id: "signInOperator",
        method: Method::POST,
        path: PATH,
        tag: TAG,
        summary: "Sign in with a one-time link",
        description: "Uses up the link and begins a session, whose cookie is in `Set-Cookie`. The session of the cookie that was \
                      sent ends. Unknown, used and expired links are rejected alike.",
        access: Access::Console(ConsoleAccess::SignIn),
        query: QuerySpec::NONE,
        body: Some(BodySpec {
            fields: |fields| {
                link(fields);
            },
            example: || json!({ "link": "lnk_…" }),
        }),
        response: ResponseKind::Value(StatusCode::OK, &OPERATOR_SESSION),
        errors: &[Code::InvalidLink, Code::RateLimited, Code::Contended],
        handler: Handler::Write(|call| Box::pin(sign_in(call))),
    },
    Operation {
        id: "readOperatorSession",
        method: Method::GET,
        path: PATH,
        tag: TAG,
        summary: "Read the current session",
        description: "Without a session, `provider` of the problem is the host of the identity provider, or null.",
        access: Access::Console(ConsoleAccess::Session),
        query: QuerySpec::NONE,
        body: None,
        response: ResponseKind::Value(StatusCode::OK, &OPERATOR_SESSION),
        errors: &[Code::OperatorSessionRequired],
        handler: Handler::Read(|call| Box::pin(read(call))),
    },
    Operation {
        id: "signOutOperator",
        method: Method::DELETE,
        path: PATH,
        tag: TAG,
        summary: "Sign out",
        description: "Ends the session and removes its cookie and all data of the site from the browser.",
        access: Access::Console(ConsoleAccess::Session),
        query: QuerySpec::NONE,
        body: None,
        response: ResponseKind::Value(StatusCode::OK, &SIGNED_OUT),
        errors: &[Code::OperatorSessionRequired, Code::OutcomeUnknown],
        handler: Handler::Write(|call| Box::pin(sign_out(call))),
    },
    Operation {
        id: "connectOperator",
        method: Method::POST,
        path: "/operator-session/connect",
        tag: TAG,
        summary: "Connect an identity",
        description: "Returns the page of the identity provider. After the sign-in there, the operator is connected to that \
                      identity and can sign in with it. Needs a recent sign-in.",
        access: Access::Console(ConsoleAccess::Session),
        query: QuerySpec::NONE,
        body: None,
        response: ResponseKind::Value(StatusCode::OK, &CONNECTION),
        errors: &[
            Code::OperatorSessionRequired,
            Code::FreshSignInRequired,
            Code::NotFound,
            Code::IdentityProviderUnavailable,
        ],
        handler: Handler::Write(|call| Box::pin(connect(call))),
    },
    Operation {
        id: "startOperatorSignIn",
        method: Method::GET,
        path: "/console/oidc/start",
        tag: TAG,
        summary: "Sign in at the identity provider",
        description: "Redirects the browser to the provider (code flow with PKCE). 404 if none is configured.",
        access: Access::Console(ConsoleAccess::Page),
        query: QuerySpec {
            parameters: &[Parameter {
                name: "return",
                description: "The page to continue with, below `/console/`.",
                schema: schema::text,
            }],
            parse: |query| {
                return_to(query);
            },
        },
        body: None,
        response: ResponseKind::Redirect,
        errors: &[Code::NotFound, Code::IdentityProviderUnavailable],
        handler: Handler::Read(|call| Box::pin(start(call))),
    },
    Operation {
        id: "finishOperatorSignIn",
        method: Method::GET,
        path: console::CALLBACK_PATH,
        tag: TAG,
        summary: "The page that the identity provider returns to",
        description: "Begins a session and continues with a page of the console. A failure is a page with the status 400, 403, 409 \
                      or 503 and no session. Unknown parameters are ignored.",
        access: Access::Console(ConsoleAccess::Page),
        query: QuerySpec {
            parameters: &[
                Parameter { name: "code", description: "The authorization code.", schema: schema::cursor },
                Parameter { name: "state", description: "The state of the sign-in.", schema: schema::cursor },
                Parameter { name: "iss", description: "The issuer (RFC 9207).", schema: schema::cursor },
                Parameter { name: "error", description: "The provider's error.", schema: schema::cursor },
            ],
            parse: |query| {
                callback(query);
            },
        },
        body: None,
        response: ResponseKind::Media(HTML),
        errors: &[],
        handler: Handler::Write(|call| Box::pin(finish(call))),
    },
];

async fn sign_in(mut call: Call<'_>) -> Result<Reply, Problem> {
    limits::admit(&call).await?.add_to(try_sign_in(&mut call).await)
}

async fn try_sign_in(call: &mut Call<'_>) -> Result<Reply, Problem> {
    let body = call.body().await?;
    let link = valid(body.read(|fields| link(fields)))?;
    let visit = call.visit()?;
    let device = call.device();
    let signed_in = operators::sign_in(call.app, &call.caller, link.0.expose(), &device, visit.cookie).await?;
    let mut reply = session(call, &signed_in.known).await?;
    reply.headers.push((SET_COOKIE, ConsoleCookie::Session.set(visit.site, signed_in.cookie.expose())));
    Ok(reply)
}

async fn read(mut call: Call<'_>) -> Result<Reply, Problem> {
    call.no_body().await?;
    session(&call, known(&call)?).await
}

async fn sign_out(mut call: Call<'_>) -> Result<Reply, Problem> {
    call.no_body().await?;
    operators::sign_out(call.app, &call.caller).await?;
    let mut reply = Reply::value(StatusCode::OK, SignedOut { success: true });
    reply.headers.extend([
        (SET_COOKIE, ConsoleCookie::Session.expire(call.visit()?.site)),
        (CLEAR_SITE_DATA, HeaderValue::from_static("\"cache\", \"storage\"")),
    ]);
    Ok(reply)
}

async fn connect(mut call: Call<'_>) -> Result<Reply, Problem> {
    operator_access::require_fresh(call.app, &call.caller)?;
    call.no_body().await?;
    let site = call.visit()?.site;
    let started = console::start(call.app, &site.origin(), None, Some(known(&call)?)).await?.ok_or(Error::NotFound)?;
    let mut reply = Reply::value(StatusCode::OK, ConnectionView { url: &started.url });
    reply.headers.push((SET_COOKIE, ConsoleCookie::SignIn.set(site, started.sealed.expose())));
    Ok(reply)
}

async fn start(mut call: Call<'_>) -> Result<Reply, Problem> {
    let return_to = return_to(&mut call.query);
    call.no_body().await?;
    let site = call.visit()?.site;
    let started = console::start(call.app, &site.origin(), return_to.as_deref(), None).await?.ok_or(Error::NotFound)?;
    let mut reply = Reply::new(StatusCode::SEE_OTHER, Content::PrivateHtml, "");
    reply.location = Some(started.url);
    reply.headers.push((SET_COOKIE, ConsoleCookie::SignIn.set(site, started.sealed.expose())));
    reply.headers.extend(page_headers());
    Ok(reply)
}

async fn finish(mut call: Call<'_>) -> Result<Reply, Problem> {
    // Providers add parameters of their own, so the query is not checked as a whole.
    let callback = callback(&mut call.query);
    let site = call.visit()?.site;
    let sealed = ConsoleCookie::SignIn.read(site, &call.parts.headers);
    let (origin, device) = (site.origin(), call.device());
    let finished = console::finish(call.app, &call.caller, &origin, sealed, callback.as_ref(), &device).await;
    let mut reply = match finished {
        Ok(finished) => {
            let mut reply = page(StatusCode::OK, &continue_page(&finished.return_to));
            let cookie = finished.signed_in.cookie.expose();
            reply.headers.push((SET_COOKIE, ConsoleCookie::Session.set(site, cookie)));
            reply
        }
        Err(SignInFault::App(error)) => return Err(error.into()),
        Err(fault) => {
            tracing::info!(request_id = call.caller.request_id, cause = %fault, "sign-in of an operator rejected");
            failure_page(&fault)
        }
    };
    reply.headers.push((SET_COOKIE, ConsoleCookie::SignIn.expire(site)));
    Ok(reply)
}

async fn session(call: &Call<'_>, known: &KnownOperator) -> Result<Reply, Problem> {
    let (organization, demo) = operators::describe(call.app, known).await?;
    let limits = operators::session_limits(call.app);
    let build = call.visit()?.build;
    Ok(Reply::value(StatusCode::OK, SessionView::of(known, &organization, demo, limits, build)))
}

fn known<'a>(call: &'a Call<'_>) -> Result<&'a KnownOperator, Problem> {
    let known = call.caller.operator().ok_or(Error::OperatorSessionRequired)?;
    Ok(known)
}

fn link(fields: &mut impl Fields) -> Option<Credential> {
    fields.required("/link", "The part of the link's URL after `#link=`.")
}

fn return_to(query: &mut Query) -> Option<String> {
    query.get("return", |text| Ok(text.to_owned()))
}

/// What the provider sent. Without a code there is nothing to exchange.
fn callback(query: &mut Query) -> Option<Callback> {
    let mut text = |name: &str| query.get(name, |text| Ok(text.to_owned()));
    let (code, state, issuer, error) = (text("code"), text("state"), text("iss"), text("error"));
    match (code, state, error) {
        (Some(code), Some(state), None) => Some(Callback { code, state, issuer }),
        _ => None,
    }
}

/// A redirect from another site would not send the new `Strict` cookie; a page of ours does.
fn continue_page(path: &str) -> String {
    let path = path.replace('&', "&amp;");
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"0; url={path}\">\
         <title>Signed in</title><p>You are signed in. <a href=\"{path}\">Continue</a></p>"
    )
}

fn failure_page(fault: &SignInFault) -> Reply {
    let (status, text) = match fault {
        SignInFault::Rejected(_) | SignInFault::App(_) => {
            (StatusCode::BAD_REQUEST, "The sign-in failed. Start again from the console.")
        }
        SignInFault::UnknownIdentity => (
            StatusCode::FORBIDDEN,
            "No active operator is connected to this identity. Sign in with a one-time link and connect it first.",
        ),
        SignInFault::IdentityTaken => {
            (StatusCode::CONFLICT, "This identity or this operator is already connected to another one.")
        }
        SignInFault::Unavailable(_) => {
            (StatusCode::SERVICE_UNAVAILABLE, "The identity provider cannot be reached. Try again later.")
        }
    };
    let html = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Sign-in failed</title><p>{text}</p>\
         <p><a href=\"/console/\">Back to the console</a></p>"
    );
    page(status, &html)
}

fn page(status: StatusCode, html: &str) -> Reply {
    let mut reply = Reply::new(status, Content::PrivateHtml, html.to_owned());
    reply.headers.extend(page_headers());
    reply
}

/// Nothing is loaded by these pages, no page may frame them, and no request after them names their address.
fn page_headers() -> [(HeaderName, HeaderValue); 2] {
    let policy = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
    [
        (CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy)),
        (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    ]
}
