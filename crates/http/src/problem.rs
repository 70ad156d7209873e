//! Problems: how the service says no (RFC 9457). The one place that turns errors into status codes.

use crate::error_codes::{CATALOGUE_PATH, Code, Entry, fault_entry};
use crate::excerpt::excerpt;
use http::header::{ALLOW, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderName, HeaderValue};
use perennial_app::error::{Conflict, Error};
use perennial_domain::clients::Scope;
use perennial_domain::validation::{Transition, ValidationErrors};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::net::IpAddr;

/// The number of faults of a request that `detail` repeats.
const MAX_SENTENCES: usize = 10;

/// A rejection, ready to be told.
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

/// A problem as it is told. Written as it is: refusing must cost little where much has to be refused.
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

/// What is wrong with a query parameter or a header.
#[derive(Debug)]
pub(crate) struct RequestFault {
    place: &'static str,
    name: String,
    code: Code,
    detail: String,
}

impl RequestFault {
    pub(crate) fn parameter(name: &str, code: Code, detail: impl Into<String>) -> Self {
        Self { place: "parameter", name: excerpt(name).into_owned(), code, detail: detail.into() }
    }

    pub(crate) fn header(name: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { place: "header", name: name.into(), code: Code::InvalidHeader, detail: detail.into() }
    }
}

impl Problem {
    /// A problem of the catalogue with a sentence for this case.
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

    /// What is wrong with a body, and how many further faults are not listed.
    pub(crate) fn invalid(faults: &ValidationErrors) -> Self {
        let mut codes = faults.iter().map(|fault| fault.reason.code);
        let first = codes.next();
        let entry = match first {
            Some(code) if codes.all(|other| other == code) => fault_entry(code),
            _ => Code::InvalidInput.entry(),
        };
        let detail = match faults.iter().next() {
            Some(fault) if faults.iter().count() == 1 => match fault.pointer.strip_prefix('/') {
                Some(field) => format!("{field} {}.", fault.reason.detail),
                None => format!("{}.", fault.reason.detail),
            },
            _ if faults.omitted() > 0 => {
                let listed = faults.iter().count();
                format!("{} faults, the first {listed} listed in errors.", listed + faults.omitted())
            }
            _ => format!("{} faults, listed in errors.", faults.iter().count()),
        };
        let mut problem = Self::of(entry, detail);
        problem.0.errors = faults
            .iter()
            .map(|fault| {
                json!({ "pointer": fault.pointer, "code": fault.reason.code.as_str(), "detail": fault.reason.detail })
            })
            .collect();
        problem.omitting(faults.omitted())
    }

    /// What is wrong with a request's query and headers. `detail` repeats the first few faults.
    pub(crate) fn request(faults: &[RequestFault]) -> Self {
        let mut codes = faults.iter().map(|fault| fault.code);
        let code = match codes.next() {
            Some(code) if codes.all(|other| other == code) => code,
            _ => Code::InvalidParameter,
        };
        let told = faults.iter().take(MAX_SENTENCES);
        let mut sentences: Vec<String> = told.map(|fault| format!("{} {}.", fault.name, fault.detail)).collect();
        if faults.len() > MAX_SENTENCES {
            sentences.push("More faults are listed in errors.".to_owned());
        }
        let mut problem = Self::new(code, sentences.join(" "));
        problem.0.errors = faults
            .iter()
            .map(|fault| json!({ fault.place: fault.name, "code": fault.code.entry().code, "detail": fault.detail }))
            .collect();
        problem
    }

    /// The same problem, with the number of faults that `errors` does not list.
    pub(crate) fn omitting(self, count: usize) -> Self {
        if count == 0 { self } else { self.with("errors_omitted", count) }
    }

    /// The client lacks a scope.
    pub(crate) fn scope(scope: Scope) -> Self {
        Self::new(Code::InsufficientScope, format!("This client does not hold the scope {}.", scope.as_str()))
            .with("required_scope", scope.as_str())
    }

    /// No client that works is named. Unknown, malformed, expired and disabled look the same from outside.
    pub(crate) fn invalid_client() -> Self {
        Self::new(Code::InvalidClient, "The header client-id names no client that works.")
    }

    /// The client may not call from where it is.
    pub(crate) fn address_not_allowed(address: IpAddr) -> Self {
        Self::new(Code::AddressNotAllowed, format!("This client may not call from {address}."))
    }

