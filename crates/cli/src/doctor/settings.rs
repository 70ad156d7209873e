//! The settings: whether they are valid, and whether the trusted proxies are plausible.

use super::report::Report;
use crate::config::{Config, Loaded};
use crate::providers;
use ipnet::IpNet;
use perennial_app::providers::Configured;
use std::path::PathBuf;

/// The input of the checks.
pub(super) struct Patient {
    /// The configuration, or its valid part.
    pub(super) config: Config,
    /// Its file, if there is one.
    pub(super) file: Option<PathBuf>,
    /// The providers it names, if all of them can be used.
    pub(super) providers: Vec<Configured>,
}

/// Reports the errors of the configuration, and continues with its valid part.
pub(super) fn look(report: &mut Report, loaded: Loaded) -> Patient {
    const CHECK: &str = "configuration";
    let Loaded { config, file, mut errors, .. } = loaded;
    let shown = file.as_ref().map(|path| path.display().to_string());
    let advice = "correct it: no server starts with it; what can be read of it is looked at below";
    let providers = providers::configured(&config.providers).unwrap_or_else(|error| {
        errors.push(error.into());
        Vec::new()
    });
    if errors.is_empty() {
        let missing = "no file: flags, environment and defaults".to_owned();
        report.ok(CHECK, shown.map_or(missing, |path| format!("{path} can be read")));
    }
    for error in &errors {
        report.problem(CHECK, error.line(), advice);
    }
    Patient { config, file, providers }
}

/// Checks the listener and the trusted proxies.
pub(super) fn look_at_network(report: &mut Report, config: &Config) {
    const CHECK: &str = "proxies";
    let listen = config.listen;
    let trusted: Vec<IpNet> = config.api().trusted_proxies;
    let is_local = listen.ip().to_canonical().is_loopback();
    if let Some(everyone) = IpNet::aggregate(&trusted).iter().find(|network| network.prefix_len() == 0) {
        report.problem(
            CHECK,
            format!("`trusted_proxies` trusts everyone ({everyone}): each caller chooses the address it is seen under"),
            "name the addresses of your proxies only",
        );
    } else if trusted.is_empty() && !is_local {
        report.warning(
            CHECK,
            format!("it listens on {listen}, which others can reach, and trusts no proxy"),
            "put a proxy before it, for TLS, and name its address in `trusted_proxies`: \
             without that all callers behind it share one address, and one rate limit",
        );
    } else {
        let proxies = if trusted.is_empty() { "no proxy is trusted".to_owned() } else { list(&trusted) };
        report.ok(CHECK, format!("it listens on {listen}; {proxies}"));
    }
    if config.local_provider == Some(true) && !is_local {
        report.warning(
            "local_provider",
            "the local identity provider is enabled where others can reach it: anyone with the master key can sign in as any user",
            "remove `local_provider = true` where real people sign in",
        );
    }
}

fn list(networks: &[IpNet]) -> String {
    let names: Vec<String> = networks.iter().map(ToString::to_string).collect();
    format!("it trusts {}", names.join(", "))
}
