//! Our signing keys: Ed25519, created here, and stored sealed under a key that is not in the store.

pub use crate::sealing::{KeyError, WrappingKey};
use aws_lc_rs::digest::{SHA256, digest};
use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair};
use data_encoding::BASE64URL_NOPAD;
use jsonwebtoken::DecodingKey;
use perennial_domain::time::Time;
use serde_json::{Value, json};

/// A signing key as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedKey {
    /// Its name.
    pub kid: String,
    /// When it begins to sign.
    pub active_from: Time,
    /// Nonce, ciphertext and tag.
    pub sealed: Vec<u8>,
}

/// A key that signs our tokens. It cannot be printed.
pub struct SigningKey {
    kid: String,
    active_from: Time,
    pair: Ed25519KeyPair,
    public: DecodingKey,
}

impl SigningKey {
    /// A new key from the system's generator.
    pub fn generate(active_from: Time) -> Result<Self, KeyError> {
        Ok(Self::of(Ed25519KeyPair::generate().map_err(|_| KeyError::NotMade)?, active_from))
    }

    /// The key, sealed. Its name is authenticated, so that two rows cannot be swapped.
    pub fn seal(&self, wrapping: &WrappingKey) -> Result<SealedKey, KeyError> {
        let pkcs8 = self.pair.to_pkcs8().map_err(|_| KeyError::NotMade)?;
        let sealed = wrapping.seal(self.kid.as_bytes(), pkcs8.as_ref())?;
        Ok(SealedKey { kid: self.kid.clone(), active_from: self.active_from, sealed })
    }

    /// The key in this row.
    pub fn open(row: &SealedKey, wrapping: &WrappingKey) -> Result<Self, KeyError> {
        let pkcs8 = wrapping.open(row.kid.as_bytes(), &row.sealed)?;
        let pair = Ed25519KeyPair::from_pkcs8(&pkcs8).map_err(|_| KeyError::NotOpened)?;
        Ok(Self::of(pair, row.active_from))
    }

    /// A key that is the same each time.
    #[cfg(test)]
    pub(crate) fn of_seed(seed: &[u8; 32], active_from: Time) -> Self {
        Self::of(Ed25519KeyPair::from_seed_unchecked(seed).expect("every 32 bytes are a seed of Ed25519"), active_from)
    }

    fn of(pair: Ed25519KeyPair, active_from: Time) -> Self {
        let public = DecodingKey::from_ed_der(pair.public_key().as_ref());
        // The thumbprint of RFC 7638: the name is derived from the key.
        let x = BASE64URL_NOPAD.encode(pair.public_key().as_ref());
        let canonical = format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}"#);
        let kid = BASE64URL_NOPAD.encode(digest(&SHA256, canonical.as_bytes()).as_ref());
        Self { kid, active_from, pair, public }
    }

    /// Its name in tokens (`kid`) and in the published set.
    pub fn kid(&self) -> &str {
        &self.kid
    }

    /// When it begins to sign.
    pub const fn active_from(&self) -> Time {
        self.active_from
    }

    pub(crate) fn sign(&self, bytes: &[u8]) -> Vec<u8> {
        self.pair.sign(bytes).as_ref().to_vec()
    }

    pub(crate) const fn public(&self) -> &DecodingKey {
        &self.public
    }

    /// The public key, as it is published.
    pub(crate) fn jwk(&self) -> Value {
        let x = BASE64URL_NOPAD.encode(self.pair.public_key().as_ref());
        json!({"kty": "OKP", "crv": "Ed25519", "use": "sig", "alg": "EdDSA", "kid": self.kid, "x": x})
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_lc_rs::encoding::AsBigEndian;

    fn start() -> Time {
        Time::from_micros(1_800_000_000_000_000).unwrap()
    }

    #[test]
    fn a_sealed_key_opens_to_itself() {
        let wrapping = WrappingKey::new(&[1; 32]);
        let key = SigningKey::generate(start()).unwrap();
        let row = key.seal(&wrapping).unwrap();
        let opened = SigningKey::open(&row, &wrapping).unwrap();
        assert_eq!((opened.kid(), opened.active_from()), (key.kid(), start()));
        assert_eq!(opened.sign(b"x"), key.sign(b"x"));
        assert_ne!(key.seal(&wrapping).unwrap().sealed, row.sealed, "a nonce is never used twice");
    }

    #[test]
    fn a_row_that_was_changed_or_sealed_elsewhere_does_not_open() {
        let wrapping = WrappingKey::new(&[1; 32]);
        let row = SigningKey::generate(start()).unwrap().seal(&wrapping).unwrap();
        let other = SigningKey::generate(start()).unwrap().seal(&wrapping).unwrap();
        let refused = |row: &SealedKey, wrapping: &WrappingKey| {
            assert_eq!(SigningKey::open(row, wrapping).err(), Some(KeyError::NotOpened));
        };
        refused(&row, &WrappingKey::new(&[2; 32]));
        refused(&SealedKey { kid: other.kid, ..row.clone() }, &wrapping);
        for place in [0, 11, 12, 40, row.sealed.len() - 1] {
            let mut changed = row.clone();
            changed.sealed[place] ^= 1;
            refused(&changed, &wrapping);
        }
        refused(&SealedKey { sealed: vec![0; 5], ..row }, &wrapping);
    }

    #[test]
    fn a_sealed_row_holds_nothing_of_the_key() {
        let key = SigningKey::generate(start()).unwrap();
        let seed = key.pair.seed().unwrap().as_be_bytes().unwrap();
        let row = key.seal(&WrappingKey::new(&[1; 32])).unwrap();
        assert!(!row.sealed.windows(8).any(|window| seed.as_ref().windows(8).any(|part| part == window)));
    }
}
