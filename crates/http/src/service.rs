//! The service: every request's way from the socket to a handler and back.
//! The order here is the contract's: route, client, scope, then what the handler settles.

use crate::access::{self, Person};
use crate::address;
use crate::call::{BodyLimits, Call, Unread};
use crate::cors;
use crate::deadline::Deadline;
use crate::error_codes::Code;
use crate::forwarded::UntrustedForwards;
use crate::headers::{self, IDEMPOTENCY_REPLAYED, REQUEST_ID};
use crate::metrics::Metrics;
use crate::operation::{Access, Endpoint, Operation};
use crate::problem::{Problem, RequestFault};
use crate::query::{Query, decode_percent};
use crate::reply::Reply;
use crate::router::{self, Route};
use crate::{accounts, meta, payments, plans, sessions, spans, subscriptions, tokens};
use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, LOCATION, ORIGIN, VARY};
use http::request::Parts;
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::Full;
use ipnet::IpNet;
use perennial_app::caller::{Caller, KnownClient};
use perennial_app::context::App;
use perennial_server::{Lane, Rejection, RequestBody, Service};
use std::fmt::Write as _;
use std::future::{Future, ready};
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::time::Instant;
use tracing::Instrument;

/// What the service is told beyond its context.
#[derive(Clone, Debug)]
pub struct ApiOptions {
    /// The bounds of bodies.
    pub body: BodyLimits,
    /// How long an answer may take.
    pub answer_timeout: Duration,
    /// How long a change may go without an outcome before `/readyz` returns 503.
    pub stuck_after: Duration,
    /// The peers whose `x-forwarded-for` is believed; nobody's by default.
    pub trusted_proxies: Vec<IpNet>,
}

impl Default for ApiOptions {
    fn default() -> Self {
        Self {
            body: BodyLimits::default(),
            answer_timeout: Duration::from_secs(30),
            stuck_after: Duration::from_secs(3),
            trusted_proxies: Vec::new(),
        }
    }
}

/// The HTTP API over a context.
pub struct Api {
    pub(crate) app: Arc<App>,
    pub(crate) metrics: Metrics,
    pub(crate) forwards: UntrustedForwards,
    pub(crate) options: ApiOptions,
    leaving: AtomicBool,
}

impl Api {
    /// An API over this context.
    pub fn new(app: Arc<App>, options: ApiOptions) -> Self {
        let (metrics, forwards) = (Metrics::default(), UntrustedForwards::default());
        Self { app, metrics, forwards, options, leaving: AtomicBool::new(false) }
    }

