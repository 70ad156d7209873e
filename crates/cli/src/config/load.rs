//! From the command line, the environment and the file to one configuration, with the source of every value.

use super::config_error::ConfigError;
use super::source::{self, Source, Sources};
use super::{Config, file, secret_variable, table_environment};
use crate::arguments::{Place, Serve};
use crate::failure::Failure;
use crate::public_url::PublicUrl;
use std::path::{Path, PathBuf};

const DEFAULT_FILE: &str = "perennial.toml";

/// A configuration with its sources and errors.
pub(crate) struct Loaded {
    /// The effective values. Invalid ones are replaced by defaults.
    pub(crate) config: Config,
    /// The configuration file, if there is one.
    pub(crate) file: Option<PathBuf>,
    pub(crate) sources: Sources,
    pub(crate) errors: Vec<ConfigError>,
}

impl Loaded {
    /// Reads everything and collects the errors.
    pub(crate) fn read(place: &Place, serve: &Serve, mut sources: Sources) -> Self {
        let path = place.config.clone().or_else(|| Some(DEFAULT_FILE.into()).filter(|path: &PathBuf| path.exists()));
        let mut errors = Vec::new();
        let config = match path.as_deref().map(|path| (path, std::fs::read_to_string(path))) {
            None => Config::default(),
            Some((path, Ok(text))) => {
                let read = file::read(path, &text);
                sources.add_file(path, read.lines);
                errors = read.errors;
                read.config
            }
            Some((path, Err(error))) => {
                errors.push(unreadable(path, &error));
                Config::default()
            }
        };
        let mut loaded = Self { config, file: path, sources, errors };
        loaded.put_flags(place, serve);
        loaded
    }

    /// The configuration, if it has no errors.
    pub(crate) fn accept(self) -> Result<Config, Failure> {
        match self.errors.as_slice() {
            [] => Ok(Config { file: self.file, ..self.config }),
            [first, others @ ..] => Err(first.sentence(others.len())),
        }
    }

    /// Applies flags and variables, which override the file.
    fn put_flags(&mut self, place: &Place, serve: &Serve) {
        if let Some(directory) = &place.data_dir {
            self.config.data_dir.clone_from(directory);
        }
        self.config.listen = serve.listen.unwrap_or(self.config.listen);
        self.config.metrics_listen = serve.metrics_listen.or(self.config.metrics_listen);
        self.config.stop_delay_seconds = serve.stop_delay_seconds.unwrap_or(self.config.stop_delay_seconds);
        if let Some(text) = &serve.public_url {
            match PublicUrl::try_from(text.clone()) {
                Ok(url) => self.config.public_url = Some(url),
                Err(detail) => self.errors.push(ConfigError::new(self.sources.get("public_url"), detail)),
            }
        }
        if let Err(error) = self.config.telemetry.put_environment(&mut self.sources) {
            self.errors.push(error);
        }
        self.errors.extend(table_environment::put("webhooks", &mut self.config.webhooks, &mut self.sources));
        self.errors.extend(table_environment::put("events", &mut self.config.events, &mut self.sources));
        self.errors.extend(table_environment::put("lifecycle", &mut self.config.lifecycle, &mut self.sources));
        self.errors.extend(table_environment::put("analytics", &mut self.config.analytics, &mut self.sources));
        self.errors.extend(table_environment::put("entitlements", &mut self.config.entitlements, &mut self.sources));
        if let Err(failure) = self.put_database_url(place) {
            self.errors.push(failure.into());
        }
    }

    fn put_database_url(&mut self, place: &Place) -> Result<(), Failure> {
        const KEY: &str = "database_url";
        if let (Some(url), Source::Flag { .. }) = (&place.database_url, self.sources.get(KEY)) {
            self.config.database_url = Some(super::Secret(url.clone()));
        } else if let Some(found) = secret_variable(&source::variable(KEY))? {
            self.config.database_url = Some(found.secret);
            self.sources.set(KEY, Source::Environment { variable: found.variable });
        }
        Ok(())
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> ConfigError {
    Failure::new(format!("the configuration {} cannot be read: {error}", path.display())).into()
}
