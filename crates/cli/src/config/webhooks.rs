//! Webhooks and events: the limits of deliveries, the networks they may reach, and how long events are stored.

use super::values::Within;
use ipnet::IpNet;
use perennial_app::webhooks::WebhookOptions;
use perennial_outbound::Destinations;
use serde::{Deserialize, Serialize};
use std::net::IpAddr;

/// The settings of webhook delivery.
#[derive(Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Webhooks {
    concurrency: Within<1, 64>,
    timeout_seconds: Within<1, 60>,
    attempts_days: Within<1, 90>,
    private_networks: Vec<PrivateNetwork>,
    retry_seconds: Delays,
    probe_seconds: Delays,
    disable_after_seconds: Within<1, 2_592_000>,
}

impl Default for Webhooks {
    fn default() -> Self {
        let options = WebhookOptions::default();
        Self {
            concurrency: Within(options.concurrency),
            timeout_seconds: Within(options.timeout_seconds),
            attempts_days: Within(options.attempts_days),
            private_networks: Vec::new(),
            retry_seconds: Delays(options.retry_seconds),
            probe_seconds: Delays(options.probe_seconds),
            disable_after_seconds: Within(options.disable_after_seconds),
        }
    }
}

impl Webhooks {
    pub(crate) fn app(&self) -> WebhookOptions {
        WebhookOptions {
            concurrency: self.concurrency.0,
            timeout_seconds: self.timeout_seconds.0,
            attempts_days: self.attempts_days.0,
            private_networks: self.private_networks.iter().map(|network| network.0).collect(),
            retry_seconds: self.retry_seconds.0.clone(),
            probe_seconds: self.probe_seconds.0.clone(),
            disable_after_seconds: self.disable_after_seconds.0,
        }
    }
}

/// The settings of events.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Events {
    /// 0: forever.
    pub(crate) keep_days: Within<0, 36_500>,
}

/// A network that webhooks may reach although it is private.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
struct PrivateNetwork(IpNet);

impl TryFrom<String> for PrivateNetwork {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let network = text.parse().or_else(|_| text.parse().map(|address: IpAddr| address.into()));
        let network = network.map_err(|_| "a private network is written as 127.0.0.0/8 or ::1/128".to_owned())?;
        Destinations::new(&[network]).map_err(|error| error.to_string())?;
        Ok(Self(network))
    }
}

impl From<PrivateNetwork> for String {
    fn from(network: PrivateNetwork) -> Self {
        network.0.to_string()
    }
}

/// Delays in seconds, one after the other.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(try_from = "Vec<i64>")]
struct Delays(Vec<u32>);

impl TryFrom<Vec<i64>> for Delays {
    type Error = String;

    fn try_from(delays: Vec<i64>) -> Result<Self, Self::Error> {
        if !(1..=20).contains(&delays.len()) {
            return Err(format!("{} delays are out of range: there must be at least 1 and at most 20", delays.len()));
        }
        let delays = delays.into_iter().map(|delay| Within::<1, 604_800>::try_from(delay).map(|delay| delay.0));
        delays.collect::<Result<_, _>>().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<WebhookOptions, String> {
        toml::from_str::<Webhooks>(text).map(|webhooks| webhooks.app()).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn an_empty_table_has_the_defaults_of_the_contract() {
        assert_eq!(read("").unwrap(), WebhookOptions::default());
    }

    #[test]
    fn values_outside_their_ranges_are_rejected() {
        for text in [
            "concurrency = 0",
            "concurrency = 65",
            "timeout_seconds = 61",
            "attempts_days = 91",
            "retry_seconds = []",
            "retry_seconds = [0]",
            "probe_seconds = [604801]",
            "disable_after_seconds = 2592001",
            "private_networks = [\"8.8.8.0/24\"]",
            "private_networks = [\"169.254.0.0/16\"]",
            "private_networks = [\"here\"]",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
        let message = read("private_networks = [\"0.0.0.0/0\"]").unwrap_err();
        assert!(message.contains("0.0.0.0/0 is not inside a loopback, private"), "{message}");
        let networks = read("private_networks = [\"127.0.0.0/8\", \"::1\"]").unwrap().private_networks;
        assert_eq!(networks.iter().map(ToString::to_string).collect::<Vec<_>>(), ["127.0.0.0/8", "::1/128"]);
    }
}
