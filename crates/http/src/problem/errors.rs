//! The problem of each error of a use case.

use super::{Problem, RequestError};
use crate::error_codes::Code;
use perennial_app::error::Error;
use perennial_domain::lifecycle::billing::ParkReason;
use perennial_domain::validation::{ValidationCode, ValidationErrors};
use serde_json::json;

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
                Self::new(Code::CursorGone, detail).with("oldest", json!(oldest)).with("restored", restored)
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
