//! The customer portal: HTML pages for the users of an organization, without scripts. Actions are forms.
//!
//! **Invariant:** a change is a `POST` from a page of our own origin, with the token of the session in the form. Everything
//! else is 403 and writes nothing. Every response below `/portal` has the headers of [`add_headers`].

mod account;
mod format;
mod included;
mod invoices;
mod pages;
mod plans;
mod sign_in;
mod texts;

use crate::call::Call;
use crate::console;
use crate::console_access::{self, ConsoleCookie, Site};
use crate::error_codes::Code;
use crate::options::PortalOptions;
use crate::problem::Problem;
use crate::reply::{Content, Reply};
use account::Action;
use http::header::{CONTENT_SECURITY_POLICY, SET_COOKIE, STRICT_TRANSPORT_SECURITY};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use pages::{Frame, see_other};
use perennial_app::keys::sha256;
use perennial_app::portal::{self, PortalSession, sessions};
use perennial_domain::id::OrganizationId;
use perennial_domain::portal::Accent;
use std::fmt::Write as _;
use std::sync::LazyLock;

const BASE: &str = "/portal";
const STYLE_PATH: &str = "/portal/style/";
const STYLE: &str = include_str!("../assets/portal/portal.css");

const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; \
                      frame-ancestors 'none'";
const CLEAR_SITE_DATA: HeaderName = HeaderName::from_static("clear-site-data");

/// The first digits of the hash of the style sheet: its address changes with it.
static BUILD: LazyLock<String> = LazyLock::new(|| {
    let hash = sha256(&[STYLE.as_bytes()]);
    hash[..8].iter().fold(String::with_capacity(16), |mut build, byte| {
        // Writing to a string cannot fail.
        let _ = write!(build, "{byte:02x}");
        build
    })
});

/// A request of a browser to one of our hosts.
struct Visit<'a> {
    call: Call<'a>,
    site: &'a Site,
}

impl Visit<'_> {
    fn require_own_origin(&self) -> Result<(), Problem> {
        if console_access::is_same_origin(&self.call.parts.headers, self.site) {
            return Ok(());
        }
        Err(Problem::new(Code::CrossSiteRequest, texts::FOREIGN_FORM))
    }

    fn cookie(&self) -> Option<&str> {
        ConsoleCookie::Portal.read(self.site, &self.call.parts.headers)
    }

    /// The user, and the token of the forms.
    async fn session(&self) -> Result<Option<(PortalSession, String)>, Problem> {
        let Some(cookie) = self.cookie() else { return Ok(None) };
        let known = portal::recognize(self.call.app, cookie).await?;
        Ok(known.map(|known| (known, sessions::form_token(cookie))))
    }

    /// Where a browser without a session goes.
    fn sign_in(&self) -> Reply {
        see_other(sign_in_path(self.cookie().and_then(|cookie| sessions::organization_of(self.call.app, cookie))))
    }
}

fn sign_in_path(organization: Option<OrganizationId>) -> String {
    organization.map_or_else(|| "/portal/sign-in".to_owned(), |id| format!("/portal/sign-in/{id}"))
}

