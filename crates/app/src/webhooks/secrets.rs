//! The secrets of an endpoint: up to three that sign at the same time, newest first, sealed together and bound to the
//! endpoint's row.

use crate::context::App;
use crate::entropy::Entropy;
use crate::error::Error;
use crate::keys::{Keys, SealedUnder};
use perennial_domain::id::EventId;
use perennial_domain::time::Time;
use perennial_domain::webhooks::{MAX_SECRETS, Signature, WebhookEndpoint};
use perennial_identity::secret::Secret;
use perennial_identity::signing::KeyError;
use perennial_identity::webhook_signature::{Scheme, WebhookKey};

/// The bytes of a key, and those of its expiry in microseconds; 0 for none.
const KEY_BYTES: usize = 32;
const ENTRY_BYTES: usize = KEY_BYTES + 8;

/// The keys of an endpoint. They cannot be printed.
#[derive(Clone)]
pub struct SigningKeys {
    scheme: Scheme,
    /// Newest first. Only the newest has no expiry.
    entries: Vec<Entry>,
}

#[derive(Clone)]
struct Entry {
    bytes: [u8; KEY_BYTES],
    expires_at: Option<Time>,
}

/// The keys of an endpoint, expired ones included.
pub fn signing_keys(app: &App, endpoint: &WebhookEndpoint) -> Result<SigningKeys, Error> {
    let opened = app.keys.open_webhook_secrets(&name(endpoint), &endpoint.sealed_secrets)?;
    Ok(SigningKeys::decode(scheme(endpoint.signature), &opened).ok_or(KeyError::NotOpened)?)
}

impl SigningKeys {
    pub(super) fn generate(signature: Signature, entropy: &Entropy) -> Self {
        let entries = vec![Entry { bytes: entropy.bytes(), expires_at: None }];
        Self { scheme: scheme(signature), entries }
    }

    /// The headers of a request at this time, in seconds. Every key that is valid then signs, newest first.
    pub fn headers(&self, event_id: EventId, timestamp: i64, body: &[u8]) -> [(&'static str, String); 3] {
        let id = event_id.to_string();
        let now = Time::from_micros(timestamp.saturating_mul(1_000_000)).unwrap_or(Time::MAX);
        let signatures: Vec<String> = self.valid(now).map(|key| key.sign(&id, timestamp, body)).collect();
        [("webhook-id", id), ("webhook-timestamp", timestamp.to_string()), ("webhook-signature", signatures.join(" "))]
    }

    /// The public keys that verify a request at this time; none for shared secrets.
    pub fn public_keys(&self, now: Time) -> Vec<String> {
        self.valid(now).filter_map(|key| key.public_key()).collect()
    }

    /// The secret to be returned after a create or a rotation; none for key pairs.
    pub(super) fn newest_secret(&self) -> Option<Secret> {
        self.entries.first().and_then(|entry| self.key(entry).secret())
    }

    /// These keys after a rotation: the old ones expire when the overlap ends, unless they do earlier. None: too many would
    /// be valid.
    pub(super) fn rotated(&self, new: Self, overlap_seconds: i64, now: Time) -> Option<Self> {
        let end = now.plus_seconds(overlap_seconds);
        let mut entries = new.entries;
        for entry in &self.entries {
            let expires_at = entry.expires_at.map_or(end, |expiry| expiry.min(end));
            if expires_at > now {
                entries.push(Entry { expires_at: Some(expires_at), ..entry.clone() });
            }
        }
        (entries.len() <= MAX_SECRETS).then_some(Self { scheme: self.scheme, entries })
    }

    /// The keys, sealed for the endpoint's row.
    pub(super) fn seal(&self, keys: &Keys, endpoint: &WebhookEndpoint) -> Result<Vec<u8>, KeyError> {
        keys.webhook_secrets.seal(&name(endpoint), &self.encode())
    }

    fn valid(&self, now: Time) -> impl Iterator<Item = WebhookKey> {
        self.entries.iter().filter(move |entry| entry.expires_at.is_none_or(|expiry| now < expiry)).map(|e| self.key(e))
    }

    fn key(&self, entry: &Entry) -> WebhookKey {
        WebhookKey::new(self.scheme, entry.bytes)
    }

    fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.entries.len() * ENTRY_BYTES);
        for entry in &self.entries {
            bytes.extend(entry.bytes);
            bytes.extend(entry.expires_at.map_or(0, Time::as_micros).to_be_bytes());
        }
        bytes
    }

    fn decode(scheme: Scheme, bytes: &[u8]) -> Option<Self> {
        let (entries, []) = bytes.as_chunks::<ENTRY_BYTES>() else { return None };
        let entries = entries.iter().map(|entry| {
            let (bytes, expiry) = entry.split_first_chunk()?;
            let micros = i64::from_be_bytes(expiry.try_into().ok()?);
            let expires_at = if micros == 0 { None } else { Some(Time::from_micros(micros)?) };
            Some(Entry { bytes: *bytes, expires_at })
        });
        let entries: Vec<Entry> = entries.collect::<Option<_>>()?;
        (!entries.is_empty()).then_some(Self { scheme, entries })
    }
}

