//! The services that data is imported from, and the order in which their files are read.

/// A service that data is imported from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// Its objects are told apart by `object`.
    Stripe,
    /// Its objects are JSON:API documents, told apart by `type`.
    LemonSqueezy,
}

impl Service {
    /// Its name on the command line, and in what our ids are made from.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stripe => "stripe",
            Self::LemonSqueezy => "lemon-squeezy",
        }
    }
}

/// What the files are read for.
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
    /// In the order in which they must come.
    pub const ALL: [Self; 3] = [Self::Catalogue, Self::Subscriptions, Self::Payments];
}
