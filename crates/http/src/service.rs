//! The service: the way of every request from the socket to a handler and back.
//! The checks come in the order that the API documents: route, client, scope, user, then those of the handler.

use crate::access::{self, Access, Person};
use crate::address;
use crate::analytics;
use crate::call::{Call, Unread};
use crate::console;
use crate::console_access;
use crate::cors;
use crate::deadline::Deadline;
use crate::error_codes::Code;
use crate::forwarded::UntrustedForwards;
use crate::headers;
use crate::openapi;
use crate::operation::{Handler, OpenCall, Operation};
use crate::operations::{self, ROUTER};
use crate::operator_access;
use crate::options::ApiOptions;
use crate::path::PathParameters;
use crate::portal;
use crate::problem::{Problem, RequestError};
use crate::query::Query;
use crate::render;
use crate::reply::Reply;
use crate::request_metrics::RequestMetrics;
use crate::router::{Match, Route};
use crate::spans;
use crate::state::State;
use bytes::Bytes;
use data_encoding::HEXLOWER;
use http::header::ORIGIN;
use http::request::Parts;
use http::{Method, Request, Response};
use http_body_util::Full;
use perennial_app::analytics::is_enabled;
use perennial_app::caller::{Caller, KnownClient};
use perennial_app::context::App;
use perennial_server::{Lane, Rejection, RequestBody, Service};
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use tracing::Instrument;

/// The HTTP API over a context.
pub struct Api {
    pub(crate) state: State,
    pub(crate) metrics: RequestMetrics,
    pub(crate) forwards: UntrustedForwards,
}

impl Api {
    /// An API over this context.
    pub fn new(app: Arc<App>, options: ApiOptions) -> Self {
        Self {
            state: State::new(app, options, || openapi::document().into()),
            metrics: RequestMetrics::new(operations::all()),
            forwards: UntrustedForwards::default(),
        }
    }

    /// From now on `/readyz` returns 503, so that proxies choose another server; all else is served as before.
    pub fn leave(&self) {
        self.state.leave();
    }

    /// Handles a request. `seen` is what the response's CORS headers, the metrics and the log need to know of it.
    async fn handle(&self, incoming: &Incoming<'_>, body: RequestBody, seen: &mut Seen) -> Result<Reply, Problem> {
        let Incoming { parts, peer, facing, request_id, deadline } = *incoming;
        let app = &self.state.app;
        app.activity.count();
        let Match { number, operation, parameters } = match ROUTER.find(&parts.method, parts.uri.path()) {
            Route::Found(found) => found,
            other => return Box::pin(self.handle_unrouted(other, incoming, body, seen)).await,
        };
        seen.operation = Some((number, operation));
        if operation.path.starts_with(analytics::PREFIX) && !is_enabled(app) {
            return Err(Problem::new(Code::RouteNotFound, "The path does not exist."));
        }
        let query = Query::new(parts.uri.query(), operation.query.parameters);
        let handler = match operation.handler {
            Handler::Open(handler) => {
                query.finish()?;
                return handler(OpenCall { state: &self.state, parameters }).await;
            }
            Handler::Read(handler) | Handler::Write(handler) => handler,
        };
        let (limits, unread) = (&self.state.options.body, Some(Unread { body, deadline }));
        let call = |caller, address, person, visit| Call {
            app,
            caller,
            address,
            parameters,
            query,
            person,
            parts,
            limits,
            unread,
            visit,
        };
        if matches!(operation.access, Access::Open) {
            let address = self.address(peer, parts);
            return handler(call(Caller::anonymous(request_id), address, Person::None, None)).await;
        }
        if self.is_for_operators(operation, parts, facing)? {
            let console = &self.state.options.console;
            let address = self.address(peer, parts);
            let authorized = operator_access::authorize(app, console, operation.access, parts, address, request_id);
            let (caller, visit) = Box::pin(authorized).await?;
            return handler(call(caller, address, Person::None, Some(visit))).await;
        }
        let known = access::identify(app, &parts.headers).await?;
        seen.client = Some(Arc::clone(&known));
        let address = self.address(peer, parts);
        let need = access::authorize(&known, operation.access, &parts.headers, address)?;
        let scope = access::scope_used(&known, operation.access);
        let mut caller = Caller { scope, address: Some(address), ..Caller::new(known, request_id) };
        let person = access::person(app, &caller, need, &parts.headers).await?;
        if let (Access::Own(..), Person::SignedIn(signed_in)) = (operation.access, &person) {
            caller.own = Some(signed_in.user.id);
        }
        handler(call(caller, address, person, None)).await
    }