    /// A user's token is needed here.
    pub(crate) fn token_required() -> Self {
        Self::new(Code::TokenRequired, "Send a user's access token in the header Authorization.")
            .with_header(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))
    }

    /// The token that was sent is no good.
    pub(crate) fn invalid_token() -> Self {
        Self::new(Code::InvalidToken, "The access token is not of a live session that this client may use.")
            .with_header(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer error=\"invalid_token\""))
    }

    /// The path does not take the method.
    pub(crate) fn method_not_allowed(allowed: &str) -> Self {
        let header = HeaderValue::from_str(allowed).expect("method names are visible ASCII");
        Self::new(Code::MethodNotAllowed, format!("This path takes {allowed}.")).with_header(ALLOW, header)
    }

    /// A defect of ours: the cause is for the log alone.
    pub(crate) fn internal(cause: impl Into<String>) -> Self {
        Self::new(Code::Internal, "The operator finds the cause in the log under this request_id.").because(cause)
    }

    fn because(mut self, cause: impl Into<String>) -> Self {
        self.0.cause = Some(cause.into());
        self
    }

    /// What the log is told, and nobody else.
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

    /// Whether something is wrong with the service. That it stops because it was told to is not.
    pub(crate) fn is_failure(&self) -> bool {
        self.0.status.is_server_error() && self.0.code != Code::ShuttingDown.entry().code
    }

    pub(crate) fn status(&self) -> http::StatusCode {
        self.0.status
    }

    /// Refused only because there is too much to do.
    pub(crate) fn is_overload(&self) -> bool {
        self.0.code == Code::Overloaded.entry().code
    }

    pub(crate) fn headers(&self) -> &[(HeaderName, HeaderValue)] {
        &self.0.headers
    }

    /// The document told to the caller.
    pub(crate) fn document(&self, request_id: &str) -> Vec<u8> {
        let Inner { code, status, title, detail, errors, extra, .. } = &*self.0;
        let document = Document {
            link: format!("{CATALOGUE_PATH}#{code}"),
            title,
            status: status.as_u16(),
            detail,
            code,
            request_id,
            errors,
            extra,
        };
        serde_json::to_vec(&document).expect("a problem has nothing that JSON has not")
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        match error {
            Error::Invalid(faults) => Self::invalid(&faults),
            Error::NotFound => Self::new(Code::NotFound, "There is no such record."),
            Error::Stale => Self::new(Code::Stale, "The record has changed since the revision in If-Match."),
            Error::Conflict(conflict) => conflict.into(),
            Error::InvalidCursor => {
                let detail = "does not belong to this list";
                Self::request(&[RequestFault::parameter("cursor", Code::InvalidCursor, detail)])
            }
            Error::KeyReused => Self::new(
                Code::IdempotencyKeyReused,
                "This Idempotency-Key was used for another request within the last 24 hours.",
            ),
            Error::KeyInFlight => {
                Self::new(Code::IdempotencyInFlight, "A request with this Idempotency-Key is still being answered.")
            }
            Error::InvalidClient => Self::invalid_client(),
            Error::MissingScope(scope) => Self::scope(scope),
            Error::AddressNotAllowed(address) => Self::address_not_allowed(address),
            Error::InvalidIdentityToken(cause) => {
                Self::new(Code::InvalidIdentityToken, "The identity provider's token proves nothing here.")
                    .because(cause)
            }
            Error::EmailMismatch => {
                Self::new(Code::EmailMismatch, "The identity provider's token is for another e-mail address.")
            }
            Error::EmailNotVerified => {
                Self::new(Code::EmailNotVerified, "The identity provider does not say that the address is verified.")
            }
            Error::ProviderUnavailable(cause) => {
                let detail = "Nobody can be asked who this is.";
                Self::new(Code::IdentityProviderUnavailable, detail).because(cause)
            }
            Error::UserNotFound => Self::new(Code::UserNotFound, "Nobody with this identity has signed up."),
            Error::UserBlocked => Self::new(Code::UserBlocked, "The operator has blocked this user."),
            Error::InvalidToken => Self::invalid_token(),
            Error::InvalidRefreshToken => {
                Self::new(Code::InvalidRefreshToken, "The refresh token is not of a live session of this client.")
            }
            Error::RefreshTokenExpired => {
                Self::new(Code::RefreshTokenExpired, "The session is too old, or was idle for too long.")
            }
            Error::RefreshTokenReused => {
                Self::new(Code::RefreshTokenReused, "The refresh token was used before, so its session was ended.")
            }
            Error::NotAccountOwner => Self::new(Code::NotAccountOwner, "This is not the caller's own account."),
            Error::FreshSignInRequired => {
                Self::new(Code::FreshSignInRequired, "The person signed in more than 24 hours ago.")
            }
            Error::Overloaded => Self::new(Code::Overloaded, "Too much work is waiting for the database."),
            Error::Unavailable(cause) => {
                Self::new(Code::StorageUnavailable, "The database cannot be reached or written to.").because(cause)
            }
            Error::OutcomeUnknown => {
                Self::new(Code::OutcomeUnknown, "The connection to the database was lost while it was committing.")
            }
            Error::Internal(cause) => Self::internal(cause),
        }
    }
}

impl From<Conflict> for Problem {
    fn from(conflict: Conflict) -> Self {
        match conflict {
            Conflict::SlugTaken => Self::new(Code::SlugTaken, "A plan of this organization has this slug already."),
            Conflict::PlanInUse { subscriptions } => {
                let detail = match subscriptions {
                    1 => "1 subscription refers to this plan.".to_owned(),
                    count => format!("{count} subscriptions refer to this plan."),
                };
                Self::new(Code::PlanInUse, detail).with("subscriptions", subscriptions)
            }
            Conflict::PlanInactive => {
                Self::new(Code::PlanInactive, "The plan is retired: it takes no new subscriptions.")
            }
            Conflict::ExternalIdTaken { other } => {
                Self::new(Code::ExternalIdTaken, format!("{other} has this external id already."))
                    .with("conflicting_id", other)
            }
            Conflict::Transition(Transition { from, to, allowed }) => {
                let detail = match allowed.as_slice() {
                    [] => format!("{from} is final: it cannot become {to}."),
                    _ => format!("{from} cannot become {to}; it may become {}.", allowed.join(", ")),
                };
                Self::new(Code::InvalidTransition, detail).with("allowed", allowed)
            }
            Conflict::UserAlreadyExists => {
                Self::new(Code::UserAlreadyExists, "Somebody with this identity has signed up already.")
            }
            Conflict::EmailTaken => {
                Self::new(Code::EmailTaken, "Another identity of this organization has this e-mail address.")
            }
            Conflict::Contended => Self::new(Code::Contended, "Other writers were faster every time we tried."),
        }
    }
}
