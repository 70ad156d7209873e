//! Why an identity token is rejected: a stable code for the caller, a reason for the log.

/// The reason, for the log. It contains nothing of the token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reason(pub &'static str);

/// Why a token is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// It is invalid.
    Invalid(Reason),
    /// It is for another e-mail address than the caller's.
    EmailMismatch,
    /// The provider has not verified the e-mail address.
    EmailNotVerified,
    /// It cannot be checked: there is no provider, or its keys cannot be fetched.
    Unavailable(Reason),
}

impl Rejection {
    /// The stable error code of the API.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Invalid(_) => "invalid_identity_token",
            Self::EmailMismatch => "email_mismatch",
            Self::EmailNotVerified => "email_not_verified",
            Self::Unavailable(_) => "identity_provider_unavailable",
        }
    }
}

impl From<Reason> for Rejection {
    fn from(reason: Reason) -> Self {
        Self::Invalid(reason)
    }
}
