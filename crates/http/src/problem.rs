//! Problem documents (RFC 9457). This is the only place that maps errors to status codes.

use crate::error_codes::{Code, ERRORS_PATH, Entry, validation_entry};
use crate::excerpt::excerpt;
use http::header::{ALLOW, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderName, HeaderValue};
use perennial_app::error::{Conflict, Error};
use perennial_domain::clients::Scope;
use perennial_domain::features::MAX_FEATURES;
use perennial_domain::lifecycle::billing::ParkReason;
use perennial_domain::operators::MAX_LINKS;
use perennial_domain::validation::{Transition, ValidationCode, ValidationErrors};
use perennial_domain::webhooks::{MAX_ENDPOINTS, MAX_SECRETS};
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

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        match error {
            Error::Invalid(errors) => Self::invalid(&errors),
            Error::NotFound => Self::new(Code::NotFound, "The record does not exist."),
            Error::Stale => Self::new(Code::Stale, "The record has changed since the revision in If-Match."),
            Error::Conflict(conflict) => conflict.into(),
            Error::InvalidCursor => {
                let detail = "is not a cursor of this list";
                Self::request(&[RequestError::parameter("cursor", Code::InvalidCursor, detail)])
            }
            Error::CursorGone { oldest, restored } => {
                let detail = if restored {
                    "The feed was restored to a state before the position of the cursor."
                } else {
                    "The events after the position of the cursor were pruned."
                };
                let mut problem = Self::new(Code::CursorGone, detail);
                problem.0.extra.insert("oldest".to_owned(), json!(oldest));
                problem.0.extra.insert("restored".to_owned(), json!(restored));
                problem
            }
            Error::KeyReused => Self::new(
                Code::IdempotencyKeyReused,
                "This Idempotency-Key was used for another request within the last 24 hours.",
            ),
            Error::KeyInFlight => {
                Self::new(Code::IdempotencyInFlight, "A request with this Idempotency-Key is still in progress.")
            }
            Error::InvalidClient => Self::invalid_client(),
            Error::OperatorSessionRequired => Self::operator_session_required(None),
            Error::InvalidLink => Self::new(Code::InvalidLink, "The link is unknown, was used, or has expired."),
            Error::MissingScope(scope) => Self::scope(scope),
            Error::ClientNotForBrowsers => Self::new(
                Code::ClientNotForBrowsers,
                "The ID of a trusted client is a credential and must not be sent to a browser.",
            ),
            Error::AddressNotAllowed(address) => Self::address_not_allowed(address),
            Error::InvalidIdentityToken(cause) => Self::new(
                Code::InvalidIdentityToken,
                "The identity provider's token is not valid for this organization.",
            )
            .because(cause),
            Error::EmailMismatch => {
                Self::new(Code::EmailMismatch, "The identity provider's token is for another e-mail address.")
            }
            Error::EmailNotVerified => {
                Self::new(Code::EmailNotVerified, "The identity provider has not verified the address.")
            }
            Error::ProviderUnavailable(cause) => {
                let detail = "No identity provider could be reached to verify the token.";
                Self::new(Code::IdentityProviderUnavailable, detail).because(cause)
            }
            Error::UserNotFound => Self::new(Code::UserNotFound, "No user with this identity has signed up."),
            Error::UserBlocked => Self::new(Code::UserBlocked, "The operator has blocked this user."),
            Error::InvalidToken => Self::invalid_token(),
            Error::InvalidRefreshToken => Self::new(
                Code::InvalidRefreshToken,
                "The refresh token does not belong to an active session of this client.",
            ),
            Error::RefreshTokenExpired => Self::new(
                Code::RefreshTokenExpired,
                "The session has reached its maximum age, or was not refreshed in time.",
            ),
            Error::RefreshTokenReused => {
                Self::new(Code::RefreshTokenReused, "The refresh token was used before, so its session was ended.")
            }
            Error::NotAccountOwner => Self::new(Code::NotAccountOwner, "The account belongs to another user."),
            Error::FreshSignInRequired => {
                Self::new(Code::FreshSignInRequired, "The user signed in more than 24 hours ago.")
            }
            Error::FreshOperatorRequired => Self::fresh_operator_required(),
            Error::Overloaded => Self::new(Code::Overloaded, "Too many changes are waiting for the database."),
            Error::Unavailable(cause) => {
                Self::new(Code::StorageUnavailable, "The database cannot be reached or written to.").because(cause)
            }
            Error::OutcomeUnknown => {
                Self::new(Code::OutcomeUnknown, "The connection to the database was lost while it was committing.")
            }
            Error::Unbillable(ParkReason::OutOfRange) => {
                let mut errors = ValidationErrors::none();
                errors.note("", ValidationCode::OutOfRange, "an amount would be larger than 999999999999");
                Self::invalid(&errors)
            }
            error @ (Error::LeaseLost | Error::Unbillable(_)) => Self::internal(error.to_string()),
            Error::Internal(cause) => Self::internal(cause),
        }
    }
}

