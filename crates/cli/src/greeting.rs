//! What `serve` prints on a terminal after the start: addresses, the IDs of a first run, and a first command.
//! Without a terminal, the log contains the same except for secrets.

mod listener;

pub(crate) use listener::Listener;

use crate::config::Config;
use crate::failure::Failure;
use crate::start::Found;
use crate::{commands, output, storage};
use perennial_app::context::App;
use perennial_app::first_run::{FirstRun, Holdings};
use std::fmt::Write as _;
use std::io::IsTerminal;
use std::net::SocketAddr;
use std::path::Path;

/// The addresses and paths of a running server.
pub(crate) struct Places<'a> {
    pub(crate) config: &'a Config,
    pub(crate) api: Listener,
    pub(crate) metrics: Option<Listener>,
    /// The console's address; on a terminal a link that signs in.
    pub(crate) console: Option<String>,
}

/// The console's address, if operators are served: on a terminal a one-time link of the operator `admin`, which works for ten
/// minutes. A log must not contain a link.
pub(crate) async fn console_url(app: &App, config: &Config, address: SocketAddr) -> Option<String> {
    if !config.console_enabled() {
        return None;
    }
    let base = config.console_url(address);
    let plain = format!("{base}/console/");
    if !std::io::stdout().is_terminal() {
        return Some(plain);
    }
    // Without a link, for example after ten unused ones, the address is enough: the page has the command.
    Some(commands::operators::first_link(app, &base).await.unwrap_or(plain))
}

pub(crate) fn print(found: &Found, places: &Places<'_>) -> Result<(), Failure> {
    if std::io::stdout().is_terminal() {
        return output::write(&greeting(found, places));
    }
    match found {
        Found::New { kept: Some(path), .. } => {
            tracing::info!(path = %path.display(), "first run: the client ids are in a private file");
        }
        Found::New { kept: None, .. } => tracing::info!("first run: the trusted client has the configured ID"),
        Found::Existing(Holdings { organizations, subscriptions }) => {
            let up_to = Holdings::COUNTED;
            let (organizations, subscriptions) = (*organizations.min(&up_to), *subscriptions.min(&up_to));
            tracing::info!(organizations, subscriptions, counted_up_to = up_to, "an existing store");
        }
    }
    if let Some(console) = &places.console {
        tracing::info!(console, "sign in to the console with `perennial console open`");
    }
    Ok(())
}

fn greeting(found: &Found, places: &Places<'_>) -> String {
    let mut text = format!("\nPerennial {} is running.\n\n", env!("CARGO_PKG_VERSION"));
    for (name, place) in table(places) {
        // Writing to a string cannot fail.
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

/// The rows with their labels. A row without a label continues the one above.
fn table(places: &Places<'_>) -> Vec<(&'static str, String)> {
    let config = places.config;
    let mut rows = Vec::new();
    for (at, address) in places.api.reachable().iter().enumerate() {
        rows.push((if at == 0 { "API" } else { "" }, format!("http://{address}")));
    }
    if let Some(console) = &places.console {
        rows.push(("Console", console.clone()));
    }
    rows.push(("Reference", format!("http://{}/docs", places.api.first())));
    rows.push(match places.metrics {
        Some(listener) => ("Metrics", format!("http://{}/metrics", listener.first())),
        None => ("Metrics", "none: the port is taken, choose another --metrics-listen".to_owned()),
    });
    rows.push(match config.database_url {
        Some(_) => ("Store", "PostgreSQL".to_owned()),
        None => ("Store", storage::path(config).display().to_string()),
    });
    let file = config.file.as_ref().map_or("no file".to_owned(), |path| path.display().to_string());
    rows.push(("Settings", format!("{file}; see `perennial config show`")));
    rows
}

fn new(first: &FirstRun, kept: Option<&Path>, api: Listener) -> String {
    let (trusted, public) = (first.trusted.expose(), first.public.as_str());
    let stored =
        kept.map_or(String::new(), |path| format!("They are stored in {} and not shown again.\n", path.display()));
    let width = trusted.len();
    format!(
        "A new store. Its organization is `default`; two clients may call it:\n\n  \
         trusted  {trusted}  (a credential: for your servers, never for a browser)\n  \
         public   {public:width$}  (no secret: for browsers and apps)\n\n\
         {stored}Try, in another terminal:\n\n  \
         curl -H 'client-id: {trusted}' 'http://{}/subscription-plans'",
        api.first()
    )
}

fn counted(number: i64, what: &str) -> String {
    match number {
        1 => format!("1 {what}"),
        number if number > Holdings::COUNTED => format!("more than {} {what}s", Holdings::COUNTED),
        number => format!("{number} {what}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn existing(organizations: i64, subscriptions: i64, listen: &str) -> String {
        let found = Found::Existing(Holdings { organizations, subscriptions });
        let api = Listener { address: listen.parse().unwrap(), takes_ipv4: true };
        let places = Places { config: &Config::default(), api, metrics: None, console: None };
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
        for listen in ["0.0.0.0:7", "[::]:7"] {
            let text = existing(1, 1, listen);
            assert!(text.contains("API        http://127.0.0.1:7\n"), "{text}");
            assert!(!text.contains("0.0.0.0") && !text.contains("[::]"), "{text}");
        }
    }
}
