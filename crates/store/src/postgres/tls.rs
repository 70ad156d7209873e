//! The address of the server and the verification of its certificate.
//!
//! `sslmode` has the values of libpq, with another default: a server on another machine must prove its identity
//! (`verify-full`), unless the URL sets another mode.

use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use percent_encoding::percent_decode_str;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::verifier::{AnyName, Unverified};
use crate::error::Error;

/// The timeout for a server that does not respond.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const SILENCE: Duration = Duration::from_secs(15);
/// An idle connection is tested early, so that a dead one is noticed before it is needed. The driver's default of two
/// hours means "not set".
const DRIVER_KEEPALIVE: Duration = Duration::from_hours(2);
const KEEPALIVE_IDLE: Duration = Duration::from_secs(5);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(2);

/// A parsed connection URL. No part of it is ever printed.
pub(super) struct Target {
    pub(super) config: Config,
    pub(super) tls: MakeRustlsConnect,
}

impl fmt::Debug for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Target(…)")
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Disable,
    Prefer,
    Require,
    VerifyCa,
    VerifyFull,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Roots {
    System,
    File(String),
}

impl Target {
    pub(super) fn parse(url: &str) -> Result<Self, Error> {
        let (plain, mode, roots) = take_apart(url)?;
        let mut config = Config::from_str(&plain).map_err(|error| {
            let cause = std::error::Error::source(&error).map(ToString::to_string);
            invalid(&format!("cannot be read: {}", cause.unwrap_or_default()))
        })?;
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err(invalid("has no host"));
        }
        let mode = match (mode, &roots) {
            (Some(Mode::Require), Some(_)) => Mode::VerifyCa,
            (Some(mode), _) => mode,
            (None, _) if is_local(&config) => Mode::Prefer,
            (None, _) => Mode::VerifyFull,
        };
        config.ssl_mode(match mode {
            Mode::Disable => SslMode::Disable,
            Mode::Prefer => SslMode::Prefer,
            Mode::Require | Mode::VerifyCa | Mode::VerifyFull => SslMode::Require,
        });
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_TIMEOUT);
        }
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(SILENCE);
        }
        if config.get_keepalives_idle() == DRIVER_KEEPALIVE {
            config.keepalives_idle(KEEPALIVE_IDLE).keepalives_interval(KEEPALIVE_INTERVAL).keepalives_retries(3);
        }
        if config.get_application_name().is_none() {
            config.application_name("perennial");
        }
        let tls = MakeRustlsConnect::new(client_config(mode, roots.as_ref())?);
        Ok(Self { config, tls })
    }
}

/// Removes the parameters that the driver does not know.
fn take_apart(url: &str) -> Result<(String, Option<Mode>, Option<Roots>), Error> {
    let scheme = ["postgres://", "postgresql://"];
    let Some(rest) = scheme.iter().find_map(|scheme| url.strip_prefix(scheme)) else {
        return Err(invalid("must start with postgres://"));
    };
    // A password may contain a question mark, so the parameters begin after the credentials.
    let credentials = rest.find('@').map_or(0, |at| at + 1);
    let Some(mark) = rest[credentials..].find('?') else {
        return Ok((url.to_owned(), None, None));
    };
    let (address, parameters) = rest.split_at(credentials + mark);
    let (mut mode, mut roots, mut remaining) = (None, None, Vec::new());
    for parameter in parameters[1..].split('&').filter(|text| !text.is_empty()) {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        match name {
            "sslmode" => mode = Some(parse_mode(value)?),
            "sslrootcert" => roots = Some(parse_roots(value)?),
            _ => remaining.push(parameter),
        }
    }
    let question = if remaining.is_empty() { "" } else { "?" };
    let plain = format!("postgres://{address}{question}{}", remaining.join("&"));
    Ok((plain, mode, roots))
}

fn parse_mode(value: &str) -> Result<Mode, Error> {
    Ok(match value {
        "disable" => Mode::Disable,
        "allow" | "prefer" => Mode::Prefer,
        "require" => Mode::Require,
        "verify-ca" => Mode::VerifyCa,
        "verify-full" => Mode::VerifyFull,
        _ => {
            return Err(invalid("has an unknown sslmode; use disable, prefer, require, verify-ca or verify-full"));
        }
    })
}

fn parse_roots(value: &str) -> Result<Roots, Error> {
    let path = percent_decode_str(value).decode_utf8().map_err(|_| invalid("has an sslrootcert that is not UTF-8"))?;
    Ok(match path.as_ref() {
        "" | "system" => Roots::System,
        path => Roots::File(path.to_owned()),
    })
}

