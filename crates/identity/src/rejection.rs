//! Why a token is not accepted: a stable code for the caller, a cause for the log.

/// What was wrong, for the log: it holds nothing of the token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reason(pub &'static str);

/// Why a token is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// It proves nothing.
    Invalid(Reason),
    /// It is for another e-mail than the caller says.
    EmailMismatch,
    /// The provider does not vouch for the e-mail.
    EmailNotVerified,
    /// There is nobody to ask: no provider, or its keys cannot be had.
    Unavailable(Reason),
}

impl Rejection {
    /// The stable code of the contract.
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
