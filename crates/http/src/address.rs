//! The client's address: the peer, or what a trusted proxy reports in `x-forwarded-for`.
//! Only entries written by trusted proxies are used, so a client cannot choose its address.

use http::{HeaderMap, HeaderName};
use ipnet::IpNet;
use std::net::{IpAddr, SocketAddr};

pub(crate) const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
/// The longest chain of trusted proxies.
const MOST_HOPS: usize = 32;

/// The client's address: the nearest hop that is not a trusted proxy, or the farthest if all of them are.
///
/// Each proxy appends the address of its peer on the right. So the list is read from right to left, up to the first address
/// that is not a trusted proxy. Everything to its left was sent by that peer and is not read, whatever its content.
pub fn client(peer: IpAddr, headers: &HeaderMap, trusted_proxies: &[IpNet]) -> IpAddr {
    let peer = peer.to_canonical();
    let is_trusted = |address: &IpAddr| is_proxy(*address, trusted_proxies);
    if !is_trusted(&peer) {
        return peer;
    }
    let lines = headers.get_all(FORWARDED_FOR).iter().rev();
    let hops = lines.flat_map(|line| line.as_bytes().rsplit(|byte| *byte == b','));
    let mut farthest = peer;
    for (walked, text) in hops.enumerate() {
        match hop(text) {
            Some(address) if walked < MOST_HOPS && is_trusted(&address) => farthest = address,
            Some(address) if walked < MOST_HOPS => return address,
            _ => return peer,
        }
    }
    farthest
}

/// Whether the address is that of a trusted proxy.
pub(crate) fn is_proxy(address: IpAddr, trusted_proxies: &[IpNet]) -> bool {
    let address = address.to_canonical();
    trusted_proxies.iter().any(|network| network.contains(&address))
}

/// The address of a hop. Some proxies append the port.
fn hop(text: &[u8]) -> Option<IpAddr> {
    let text = std::str::from_utf8(text).ok()?.trim_matches([' ', '\t']);
    let address = text.parse().or_else(|_| text.parse().map(|socket: SocketAddr| socket.ip()));
    address.ok().map(|address: IpAddr| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;
    use proptest::prelude::*;

    const PROXY: &str = "10.0.0.1";

    fn seen(peer: &str, lines: &[&str]) -> String {
        let trusted = ["10.0.0.0/8", "2001:db8:1::/48"].map(|network| network.parse().unwrap());
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(FORWARDED_FOR, HeaderValue::from_bytes(line.as_bytes()).unwrap());
        }
        client(peer.parse().unwrap(), &headers, &trusted).to_string()
    }

    #[test]
    fn an_untrusted_peer_is_who_it_is_whatever_it_says() {
        assert_eq!(seen("203.0.113.5", &["198.51.100.7"]), "203.0.113.5");
        assert_eq!(seen("203.0.113.5", &[PROXY]), "203.0.113.5");
        let headers = HeaderMap::from_iter([(FORWARDED_FOR, HeaderValue::from_static("198.51.100.7"))]);
        assert_eq!(client(PROXY.parse().unwrap(), &headers, &[]).to_string(), PROXY, "no proxy is trusted by default");
    }

    #[test]
    fn the_first_stranger_from_the_right_is_the_client() {
        assert_eq!(seen(PROXY, &["198.51.100.7"]), "198.51.100.7");
        assert_eq!(seen(PROXY, &["1.1.1.1, 198.51.100.7 ,\t10.2.3.4"]), "198.51.100.7");
        assert_eq!(seen(PROXY, &["1.1.1.1", "198.51.100.7", "10.2.3.4,10.2.3.5"]), "198.51.100.7");
        assert_eq!(seen("2001:db8:1::7", &["2001:db8:2::9, 2001:db8:1::8"]), "2001:db8:2::9");
    }

    #[test]
    fn where_all_are_trusted_the_farthest_is_the_client() {
        assert_eq!(seen(PROXY, &["10.9.9.9, 10.2.3.4", "10.2.3.5"]), "10.9.9.9");
        assert_eq!(seen(PROXY, &[]), PROXY);
    }

    #[test]
    fn a_mapped_address_is_the_address_it_maps() {
        assert_eq!(seen("::ffff:203.0.113.5", &["198.51.100.7"]), "203.0.113.5");
        assert_eq!(seen("::ffff:10.0.0.1", &["::ffff:198.51.100.7"]), "198.51.100.7");
    }

    #[test]
    fn a_port_beside_the_address_is_read_past() {
        assert_eq!(seen(PROXY, &["198.51.100.7:4711"]), "198.51.100.7");
        assert_eq!(seen(PROXY, &["[2001:db8:2::9]:4711"]), "2001:db8:2::9");
    }

    #[test]
    fn what_cannot_be_read_leads_back_to_the_peer() {
        for line in ["", "unknown", "198.51.100.7,", "198.51.100.7, 10.2.3", "198.51.100.256", "1.2.3.4 5.6.7.8", "é"]
        {
            assert_eq!(seen(PROXY, &[line]), PROXY, "{line}");
        }
        assert_eq!(seen(PROXY, &["rubbish, 10.2.3.4"]), PROXY);
    }

    #[test]
    fn a_stranger_cannot_pass_for_the_proxy_by_what_it_writes_itself() {
        assert_eq!(seen(PROXY, &["rubbish, 198.51.100.7"]), "198.51.100.7");
        let many = format!("{} 198.51.100.7", "10.2.3.4,".repeat(100));
        assert_eq!(seen(PROXY, &[&many]), "198.51.100.7");
    }

    #[test]
    fn a_chain_is_followed_for_thirty_two_hops() {
        let chain = |proxies: usize| format!("198.51.100.7{}", ",10.2.3.4".repeat(proxies));
        assert_eq!(seen(PROXY, &[&chain(31)]), "198.51.100.7");
        assert_eq!(seen(PROXY, &[&chain(32)]), PROXY);
        assert_eq!(seen(PROXY, &[&chain(1000)]), PROXY);
    }

    proptest! {
        #[test]
        fn no_text_panics(lines in prop::collection::vec("[0-9a-f.:,\\[\\] ]{0,60}|\\PC{0,40}", 0..4)) {
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            seen(PROXY, &lines);
            prop_assert_eq!(seen("203.0.113.5", &lines), "203.0.113.5");
        }
    }
}
