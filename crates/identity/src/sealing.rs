//! Secrets at rest: sealed under a key that is not in the store, and bound to the name of their row.

use aws_lc_rs::aead::{AES_256_GCM, Aad, Nonce, RandomizedNonceKey};

const NONCE_BYTES: usize = 12;

/// An error with a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// The system's random generator or the cipher failed.
    #[error("a secret cannot be made or sealed")]
    NotMade,
    /// The stored secret does not open.
    #[error("a sealed secret does not open: it was sealed under another master key, or it was changed")]
    NotOpened,
}

/// The key that seals secrets at rest. It cannot be printed.
pub struct WrappingKey(RandomizedNonceKey);

impl WrappingKey {
    /// The key of these bytes, which are derived from the master key for one purpose alone.
    pub fn new(bytes: &[u8; 32]) -> Self {
        Self(RandomizedNonceKey::new(&AES_256_GCM, bytes).expect("32 bytes are a key of AES-256"))
    }

    /// Nonce, ciphertext and tag. The name is authenticated, so that two rows cannot be swapped.
    pub fn seal(&self, name: &[u8], secret: &[u8]) -> Result<Vec<u8>, KeyError> {
        let mut text = secret.to_vec();
        let nonce = self.0.seal_in_place_append_tag(Aad::from(name), &mut text).map_err(|_| KeyError::NotMade)?;
        Ok([nonce.as_ref().as_slice(), &text].concat())
    }

    /// The secret that was sealed under this name.
    pub fn open(&self, name: &[u8], sealed: &[u8]) -> Result<Vec<u8>, KeyError> {
        let (nonce, text) = sealed.split_at_checked(NONCE_BYTES).ok_or(KeyError::NotOpened)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| KeyError::NotOpened)?;
        let mut text = text.to_vec();
        let secret = self.0.open_in_place(nonce, Aad::from(name), &mut text).map_err(|_| KeyError::NotOpened)?;
        Ok(secret.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_opens_under_its_own_name_and_key_only() {
        let key = WrappingKey::new(&[1; 32]);
        let sealed = key.seal(b"name", b"hunter2-hunter2").unwrap();
        assert_eq!(key.open(b"name", &sealed).unwrap(), b"hunter2-hunter2");
        assert_eq!(key.open(b"another", &sealed), Err(KeyError::NotOpened));
        assert_eq!(WrappingKey::new(&[2; 32]).open(b"name", &sealed), Err(KeyError::NotOpened));
        for place in [0, 11, 12, sealed.len() - 1] {
            let mut changed = sealed.clone();
            changed[place] ^= 1;
            assert_eq!(key.open(b"name", &changed), Err(KeyError::NotOpened));
        }
        assert_eq!(key.open(b"name", &sealed[..5]), Err(KeyError::NotOpened));
    }

    #[test]
    fn what_is_sealed_shows_nothing_and_is_never_the_same() {
        let key = WrappingKey::new(&[1; 32]);
        let sealed = key.seal(b"name", b"hunter2-hunter2").unwrap();
        assert!(!sealed.windows(4).any(|window| window == b"hunt"));
        assert_ne!(sealed, key.seal(b"name", b"hunter2-hunter2").unwrap(), "a nonce is never used twice");
    }
}