/// Whether a path is the portal's.
pub(crate) fn is_page(path: &str) -> bool {
    path.strip_prefix(BASE).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The page, or a page with the problem.
pub(crate) async fn respond(options: &PortalOptions, call: Call<'_>) -> Reply {
    let request_id = call.caller.request_id.clone();
    match Box::pin(handle(options, call)).await {
        Ok(reply) => reply,
        Err(problem) => {
            let (status, cause) = (problem.status().as_u16(), problem.cause());
            if problem.is_failure() {
                tracing::error!(request_id, status, cause, "request of the portal failed");
            } else if let Some(cause) = cause {
                tracing::info!(request_id, status, cause, "request of the portal rejected");
            }
            pages::problem(&problem)
        }
    }
}

async fn handle(options: &PortalOptions, call: Call<'_>) -> Result<Reply, Problem> {
    let parts = call.parts;
    let site = console_access::site_of(&parts.uri, &parts.headers, &options.sites);
    let site = site.ok_or_else(|| {
        Problem::new(Code::MisdirectedRequest, "The portal is not served under the host that the request names.")
    })?;
    let path = parts.uri.path();
    if path == BASE {
        let mut reply = see_other("/portal/");
        reply.status = StatusCode::PERMANENT_REDIRECT;
        return Ok(reply);
    }
    let segments: Vec<&str> = path.strip_prefix("/portal/").unwrap_or_default().split('/').collect();
    let visit = Visit { call, site };
    match &parts.method {
        method if *method == Method::GET || *method == Method::HEAD => get(visit, &segments).await,
        method if *method == Method::POST => Box::pin(post(visit, &segments)).await,
        _ => Err(Problem::method_not_allowed("GET, HEAD, POST")),
    }
}

async fn get(visit: Visit<'_>, segments: &[&str]) -> Result<Reply, Problem> {
    match *segments {
        ["style", name] => style(name),
        ["enter", link] => sign_in::link(&visit, link).await,
        ["sign-in"] => sign_in::page(&visit, None).await,
        ["sign-in", organization] => sign_in::page(&visit, Some(organization)).await,
        ["oidc", "start", organization, provider] => sign_in::start(&visit, organization, provider).await,
        ["oidc", "callback"] => sign_in::callback(&visit).await,
        ["" | "invoices" | "payments" | "sessions"]
        | ["subscriptions", _, "cancel" | "change"]
        | ["invoices" | "credit-notes", _, "document"] => account_page(&visit, segments).await,
        ["sign-out"]
        | ["subscriptions", _, "resume" | "keep-plan"]
        | ["subscriptions", _, "change", _]
        | ["sessions", "end-others"]
        | ["sessions", _, "end"] => Err(Problem::method_not_allowed("POST")),
        _ => Err(not_found()),
    }
}

async fn account_page(visit: &Visit<'_>, segments: &[&str]) -> Result<Reply, Problem> {
    let app = visit.call.app;
    let Some((known, token)) = visit.session().await? else { return Ok(visit.sign_in()) };
    let query = visit.call.parts.uri.query();
    if let [kind, id, "document"] = *segments {
        return invoices::document(app, &known, [kind, id], query).await;
    }
    let organization = portal::organization(app, known.session.organization_id).await?.ok_or_else(not_found)?;
    let frame = Frame { organization: &organization, known: &known, token: &token };
    Ok(match *segments {
        ["invoices"] => invoices::page(app, &frame, query).await?,
        ["payments"] => account::payments(app, &frame, query).await?,
        ["sessions"] => account::devices(app, &frame).await?,
        ["subscriptions", id, "cancel"] => {
            account::confirm_cancel(app, &frame, id.parse().map_err(|_| not_found())?).await?
        }
        ["subscriptions", id, "change"] => plans::choose(app, &frame, id.parse().map_err(|_| not_found())?).await?,
        _ => account::overview(app, &frame).await?,
    })
}

async fn post(mut visit: Visit<'_>, segments: &[&str]) -> Result<Reply, Problem> {
    if let ["enter", link] = *segments {
        return sign_in::enter(&visit, link).await;
    }
    let action = match *segments {
        ["subscriptions", id, "cancel"] => Some(Action::Cancel(id.parse().map_err(|_| not_found())?)),
        ["subscriptions", id, "resume"] => Some(Action::Resume(id.parse().map_err(|_| not_found())?)),
        ["subscriptions", id, "keep-plan"] => Some(Action::Choose(id.parse().map_err(|_| not_found())?, None)),
        ["subscriptions", id, "change", plan] => {
            let (id, plan) = (id.parse().map_err(|_| not_found())?, plan.parse().map_err(|_| not_found())?);
            Some(Action::Choose(id, Some(plan)))
        }
        ["sessions", "end-others"] => Some(Action::EndOthers),
        ["sessions", id, "end"] => Some(Action::EndSession(id.parse().map_err(|_| not_found())?)),
        ["sign-out"] => None,
        ["" | "invoices" | "payments" | "sessions"]
        | ["subscriptions", _, "change"]
        | ["invoices" | "credit-notes", _, "document"]
        | ["sign-in" | "oidc" | "style", ..] => {
            return Err(Problem::method_not_allowed("GET, HEAD"));
        }
        _ => return Err(not_found()),
    };
    visit.require_own_origin()?;
    let Some((known, token)) = visit.session().await? else { return Ok(visit.sign_in()) };
    let form = visit.call.form().await?;
    let mut tokens = form.iter().filter(|(name, _)| name == "token").map(|(_, value)| value);
    if (tokens.next(), tokens.next()) != (Some(&token), None) {
        return Err(Problem::new(Code::CrossSiteRequest, texts::FOREIGN_FORM));
    }
    let (app, request_id) = (visit.call.app, &visit.call.caller.request_id);
    let Some(action) = action else { return sign_out(&visit, &known).await };
    let organization = portal::organization(app, known.session.organization_id).await?.ok_or_else(not_found)?;
    let frame = Frame { organization: &organization, known: &known, token: &token };
    Ok(account::act(app, &frame, action, request_id).await?)
}

async fn sign_out(visit: &Visit<'_>, known: &PortalSession) -> Result<Reply, Problem> {
    portal::sign_out(visit.call.app, known, &visit.call.caller.request_id).await?;
    let mut reply = see_other(sign_in_path(Some(known.session.organization_id)));
    reply.headers.extend([
        (SET_COOKIE, ConsoleCookie::Portal.expire(visit.site)),
        (CLEAR_SITE_DATA, HeaderValue::from_static("\"cache\", \"storage\"")),
    ]);
    Ok(reply)
}

/// The style sheet with the organization's color. Its name has both, so that it never changes.
fn style(name: &str) -> Result<Reply, Problem> {
    let (build, color) = name.strip_suffix(".css").and_then(|name| name.split_once('-')).ok_or_else(not_found)?;
    let accent = Accent::parse(&format!("#{color}")).map_err(|_| not_found())?;
    if build != *BUILD || accent.as_str().get(1..) != Some(color) {
        return Err(not_found());
    }
    let content = Content::Asset { media_type: "text/css; charset=utf-8", is_compressed: false };
    Ok(Reply::new(StatusCode::OK, content, format!(":root{{--accent:{}}}\n{STYLE}", accent.as_str())))
}

fn not_found() -> Problem {
    Problem::new(Code::RouteNotFound, "This page does not exist.")
}

/// Adds the headers of every response below `/portal`.
pub(crate) fn add_headers(options: &PortalOptions, headers: &mut HeaderMap) {
    // A document has a stricter policy.
    headers.entry(CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(POLICY));
    for (name, value) in console::HEADERS {
        headers.entry(name).or_insert(value);
    }
    if options.is_https {
        headers.insert(STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=31536000"));
    }
}