/// The endpoint's secrets, sealed under the current master key, if they are sealed under the previous one.
pub(crate) fn reseal(keys: &Keys, endpoint: &WebhookEndpoint) -> Result<Option<Vec<u8>>, KeyError> {
    let Some(previous) = keys.previous() else { return Ok(None) };
    match previous.webhook_secrets.open(&name(endpoint), &endpoint.sealed_secrets) {
        Ok(opened) => keys.webhook_secrets.seal(&name(endpoint), &opened).map(Some),
        Err(_) => Ok(None),
    }
}

/// The master key that the endpoint's secrets are sealed under.
pub(crate) fn sealed_under(keys: &Keys, endpoint: &WebhookEndpoint) -> SealedUnder {
    let name = name(endpoint);
    match keys.webhook_secrets.open(&name, &endpoint.sealed_secrets) {
        Ok(_) => SealedUnder::Current,
        Err(_) if keys.open_webhook_secrets(&name, &endpoint.sealed_secrets).is_ok() => SealedUnder::Other,
        Err(_) => SealedUnder::Unknown,
    }
}

/// The context that the secrets are bound to: in another row they do not open.
fn name(endpoint: &WebhookEndpoint) -> Vec<u8> {
    [endpoint.organization_id.bytes(), endpoint.id.bytes()].concat()
}

const fn scheme(signature: Signature) -> Scheme {
    match signature {
        Signature::Hmac => Scheme::Hmac,
        Signature::Ed25519 => Scheme::Ed25519,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Time {
        Time::from_micros(seconds * 1_000_000).unwrap()
    }

    fn new(seed: u64) -> SigningKeys {
        SigningKeys::generate(Signature::Hmac, &Entropy::seeded(seed))
    }

    fn signatures(keys: &SigningKeys, seconds: i64) -> Vec<String> {
        let [_, _, (_, signatures)] = keys.headers(EventId::from_bytes([1; 16]), seconds, b"{}");
        signatures.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn old_secrets_sign_until_the_overlap_ends_and_the_newest_signs_first() {
        let (one, two) = (new(1), new(2));
        let both = one.rotated(two.clone(), 100, at(1_000)).unwrap();
        let expected = [signatures(&two, 1_099), signatures(&one, 1_099)].concat();
        assert_eq!(signatures(&both, 1_099), expected);
        assert_eq!(signatures(&both, 1_100), signatures(&two, 1_100));
        assert_eq!(one.rotated(two.clone(), 0, at(1_000)).unwrap().entries.len(), 1);
        let three = both.rotated(new(3), 50, at(1_010)).unwrap();
        assert_eq!(signatures(&three, 1_059).len(), 3);
        assert_eq!(signatures(&three, 1_060).len(), 1, "a shorter overlap ends older ones too");
    }

    #[test]
    fn at_most_three_are_valid_and_expired_ones_do_not_count() {
        let keys = new(1).rotated(new(2), 100, at(1_000)).unwrap().rotated(new(3), 200, at(1_000)).unwrap();
        assert!(keys.rotated(new(4), 100, at(1_050)).is_none());
        assert!(keys.rotated(new(4), 100, at(1_100)).is_some());
        assert!(keys.rotated(new(4), 0, at(1_050)).is_some());
    }

    #[test]
    fn keys_read_back_and_nothing_else_does() {
        let keys = new(1).rotated(new(2), 100, at(1_000)).unwrap();
        let read = SigningKeys::decode(Scheme::Hmac, &keys.encode()).unwrap();
        assert_eq!(signatures(&read, 1_050), signatures(&keys, 1_050));
        for bytes in [&[][..], &[0; 39], &[0; 41]] {
            assert!(SigningKeys::decode(Scheme::Hmac, bytes).is_none());
        }
    }

    #[test]
    fn a_key_pair_has_public_keys_and_no_secret() {
        let pair = SigningKeys::generate(Signature::Ed25519, &Entropy::seeded(1));
        assert!(pair.newest_secret().is_none() && pair.public_keys(at(1))[0].starts_with("whpk_"));
        assert!(new(1).newest_secret().is_some() && new(1).public_keys(at(1)).is_empty());
    }
}
