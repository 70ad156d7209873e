//! What a person at a terminal is shown once the server is up: where things are, the ids of a first run, what to type
//! next. Elsewhere the log says what is no secret.

use crate::config::Config;
use crate::failure::Failure;
use crate::start::Found;
use crate::{output, storage};
use perennial_app::first_run::{FirstRun, Holdings};
use std::fmt::Write as _;
use std::io::IsTerminal;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::path::Path;

/// Where a running server can be found.
pub(crate) struct Places<'a> {
    pub(crate) config: &'a Config,
    pub(crate) api: SocketAddr,
    pub(crate) metrics: Option<SocketAddr>,
}

pub(crate) fn tell(found: &Found, places: &Places<'_>) -> Result<(), Failure> {
    if std::io::stdout().is_terminal() {
        return output::write(&greeting(found, places));
    }
    match found {
        Found::New { kept: Some(path), .. } => {
            tracing::info!(path = %path.display(), "first run: the client ids are in a private file");
        }
        Found::New { kept: None, .. } => tracing::info!("first run: the trusted client has the id that was given"),
        Found::Existing(Holdings { organizations, subscriptions }) => {
            let up_to = Holdings::COUNTED;
            let (organizations, subscriptions) = (*organizations.min(&up_to), *subscriptions.min(&up_to));
            tracing::info!(organizations, subscriptions, counted_up_to = up_to, "an existing store");
        }
    }
    Ok(())
}

fn greeting(found: &Found, places: &Places<'_>) -> String {
    let mut text = format!("\nPerennial {} is running.\n\n", env!("CARGO_PKG_VERSION"));
    for (name, place) in table(places) {
        // Writing to a text cannot fail.
        let _ = writeln!(text, "  {name:9}  {place}");
    }
    let said = match found {
        Found::New { first, kept } => new(first, kept.as_deref(), places.api),
        Found::Existing(holdings) => format!(
            "An existing store: {}, {}.",
            counted(holdings.organizations, "organization"),
            counted(holdings.subscriptions, "subscription")
        ),
    };
    text + "\n" + &said + "\n\n"
}

/// Where everything is, by what it is called; a name that is empty goes on with the one above.
fn table(places: &Places<'_>) -> Vec<(&'static str, String)> {
    let config = places.config;
    let api = reachable(places.api);
    let mut rows = Vec::new();
    for (at, address) in api.iter().enumerate() {
        rows.push((if at == 0 { "API" } else { "" }, format!("http://{address}")));
    }
    rows.push(("Reference", format!("http://{}/docs", first_of(places.api))));
    rows.push(match places.metrics {
        Some(address) => ("Metrics", format!("http://{}/metrics", first_of(address))),
        None => ("Metrics", "none: the port is taken, choose another --metrics-listen".to_owned()),
    });
    rows.push(match config.database_url {
        Some(_) => ("Store", "PostgreSQL".to_owned()),
        None => ("Store", storage::path(config).display().to_string()),
    });
    let file = config.file.as_ref().map_or("no file".to_owned(), |path| path.display().to_string());
    rows.push(("Settings", format!("{file}; `perennial config show` tells what counts")));
    rows
}

fn new(first: &FirstRun, kept: Option<&Path>, api: SocketAddr) -> String {
    let (trusted, public) = (first.trusted.expose(), first.public.as_str());
    let kept = kept.map_or(String::new(), |path| format!("They are kept in {} and not shown again.\n", path.display()));
    let width = trusted.len();
    format!(
        "A new store. Its organization is `default`; two clients may call it:\n\n  \
         trusted  {trusted}  (a credential: for your servers, never for a browser)\n  \
         public   {public:width$}  (no secret: for browsers and apps)\n\n\
         {kept}Try, in another terminal:\n\n  \
         curl -H 'client-id: {trusted}' 'http://{}/subscription-plans'",
        first_of(api)
    )
}

fn counted(number: i64, what: &str) -> String {
    match number {
        1 => format!("1 {what}"),
        number if number > Holdings::COUNTED => format!("more than {} {what}s", Holdings::COUNTED),
        number => format!("{number} {what}s"),
    }
}

fn first_of(listener: SocketAddr) -> SocketAddr {
    match listener.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => (Ipv4Addr::LOCALHOST, listener.port()).into(),
        IpAddr::V6(ip) if ip.is_unspecified() => (Ipv6Addr::LOCALHOST, listener.port()).into(),
        _ => listener,
    }
}

/// The addresses that reach a listener: its own or, if that is all of them, loopback and the one others see us by.
fn reachable(listener: SocketAddr) -> Vec<SocketAddr> {
    let outward = if listener.ip().is_unspecified() { outward(listener.ip()) } else { None };
    let outward = outward.map(|ip| SocketAddr::new(ip, listener.port()));
    std::iter::once(first_of(listener)).chain(outward).collect()
}

/// The address that this machine would send from. Nothing is sent: connecting a datagram socket only chooses the way.
fn outward(any: IpAddr) -> Option<IpAddr> {
    // Addresses of documentation, behind whichever gateway leads out.
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

    fn existing(organizations: i64, subscriptions: i64, listen: &str) -> String {
        let found = Found::Existing(Holdings { organizations, subscriptions });
        let places = Places { config: &Config::default(), api: listen.parse().unwrap(), metrics: None };
        greeting(&found, &places)
    }

    #[test]
    fn a_large_store_is_counted_no_further_than_the_bound() {
        assert!(existing(1, 0, "127.0.0.1:1").contains("1 organization, 0 subscriptions."));
        assert!(existing(2, 10_000, "127.0.0.1:1").contains("2 organizations, 10000 subscriptions."));
        assert!(existing(2, 10_001, "127.0.0.1:1").contains("more than 10000 subscriptions."));
    }

    #[test]
    fn a_listener_on_all_addresses_is_shown_by_those_that_can_be_called() {
        for (listen, shown) in [("0.0.0.0:7", "http://127.0.0.1:7\n"), ("[::]:7", "http://[::1]:7\n")] {
            let text = existing(1, 1, listen);
            assert!(text.contains(shown) && !text.contains("0.0.0.0") && !text.contains("[::]"), "{text}");
            let addresses = reachable(listen.parse().unwrap());
            assert!(addresses.iter().all(|address| !address.ip().is_unspecified() && address.port() == 7));
        }
        assert_eq!(reachable("10.1.2.3:7".parse().unwrap()).len(), 1);
    }
}
