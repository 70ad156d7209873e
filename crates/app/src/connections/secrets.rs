//! The secrets of a connection: its API key and up to two webhook secrets, sealed together and bound to its row.

use crate::error::Error;
use crate::keys::{Keys, SealedUnder};
use perennial_domain::connections::Connection;
use perennial_identity::secret::Secret;
use perennial_identity::signing::KeyError;

/// The most webhook secrets that are valid at the same time.
const MAX_WEBHOOK_SECRETS: usize = 2;

/// The secrets of a connection. They cannot be printed.
#[derive(Clone)]
pub struct ConnectionSecrets {
    /// The API key.
    pub api_key: Secret,
    /// The webhook secrets, newest first.
    pub webhook: Vec<Secret>,
}

impl ConnectionSecrets {
    /// The secrets after a rotation. The previous webhook secret stays valid, unless it is dropped.
    #[must_use]
    pub fn rotated(&self, api_key: Option<Secret>, webhook: Option<Secret>, drop_previous: bool) -> Self {
        let mut secrets: Vec<Secret> = webhook.into_iter().chain(self.webhook.iter().cloned()).collect();
        secrets.truncate(if drop_previous { 1 } else { MAX_WEBHOOK_SECRETS });
        Self { api_key: api_key.unwrap_or_else(|| self.api_key.clone()), webhook: secrets }
    }

    /// The secrets, sealed for the connection's row.
    pub(super) fn seal(&self, keys: &Keys, connection: &Connection) -> Result<Vec<u8>, KeyError> {
        keys.connection_secrets.seal(&name(connection), &self.encode())
    }

    /// The secrets of a connection.
    pub(super) fn open(keys: &Keys, connection: &Connection) -> Result<Self, Error> {
        let opened = keys.open_connection_secrets(&name(connection), &connection.sealed_secrets)?;
        Ok(Self::decode(&opened).ok_or(KeyError::NotOpened)?)
    }

    /// Each text after its length.
    fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for secret in std::iter::once(&self.api_key).chain(&self.webhook) {
            bytes.extend((secret.expose().len() as u64).to_be_bytes());
            bytes.extend(secret.expose().as_bytes());
        }
        bytes
    }

    fn decode(mut bytes: &[u8]) -> Option<Self> {
        let mut texts = Vec::new();
        while let Some((length, rest)) = bytes.split_first_chunk::<8>() {
            let (text, rest) = rest.split_at_checked(usize::try_from(u64::from_be_bytes(*length)).ok()?)?;
            texts.push(Secret::new(String::from_utf8(text.to_vec()).ok()?));
            bytes = rest;
        }
        let is_complete = bytes.is_empty() && texts.len() >= 2;
        is_complete.then(|| Self { api_key: texts.remove(0), webhook: texts })
    }
}

/// The connection's secrets, sealed under the current master key, if they are sealed under the previous one.
pub(crate) fn reseal(keys: &Keys, connection: &Connection) -> Result<Option<Vec<u8>>, KeyError> {
    let Some(previous) = keys.previous() else { return Ok(None) };
    match previous.connection_secrets.open(&name(connection), &connection.sealed_secrets) {
        Ok(opened) => keys.connection_secrets.seal(&name(connection), &opened).map(Some),
        Err(_) => Ok(None),
    }
}

/// The master key that the connection's secrets are sealed under.
pub(crate) fn sealed_under(keys: &Keys, connection: &Connection) -> SealedUnder {
    let name = name(connection);
    match keys.connection_secrets.open(&name, &connection.sealed_secrets) {
        Ok(_) => SealedUnder::Current,
        Err(_) if keys.open_connection_secrets(&name, &connection.sealed_secrets).is_ok() => SealedUnder::Other,
        Err(_) => SealedUnder::Unknown,
    }
}

/// The context that the secrets are bound to: in another row they do not open.
fn name(connection: &Connection) -> Vec<u8> {
    [connection.organization_id.bytes(), connection.id.bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(text: &str) -> Secret {
        Secret::new(text.to_owned())
    }

    fn texts(secrets: &ConnectionSecrets) -> Vec<&str> {
        secrets.webhook.iter().map(Secret::expose).collect()
    }

    #[test]
    fn the_previous_secret_stays_and_at_most_two_are_valid() {
        let one = ConnectionSecrets { api_key: secret("k"), webhook: vec![secret("a")] };
        let two = one.rotated(None, Some(secret("b")), false);
        assert_eq!(texts(&two), ["b", "a"]);
        assert_eq!(texts(&two.rotated(None, Some(secret("c")), false)), ["c", "b"]);
        assert_eq!(texts(&two.rotated(None, None, true)), ["b"]);
        assert_eq!(two.rotated(Some(secret("n")), None, false).api_key.expose(), "n");
    }

    #[test]
    fn secrets_read_back_and_nothing_else_does() {
        let given = ConnectionSecrets { api_key: secret("sk_1"), webhook: vec![secret("whsec_é"), secret("")] };
        let read = ConnectionSecrets::decode(&given.encode()).unwrap();
        assert_eq!((read.api_key.expose(), texts(&read)), ("sk_1", vec!["whsec_é", ""]));
        for bytes in [&[][..], &[0; 7], &[0; 8], &[0, 0, 0, 0, 0, 0, 0, 9, 1]] {
            assert!(ConnectionSecrets::decode(bytes).is_none());
        }
    }
}
