//! The services that data is imported from, and the order in which their files are read.

/// A service that data is imported from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// Its objects are distinguished by `object`.
    Stripe,
    /// Its objects are JSON:API documents, distinguished by `type`.
    LemonSqueezy,
    /// Paddle Billing. Its entities are distinguished by the prefix of `id`.
    Paddle,
}

impl Service {
    /// Its name on the command line, from which IDs are derived too.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stripe => "stripe",
            Self::LemonSqueezy => "lemon-squeezy",
            Self::Paddle => "paddle",
        }
    }
}

/// A pass over the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Plans and users.
    Catalogue,
    /// Subscriptions.
    Subscriptions,
    /// Payments.
    Payments,
}

impl Reading {
    /// In the required order.
    pub const ALL: [Self; 3] = [Self::Catalogue, Self::Subscriptions, Self::Payments];
}