    /// Serves the pages of the console and the portal, which are no operations. Everything else is not found.
    async fn handle_unrouted(
        &self,
        route: Route<'_>,
        incoming: &Incoming<'_>,
        body: RequestBody,
        seen: &mut Seen,
    ) -> Result<Reply, Problem> {
        let Incoming { parts, peer, facing, request_id, deadline } = *incoming;
        let (app, options, path) = (&*self.state.app, &self.state.options, parts.uri.path());
        match route {
            Route::NotFound if console::is_page(path) && self.serves_console(facing) => {
                operator_access::check_page(&options.console, parts, self.address(peer, parts))?;
                console::respond(&options.console, parts)
            }
            Route::NotFound if portal::is_page(path) && self.serves_portal(facing) => {
                let (address, unread) = (self.address(peer, parts), Some(Unread { body, deadline }));
                let (caller, query) = (Caller::anonymous(request_id), Query::new(None, &[]));
                let (parameters, limits, person) = (PathParameters::default(), &options.body, Person::None);
                let call = Call { app, caller, address, parameters, query, person, parts, limits, unread, visit: None };
                Ok(portal::respond(&options.portal, call).await)
            }
            Route::WrongMethod(_) if path.starts_with(analytics::PREFIX) && !is_enabled(app) => {
                Err(Problem::new(Code::RouteNotFound, "The path does not exist."))
            }
            other => {
                // Errors too carry the CORS permission of the client they name.
                seen.client = access::identify(app, &parts.headers).await.ok();
                Err(match other {
                    Route::WrongMethod(allowed) => Problem::method_not_allowed(&allowed),
                    _ => Problem::new(Code::RouteNotFound, "The path does not exist."),
                })
            }
        }
    }

    /// Whether a listener serves operators.
    fn serves_console(&self, facing: Facing) -> bool {
        self.state.options.console.enabled && facing != Facing::Clients
    }

    /// Whether a listener serves customers.
    fn serves_portal(&self, facing: Facing) -> bool {
        perennial_app::portal::is_enabled(&self.state.app) && facing != Facing::Operators
    }

    /// Whether the request is one of an operator and not of a client.
    fn is_for_operators(&self, operation: &Operation, parts: &Parts, facing: Facing) -> Result<bool, Problem> {
        let is_own = matches!(operation.access, Access::Console(_));
        let is_served = self.serves_console(facing);
        if is_own && !is_served {
            return Err(Problem::new(Code::RouteNotFound, "The path does not exist."));
        }
        Ok(is_own || facing == Facing::Operators || (is_served && console_access::is_console(&parts.headers)))
    }

    fn address(&self, peer: SocketAddr, parts: &Parts) -> IpAddr {
        let proxies = &self.state.options.trusted_proxies;
        self.forwards.observe(peer.ip(), &parts.headers, address::is_proxy(peer.ip(), proxies));
        address::client(peer.ip(), &parts.headers, proxies)
    }

    fn request_id(&self, parts: &Parts) -> String {
        headers::request_id(&parts.headers).map_or_else(
            || {
                let mut id = String::with_capacity(20);
                id.push_str("req_");
                HEXLOWER.encode_append(&self.state.app.entropy.bits().to_be_bytes(), &mut id);
                id
            },
            str::to_owned,
        )
    }
}

/// Who a listener serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Facing {
    Everyone,
    Clients,
    Operators,
}

/// A request without its body, and where it came from.
#[derive(Clone, Copy)]
struct Incoming<'a> {
    parts: &'a Parts,
    peer: SocketAddr,
    facing: Facing,
    request_id: &'a str,
    deadline: &'a Deadline,
}

/// The same API on the listener of the console: it serves operators and no clients.
pub struct OperatorApi(pub Arc<Api>);

