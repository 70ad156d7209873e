//! How a user gets into the portal: a one-time link, or the identity provider. `GET` never uses a link up.

use super::pages::{plain, see_other};
use super::{Visit, texts};
use crate::console_access::ConsoleCookie;
use crate::limits;
use crate::problem::Problem;
use crate::query::decode;
use crate::reply::Reply;
use http::StatusCode;
use http::header::SET_COOKIE;
use maud::html;
use perennial_app::console::{Callback, SignInFault};
use perennial_app::portal::{self, links, sign_in};
use perennial_domain::id::OrganizationId;
use perennial_domain::organizations::Organization;
use perennial_domain::portal::masked_email;

/// The page of a link, with the masked address of its user.
pub(super) async fn link(visit: &Visit<'_>, text: &str) -> Result<Reply, Problem> {
    let Some(opened) = links::open_link(visit.call.app, text).await? else { return Ok(used_link()) };
    let organization = portal::organization(visit.call.app, opened.user.organization_id).await?;
    let address = opened.user.email.as_ref().map(|email| masked_email(email.as_str())).unwrap_or_default();
    let content = html! {
        div class="card stack" {
            p { "Continue as " (address) }
            p class="faint" { (texts::ENTER) }
            form method="post" { button type="submit" class="primary" { (texts::CONTINUE) } }
        }
    };
    Ok(plain(StatusCode::OK, organization.as_ref(), texts::WELCOME, &content))
}

/// Uses the link up and begins a session.
pub(super) async fn enter(visit: &Visit<'_>, text: &str) -> Result<Reply, Problem> {
    visit.require_own_origin()?;
    limits::admit_portal(&visit.call).await?;
    let (app, request_id) = (visit.call.app, &visit.call.caller.request_id);
    let Some((_, cookie)) = portal::enter(app, request_id, text, &visit.call.device()).await? else {
        return Ok(used_link());
    };
    end_previous(visit).await?;
    let mut reply = see_other("/portal/");
    reply.headers.push((SET_COOKIE, ConsoleCookie::Portal.set(visit.site, cookie.expose())));
    Ok(reply)
}

/// A sign-in replaces the session of the browser.
async fn end_previous(visit: &Visit<'_>) -> Result<(), Problem> {
    if let Some((known, _)) = visit.session().await? {
        portal::sign_out(visit.call.app, &known, &visit.call.caller.request_id).await?;
    }
    Ok(())
}

fn used_link() -> Reply {
    let content = html! {
        div class="card stack" {
            p { (texts::USED_LINK) }
            p { a href="/portal/sign-in" { (texts::SIGN_IN) } }
        }
    };
    plain(StatusCode::GONE, None, texts::LINK_EXPIRED, &content)
}

/// The sign-in page: of an organization, or of the only one.
pub(super) async fn page(visit: &Visit<'_>, organization: Option<&str>) -> Result<Reply, Problem> {
    let app = visit.call.app;
    let organization = match organization {
        Some(id) => Some(find(visit, id).await?),
        None => portal::only_organization(app).await?,
    };
    let hosts = match &organization {
        Some(organization) => sign_in::provider_hosts(app, organization.id).await?,
        None => Vec::new(),
    };
    let content = html! {
        div class="card stack" {
            @if let Some(organization) = organization.as_ref().filter(|_| !hosts.is_empty()) {
                @for (place, host) in hosts.iter().enumerate() {
                    p { a class="button primary" href={ "/portal/oidc/start/" (organization.id) "/" (place) } { "Sign in with " (host) } }
                }
            } @else {
                p { (texts::NO_PROVIDER) }
            }
        }
    };
    Ok(plain(StatusCode::OK, organization.as_ref(), texts::SIGN_IN, &content))
}

async fn find(visit: &Visit<'_>, id: &str) -> Result<Organization, Problem> {
    let id: OrganizationId = id.parse().map_err(|_| super::not_found())?;
    portal::organization(visit.call.app, id).await?.ok_or_else(super::not_found)
}

/// Sends the browser to the identity provider.
pub(super) async fn start(visit: &Visit<'_>, organization: &str, provider: &str) -> Result<Reply, Problem> {
    let organization = find(visit, organization).await?;
    let provider: usize = provider.parse().map_err(|_| super::not_found())?;
    let started = sign_in::start(visit.call.app, &visit.site.origin(), organization.id, provider).await?;
    let started = started.ok_or_else(super::not_found)?;
    let mut reply = see_other(started.url);
    reply.headers.push((SET_COOKIE, ConsoleCookie::PortalSignIn.set(visit.site, started.sealed.expose())));
    Ok(reply)
}

/// The page that the identity provider returns to.
pub(super) async fn callback(visit: &Visit<'_>) -> Result<Reply, Problem> {
    limits::admit_portal(&visit.call).await?;
    let call = &visit.call;
    let callback = parse_callback(call.parts.uri.query().unwrap_or_default());
    let sealed = ConsoleCookie::PortalSignIn.read(visit.site, &call.parts.headers);
    let (origin, device, request_id) = (visit.site.origin(), call.device(), &call.caller.request_id);
    let finished = sign_in::finish(call.app, request_id, &origin, sealed, callback.as_ref(), &device).await;
    let mut reply = match finished {
        Ok((_, cookie)) => {
            end_previous(visit).await?;
            let mut reply = see_other("/portal/");
            reply.headers.push((SET_COOKIE, ConsoleCookie::Portal.set(visit.site, cookie.expose())));
            reply
        }
        Err(SignInFault::App(error)) => return Err(error.into()),
        Err(fault) => {
            tracing::info!(request_id, cause = %fault, "sign-in to the portal rejected");
            let organization = sealed.and_then(|sealed| sign_in::organization_of(call.app, sealed));
            failure(&fault, organization)
        }
    };
    reply.headers.push((SET_COOKIE, ConsoleCookie::PortalSignIn.expire(visit.site)));
    Ok(reply)
}

fn failure(fault: &SignInFault, organization: Option<OrganizationId>) -> Reply {
    let (status, text) = match fault {
        SignInFault::UnknownIdentity => (StatusCode::FORBIDDEN, texts::NO_ACCOUNT),
        SignInFault::Unavailable(_) => (StatusCode::SERVICE_UNAVAILABLE, texts::UNAVAILABLE),
        SignInFault::Rejected(_) | SignInFault::IdentityTaken | SignInFault::App(_) => {
            (StatusCode::BAD_REQUEST, texts::SIGN_IN_REJECTED)
        }
    };
    let place = super::sign_in_path(organization);
    let content = html! { div class="card stack" { p { (text) } p { a href=(place) { (texts::SIGN_IN) } } } };
    plain(status, None, texts::SIGN_IN_FAILED, &content)
}

/// What the provider sent. Without a code there is nothing to exchange. Each name counts once.
fn parse_callback(query: &str) -> Option<Callback> {
    let text = |wanted: &str| {
        let mut values = query.split('&').filter_map(|pair| pair.split_once('=')).filter(|(name, _)| *name == wanted);
        match (values.next(), values.next()) {
            (Some((_, value)), None) => decode(value),
            _ => None,
        }
    };
    match (text("code"), text("state"), text("error")) {
        (Some(code), Some(state), None) => Some(Callback { code, state, issuer: text("iss") }),
        _ => None,
    }
}
