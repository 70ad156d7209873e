//! Secrets from the environment: each in its own variable, or in a file that the variable with the suffix
//! `_FILE` names.

use crate::failure::Failure;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::env::VarError;
use std::path::PathBuf;

/// The replacement for a secret in any output.
const HIDDEN: &str = "(secret)";

/// A text that is never printed.
#[derive(Clone)]
pub(crate) struct Secret(pub(crate) String);

impl Secret {
    /// The only line of a file.
    pub(crate) fn line(text: &str) -> Self {
        Self(text.trim_end_matches(['\r', '\n']).to_owned())
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // The usual error about a wrong type would quote the value.
        match toml::Value::deserialize(deserializer)? {
            toml::Value::String(text) => Ok(Self(text)),
            _ => Err(D::Error::custom("this must be a text in quotes")),
        }
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(HIDDEN)
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(HIDDEN)
    }
}

/// A secret from the environment.
pub(crate) struct EnvironmentSecret {
    pub(crate) secret: Secret,
    /// Its variable, or the variable that names its file.
    pub(crate) variable: String,
    /// Its file.
    pub(crate) file: Option<PathBuf>,
}

impl EnvironmentSecret {
    /// The variable or file to correct.
    pub(crate) fn place(&self) -> String {
        self.file.as_ref().map_or_else(|| self.variable.clone(), |path| path.display().to_string())
    }
}

/// The secret in `name`, or in the file that `name_FILE` names.
pub(crate) fn secret_variable(name: &str) -> Result<Option<EnvironmentSecret>, Failure> {
    let file_variable = format!("{name}_FILE");
    let file = std::env::var_os(&file_variable).map(PathBuf::from);
    match (variable(name)?, file) {
        (Some(_), Some(_)) => {
            Err(Failure::new(format!("{name} and {file_variable} are both set: unset the one that does not count")))
        }
        (Some(text), None) => {
            Ok(Some(EnvironmentSecret { secret: Secret(text), variable: name.to_owned(), file: None }))
        }
        (None, Some(path)) => {
            let text = std::fs::read_to_string(&path).map_err(|error| {
                Failure::new(format!("the file {} that {file_variable} names cannot be read: {error}", path.display()))
            })?;
            Ok(Some(EnvironmentSecret { secret: Secret::line(&text), variable: file_variable, file: Some(path) }))
        }
        (None, None) => Ok(None),
    }
}

/// An environment variable. One that is not valid text is an error.
pub(crate) fn variable(name: &str) -> Result<Option<String>, Failure> {
    match std::env::var(name) {
        Ok(text) => Ok(Some(text)),
        Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(_)) => Err(Failure::new(format!("{name} must be text, and holds other bytes"))),
    }
}
