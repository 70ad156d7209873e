//! The settings of the API.

use crate::console_access::Site;
use ipnet::IpNet;
use std::path::PathBuf;
use std::time::Duration;

/// The settings of the API.
#[derive(Clone, Debug)]
pub struct ApiOptions {
    /// The limits of request bodies.
    pub body: BodyLimits,
    /// How long a response may take.
    pub answer_timeout: Duration,
    /// How long a change may go without an outcome before `/readyz` returns 503.
    pub stuck_after: Duration,
    /// The peers whose `x-forwarded-for` is trusted; none by default.
    pub trusted_proxies: Vec<IpNet>,
    /// Where operators are served.
    pub console: ConsoleOptions,
    /// Where customers are served.
    pub portal: PortalOptions,
}

impl Default for ApiOptions {
    fn default() -> Self {
        Self {
            body: BodyLimits::default(),
            answer_timeout: Duration::from_secs(30),
            stuck_after: Duration::from_secs(3),
            trusted_proxies: Vec::new(),
            console: ConsoleOptions::default(),
            portal: PortalOptions::default(),
        }
    }
}

/// Where operators are served, and from where they may call.
#[derive(Clone, Debug, Default)]
pub struct ConsoleOptions {
    /// Whether operators are served at all.
    pub enabled: bool,
    /// Whether operators have a listener of their own. Then the main one serves clients only.
    pub is_separate: bool,
    /// The hosts that are ours.
    pub sites: Vec<Site>,
    /// The addresses of operators; empty means any.
    pub cidrs: Vec<IpNet>,
    /// Whether browsers reach this service over https only.
    pub is_https: bool,
    /// A directory with the built files of the console, read at every request. For its development: only debug builds
    /// look at it.
    pub directory: Option<PathBuf>,
}

/// Where customers are served. Whether they are is an option of the context.
#[derive(Clone, Debug, Default)]
pub struct PortalOptions {
    /// The hosts that are ours.
    pub sites: Vec<Site>,
    /// Whether browsers reach this service over https only.
    pub is_https: bool,
}

/// The limits of a request's body.
#[derive(Clone, Debug)]
pub struct BodyLimits {
    /// The largest body, in bytes.
    pub bytes: usize,
    /// The deepest nesting of its JSON.
    pub depth: usize,
    /// How long it may take to arrive.
    pub timeout: Duration,
}

impl Default for BodyLimits {
    fn default() -> Self {
        Self { bytes: 256 * 1024, depth: 32, timeout: Duration::from_secs(30) }
    }
}
