//! The master key and the keys derived from it, one for each purpose.

use aws_lc_rs::{digest, hkdf, hmac};
use data_encoding::{BASE64, BASE64URL_NOPAD, HEXLOWER_PERMISSIVE};
use perennial_identity::refresh::RefreshKey;
use perennial_identity::signing::WrappingKey;

/// Thirty-two bytes from which every other key of the installation is derived. It cannot be printed.
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

/// The derived keys. None of them can be printed.
pub struct Keys {
    /// Tells whether two servers have the same master key, and nothing about it.
    pub fingerprint: [u8; 32],
    cursors: hmac::Key,
    attempts: hmac::Key,
    /// Seals signing keys.
    pub(crate) wrapping: WrappingKey,
    /// Seals the secrets of identity providers.
    pub(crate) provider_secrets: WrappingKey,
    pub(crate) refresh: RefreshKey,
    /// What the key of our own identity provider, for development, grows from.
    pub(crate) local_seed: [u8; 32],
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
            refresh: RefreshKey::new(&master.derive(b"refresh tokens")),
            local_seed: master.derive(b"local identities"),
        }
    }

    /// The seal of a cursor's payload for this list.
    pub fn sign_cursor(&self, list: &[u8], payload: &[u8]) -> [u8; 16] {
        let mut context = hmac::Context::with_key(&self.cursors);
        // The length keeps the boundary between the two where it is.
        context.update(&(list.len() as u64).to_be_bytes());
        context.update(list);
        context.update(payload);
        first_half(&context.sign())
    }

    /// Whose attempts are counted together, without saying whose.
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
pub(crate) fn sha256(parts: &[&[u8]]) -> [u8; 32] {
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
}
