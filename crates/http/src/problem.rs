//! Problem documents (RFC 9457). This is the only place that maps errors to status codes: `problem/errors.rs` has the
//! errors of use cases, `problem/conflicts.rs` their conflicts.

mod conflicts;
mod errors;

use crate::error_codes::{Code, ERRORS_PATH, Entry, validation_entry};
use crate::excerpt::excerpt;
use http::header::{ALLOW, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderName, HeaderValue};
use perennial_domain::clients::Scope;
use perennial_domain::validation::ValidationErrors;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::net::IpAddr;

/// The number of request errors that `detail` repeats.
const MAX_SENTENCES: usize = 10;

/// A problem, ready to be sent.
#[derive(Debug)]
pub(crate) struct Problem(Box<Inner>);

#[derive(Debug)]
struct Inner {
    code: &'static str,
    status: http::StatusCode,
    title: &'static str,
    detail: String,
    errors: Vec<Value>,
    extra: Map<String, Value>,
    headers: Vec<(HeaderName, HeaderValue)>,
    cause: Option<String>,
}

/// A problem as it is sent. It is serialized directly, because rejecting must be cheap under overload.
#[derive(Serialize)]
struct Document<'a> {
    #[serde(rename = "type")]
    link: String,
    title: &'static str,
    status: u16,
    detail: &'a str,
    code: &'static str,
    request_id: &'a str,
    #[serde(skip_serializing_if = "<[Value]>::is_empty")]
    errors: &'a [Value],
    #[serde(flatten)]
    extra: &'a Map<String, Value>,
}

/// An error in a query parameter or a header.
#[derive(Debug)]
pub(crate) struct RequestError {
    place: &'static str,
    name: String,
    code: Code,
    detail: String,
}

impl RequestError {
    pub(crate) fn is_parameter(&self, name: &str) -> bool {
        self.place == "parameter" && self.name == name
    }

    pub(crate) fn parameter(name: &str, code: Code, detail: impl Into<String>) -> Self {
        Self { place: "parameter", name: excerpt(name).into_owned(), code, detail: detail.into() }
    }

    pub(crate) fn header(name: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { place: "header", name: name.into(), code: Code::InvalidHeader, detail: detail.into() }
    }
}

impl Problem {
    /// A problem with a detail for this case.
    pub(crate) fn new(code: Code, detail: impl Into<String>) -> Self {
        Self::of(code.entry(), detail)
    }

    fn of(entry: Entry, detail: impl Into<String>) -> Self {
        let Entry { code, status, title, .. } = entry;
        let mut headers = Vec::new();
        if status == http::StatusCode::SERVICE_UNAVAILABLE {
            headers.push((RETRY_AFTER, HeaderValue::from_static("1")));
        }
        Self(Box::new(Inner {
            code,
            status,
            title,
            detail: detail.into(),
            errors: Vec::new(),
            extra: Map::new(),
            headers,
            cause: None,
        }))
    }

    /// The title and the detail, for a page.
    pub(crate) fn text(&self) -> (&'static str, &str) {
        (self.0.title, &self.0.detail)
    }

    /// The validation errors of a body, and the number of those that are not listed.
    pub(crate) fn invalid(errors: &ValidationErrors) -> Self {
        let mut codes = errors.iter().map(|error| error.reason.code);
        let first = codes.next();
        let entry = match first {
            Some(code) if codes.all(|other| other == code) => validation_entry(code),
            _ => Code::InvalidInput.entry(),
        };
        let detail = match errors.iter().next() {
            Some(error) if errors.iter().count() == 1 => match error.pointer.strip_prefix('/') {
                Some(field) => format!("{field} {}.", error.reason.detail),
                None => format!("{}.", error.reason.detail),
            },
            _ if errors.omitted() > 0 => {
                let listed = errors.iter().count();
                format!("{} errors; the first {listed} are listed in errors.", listed + errors.omitted())
            }
            _ => format!("{} errors, listed in errors.", errors.iter().count()),
        };
        let mut problem = Self::of(entry, detail);
        problem.0.errors = errors
            .iter()
            .map(|error| {
                json!({ "pointer": error.pointer, "code": error.reason.code.as_str(), "detail": error.reason.detail })
            })
            .collect();
        problem.omitting(errors.omitted())
    }

