//! Misspelled environment variables, which would otherwise be ignored.
//! Other programs set variables with our prefix, such as a cluster with a service called `perennial`. So
//! only a name that is close to one of ours is an error.

use super::Config;
use super::config_error::ConfigError;
use super::known;
use super::source::Source;
use super::telemetry;
use crate::arguments::Arguments;
use crate::{logs, master_key};
use clap::CommandFactory;

const PREFIX: &str = "PERENNIAL_";

/// The credential of the first trusted client.
pub(crate) const BOOTSTRAP_VARIABLE: &str = "PERENNIAL_BOOTSTRAP_CLIENT_ID";

/// Every variable that is read.
pub(crate) fn variables() -> Vec<String> {
    let command = Arguments::command();
    let arguments = command.get_arguments().chain(command.get_subcommands().flat_map(clap::Command::get_arguments));
    let mut names: Vec<String> =
        arguments.filter_map(|argument| argument.get_env()?.to_str()).map(str::to_owned).collect();
    for secret in [
        "PERENNIAL_DATABASE_URL",
        master_key::VARIABLE,
        master_key::NEXT_VARIABLE,
        master_key::PREVIOUS_VARIABLE,
        BOOTSTRAP_VARIABLE,
    ] {
        names.extend([secret.to_owned(), format!("{secret}_FILE")]);
    }
    names.push(logs::VARIABLE.to_owned());
    names.extend(telemetry::VARIABLES.map(str::to_owned));
    names.extend(Config::default().table_variables());
    names.sort();
    names.dedup();
    names
}

/// The misspelled variables of this process.
pub(crate) fn slips() -> Vec<ConfigError> {
    slips_among(std::env::vars_os().filter_map(|(name, _)| name.into_string().ok()))
}

fn slips_among(names: impl Iterator<Item = String>) -> Vec<ConfigError> {
    let known = variables();
    let ours: Vec<String> = known.iter().filter_map(|name| name.strip_prefix(PREFIX)).map(str::to_lowercase).collect();
    let mut slips = Vec::new();
    for name in names.filter(|name| !known.contains(name)) {
        let meant = name.strip_prefix(PREFIX).and_then(|rest| known::nearest(rest, ours.iter().map(String::as_str)));
        if let Some(meant) = meant {
            let detail = format!("nothing reads this; did you mean {PREFIX}{}?", meant.to_uppercase());
            slips.push(ConfigError::new(Source::Environment { variable: name }, detail));
        }
    }
    slips
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(names: &[&str]) -> Vec<String> {
        slips_among(names.iter().map(|name| (*name).to_owned())).iter().map(ConfigError::line).collect()
    }

    #[test]
    fn a_slip_is_answered_with_what_was_meant() {
        for (name, meant) in [
            ("PERENNIAL_LISTN", "PERENNIAL_LISTEN"),
            ("PERENNIAL_DATABASE", "PERENNIAL_DATABASE_URL"),
            ("PERENNIAL_MASTERKEY", "PERENNIAL_MASTER_KEY"),
            ("PERENNIAL_LOG_LEVEL", "PERENNIAL_LOG"),
        ] {
            let found = found(&[name]);
            assert!(found.len() == 1 && found[0].contains(&format!("mean {meant}?")), "{found:?}");
        }
    }

    #[test]
    fn what_a_cluster_or_our_own_tests_set_is_none() {
        let others = [
            "PERENNIAL_SERVICE_HOST",
            "PERENNIAL_SERVICE_PORT",
            "PERENNIAL_SERVICE_PORT_HTTP",
            "PERENNIAL_PORT",
            "PERENNIAL_PORT_8080_TCP",
            "PERENNIAL_PORT_8080_TCP_ADDR",
            "PERENNIAL_PORT_8080_TCP_PROTO",
            "PERENNIAL_TEST_POSTGRES",
            "LISTEN",
        ];
        assert_eq!(found(&others), [""; 0]);
        let ours = variables();
        assert_eq!(found(&ours.iter().map(String::as_str).collect::<Vec<_>>()), [""; 0]);
        assert!(ours.contains(&"PERENNIAL_BOOTSTRAP_CLIENT_ID_FILE".to_owned()), "{ours:?}");
    }
}
