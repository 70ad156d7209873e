//! The master key and the keys derived from it, one for each purpose.
//!
//! While the master key is rotated, a server knows two of them. Everything new is made under the current one, and what was
//! made under the other is still accepted.

use aws_lc_rs::{digest, hkdf, hmac};
use data_encoding::{BASE64, BASE64URL_NOPAD, HEXLOWER_PERMISSIVE};
use perennial_domain::id::SessionId;
use perennial_identity::refresh::{MalformedToken, RefreshKey};
use perennial_identity::signing::{KeyError, SealedKey, SigningKey, WrappingKey};

/// The 32 bytes from which every other key of the installation is derived. It cannot be printed.
pub struct MasterKey([u8; 32]);

impl MasterKey {
    /// The key of these bytes.
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Reads 32 bytes written as hex or base64.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let bytes = HEXLOWER_PERMISSIVE
            .decode(text.as_bytes())
            .or_else(|_| BASE64.decode(text.as_bytes()))
            .or_else(|_| BASE64URL_NOPAD.decode(text.as_bytes()))
            .ok()?;
        bytes.try_into().ok().map(Self)
    }

    /// The key as hex, to be written to its own file and nowhere else.
    pub fn expose_as_hex(&self) -> String {
        HEXLOWER_PERMISSIVE.encode(&self.0)
    }

    fn derive(&self, purpose: &[u8]) -> [u8; 32] {
        let extracted = hkdf::Salt::new(hkdf::HKDF_SHA256, b"perennial").extract(&self.0);
        let mut bytes = [0; 32];
        extracted
            .expand(&[purpose], hkdf::HKDF_SHA256)
            .and_then(|expanded| expanded.fill(&mut bytes))
            .expect("32 bytes are within what HKDF can give");
        bytes
    }
}

/// The master key that a secret in the store is sealed under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SealedUnder {
    /// The current one.
    Current,
    /// Another one that is accepted.
    Other,
    /// One that this server does not know, or the secret was changed.
    Unknown,
}

/// The derived keys. None of them can be printed.
pub struct Keys {
    /// Shows whether two servers have the same master key, without revealing it.
    pub fingerprint: [u8; 32],
    cursors: hmac::Key,
    attempts: hmac::Key,
    /// Seals signing keys.
    pub(crate) wrapping: WrappingKey,
    /// Seals the secrets of identity providers.
    pub(crate) provider_secrets: WrappingKey,
    /// Seals the secrets of webhook endpoints.
    pub(crate) webhook_secrets: Box<WrappingKey>,
    /// Seals the secrets of connections to payment providers.
    pub(crate) connection_secrets: Box<WrappingKey>,
    pub(crate) refresh: RefreshKey,
    /// Seals cookies that only this installation reads.
    cookies: Box<WrappingKey>,
    /// The seed of the key of the `local` identity provider, for development.
    pub(crate) local_seed: [u8; 32],
    /// The keys of the next master key, which other servers may be using already.
    next: Option<Box<Self>>,
    /// The keys of the previous master key. What is sealed under it is sealed again under this one.
    previous: Option<Box<Self>>,
}

impl Keys {
    /// Derives every key.
    pub fn derive(master: &MasterKey) -> Self {
        Self {
            fingerprint: master.derive(b"fingerprint"),
            cursors: hmac::Key::new(hmac::HMAC_SHA256, &master.derive(b"cursors")),
            attempts: hmac::Key::new(hmac::HMAC_SHA256, &master.derive(b"attempts")),
            wrapping: WrappingKey::new(&master.derive(b"wrapping")),
            provider_secrets: WrappingKey::new(&master.derive(b"provider secrets")),
            webhook_secrets: Box::new(WrappingKey::new(&master.derive(b"webhook secrets"))),
            connection_secrets: Box::new(WrappingKey::new(&master.derive(b"connection secrets"))),
            refresh: RefreshKey::new(&master.derive(b"refresh tokens")),
            cookies: Box::new(WrappingKey::new(&master.derive(b"cookies"))),
            local_seed: master.derive(b"local identities"),
            next: None,
            previous: None,
        }
    }

    /// The same keys, which also accept what was made under these two master keys.
    #[must_use]
    pub fn accepting(self, next: Option<&MasterKey>, previous: Option<&MasterKey>) -> Self {
        let derive = |master: &MasterKey| Box::new(Self::derive(master));
        Self { next: next.map(derive), previous: previous.map(derive), ..self }
    }

    /// The keys of the previous master key, if it is still accepted.
    pub(crate) fn previous(&self) -> Option<&Self> {
        self.previous.as_deref()
    }

    /// The keys that are accepted in addition to these.
    pub(crate) fn others(&self) -> impl Iterator<Item = &Self> {
        self.next.as_deref().into_iter().chain(self.previous.as_deref())
    }

    fn each(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(self.others())
    }

    /// Whether a store with this fingerprint belongs to one of the master keys.
    pub fn know(&self, fingerprint: &[u8]) -> bool {
        self.each().any(|keys| keys.fingerprint == *fingerprint)
    }

    /// The session and generation of a refresh token of any accepted master key.
    pub(crate) fn open_refresh(&self, token: &str) -> Result<(SessionId, u32), MalformedToken> {
        self.each().find_map(|keys| keys.refresh.open(token).ok()).ok_or(MalformedToken)
    }

    /// The signing key in a row that is sealed under any accepted master key.
    pub(crate) fn open_signing_key(&self, row: &SealedKey) -> Result<SigningKey, KeyError> {
        self.each().find_map(|keys| SigningKey::open(row, &keys.wrapping).ok()).ok_or(KeyError::NotOpened)
    }