    /// The errors in a request's query and headers. `detail` repeats the first ones.
    pub(crate) fn request(errors: &[RequestError]) -> Self {
        let mut codes = errors.iter().map(|error| error.code);
        let code = match codes.next() {
            Some(code) if codes.all(|other| other == code) => code,
            _ => Code::InvalidParameter,
        };
        let repeated = errors.iter().take(MAX_SENTENCES);
        let mut sentences: Vec<String> = repeated.map(|error| format!("{} {}.", error.name, error.detail)).collect();
        if errors.len() > MAX_SENTENCES {
            sentences.push("Further errors are listed in errors.".to_owned());
        }
        let mut problem = Self::new(code, sentences.join(" "));
        problem.0.errors = errors
            .iter()
            .map(|error| json!({ error.place: error.name, "code": error.code.entry().code, "detail": error.detail }))
            .collect();
        problem
    }

    /// Adds the number of errors that `errors` does not list.
    pub(crate) fn omitting(self, count: usize) -> Self {
        if count == 0 { self } else { self.with("errors_omitted", count) }
    }

    /// The client lacks a scope.
    pub(crate) fn scope(scope: Scope) -> Self {
        Self::new(Code::InsufficientScope, format!("The caller does not hold the scope {}.", scope.as_str()))
            .with("required_scope", scope.as_str())
    }

    /// No valid client. Unknown, malformed, expired and disabled IDs get the same response.
    pub(crate) fn invalid_client() -> Self {
        Self::new(Code::InvalidClient, "The header client-id does not contain the ID of an active client.")
    }

    /// No live session of an operator. `provider` is the host that operators can sign in at.
    pub(crate) fn operator_session_required(provider: Option<&str>) -> Self {
        Self::new(Code::OperatorSessionRequired, "There is no active session of an operator.")
            .with("provider", provider)
    }

    /// The operator must sign in again first.
    pub(crate) fn fresh_operator_required() -> Self {
        Self::new(Code::FreshSignInRequired, "The operator's last sign-in is too long ago for this operation.")
    }

    /// The client may not call from its address.
    pub(crate) fn address_not_allowed(address: IpAddr) -> Self {
        Self::new(Code::AddressNotAllowed, format!("The caller may not call from {address}."))
    }

    /// A user's token is required.
    pub(crate) fn token_required() -> Self {
        Self::new(Code::TokenRequired, "Send a user's access token in the header Authorization.")
            .with_header(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))
    }

    /// The token is invalid.
    pub(crate) fn invalid_token() -> Self {
        Self::new(Code::InvalidToken, "The access token does not belong to an active session that this client may use.")
            .with_header(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer error=\"invalid_token\""))
    }

    /// The path does not support the method.
    pub(crate) fn method_not_allowed(allowed: &str) -> Self {
        let header = HeaderValue::from_str(allowed).expect("method names are visible ASCII");
        Self::new(Code::MethodNotAllowed, format!("This path supports {allowed}.")).with_header(ALLOW, header)
    }

    /// A defect of the service. The cause is only logged.
    pub(crate) fn internal(cause: impl Into<String>) -> Self {
        Self::new(Code::Internal, "The server's log has the cause under this request_id.").because(cause)
    }

    fn because(mut self, cause: impl Into<String>) -> Self {
        self.0.cause = Some(cause.into());
        self
    }

    /// The cause, which is only logged.
    pub(crate) fn cause(&self) -> Option<&str> {
        self.0.cause.as_deref()
    }

    fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.extra.insert(name.to_owned(), value.into());
        self
    }

    pub(crate) fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.0.headers.push((name, value));
        self
    }

    /// Whether the service failed. A graceful shutdown is not a failure.
    pub(crate) fn is_failure(&self) -> bool {
        self.0.status.is_server_error() && self.0.code != Code::ShuttingDown.entry().code
    }

    pub(crate) fn status(&self) -> http::StatusCode {
        self.0.status
    }

    /// Whether the request was rejected because of overload.
    pub(crate) fn is_overload(&self) -> bool {
        self.0.code == Code::Overloaded.entry().code
    }

    pub(crate) fn headers(&self) -> &[(HeaderName, HeaderValue)] {
        &self.0.headers
    }

    /// The document that is sent.
    pub(crate) fn document(&self, request_id: &str) -> Vec<u8> {
        let Inner { code, status, title, detail, errors, extra, .. } = &*self.0;
        let document = Document {
            link: format!("{ERRORS_PATH}#{code}"),
            title,
            status: status.as_u16(),
            detail,
            code,
            request_id,
            errors,
            extra,
        };
        serde_json::to_vec(&document).expect("a problem is plain data")
    }
}
