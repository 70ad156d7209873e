use super::*;

const VALUE: &str = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

fn sites() -> Vec<Site> {
    let mut sites = vec![Site::https("Billing.example.com")];
    sites.extend(Site::of_listener("127.0.0.1:8080".parse().unwrap()));
    sites
}

fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
    let mut map = HeaderMap::new();
    for (name, value) in pairs {
        map.append(HeaderName::try_from(*name).unwrap(), HeaderValue::from_str(value).unwrap());
    }
    map
}

/// The decision by one word.
fn decided(target: &str, pairs: &[(&str, &str)]) -> String {
    match decide(&target.parse().unwrap(), &headers(pairs), &sites()) {
        Decision::NotConsole => "not console".to_owned(),
        Decision::Misdirected => "misdirected".to_owned(),
        Decision::Ambiguous => "ambiguous".to_owned(),
        Decision::CrossSite => "cross site".to_owned(),
        Decision::SameOrigin { cookie: None, .. } => "no cookie".to_owned(),
        Decision::SameOrigin { cookie: Some(_), site } => site.origin(),
    }
}

const OWN: (&str, &str) = ("x-perennial-console", "1");
const OUR_HOST: (&str, &str) = ("host", "billing.example.com");
const SAME: (&str, &str) = ("sec-fetch-site", "same-origin");
const SECURE: (&str, &str) = ("cookie", "__Host-perennial-operator=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
const PLAIN: (&str, &str) = ("cookie", "perennial-operator=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");

#[test]
fn the_cookie_is_read_only_with_the_own_header() {
    assert_eq!(decided("/", &[OWN, OUR_HOST, SAME, SECURE]), "https://billing.example.com");
    assert_eq!(decided("/", &[OUR_HOST, SAME, SECURE]), "not console");
    for value in ["", "0", "true", "11", " 1 x"] {
        assert_eq!(decided("/", &[("x-perennial-console", value), OUR_HOST, SAME, SECURE]), "not console", "{value}");
    }
    assert_eq!(decided("/", &[OWN, OWN, OUR_HOST, SAME, SECURE]), "not console");
}

#[test]
fn the_checks_have_their_order() {
    let evil = ("host", "evil.example");
    let client = ("client-id", "x");
    let cross = ("sec-fetch-site", "cross-site");
    assert_eq!(decided("/", &[OWN, evil, client, cross]), "misdirected");
    assert_eq!(decided("/", &[OWN, OUR_HOST, client, cross]), "ambiguous");
    assert_eq!(decided("/", &[OWN, OUR_HOST, cross]), "cross site");
    assert_eq!(decided("/", &[OWN, OUR_HOST, SAME]), "no cookie");
}

#[test]
fn a_host_is_ours_as_a_whole() {
    for host in
        ["evil.example", "billing.example.com.", "billing.example.com:444", "xbilling.example.com", "", "localhost"]
    {
        assert_eq!(decided("/", &[OWN, ("host", host), SAME]), "misdirected", "{host}");
    }
    for host in ["BILLING.example.com", "localhost:8080", "127.0.0.1:8080", "[::1]:8080"] {
        assert_eq!(decided("/", &[OWN, ("host", host), SAME]), "no cookie", "{host}");
    }
    // HTTP/2, and a target in absolute form.
    assert_eq!(decided("https://billing.example.com/x", &[OWN, SAME, SECURE]), "https://billing.example.com");
    assert_eq!(decided("https://evil.example/x", &[OWN, OUR_HOST, SAME, SECURE]), "misdirected");
    assert_eq!(decided("https://billing.example.com/x", &[OWN, ("host", "evil.example"), SAME]), "misdirected");
    assert_eq!(decided("https://billing.example.com/x", &[OWN, ("host", "localhost:8080"), SAME]), "misdirected");
    assert_eq!(decided("/", &[OWN, OUR_HOST, OUR_HOST, SAME]), "misdirected");
    assert_eq!(decided("/", &[OWN, SAME]), "misdirected");
}

#[test]
fn a_page_is_of_the_same_origin_or_rejected() {
    let ours = ("origin", "https://billing.example.com");
    for value in ["cross-site", "same-site", "none", "", "same-origin, same-origin"] {
        assert_eq!(decided("/", &[OWN, OUR_HOST, ("sec-fetch-site", value), ours]), "cross site", "{value}");
    }
    assert_eq!(decided("/", &[OWN, OUR_HOST, SAME, SAME]), "cross site");
    assert_eq!(decided("/", &[OWN, OUR_HOST, ours]), "no cookie");
    for origin in [
        "null",
        "",
        "http://billing.example.com",
        "https://billing.example.com:8443",
        "https://billing.example.com/",
        "https://app.billing.example.com",
        "https://evil.example",
        "http://localhost:8080",
    ] {
        assert_eq!(decided("/", &[OWN, OUR_HOST, ("origin", origin)]), "cross site", "{origin}");
    }
    assert_eq!(decided("/", &[OWN, OUR_HOST, ours, ours]), "cross site");
    assert_eq!(decided("/", &[OWN, OUR_HOST]), "cross site");
    assert_eq!(decided("/", &[OWN, ("host", "localhost:8080"), ("origin", "http://localhost:8080")]), "no cookie");
    assert_eq!(decided("/", &[OWN, ("host", "localhost:8080"), ("origin", "https://localhost:8080")]), "cross site");
}

#[test]
fn a_cookie_has_the_name_of_its_site_and_is_sent_once() {
    let loopback = ("host", "localhost:8080");
    assert_eq!(decided("/", &[OWN, loopback, SAME, PLAIN]), "http://localhost:8080");
    assert_eq!(decided("/", &[OWN, loopback, SAME, SECURE]), "no cookie");
    assert_eq!(decided("/", &[OWN, OUR_HOST, SAME, PLAIN]), "no cookie");
    assert_eq!(decided("/", &[OWN, OUR_HOST, SAME, ("cookie", "a=b; x"), SECURE]), "https://billing.example.com");
    assert_eq!(decided("/", &[OWN, OUR_HOST, SAME, SECURE, SECURE]), "no cookie");
    for value in ["", "short", &format!("{VALUE}A"), &VALUE.replace('A', "=")] {
        let cookie = format!("__Host-perennial-operator={value}");
        assert_eq!(decided("/", &[OWN, OUR_HOST, SAME, ("cookie", &cookie)]), "no cookie", "{value}");
    }
}

#[test]
fn cookies_have_the_attributes_of_the_contract() {
    let text = |value: HeaderValue| {
        assert!(value.is_sensitive());
        value.to_str().unwrap().to_owned()
    };
    let (secure, loopback) = (Site::https("a.example"), Site::loopback("localhost:1"));
    assert_eq!(
        text(ConsoleCookie::Session.set(&secure, "v")),
        "__Host-perennial-operator=v; HttpOnly; SameSite=Strict; Path=/; Secure"
    );
    assert_eq!(
        text(ConsoleCookie::Session.set(&loopback, "v")),
        "perennial-operator=v; HttpOnly; SameSite=Strict; Path=/"
    );
    assert_eq!(
        text(ConsoleCookie::SignIn.set(&secure, "v")),
        "__Host-perennial-oidc=v; HttpOnly; SameSite=Lax; Path=/; Max-Age=600; Secure"
    );
    assert_eq!(
        text(ConsoleCookie::Session.expire(&secure)),
        "__Host-perennial-operator=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0; Secure"
    );
}

#[test]
fn a_listener_elsewhere_is_reached_over_https_by_its_address() {
    assert_eq!(Site::of_listener("192.0.2.1:8080".parse().unwrap()), [Site::https("192.0.2.1:8080")]);
    assert_eq!(Site::of_listener("[::1]:80".parse().unwrap()).len(), 3);
    assert_eq!(Site::of_listener("127.0.0.2:80".parse().unwrap()).len(), 4);
}
