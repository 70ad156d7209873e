//! The master key: from the environment, from a file that it names, or from the data directory, where the first run on
//! SQLite creates it. During a rotation a second key is accepted: the next one before the switch, the previous one after it.

use crate::config::{self, Config, EnvironmentSecret};
use crate::failure::Failure;
use crate::private_file;
use perennial_app::context::Entropy;
use perennial_app::keys::{Keys, MasterKey};
use std::path::{Path, PathBuf};

pub(crate) const VARIABLE: &str = "PERENNIAL_MASTER_KEY";
pub(crate) const NEXT_VARIABLE: &str = "PERENNIAL_MASTER_KEY_NEXT";
pub(crate) const PREVIOUS_VARIABLE: &str = "PERENNIAL_MASTER_KEY_PREVIOUS";

/// The master keys that are accepted in addition to the current one.
pub(crate) struct Accepted {
    next: Option<MasterKey>,
    previous: Option<MasterKey>,
}

impl Accepted {
    pub(crate) fn read(config: &Config) -> Result<Self, Failure> {
        let next = other(NEXT_VARIABLE, next_file(config))?;
        let previous = other(PREVIOUS_VARIABLE, previous_file(config))?;
        if next.is_some() && previous.is_some() {
            return Err(Failure::new(
                "a next and a previous master key are both set: finish one rotation before you begin another",
            ));
        }
        Ok(Self { next, previous })
    }

    /// The keys of a server with this current key.
    pub(crate) fn keys(&self, current: &MasterKey) -> Keys {
        Keys::derive(current).accepting(self.next.as_ref(), self.previous.as_ref())
    }

    /// The role of the second accepted key, if there is one.
    pub(crate) fn role(&self) -> Option<&'static str> {
        match (&self.next, &self.previous) {
            (Some(_), _) => Some("next"),
            (None, Some(_)) => Some("previous"),
            (None, None) => None,
        }
    }
}

/// The file of the next key: the configured one, or the default if it exists.
pub(crate) fn next_file(config: &Config) -> Option<PathBuf> {
    named_or_usual(config, config.master_key_next_file.as_ref(), "master.key.next")
}

/// The file of the previous key: the configured one, or the default if it exists.
pub(crate) fn previous_file(config: &Config) -> Option<PathBuf> {
    named_or_usual(config, config.master_key_previous_file.as_ref(), "master.key.previous")
}

fn named_or_usual(config: &Config, named: Option<&PathBuf>, usual: &str) -> Option<PathBuf> {
    named.cloned().or_else(|| Some(config.data_dir.join(usual)).filter(|path| path.exists()))
}

fn other(variable: &str, file: Option<PathBuf>) -> Result<Option<MasterKey>, Failure> {
    match config::secret_variable(variable)? {
        Some(secret) => parse(&secret.secret.0, &secret.place()).map(Some),
        None => file.map(|path| read(&path)).transpose(),
    }
}

/// The master key, if it is configured or in its default file.
pub(crate) fn given(config: &Config) -> Result<Option<MasterKey>, Failure> {
    if let Some(secret) = from_environment()? {
        return parse(&secret.secret.0, &secret.place()).map(Some);
    }
    file(config).map(|path| read(&path)).transpose()
}

/// The keys of the master key, if there is one, and of a second accepted one.
pub(crate) fn keys(config: &Config) -> Result<Option<Keys>, Failure> {
    let Some(key) = given(config)? else { return Ok(None) };
    Ok(Some(Accepted::read(config)?.keys(&key)))
}

/// The file of the key if the environment does not set it: the configured one, or the default
/// if it exists.
pub(crate) fn file(config: &Config) -> Option<PathBuf> {
    config.master_key_file.clone().or_else(|| Some(usual_path(config)).filter(|path| path.exists()))
}

/// The key in the environment.
pub(crate) fn from_environment() -> Result<Option<EnvironmentSecret>, Failure> {
    config::secret_variable(VARIABLE)
}

/// Creates a key for a new SQLite store in the data directory.
pub(crate) fn make(config: &Config, entropy: &Entropy) -> Result<MasterKey, Failure> {
    let key = MasterKey::new(entropy.bytes());
    let path = usual_path(config);
    private_file::create(&path, &format!("{}\n", key.expose_as_hex()))
        .map_err(|error| Failure::new(format!("the master key cannot be written to {}: {error}", path.display())))?;
    Ok(key)
}

/// The failure of a server without a key.
pub(crate) fn missing(config: &Config) -> Failure {
    let path = usual_path(config);
    Failure::new(match config.database_url {
        Some(_) => format!(
            "on PostgreSQL every server needs the same master key: set {VARIABLE} to 32 random bytes as hex \
             (openssl rand -hex 32), or {VARIABLE}_FILE to a file that holds them"
        ),
        None => format!(
            "the master key of this store is missing: put it back at {}, or set {VARIABLE} or {VARIABLE}_FILE",
            path.display()
        ),
    })
}

/// The failure of a command that seals or signs without a key.
pub(crate) fn not_at_hand(config: &Config) -> Failure {
    let path = match config.database_url {
        Some(_) => String::new(),
        None => format!(", or put it back at {}", usual_path(config).display()),
    };
    Failure::new(format!(
        "this needs the master key that the servers have: set {VARIABLE} or {VARIABLE}_FILE to it{path}"
    ))
}

/// The default file, which the first run on SQLite creates.
pub(crate) fn usual_path(config: &Config) -> PathBuf {
    config.data_dir.join("master.key")
}

fn read(path: &Path) -> Result<MasterKey, Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::new(format!("the master key {} cannot be read: {error}", path.display())))?;
    parse(&text, &path.display().to_string())
}

fn parse(text: &str, place: &str) -> Result<MasterKey, Failure> {
    let wrong = || Failure::new(format!("{place} must hold 32 bytes, as 64 characters of hex or 44 of base64"));
    MasterKey::parse(text).ok_or_else(wrong)
}
