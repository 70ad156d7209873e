//! The state file of `listen`: the secret that signs, and the position in the feed. Only its owner can read it, and it is
//! replaced completely or not at all.

use crate::failure::Failure;
use crate::private_file;
use perennial_app::context::Entropy;
use perennial_identity::webhook_signature::{Scheme, WebhookKey};
use serde::Deserialize;
use serde_json::json;
use std::io::ErrorKind;
use std::path::Path;

pub(crate) struct State {
    pub(crate) key: WebhookKey,
    /// The position after the last delivered event.
    pub(crate) cursor: Option<String>,
}

#[derive(Deserialize)]
struct Stored {
    secret: String,
    #[serde(default)]
    cursor: Option<String>,
}

impl State {
    /// Reads the file, or creates it with a new secret.
    pub(crate) fn open(path: &Path, entropy: &Entropy) -> Result<Self, Failure> {
        let name = path.display();
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let state = Self { key: WebhookKey::new(Scheme::Hmac, entropy.bytes()), cursor: None };
                state.store(path)?;
                return Ok(state);
            }
            Err(error) => return Err(Failure::new(format!("{name} cannot be read: {error}"))),
        };
        let invalid = || Failure::new(format!("{name} is not a state file of `perennial listen`: choose another file"));
        let stored: Stored = serde_json::from_str(&text).map_err(|_| invalid())?;
        let key = WebhookKey::parse_secret(&stored.secret).map_err(|_| invalid())?;
        Ok(Self { key, cursor: stored.cursor })
    }

    pub(crate) fn store(&self, path: &Path) -> Result<(), Failure> {
        let secret = self.key.secret().expect("a shared secret signs");
        let content = json!({ "secret": secret.expose(), "cursor": self.cursor });
        private_file::replace(path, &format!("{content}\n"))
            .map_err(|error| Failure::new(format!("{} cannot be written: {error}", path.display())))
    }
}