impl From<Conflict> for Problem {
    #[expect(clippy::too_many_lines, reason = "one arm for each conflict")]
    fn from(conflict: Conflict) -> Self {
        match conflict {
            Conflict::SlugTaken => Self::new(Code::SlugTaken, "Another plan of this organization uses this slug."),
            Conflict::PlanInUse { subscriptions } => {
                let detail = match subscriptions {
                    1 => "1 subscription refers to this plan.".to_owned(),
                    count => format!("{count} subscriptions refer to this plan."),
                };
                Self::new(Code::PlanInUse, detail).with("subscriptions", subscriptions)
            }
            Conflict::PlanInactive => {
                Self::new(Code::PlanInactive, "The plan is inactive and does not accept new subscriptions.")
            }
            Conflict::ExternalIdTaken { other } => {
                Self::new(Code::ExternalIdTaken, format!("{other} already uses this external ID."))
                    .with("conflicting_id", other)
            }
            Conflict::Transition(Transition { from, to, allowed }) => {
                let detail = match allowed.as_slice() {
                    [] => format!("{from} is final and cannot change to {to}."),
                    _ => format!("{from} cannot change to {to}, only to {}.", allowed.join(", ")),
                };
                Self::new(Code::InvalidTransition, detail).with("allowed", allowed)
            }
            Conflict::ManagedStatus(Transition { from, to, allowed }) => {
                let detail = match allowed.as_slice() {
                    [] => format!("The subscription is {from}, which is final."),
                    _ => format!("The subscription is {from}; you may send {}, not {to}.", allowed.join(", ")),
                };
                Self::new(Code::ManagedStatus, detail).with("allowed", allowed)
            }
            Conflict::ChangeNotAllowed(status) => {
                let detail = format!("The plan and the quantity cannot change while the subscription is {status}.");
                Self::new(Code::ChangeNotAllowed, detail)
            }
            Conflict::TooManyChanges => {
                Self::new(Code::TooManyChanges, "The plan was changed 10 times in this period already.")
            }
            Conflict::ProviderManaged(connection) => {
                let detail = format!("A payment provider manages this record through {connection}.");
                Self::new(Code::ProviderManaged, detail).with("connection_id", connection.to_string())
            }
            Conflict::CollectingDisabled(connection) => {
                let detail = format!("{connection} does not collect payments, or is disabled.");
                Self::new(Code::CollectingDisabled, detail).with("connection_id", connection.to_string())
            }
            Conflict::ConnectionInUse { subscriptions } => {
                let detail = format!("Subscriptions that follow this connection: {subscriptions}.");
                Self::new(Code::ConnectionInUse, detail).with("subscriptions", subscriptions)
            }
            Conflict::UserAlreadyExists => {
                Self::new(Code::UserAlreadyExists, "A user with this identity has already signed up.")
            }
            Conflict::EmailTaken => {
                Self::new(Code::EmailTaken, "Another user of this organization uses this e-mail address.")
            }
            Conflict::EmailManaged => {
                Self::new(Code::EmailManaged, "The address of this user comes from the identity provider.")
            }
            Conflict::ClientIdTaken => Self::new(Code::ClientIdTaken, "Another client uses this client_id."),
            Conflict::ClientDisabled => Self::new(Code::ClientDisabled, "The client was disabled and cannot change."),
            Conflict::NameTaken => Self::new(Code::NameTaken, "Another record of this organization has this name."),
            Conflict::OwnOperator => Self::new(
                Code::OwnOperator,
                "An operator cannot change its own role, and can neither disable nor delete itself.",
            ),
            Conflict::OperatorDisabled => Self::new(Code::OperatorDisabled, "A disabled operator cannot sign in."),
            Conflict::LinkLimit => Self::new(Code::LinkLimit, format!("The operator has {MAX_LINKS} unused links.")),
            Conflict::EndpointLimit => {
                Self::new(Code::EndpointLimit, format!("The organization has {MAX_ENDPOINTS} webhook endpoints."))
            }
            Conflict::EndpointDisabled => Self::new(Code::EndpointDisabled, "The webhook endpoint is disabled."),
            Conflict::SecretLimit => {
                Self::new(Code::SecretLimit, format!("The webhook endpoint has {MAX_SECRETS} valid secrets."))
            }
            Conflict::NotATestOrganization => {
                Self::new(Code::NotATestOrganization, "A live organization has real time and no test clock.")
            }
            Conflict::ClockExists => Self::new(Code::ClockExists, "The organization has a test clock."),
            Conflict::ClockAdvancing => Self::new(
                Code::ClockAdvancing,
                "The organization accepts no writes while its test clock moves or is deleted.",
            ),
            Conflict::LifecycleBehind => Self::new(
                Code::LifecycleBehind,
                "Late actions must be made before this change, or the organization is on hold.",
            ),
            Conflict::MeterSlugTaken => {
                Self::new(Code::SlugTaken, "Another meter of this organization uses this slug.")
            }
            Conflict::MeterInUse => {
                Self::new(Code::MeterInUse, "Charges of a plan or an active feature use this meter.")
            }
            Conflict::FeatureKeyTaken => {
                Self::new(Code::FeatureKeyTaken, "Another feature of this organization uses this key.")
            }
            Conflict::FeatureLimit => {
                Self::new(Code::FeatureLimit, format!("The organization has {MAX_FEATURES} features."))
            }
            Conflict::AlreadyMember => {
                Self::new(Code::AlreadyMember, "The user is a member of the subscription, or its owner.")
            }
            Conflict::SeatLimit { limit, used } => {
                let detail = format!("The subscription has {limit} seats, and {used} are used.");
                Self::new(Code::SeatLimit, detail).with("limit", limit).with("used", used)
            }
            Conflict::TokenTooLarge { bytes } => {
                Self::new(Code::TokenTooLarge, format!("The token would have {bytes} bytes; 8192 are allowed."))
            }
            Conflict::QuotaExceeded(quotas) => {
                let detail = match quotas.as_slice() {
                    [one] => {
                        format!("The quota {} of {} would be exceeded.", one.feature.as_str(), one.subscription_id)
                    }
                    many => format!("{} quotas would be exceeded.", many.len()),
                };
                let mut problem = Self::new(Code::QuotaExceeded, detail).with("quotas", json!(quotas));
                if let Some(first) = quotas.first() {
                    problem = problem.with("limit", first.limit).with("used", json!(first.used));
                }
                problem
            }
            Conflict::CodeTaken => {
                Self::new(Code::CouponCodeTaken, "Another coupon of this organization uses this code.")
            }
            Conflict::InsufficientBalance => {
                Self::new(Code::InsufficientBalance, "The user's balance in this currency would be negative.")
            }
            Conflict::HasPayments => Self::new(
                Code::HasPayments,
                "The invoice is partly paid or credited, or a credit line of another document names it.",
            ),
            Conflict::PaymentApplied => Self::new(Code::PaymentApplied, "The payment counts for its invoice."),
            Conflict::InvoiceFinal => {
                Self::new(Code::InvoiceFinal, "The invoice was issued, or is not a one_off draft.")
            }
            Conflict::InvoiceNotFinal => Self::new(Code::InvoiceNotFinal, "The invoice is a draft."),
            Conflict::CreditExceedsInvoice => {
                Self::new(Code::CreditExceedsInvoice, "The credit is more than what is left of the invoice.")
            }
            Conflict::CouponUnavailable => {
                Self::new(Code::CouponUnavailable, "The coupon is inactive, past redeem_by or used up.")
            }
            Conflict::HasOpenInvoices => {
                Self::new(Code::HasOpenInvoices, "The subscription has a draft or an open invoice.")
            }
            Conflict::Contended => Self::new(
                Code::Contended,
                "Concurrent changes to the same record prevented this one after several attempts.",
            ),
        }
    }
}