/// What is known of a request when its response is written.
#[derive(Default)]
struct Seen {
    /// The operation and its number.
    operation: Option<(usize, &'static Operation)>,
    client: Option<Arc<KnownClient>>,
}

impl Api {
    async fn respond(&self, request: Request<RequestBody>, peer: SocketAddr, facing: Facing) -> Response<Full<Bytes>> {
        let started = Instant::now();
        let (parts, body) = request.into_parts();
        let request_id = self.request_id(&parts);
        let span = spans::request(&parts, &request_id);
        let deadline = Deadline::new(self.state.options.answer_timeout, started);
        let mut seen = Seen::default();
        let preflight = if cors::is_preflight(&parts) { ROUTER.allowed(parts.uri.path()) } else { None };
        let mut response = if let Some(methods) = preflight {
            let preflight = cors::preflight(&self.state.app, &parts, methods);
            match deadline.with(pin!(preflight)).instrument(span.clone()).await {
                Ok(response) => render::marked(response, &request_id),
                Err(problem) => finish(&parts, &request_id, &seen, Err(problem)),
            }
        } else {
            let (parts, request_id, deadline) = (&parts, request_id.as_str(), &deadline);
            let incoming = Incoming { parts, peer, facing, request_id, deadline };
            let handled = self.handle(&incoming, body, &mut seen);
            let result = deadline.with(pin!(handled)).instrument(span.clone()).await;
            finish(parts, request_id, &seen, result)
        };
        if console::is_page(parts.uri.path()) {
            console::add_headers(&self.state.options.console, response.headers_mut());
        }
        if portal::is_page(parts.uri.path()) {
            portal::add_headers(&self.state.options.portal, response.headers_mut());
        }
        let (number, operation) = seen.operation.unzip();
        self.metrics.observe(number, response.status(), started.elapsed());
        spans::finish(&span, operation, response.status());
        tracing::debug!(
            request_id,
            trace_id = headers::trace_id(&parts.headers),
            method = parts.method.as_str(),
            route = operation.map(|operation| operation.path),
            status = response.status().as_u16(),
            micros = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX),
            "request finished"
        );
        response
    }
}

impl Service for Api {
    fn call(
        &self,
        request: Request<RequestBody>,
        peer: SocketAddr,
    ) -> impl Future<Output = Response<Full<Bytes>>> + Send {
        let facing = if self.state.options.console.is_separate { Facing::Clients } else { Facing::Everyone };
        self.respond(request, peer, facing)
    }

    fn lane(&self, method: &Method, path: &str) -> Lane {
        // No operation writes by these methods; most requests need not be looked up twice.
        if method.is_safe() {
            return Lane::Reads;
        }
        match ROUTER.find(method, path) {
            Route::Found(found) if found.operation.writes() => Lane::Writes,
            Route::NotFound if portal::is_page(path) && method == Method::POST => Lane::Writes,
            _ => Lane::Reads,
        }
    }

    fn reject(&self, rejection: Rejection, request: &Parts) -> Response<Full<Bytes>> {
        let problem = match rejection {
            Rejection::Overloaded => Problem::new(Code::Overloaded, "Too many requests are in progress."),
            Rejection::ShuttingDown => Problem::new(Code::ShuttingDown, "This server accepts no more requests."),
            Rejection::HeadersTooLarge => Problem::new(Code::HeadersTooLarge, "The headers are larger than the limit."),
            Rejection::TargetTooLong => {
                Problem::new(Code::TargetTooLong, "The path and query are longer than the limit.")
            }
            Rejection::BadHost => Problem::request(&[RequestError::header("host", "must be sent once")]),
        };
        self.metrics.observe(None, problem.status(), Duration::ZERO);
        let request_id = self.request_id(request);
        render::marked(render::problem(&problem, &request_id), &request_id)
    }
}

impl Service for OperatorApi {
    fn call(
        &self,
        request: Request<RequestBody>,
        peer: SocketAddr,
    ) -> impl Future<Output = Response<Full<Bytes>>> + Send {
        self.0.respond(request, peer, Facing::Operators)
    }

    fn lane(&self, method: &Method, path: &str) -> Lane {
        self.0.lane(method, path)
    }

    fn reject(&self, rejection: Rejection, request: &Parts) -> Response<Full<Bytes>> {
        self.0.reject(rejection, request)
    }
}

/// The response, with the headers that every response has. A problem is logged.
fn finish(parts: &Parts, request_id: &str, seen: &Seen, result: Result<Reply, Problem>) -> Response<Full<Bytes>> {
    let response = match result {
        Ok(reply) => render::reply(parts, reply),
        Err(problem) => {
            log(parts, request_id, seen, &problem);
            render::problem(&problem, request_id)
        }
    };
    let mut response = render::marked(response, request_id);
    if let Some(known) = &seen.client
        && parts.headers.contains_key(ORIGIN)
    {
        cors::permit(known, &parts.headers, response.headers_mut());
    }
    response
}

fn log(parts: &Parts, request_id: &str, seen: &Seen, problem: &Problem) {
    let route = seen.operation.map(|(_, operation)| operation.id);
    let (status, cause) = (problem.status().as_u16(), problem.cause());
    if problem.is_overload() {
        // The metrics count these. A line for each would be work when there is too much of it.
        tracing::debug!(request_id, route, status, "request rejected because of overload");
    } else if problem.is_failure() {
        let trace_id = headers::trace_id(&parts.headers);
        tracing::error!(request_id, trace_id, route, status, cause, "request failed");
    } else if let Some(cause) = cause {
        tracing::info!(request_id, route, status, cause, "request rejected");
    }
}