fn is_local(config: &Config) -> bool {
    let local_host = |host: &Host| match host {
        Host::Tcp(name) => {
            name == "localhost" || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    };
    // `hostaddr` is the address that is used for the connection.
    match config.get_hostaddrs() {
        [] => config.get_hosts().iter().all(local_host),
        addresses => addresses.iter().all(std::net::IpAddr::is_loopback),
    }
}

fn client_config(mode: Mode, roots: Option<&Roots>) -> Result<ClientConfig, Error> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let verifier: Arc<dyn ServerCertVerifier> = match mode {
        Mode::Disable | Mode::Prefer | Mode::Require => Arc::new(Unverified::new(Arc::clone(&provider))),
        Mode::VerifyCa => Arc::new(AnyName::new(web_pki(&provider, roots)?)),
        Mode::VerifyFull => web_pki(&provider, roots)?,
    };
    Ok(ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::Configuration(format!("TLS cannot be set up: {error}")))?
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth())
}

fn web_pki(provider: &Arc<CryptoProvider>, roots: Option<&Roots>) -> Result<Arc<WebPkiServerVerifier>, Error> {
    let (loaded, place) = match roots {
        Some(Roots::File(path)) => {
            (rustls_native_certs::load_certs_from_paths(Some(Path::new(path)), None), path.as_str())
        }
        Some(Roots::System) | None => (rustls_native_certs::load_native_certs(), "the system's certificates"),
    };
    let mut store = RootCertStore::empty();
    store.add_parsable_certificates(loaded.certs);
    if store.is_empty() {
        let causes: Vec<String> = loaded.errors.iter().map(ToString::to_string).collect();
        return Err(Error::Configuration(format!(
            "no root certificate found in {place} {}; set sslrootcert or sslmode",
            causes.join(", ")
        )));
    }
    WebPkiServerVerifier::builder_with_provider(Arc::new(store), Arc::clone(provider))
        .build()
        .map_err(|error| Error::Configuration(format!("{place} cannot be used: {error}")))
}

fn invalid(what: &str) -> Error {
    Error::Configuration(format!("the database URL {what}"))
}

#[cfg(test)]
mod tests {
    use tokio_postgres::config::TargetSessionAttrs;

    use super::*;

    fn mode(url: &str) -> SslMode {
        Target::parse(url).unwrap().config.get_ssl_mode()
    }

    #[test]
    fn a_local_server_is_trusted_and_a_remote_one_is_verified() {
        assert_eq!(mode("postgres://u@127.0.0.1/d"), SslMode::Prefer);
        assert_eq!(mode("postgres://u@[::1]:6432/d"), SslMode::Prefer);
        assert_eq!(mode("postgres:///d?host=/tmp&user=u"), SslMode::Prefer);
        assert_eq!(mode("postgres://u@localhost/d?sslmode=disable"), SslMode::Disable);
        assert_eq!(mode("postgres://u@db.example/d?sslmode=require"), SslMode::Require);
        let (_, requested, _) = take_apart("postgres://u@db.example/d").unwrap();
        assert_eq!(requested, None);
        assert!(!is_local(&Config::from_str("postgres://u@db.example,localhost/d").unwrap()));
    }

    #[test]
    fn only_our_parameters_are_removed() {
        let url = "postgresql://u:p?w@h:5/d?sslmode=verify-ca&application_name=x&sslrootcert=%2Fa%20b";
        let (plain, mode, roots) = take_apart(url).unwrap();
        assert_eq!(plain, "postgres://u:p?w@h:5/d?application_name=x");
        assert_eq!(mode, Some(Mode::VerifyCa));
        assert_eq!(roots, Some(Roots::File("/a b".to_owned())));
    }

    #[test]
    fn several_hosts_are_accepted_with_target_session_attrs() {
        let url = "postgres://u@127.0.0.1:5001,localhost:5002/d?sslmode=prefer&target_session_attrs=read-write";
        let config = Target::parse(url).unwrap().config;
        assert_eq!((config.get_hosts().len(), config.get_ports()), (2, &[5001, 5002][..]));
        assert_eq!(config.get_target_session_attrs(), TargetSessionAttrs::ReadWrite);
    }

    #[test]
    fn no_error_repeats_the_password() {
        for url in [
            "postgres://u:hunter2@h:port/d",
            "postgres://u:hunter2@h/d?nonsense=1",
            "postgres://u:hunter2@h/d?sslmode=maybe",
            "mysql://u:hunter2@h/d",
            "postgres://u:hunter2@/d",
            "postgres://u:hunter2@db.example/d?sslrootcert=/nowhere",
        ] {
            let error = Target::parse(url).unwrap_err();
            assert!(matches!(error, Error::Configuration(_)), "{url}");
            assert!(!format!("{error} {error:?}").contains("hunter2"), "{url}");
        }
        let target = Target::parse("postgres://u:hunter2@localhost/d").unwrap();
        assert!(!format!("{target:?}").contains("hunter2"));
    }
}
