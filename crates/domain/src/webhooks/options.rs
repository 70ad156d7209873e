//! The settings of webhook delivery, with their defaults. The ranges are checked where they are read.

use ipnet::IpNet;

/// The settings of webhook delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookOptions {
    /// Requests at once to one endpoint: 1 to 64.
    pub concurrency: u32,
    /// For a whole request: 1 to 60.
    pub timeout_seconds: u32,
    /// How long attempts are stored: 1 to 90.
    pub attempts_days: u32,
    /// The private networks that may be reached.
    pub private_networks: Vec<IpNet>,
    /// The delays before each retry: 1 to 20 values of up to 604,800.
    pub retry_seconds: Vec<u32>,
    /// The delays before each probe of a failing endpoint; the last one repeats.
    pub probe_seconds: Vec<u32>,
    /// After how long an endpoint that fails is disabled: 1 to 2,592,000.
    pub disable_after_seconds: u32,
}

impl Default for WebhookOptions {
    fn default() -> Self {
        const MINUTE: u32 = 60;
        const HOUR: u32 = 3_600;
        Self {
            concurrency: 8,
            timeout_seconds: 15,
            attempts_days: 7,
            private_networks: Vec::new(),
            retry_seconds: vec![
                5,
                30,
                2 * MINUTE,
                10 * MINUTE,
                HOUR,
                3 * HOUR,
                6 * HOUR,
                12 * HOUR,
                24 * HOUR,
                24 * HOUR,
            ],
            probe_seconds: vec![10, 30, 120, 600, 3_600],
            disable_after_seconds: 432_000,
        }
    }
}
