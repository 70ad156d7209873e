//! Signatures of webhooks, per Standard Webhooks 1.0: an HMAC under a shared secret (`v1`), or Ed25519 (`v1a`).
//! Signed is `<id>.<timestamp>.<body>`, so that a receiver can reject a request that was recorded and sent again.

use aws_lc_rs::hmac;
use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair};
use data_encoding::BASE64;

use crate::secret::Secret;

const SECRET_PREFIX: &str = "whsec_";
const PUBLIC_KEY_PREFIX: &str = "whpk_";

/// How an endpoint's requests are signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// `v1`: HMAC-SHA256.
    Hmac,
    /// `v1a`: Ed25519.
    Ed25519,
}

/// A key that signs webhooks. It cannot be printed.
#[derive(Clone)]
pub struct WebhookKey {
    scheme: Scheme,
    bytes: Vec<u8>,
}

/// A text that is no secret of webhooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a webhook secret is `whsec_` and base64")]
pub struct MalformedSecret;

impl WebhookKey {
    /// The key of these random bytes: the secret of an HMAC, or the seed of a key pair.
    pub fn new(scheme: Scheme, bytes: [u8; 32]) -> Self {
        Self { scheme, bytes: bytes.to_vec() }
    }

    /// Reads a shared secret.
    pub fn parse_secret(text: &str) -> Result<Self, MalformedSecret> {
        let encoded = text.trim().strip_prefix(SECRET_PREFIX).ok_or(MalformedSecret)?;
        let bytes = BASE64.decode(encoded.as_bytes()).map_err(|_| MalformedSecret)?;
        if bytes.is_empty() { Err(MalformedSecret) } else { Ok(Self { scheme: Scheme::Hmac, bytes }) }
    }

    /// The bytes, to be sealed.
    pub fn expose(&self) -> &[u8] {
        &self.bytes
    }

    /// The secret that the receiver needs; none for Ed25519, whose private key never leaves the server.
    pub fn secret(&self) -> Option<Secret> {
        let encoded = || Secret::new(format!("{SECRET_PREFIX}{}", BASE64.encode(&self.bytes)));
        (self.scheme == Scheme::Hmac).then(encoded)
    }

    /// The public key that the receiver needs; none for HMAC.
    pub fn public_key(&self) -> Option<String> {
        let pair = self.pair()?;
        Some(format!("{PUBLIC_KEY_PREFIX}{}", BASE64.encode(pair.public_key().as_ref())))
    }

    /// One signature of the header `webhook-signature`.
    pub fn sign(&self, id: &str, timestamp: i64, body: &[u8]) -> String {
        let signed = [format!("{id}.{timestamp}.").as_bytes(), body].concat();
        match self.pair() {
            Some(pair) => format!("v1a,{}", BASE64.encode(pair.sign(&signed).as_ref())),
            None => {
                let key = hmac::Key::new(hmac::HMAC_SHA256, &self.bytes);
                format!("v1,{}", BASE64.encode(hmac::sign(&key, &signed).as_ref()))
            }
        }
    }

    fn pair(&self) -> Option<Ed25519KeyPair> {
        let pair = || Ed25519KeyPair::from_seed_unchecked(&self.bytes).expect("a seed has 32 bytes");
        (self.scheme == Scheme::Ed25519).then(pair)
    }
}

#[cfg(test)]
mod tests;
