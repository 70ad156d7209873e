//! Types for values of the file that are more than a number or a string. A value exists only if it is valid.

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

/// A number that must not be 0.
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

/// A number of a range.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
#[serde(try_from = "i64")]
pub(crate) struct Within<const LEAST: u32, const MOST: u32>(pub(crate) u32);

impl<const LEAST: u32, const MOST: u32> TryFrom<i64> for Within<LEAST, MOST> {
    type Error = String;

    fn try_from(number: i64) -> Result<Self, Self::Error> {
        let wrong = || format!("{number} is out of range: it must be at least {LEAST} and at most {MOST}");
        let within = |number: &u32| (LEAST..=MOST).contains(number);
        u32::try_from(number).ok().filter(within).map(Self).ok_or_else(wrong)
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

/// An interval, such as `30m` or `6h`.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(try_from = "String")]
#[serde(into = "String")]
pub(crate) struct Interval {
    number: u32,
    unit: char,
}

/// Each unit and its seconds.
const UNITS: [(char, u32); 4] = [('s', 1), ('m', 60), ('h', 3_600), ('d', 86_400)];

impl Interval {
    pub(crate) fn seconds(self) -> u32 {
        let unit = UNITS.iter().find(|(unit, _)| *unit == self.unit).map_or(1, |(_, seconds)| *seconds);
        self.number.saturating_mul(unit)
    }
}

impl TryFrom<String> for Interval {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let parsed = UNITS.iter().find_map(|(unit, seconds)| {
            let number: u32 = text.strip_suffix(*unit)?.parse().ok()?;
            (number > 0 && number.checked_mul(*seconds).is_some()).then_some(Self { number, unit: *unit })
        });
        parsed.ok_or("an interval is a number above 0 and a unit (s, m, h or d), such as 30m or 6h")
    }
}

impl From<Interval> for String {
    fn from(interval: Interval) -> Self {
        format!("{}{}", interval.number, interval.unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_has_a_unit() {
        let seconds = |text: &str| Interval::try_from(text.to_owned()).map(Interval::seconds);
        assert_eq!(seconds("30s"), Ok(30));
        assert_eq!(seconds("6h"), Ok(21_600));
        assert_eq!(seconds("2d"), Ok(172_800));
        for wrong in ["", "6", "h", "0h", "-1h", "6 h", "1.5h", "6w", "99999999d"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
        assert_eq!(String::from(Interval::try_from("90m".to_owned()).unwrap()), "90m");
    }
}