    /// From now on `/readyz` sends proxies elsewhere; everything else is served as before.
    pub fn leave(&self) {
        self.leaving.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_leaving(&self) -> bool {
        self.leaving.load(Ordering::Relaxed)
    }

    /// Follows the route to an answer. `met` is left behind for the answer's CORS headers, the metrics and the log.
    async fn answer(
        &self,
        parts: &Parts,
        body: RequestBody,
        peer: SocketAddr,
        request_id: &str,
        deadline: &Deadline,
        met: &mut Option<Met>,
    ) -> Result<Reply, Problem> {
        let path = parts.uri.path();
        let (operation, parameter) = match router::find(&parts.method, path) {
            Route::Found(operation, parameter) => (operation, parameter),
            other => {
                // Errors too carry the permission of the client they name.
                *met = access::identify(&self.app, &parts.headers).await.ok().map(Met::client);
                return Err(match other {
                    Route::WrongMethod(allowed) => Problem::method_not_allowed(&allowed),
                    _ => Problem::new(Code::RouteNotFound, "There is nothing at this path."),
                });
            }
        };
        *met = Some(Met { operation: Some(operation), known: None });
        let query = Query::new(parts.uri.query(), operation.query);
        if let Endpoint::System(system) = operation.endpoint {
            query.finish()?;
            return Box::pin(meta::answer(self, system)).await;
        }
        let known = access::identify(&self.app, &parts.headers).await?;
        *met = Some(Met { operation: Some(operation), known: Some(Arc::clone(&known)) });
        let proxies = &self.options.trusted_proxies;
        self.forwards.observe(peer.ip(), &parts.headers, address::is_proxy(peer.ip(), proxies));
        let address = address::client(peer.ip(), &parts.headers, proxies);
        let need = access::authorise(&known, operation.access, &parts.headers, address)?;
        let scope = access::scope_used(&known, operation.access);
        let mut caller = Caller { scope, address: Some(address), ..Caller::new(known, request_id) };
        let person = access::person(&self.app, &caller, need, &parts.headers).await?;
        if let (Access::Own(..), Person::SignedIn(signed_in)) = (operation.access, &person) {
            caller.own = Some(signed_in.user.id);
        }
        let call = Call {
            app: &self.app,
            caller,
            parameter: decode_percent(parameter).unwrap_or_default(),
            query,
            person,
            address,
            parts,
            limits: &self.options.body,
            unread: Some(Unread { body, deadline }),
        };
        dispatch(operation, call).await
    }

    fn request_id(&self, parts: &Parts) -> String {
        headers::request_id(&parts.headers).map_or_else(
            || {
                let mut id = String::with_capacity(20);
                let _ = write!(id, "req_{:016x}", self.app.entropy.bits());
                id
            },
            str::to_owned,
        )
    }
}

/// Whom and what a request met on its way.
struct Met {
    operation: Option<&'static Operation>,
    known: Option<Arc<KnownClient>>,
}

impl Met {
    fn client(known: Arc<KnownClient>) -> Self {
        Self { operation: None, known: Some(known) }
    }
}

impl Service for Api {
    async fn call(&self, request: Request<RequestBody>, peer: SocketAddr) -> Response<Full<Bytes>> {
        let started = Instant::now();
        let (parts, body) = request.into_parts();
        let request_id = self.request_id(&parts);
        let span = spans::request(&parts, &request_id);
        let deadline = Deadline::new(self.options.answer_timeout, started);
        let mut met = None;
        let response = if cors::is_preflight(&parts) && !router::allowed(parts.uri.path()).is_empty() {
            let answer = cors::preflight(&self.app, &parts);
            match deadline.with(pin!(answer)).instrument(span.clone()).await {
                Ok(response) => marked(response, &request_id),
                Err(problem) => finish(&parts, &request_id, None, Err(problem)),
            }
        } else {
            let answer = self.answer(&parts, body, peer, &request_id, &deadline, &mut met);
            let result = deadline.with(pin!(answer)).instrument(span.clone()).await;
            finish(&parts, &request_id, met.as_ref(), result)
        };
        let operation = met.and_then(|met| met.operation);
        self.metrics.observe(operation, response.status(), started.elapsed());
        spans::answered(&span, operation, response.status());
        tracing::debug!(
            request_id,
            trace_id = headers::trace_id(&parts.headers),
            method = parts.method.as_str(),
            route = operation.map(|operation| operation.path),
            status = response.status().as_u16(),
            micros = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX),
            "answered"
        );
        response
    }

    fn lane(&self, method: &Method, path: &str) -> Lane {
        match router::find(method, path) {
            Route::Found(operation, _) if operation.writes() => Lane::Writes,
            _ => Lane::Reads,
        }
    }

    fn reject(&self, rejection: Rejection, request: &Parts) -> Response<Full<Bytes>> {
        let problem = match rejection {
            Rejection::Overloaded => Problem::new(Code::Overloaded, "Too many requests are being answered at once."),
            Rejection::ShuttingDown => Problem::new(Code::ShuttingDown, "This server takes no more requests."),
            Rejection::HeadersTooLarge => Problem::new(Code::HeadersTooLarge, "The headers are larger than the limit."),
            Rejection::TargetTooLong => {
                Problem::new(Code::TargetTooLong, "The path and query are longer than the limit.")
            }
            Rejection::BadHost => Problem::request(&[RequestFault::header("host", "must be there once")]),
        };
        self.metrics.observe(None, problem.status(), Duration::ZERO);
        let request_id = self.request_id(request);
        marked(refused(&problem, &request_id), &request_id)
    }
}

