//! `perennial config`. It reads the configuration of `perennial serve`, and opens no store.

use crate::arguments::{Configuration, Place};
use crate::config::config_error::ConfigError;
use crate::config::source::{Source, Sources};
use crate::config::{Config, Loaded, environment, reference, schema, secret_variable, variable};
use crate::failure::Failure;
use crate::start::{self, Given};
use crate::{logs, master_key, output, providers};
use serde::Serialize;
use serde_json::{Value, json};

pub(crate) fn run(command: Configuration, place: &Place, sources: Sources, json: bool) -> Result<(), Failure> {
    match command {
        Configuration::Show(flags) => show(Loaded::read(place, &flags, sources), json),
        Configuration::Check(flags) => check(Loaded::read(place, &flags, sources), json),
        Configuration::Default => output::write(reference::TEXT),
        Configuration::Schema => output::write(&format!("{:#}\n", schema::schema())),
    }
}

/// An effective value.
#[derive(Serialize)]
struct Row {
    key: String,
    value: Value,
    source: Source,
}

fn show(loaded: Loaded, json: bool) -> Result<(), Failure> {
    let sources = loaded.sources.clone();
    let mut rows = rows(effective(loaded.accept()?), &sources)?;
    rows.extend(secrets_in_environment()?);
    output::print(json, &rows, || {
        let cells: Vec<[String; 3]> =
            rows.iter().map(|row| [row.key.clone(), text(&row.value), row.source.to_string()]).collect();
        output::table(["KEY", "VALUE", "SOURCE"], &cells)
    })
}

/// Adds the values that are derived from others.
fn effective(config: Config) -> Config {
    Config {
        metrics_listen: Some(config.metrics_listen(config.listen)),
        master_key_file: Some(config.master_key_file.clone().unwrap_or_else(|| master_key::usual_path(&config))),
        local_provider: Some(config.local_provider()),
        ..config
    }
}

fn rows(config: Config, sources: &Sources) -> Result<Vec<Row>, Failure> {
    let unreadable = |error| Failure::new(format!("a path of the configuration is no text: {error}"));
    let mut rows = Vec::new();
    let mut put = |key: String, value: Value| rows.push(Row { source: sources.get(&key), key, value });
    for (key, value) in serde_json::to_value(config).map_err(unreadable)?.as_object().into_iter().flatten() {
        match value {
            Value::Object(table) => {
                table.iter().for_each(|(inner, value)| put(format!("{key}.{inner}"), value.clone()));
            }
            Value::Array(list) if list.iter().any(Value::is_object) => {
                for (at, entry) in list.iter().enumerate() {
                    // For a list of tables, the content of the file is enough.
                    let said = |inner: &str| sources.get(&format!("{key}[{at}].{inner}")) != Source::Default;
                    let inner = entry.as_object().into_iter().flatten().filter(|(inner, _)| said(inner));
                    inner.for_each(|(inner, value)| put(format!("{key}[{at}].{inner}"), value.clone()));
                }
            }
            value => put(key.clone(), value.clone()),
        }
    }
    Ok(rows)
}

/// The settings that only the environment has.
fn secrets_in_environment() -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    let secrets = [
        ("master_key", master_key::from_environment()?),
        ("master_key_next", secret_variable(master_key::NEXT_VARIABLE)?),
        ("master_key_previous", secret_variable(master_key::PREVIOUS_VARIABLE)?),
        ("bootstrap_client_id", start::from_environment()?),
    ];
    for (key, found) in secrets {
        rows.extend(found.map(|found| Row {
            key: key.to_owned(),
            value: json!(found.secret),
            source: Source::Environment { variable: found.variable },
        }));
    }
    let level = variable(logs::VARIABLE)?;
    let source = match level {
        Some(_) => Source::Environment { variable: logs::VARIABLE.to_owned() },
        None => Source::Default,
    };
    rows.push(Row { key: "log".to_owned(), value: json!(level.as_deref().unwrap_or(logs::DEFAULT)), source });
    Ok(rows)
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn check(loaded: Loaded, json: bool) -> Result<(), Failure> {
    let Loaded { config, file, sources, errors: mut faults } = loaded;
    // Defaults replace invalid values, so what they lack is not a separate error.
    if faults.is_empty() {
        faults.extend(Given::faults(&config).into_iter().chain(logs::fault()).map(ConfigError::from));
        faults.extend(provider_faults(&config, &sources));
    }
    faults.extend(environment::slips());
    output::print(json, &json!({ "file": file, "faults": faults }), || match faults.as_slice() {
        [] => match &file {
            Some(path) => format!("{} is right, and so are the environment and the flags.", path.display()),
            None => "There is no configuration file; the environment and the flags are right.".to_owned(),
        },
        faults => faults.iter().map(ConfigError::line).collect::<Vec<_>>().join("\n"),
    })?;
    match faults.len() {
        0 => Ok(()),
        1 => Err(Failure::new("the configuration has a fault: correct it, and a server will start with it")),
        many => Err(Failure::new(format!(
            "the configuration has {many} faults: correct them, and a server will start with it"
        ))),
    }
}

/// Each unusable provider, at its first line.
fn provider_faults(config: &Config, sources: &Sources) -> Vec<ConfigError> {
    let faults = providers::faults(&config.providers).into_iter();
    faults
        .map(|(at, Failure(detail))| match sources.first_below(&format!("providers[{at}].")) {
            Some(place) => ConfigError::new(place, detail),
            None => Failure(detail).into(),
        })
        .collect()
}
