//! Values of the file that are more than a number or a text. One that exists is right.

use ipnet::IpNet;
use serde::{Deserialize, Serialize};
use std::net::IpAddr;

/// A network, or a single address as a network of one.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(try_from = "String")]
#[serde(into = "String")]
pub(crate) struct Proxy(IpNet);

impl Proxy {
    pub(crate) fn network(&self) -> IpNet {
        self.0
    }
}

impl TryFrom<String> for Proxy {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let network = text.parse().or_else(|_| text.parse().map(|address: IpAddr| address.to_canonical().into()));
        network.map(Self).map_err(|_| "a trusted proxy is an address or a network, such as 127.0.0.1 or 10.0.0.0/8")
    }
}

impl From<Proxy> for String {
    fn from(proxy: Proxy) -> Self {
        proxy.0.to_string()
    }
}

/// A number that would stop everything if it were 0.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(try_from = "i64")]
pub(crate) struct AtLeastOne(pub(crate) u32);

impl AtLeastOne {
    pub(crate) fn count(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

impl TryFrom<i64> for AtLeastOne {
    type Error = String;

    fn try_from(number: i64) -> Result<Self, Self::Error> {
        let wrong = || format!("{number} is out of range: it must be at least 1 and at most {}", u32::MAX);
        u32::try_from(number).ok().filter(|number| *number > 0).map(Self).ok_or_else(wrong)
    }
}

/// A share, in whole percent.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(try_from = "i64")]
pub(crate) struct Percent(pub(crate) u8);

impl TryFrom<i64> for Percent {
    type Error = String;

    fn try_from(number: i64) -> Result<Self, Self::Error> {
        let wrong = || format!("{number} is out of range: it must be at least 0 and at most 100");
        u8::try_from(number).ok().filter(|number| *number <= 100).map(Self).ok_or_else(wrong)
    }
}
