//! Which network addresses we connect to on an operator's behalf.
//! An address is public unless a registry lists it as special; what is neither public nor private is never connected to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Where an address leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The internet.
    Public,
    /// This machine or a network behind it: only where the operator allows it.
    Private,
    /// Nowhere a provider lives: link-local (cloud metadata), multicast, reserved, unspecified.
    Never,
}

impl Place {
    pub(crate) fn of(address: IpAddr) -> Self {
        match address {
            IpAddr::V4(address) => Self::of_v4(address),
            IpAddr::V6(address) => Self::of_v6(address),
        }
    }

    fn of_v4(address: Ipv4Addr) -> Self {
        let [a, b, c, _] = address.octets();
        match (a, b, c) {
            (10 | 127, _, _) | (172, 16..=31, _) | (192, 168, _) | (100, 64..=127, _) => Self::Private,
            (0 | 224..=255, _, _)
            | (169, 254, _)
            | (192, 0, 0 | 2)
            | (192, 88, 99)
            | (198, 18 | 19, _)
            | (198, 51, 100)
            | (203, 0, 113) => Self::Never,
            _ => Self::Public,
        }
    }

    /// Only global unicast is public; of that, the blocks that carry IPv4 addresses inside are not, since they would
    /// reach what the IPv4 rules refuse.
    fn of_v6(address: Ipv6Addr) -> Self {
        if let Some(mapped) = address.to_ipv4_mapped() {
            return match Self::of_v4(mapped) {
                Self::Public | Self::Private => Self::Private,
                Self::Never => Self::Never,
            };
        }
        match address.segments() {
            [0, 0, 0, 0, 0, 0, 0, 1] | [0xfc00..=0xfdff, ..] => Self::Private,
            [0x2001, 0..=0x01ff | 0x0db8, ..] | [0x2002, ..] | [0x3fff, 0..=0x0fff, ..] => Self::Never,
            [0x2000..=0x3fff, ..] => Self::Public,
            _ => Self::Never,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_address_has_its_place() {
        for (place, addresses) in [
            (
                Place::Public,
                "8.8.8.8 1.1.1.1 172.15.0.1 172.32.0.1 100.63.255.255 100.128.0.0 192.167.1.1 198.17.0.1 223.255.255.255 \
                 2606:4700::1111 2a00:1450::1 2001:4860:4860::8888",
            ),
            (
                Place::Private,
                "127.0.0.1 127.255.255.255 10.0.0.1 172.16.0.1 172.31.255.255 192.168.0.1 100.64.0.1 100.127.255.255 ::1 \
                 fc00::1 fdff::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:8.8.8.8",
            ),
            (
                Place::Never,
                "0.0.0.0 0.1.2.3 169.254.169.254 192.0.0.1 192.0.2.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 \
                 240.0.0.1 255.255.255.255 :: fe80::1 fec0::1 ff02::1 2001::1 2001:db8::1 2002:7f00:1:: 3fff::1 \
                 64:ff9b::7f00:1 64:ff9b:1::1 ::7f00:1 100::1 ::ffff:169.254.169.254",
            ),
        ] {
            for address in addresses.split_whitespace() {
                assert_eq!(Place::of(address.parse().unwrap()), place, "{address}");
            }
        }
    }
}
