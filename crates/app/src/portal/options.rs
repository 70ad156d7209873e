//! The settings of the customer portal.

/// The settings of the customer portal.
#[derive(Clone, Debug, Default)]
pub struct PortalOptions {
    /// Whether it is served.
    pub enabled: bool,
    /// The URL that one-time links begin with, without a trailing slash.
    pub base_url: String,
}