/// Each handler in a box of its own size: what hyper moves about for every request is a pointer, not the largest of them.
fn dispatch<'a>(
    operation: &'static Operation,
    call: Call<'a>,
) -> Pin<Box<dyn Future<Output = Result<Reply, Problem>> + Send + 'a>> {
    match operation.endpoint {
        Endpoint::ListPlans => Box::pin(plans::list(call)),
        Endpoint::CreatePlan => Box::pin(plans::create(call)),
        Endpoint::ReadPlan => Box::pin(plans::read(call)),
        Endpoint::UpdatePlan => Box::pin(plans::update(call)),
        Endpoint::DeletePlan => Box::pin(plans::delete(call)),
        Endpoint::ListSubscriptions => Box::pin(subscriptions::list(call)),
        Endpoint::CreateSubscription => Box::pin(subscriptions::create(call)),
        Endpoint::ReadSubscription => Box::pin(subscriptions::read(call)),
        Endpoint::UpdateSubscription => Box::pin(subscriptions::update(call)),
        Endpoint::DeleteSubscription => Box::pin(subscriptions::delete(call)),
        Endpoint::CreatePayment => Box::pin(payments::create(call)),
        Endpoint::ReadPayment => Box::pin(payments::read(call)),
        Endpoint::UpdatePayment => Box::pin(payments::update(call)),
        Endpoint::DeletePayment => Box::pin(payments::delete(call)),
        Endpoint::SignUp => Box::pin(sessions::sign_up(call)),
        Endpoint::SignIn => Box::pin(sessions::sign_in(call)),
        Endpoint::CheckSession => Box::pin(sessions::check(call)),
        Endpoint::RefreshToken => Box::pin(sessions::refresh(call)),
        Endpoint::ListTokens => Box::pin(tokens::list(call)),
        Endpoint::Logout => Box::pin(tokens::logout(call)),
        Endpoint::RevokeAll => Box::pin(tokens::revoke_all(call)),
        Endpoint::RevokeAllExceptCurrent => Box::pin(tokens::revoke_all_except_current(call)),
        Endpoint::RevokeOne => Box::pin(tokens::revoke_one(call)),
        Endpoint::DeleteAccount => Box::pin(accounts::delete(call)),
        Endpoint::System(_) => {
            Box::pin(ready(Err(Problem::internal("an open endpoint was dispatched as one of a client's"))))
        }
    }
}

/// An answer with what every answer carries.
fn finish(parts: &Parts, request_id: &str, met: Option<&Met>, result: Result<Reply, Problem>) -> Response<Full<Bytes>> {
    let response = match result {
        Ok(reply) => told(parts, reply),
        Err(problem) => {
            let route = met.and_then(|met| met.operation).map(|operation| operation.id);
            let (status, cause) = (problem.status().as_u16(), problem.cause());
            if problem.is_overload() {
                // Told by the metrics: a line for each would be work that nobody has time for.
                tracing::debug!(request_id, route, status, "a request was put off");
            } else if problem.is_failure() {
                let trace_id = headers::trace_id(&parts.headers);
                tracing::error!(request_id, trace_id, route, status, cause, "a request failed");
            } else if let Some(cause) = cause {
                tracing::info!(request_id, route, status, cause, "a request was refused");
            }
            refused(&problem, request_id)
        }
    };
    let mut response = marked(response, request_id);
    if parts.headers.contains_key(ORIGIN)
        && let Some(known) = met.and_then(|met| met.known.as_deref())
    {
        cors::permit(known, &parts.headers, response.headers_mut());
    }
    response
}

/// Any answer at all, with its request's id and what a cache must look at.
fn marked(mut response: Response<Full<Bytes>>, request_id: &str) -> Response<Full<Bytes>> {
    let headers = response.headers_mut();
    if let Ok(value) = HeaderValue::from_str(request_id) {
        headers.insert(REQUEST_ID, value);
    }
    headers.insert(VARY, HeaderValue::from_static("origin"));
    response
}

/// A success on the wire; nothing but its tag if the caller has it already.
fn told(parts: &Parts, reply: Reply) -> Response<Full<Bytes>> {
    let reads = parts.method == Method::GET || parts.method == Method::HEAD;
    let unchanged = reads && reply.etag.as_deref().is_some_and(|etag| headers::none_match(&parts.headers, etag));
    let mut response = if unchanged {
        let mut response = Response::new(Full::default());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response
    } else {
        let mut response = Response::new(Full::new(reply.body));
        *response.status_mut() = reply.status;
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(reply.content.media_type()));
        response
    };
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(reply.content.cache_control()));
    if reply.content.is_compressed() {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    for (name, text) in [(ETAG, reply.etag), (LOCATION, reply.location)] {
        if let Some(value) = text.and_then(|text| HeaderValue::try_from(text).ok()) {
            headers.insert(name, value);
        }
    }
    if reply.replayed {
        headers.insert(IDEMPOTENCY_REPLAYED, HeaderValue::from_static("true"));
    }
    headers.extend(reply.headers);
    response
}

/// A rejection on the wire.
fn refused(problem: &Problem, request_id: &str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(problem.document(request_id)));
    *response.status_mut() = problem.status();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    for (name, value) in problem.headers() {
        headers.insert(name, value.clone());
    }
    response
}
