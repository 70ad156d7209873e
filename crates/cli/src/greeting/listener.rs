//! A listener and its addresses. A listener on all addresses is shown with those that can be used.

use perennial_http::server::Server;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

#[derive(Clone, Copy)]
pub(crate) struct Listener {
    pub(super) address: SocketAddr,
    /// Also possible for a listener on all IPv6 addresses.
    pub(super) takes_ipv4: bool,
}

impl Listener {
    pub(crate) fn of(server: &Server) -> Self {
        Self { address: server.local_addr(), takes_ipv4: server.takes_ipv4() }
    }

    /// The address to try first on this machine.
    pub(super) fn first(self) -> SocketAddr {
        self.reachable().first().copied().unwrap_or(self.address)
    }

    /// Its own address or, if it listens on all, loopback and the addresses that other machines can use.
    pub(super) fn reachable(self) -> Vec<SocketAddr> {
        if !self.address.ip().is_unspecified() {
            return vec![self.address];
        }
        let ipv4 = self.takes_ipv4.then_some((IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V4(Ipv4Addr::UNSPECIFIED)));
        let ipv6 = (IpAddr::V6(Ipv6Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::UNSPECIFIED));
        let ipv6 = self.address.is_ipv6().then_some(ipv6);
        let families = [ipv4, ipv6].into_iter().flatten();
        let loopback = families.clone().map(|(loopback, _)| loopback).filter(|loopback| is_ours(*loopback));
        let outward = families.filter_map(|(_, any)| outward(any));
        let mut addresses: Vec<_> =
            loopback.chain(outward).map(|ip| SocketAddr::new(ip, self.address.port())).collect();
        if addresses.is_empty() {
            addresses.push(self.address);
        }
        addresses
    }
}

/// Whether this machine has the address. A container may have no IPv6 loopback.
fn is_ours(ip: IpAddr) -> bool {
    UdpSocket::bind((ip, 0)).is_ok()
}

/// The source address of this machine. Nothing is sent: connecting a datagram socket only selects the route.
fn outward(any: IpAddr) -> Option<IpAddr> {
    // Documentation addresses, which the default route leads to.
    let peer: IpAddr = match any {
        IpAddr::V4(_) => Ipv4Addr::new(192, 0, 2, 1).into(),
        IpAddr::V6(_) => Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1).into(),
    };
    let socket = UdpSocket::bind((any, 0)).ok()?;
    socket.connect((peer, 9)).ok()?;
    socket.local_addr().ok().map(|address| address.ip()).filter(|ip| !ip.is_unspecified() && !ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reachable(address: &str, takes_ipv4: bool) -> Vec<SocketAddr> {
        Listener { address: address.parse().unwrap(), takes_ipv4 }.reachable()
    }

    #[test]
    fn a_listener_on_all_addresses_is_called_by_those_of_its_families() {
        let has_ipv6 = is_ours(Ipv6Addr::LOCALHOST.into());
        for (address, takes_ipv4) in [("0.0.0.0:7", true), ("[::]:7", true), ("[::]:7", false)] {
            let addresses = reachable(address, takes_ipv4);
            assert!(addresses.iter().all(|address| !address.ip().is_unspecified() && address.port() == 7));
            assert_eq!(addresses.contains(&"127.0.0.1:7".parse().unwrap()), takes_ipv4, "{address} {addresses:?}");
            let calls_ipv6 = has_ipv6 && address.starts_with('[');
            assert_eq!(addresses.contains(&"[::1]:7".parse().unwrap()), calls_ipv6, "{address} {addresses:?}");
            assert_eq!(addresses.iter().any(SocketAddr::is_ipv4), takes_ipv4, "{address} {addresses:?}");
        }
    }

    #[test]
    fn a_listener_on_one_address_is_called_by_that() {
        for address in ["10.1.2.3:7", "[2001:db8::7]:7"] {
            assert_eq!(reachable(address, false), [address.parse().unwrap()]);
        }
    }

    #[test]
    fn an_address_that_this_machine_has_not_is_not_ours() {
        assert!(is_ours(Ipv4Addr::LOCALHOST.into()) && !is_ours(Ipv4Addr::new(192, 0, 2, 1).into()));
    }
}
