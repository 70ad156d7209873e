//! Authorization of operators: the rules of `console_access.rs`, the address, the session, the scope, and a recent sign-in,
//! in this order. The session and the role are read at every call.

use crate::access::{Access, ConsoleAccess};
use crate::console_access::{self, Decision, Site};
use crate::error_codes::Code;
use crate::options::ConsoleOptions;
use crate::problem::Problem;
use http::request::Parts;
use perennial_app::caller::{Caller, KnownOperator};
use perennial_app::context::App;
use perennial_app::{console, operators};
use perennial_domain::clients::Scope;
use std::net::IpAddr;

/// Where a request of the console was sent, and the cookie that came with it.
#[derive(Clone, Copy)]
pub(crate) struct Visit<'a> {
    pub(crate) site: &'a Site,
    pub(crate) cookie: Option<&'a str>,
    /// The build of the console's pages, if this server has them.
    pub(crate) build: Option<&'static str>,
}

/// The caller of a request of the console, if it may make this call.
pub(crate) async fn authorize<'a>(
    app: &App,
    options: &'a ConsoleOptions,
    access: Access,
    parts: &'a Parts,
    address: IpAddr,
    request_id: &str,
) -> Result<(Caller, Visit<'a>), Problem> {
    let visit = visit(options, access, parts)?;
    check_address(options, address)?;
    let caller = match access {
        Access::Console(ConsoleAccess::Page | ConsoleAccess::SignIn) => Caller::anonymous(request_id),
        _ => {
            let known = match visit.cookie {
                Some(cookie) => operators::recognize(app, cookie).await?,
                None => None,
            };
            let required = || Problem::operator_session_required(console::provider_host(app).as_deref());
            let known = known.ok_or_else(required)?;
            let scope = check_scope(&known, access)?;
            if matches!(access, Access::FreshScope(_)) {
                check_fresh(app, &known)?;
            }
            Caller { scope, ..Caller::operator_with(known, request_id) }
        }
    };
    Ok((Caller { address: Some(address), ..caller }, visit))
}

/// Whether a page of the console may be sent there: to one of our hosts, and to the addresses of operators.
pub(crate) fn check_page(options: &ConsoleOptions, parts: &Parts, address: IpAddr) -> Result<(), Problem> {
    console_access::site_of(&parts.uri, &parts.headers, &options.sites).ok_or_else(misdirected)?;
    check_address(options, address)
}

fn check_address(options: &ConsoleOptions, address: IpAddr) -> Result<(), Problem> {
    let canonical = address.to_canonical();
    if options.cidrs.is_empty() || options.cidrs.iter().any(|cidr| cidr.contains(&canonical)) {
        return Ok(());
    }
    Err(Problem::address_not_allowed(address))
}

/// Rejects an operator whose sign-in is too long ago. Other callers pass.
pub(crate) fn require_fresh(app: &App, caller: &Caller) -> Result<(), Problem> {
    caller.operator().map_or(Ok(()), |known| check_fresh(app, known))
}

fn visit<'a>(options: &'a ConsoleOptions, access: Access, parts: &'a Parts) -> Result<Visit<'a>, Problem> {
    if let Access::Console(ConsoleAccess::Page) = access {
        let site = console_access::site_of(&parts.uri, &parts.headers, &options.sites).ok_or_else(misdirected)?;
        return Ok(Visit { site, cookie: None, build: None });
    }
    match console_access::decide(&parts.uri, &parts.headers, &options.sites) {
        Decision::SameOrigin { site, cookie } => Ok(Visit { site, cookie, build: crate::console::build(options) }),
        Decision::Misdirected => Err(misdirected()),
        Decision::Ambiguous => {
            let detail = "The headers client-id and x-perennial-console name two callers.";
            Err(Problem::new(Code::AmbiguousCredentials, detail))
        }
        Decision::CrossSite => {
            let detail = "The request does not come from a page of this origin.";
            Err(Problem::new(Code::CrossSiteRequest, detail))
        }
        Decision::NotConsole => {
            Err(Problem::new(Code::CrossSiteRequest, "The header x-perennial-console: 1 is required here."))
        }
    }
}

fn misdirected() -> Problem {
    Problem::new(Code::MisdirectedRequest, "The console is not served under the host that the request names.")
}

/// The scope that authorizes an operator. A role has neither `auth` nor a scope of own records.
fn check_scope(known: &KnownOperator, access: Access) -> Result<Option<Scope>, Problem> {
    let scope = match access {
        Access::Scope(scope) | Access::FreshScope(scope) | Access::Own(scope, _) => scope,
        Access::AnyOf(scopes) => {
            let held = scopes.iter().copied().find(|scope| known.operator.role.scopes().contain(*scope));
            held.unwrap_or(scopes[0])
        }
        Access::Session | Access::Token => Scope::Auth,
        Access::Open | Access::Console(_) => return Ok(None),
    };
    if known.operator.role.scopes().contain(scope) { Ok(Some(scope)) } else { Err(Problem::scope(scope)) }
}

fn check_fresh(app: &App, known: &KnownOperator) -> Result<(), Problem> {
    let is_fresh = app.clock.now() < known.session.fresh_until(operators::session_limits(app));
    if is_fresh { Ok(()) } else { Err(Problem::fresh_operator_required()) }
}
