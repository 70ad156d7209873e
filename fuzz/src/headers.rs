//! Headers: where a request comes from, and what it may steer us with. A line of the input is a line of the header.

use http::header::{IF_MATCH, IF_NONE_MATCH};
use http::{HeaderMap, HeaderName, HeaderValue, Uri};
use ipnet::IpNet;
use perennial_app::revision::IfMatch;
use perennial_domain::clients::Origin;
use perennial_domain::id::EventId;
use perennial_http::Site;
use perennial_http::fuzz_api::{self, Decision};
use std::net::{IpAddr, SocketAddr};

/// The address of an untrusted peer is used; behind a proxy, the client is the peer or an address in the header.
pub(crate) fn forwarded_for(data: &[u8]) {
    let trusted: [IpNet; 2] = ["10.0.0.0/8", "2001:db8:1::/48"].map(|text| text.parse().expect("a network"));
    let stranger: IpAddr = "203.0.113.5".parse().expect("an address");
    let proxy: IpAddr = "10.0.0.1".parse().expect("an address");
    let name = HeaderName::from_static("x-forwarded-for");
    let headers = lines(data, &name);
    assert_eq!(fuzz_api::client_address(stranger, &headers, &trusted), stranger);
    let client = fuzz_api::client_address(proxy, &headers, &trusted);
    assert_eq!(client, client.to_canonical());
    let hops = headers.get_all(&name).iter().flat_map(|line| line.as_bytes().split(|byte| *byte == b','));
    let named = hops.filter_map(|hop| {
        let hop = std::str::from_utf8(hop).ok()?.trim_matches([' ', '\t']);
        hop.parse().ok().or_else(|| hop.parse().ok().map(|socket: SocketAddr| socket.ip()))
    });
    assert!(client == proxy || named.map(|hop: IpAddr| hop.to_canonical()).any(|hop| hop == client), "{client}");
    // What a stranger writes before its own address changes nothing.
    if !trusted.iter().any(|network| network.contains(&client)) {
        let mut forged = HeaderMap::new();
        forged.append(&name, HeaderValue::from_static("198.51.100.99, 10.9.9.9"));
        forged.extend(headers.get_all(&name).iter().map(|line| (name.clone(), line.clone())));
        assert_eq!(fuzz_api::client_address(proxy, &forged, &trusted), client);
    }
}

/// A cookie counts only on our host, with the own header, without a client's ID and from the same origin. A line of the
/// input is a header.
pub(crate) fn console_access(data: &[u8]) {
    let mut headers = HeaderMap::new();
    for line in data.split(|byte| *byte == b'\n') {
        let mut parts = line.splitn(2, |byte| *byte == b':');
        let (name, value) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name), HeaderValue::from_bytes(value.trim_ascii())) {
            headers.append(name, value);
        }
    }
    let mut sites = Site::of_listener(SocketAddr::from(([127, 0, 0, 1], 8080)));
    sites.push(Site::https("billing.example.com"));
    let Decision::SameOrigin { site, cookie } = fuzz_api::decide_console(&Uri::from_static("/"), &headers, &sites)
    else {
        return;
    };
    let only = |name: &str| {
        let values: Vec<_> = headers.get_all(name).iter().filter_map(|value| value.to_str().ok()).collect();
        (headers.get_all(name).iter().count() == 1).then(|| values.first().copied()).flatten()
    };
    assert_eq!(only("x-perennial-console"), Some("1"));
    let host = only("host").expect("a host").to_lowercase();
    assert_eq!(site.origin().split_once("://").map(|(_, host)| host), Some(host.as_str()));
    assert!(!headers.contains_key("client-id"));
    if headers.contains_key("sec-fetch-site") {
        assert_eq!(only("sec-fetch-site"), Some("same-origin"));
    } else {
        assert_eq!(only("origin"), Some(site.origin().as_str()));
    }
    if let Some(cookie) = cookie {
        assert!(cookie.len() == 43 && cookie.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)));
    }
}

/// Conditions name only revisions that stand in them; keys and ids are what they may be or nothing.
pub(crate) fn conditions(data: &[u8]) {
    let tags = lines(data, &IF_MATCH);
    match fuzz_api::if_match(&tags) {
        Ok(IfMatch::OneOf(revisions)) => {
            let text: String = tags.get_all(IF_MATCH).iter().filter_map(|line| line.to_str().ok()).collect();
            assert!(revisions.iter().all(|revision| text.contains(&revision.suffix())));
        }
        Ok(_) => {}
        Err(detail) => assert!(!detail.is_empty()),
    }
    let own = EventId::from_bytes(std::array::from_fn(|place| data.get(place).copied().unwrap_or(7)));
    for tag in [fuzz_api::etag(own, None), fuzz_api::etag(own, Some(true)), fuzz_api::etag(own, Some(false))] {
        let strong = lines(tag.as_bytes(), &IF_MATCH);
        assert_eq!(fuzz_api::if_match(&strong), Ok(IfMatch::OneOf(vec![own])));
        let weak = lines(format!("W/{tag}").as_bytes(), &IF_MATCH);
        assert_eq!(fuzz_api::if_match(&weak), Ok(IfMatch::OneOf(vec![])));
        assert!(fuzz_api::none_match(&lines(tag.as_bytes(), &IF_NONE_MATCH), &tag));
        let _ = fuzz_api::none_match(&lines(data, &IF_NONE_MATCH), &tag);
    }
    let name = HeaderName::from_static("idempotency-key");
    match fuzz_api::idempotency_key(&lines(data, &name)) {
        Ok(Some(key)) => assert!((1..=255).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic())),
        Ok(None) => assert!(lines(data, &name).is_empty()),
        Err(detail) => assert!(!detail.is_empty()),
    }
    let headers = lines(data, &HeaderName::from_static("x-request-id"));
    if let Some(id) = fuzz_api::request_id(&headers) {
        assert!(
            (1..=128).contains(&id.len())
                && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
        );
    }
    let headers = lines(data, &HeaderName::from_static("traceparent"));
    if let Some(trace) = fuzz_api::trace_id(&headers) {
        assert!(
            trace.len() == 32
                && trace.bytes().all(|byte| byte.is_ascii_hexdigit())
                && trace.bytes().any(|byte| byte != b'0')
        );
    }
    if let Ok(text) = std::str::from_utf8(data) {
        let any_port = Origin::parse("http://localhost:*").expect("an origin");
        let port = text.strip_prefix("http://localhost").map(|rest| rest.strip_prefix(':').unwrap_or(rest));
        let digits = port.is_some_and(|port| port.bytes().all(|byte| byte.is_ascii_digit()));
        assert!(!any_port.allows(text) || digits, "{text}");
        let one = Origin::parse("https://app.example.com").expect("an origin");
        assert_eq!(one.allows(text), text == "https://app.example.com", "{text}");
    }
}

/// Each line that can stand in a header, under this name.
fn lines(data: &[u8], name: &HeaderName) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for line in data.split(|byte| *byte == b'\n').take(16) {
        if let Ok(value) = HeaderValue::from_bytes(line) {
            headers.append(name.clone(), value);
        }
    }
    headers
}