    /// The secret of an identity provider that is sealed under any accepted master key.
    pub(crate) fn open_provider_secret(&self, name: &[u8], sealed: &[u8]) -> Result<Vec<u8>, KeyError> {
        self.each().find_map(|keys| keys.provider_secrets.open(name, sealed).ok()).ok_or(KeyError::NotOpened)
    }

    /// The secrets of a webhook endpoint that are sealed under any accepted master key.
    pub(crate) fn open_webhook_secrets(&self, name: &[u8], sealed: &[u8]) -> Result<Vec<u8>, KeyError> {
        self.each().find_map(|keys| keys.webhook_secrets.open(name, sealed).ok()).ok_or(KeyError::NotOpened)
    }

    /// The secrets of a connection that are sealed under any accepted master key.
    pub(crate) fn open_connection_secrets(&self, name: &[u8], sealed: &[u8]) -> Result<Vec<u8>, KeyError> {
        self.each().find_map(|keys| keys.connection_secrets.open(name, sealed).ok()).ok_or(KeyError::NotOpened)
    }

    /// Seals the content of a cookie.
    pub(crate) fn seal_cookie(&self, name: &[u8], content: &[u8]) -> Result<Vec<u8>, KeyError> {
        self.cookies.seal(name, content)
    }

    /// The content of a cookie that is sealed under any accepted master key.
    pub(crate) fn open_cookie(&self, name: &[u8], sealed: &[u8]) -> Result<Vec<u8>, KeyError> {
        self.each().find_map(|keys| keys.cookies.open(name, sealed).ok()).ok_or(KeyError::NotOpened)
    }

    /// Whether a cursor of this list was signed under any accepted master key.
    pub(crate) fn signed_cursor(&self, list: &[u8], payload: &[u8], tag: &[u8]) -> bool {
        let is_equal = |own: [u8; 16]| aws_lc_rs::constant_time::verify_slices_are_equal(tag, &own).is_ok();
        self.each().any(|keys| is_equal(keys.sign_cursor(list, payload)))
    }

    /// The seal of a cursor's payload for this list.
    pub fn sign_cursor(&self, list: &[u8], payload: &[u8]) -> [u8; 16] {
        let mut context = hmac::Context::with_key(&self.cursors);
        // The length fixes the boundary between the two.
        context.update(&(list.len() as u64).to_be_bytes());
        context.update(list);
        context.update(payload);
        first_half(&context.sign())
    }

    /// A keyed digest of an attempt, which does not reveal the address or the client.
    pub(crate) fn digest_attempt(&self, parts: &[&[u8]]) -> [u8; 16] {
        first_half(&hmac::sign(&self.attempts, &parts.concat()))
    }
}

fn first_half(tag: &hmac::Tag) -> [u8; 16] {
    let mut half = [0; 16];
    half.copy_from_slice(&tag.as_ref()[..16]);
    half
}

/// The SHA-256 of these parts, one after the other.
pub fn sha256(parts: &[&[u8]]) -> [u8; 32] {
    let mut context = digest::Context::new(&digest::SHA256);
    for part in parts {
        context.update(part);
    }
    let mut hash = [0; 32];
    hash.copy_from_slice(context.finish().as_ref());
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_master_key_is_read_from_hex_and_base64() {
        let hex = "00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF";
        let key = MasterKey::parse(&format!(" {hex}\n")).unwrap();
        assert_eq!(key.expose_as_hex(), hex.to_lowercase());
        let base64 = BASE64.encode(&key.0);
        assert_eq!(MasterKey::parse(&base64).unwrap().0, key.0);
        for text in ["", "00", "zz", &hex[2..], &format!("{hex}00")] {
            assert!(MasterKey::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn each_purpose_and_each_master_has_its_own_key() {
        let (one, two) = (MasterKey::new([1; 32]), MasterKey::new([2; 32]));
        assert_ne!(one.derive(b"fingerprint"), one.derive(b"cursors"));
        assert_ne!(Keys::derive(&one).fingerprint, Keys::derive(&two).fingerprint);
        assert_eq!(Keys::derive(&one).fingerprint, Keys::derive(&one).fingerprint);
    }

    #[test]
    fn what_another_accepted_key_made_is_accepted_and_what_a_stranger_made_is_not() {
        let [old, new, foreign] = [1, 2, 3].map(|byte| MasterKey::new([byte; 32]));
        let of_old = Keys::derive(&old);
        let token = of_old.refresh.make(SessionId::from_bytes([1; 16]), 1);
        let tag = of_old.sign_cursor(b"list", b"payload");
        let sealed = of_old.provider_secrets.seal(b"name", b"secret").unwrap();
        let accepts = |keys: &Keys| {
            [
                keys.know(&of_old.fingerprint),
                keys.open_refresh(token.expose()).is_ok(),
                keys.signed_cursor(b"list", b"payload", &tag),
                keys.open_provider_secret(b"name", &sealed).is_ok(),
            ]
        };
        assert_eq!(accepts(&Keys::derive(&new)), [false; 4]);
        assert_eq!(accepts(&Keys::derive(&new).accepting(None, Some(&old))), [true; 4]);
        assert_eq!(accepts(&Keys::derive(&new).accepting(Some(&old), None)), [true; 4]);
        assert_eq!(accepts(&Keys::derive(&new).accepting(Some(&foreign), Some(&foreign))), [false; 4]);
        assert_eq!(accepts(&Keys::derive(&old).accepting(Some(&new), None)), [true; 4]);
    }
}
