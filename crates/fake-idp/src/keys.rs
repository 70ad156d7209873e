//! Keys that an issuer or an attacker signs with, made anew for each test.

use aws_lc_rs::encoding::{AsDer, PublicKeyX509Der};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeySize;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256, RSA_PSS_SHA256,
    RsaKeyPair,
};
use aws_lc_rs::{hmac, signature};
use data_encoding::{BASE64_MIME, BASE64URL_NOPAD};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A key, with its private half.
pub enum Key {
    /// For RS256 and PS256.
    Rsa(RsaKeyPair),
    /// For ES256.
    Ec(EcdsaKeyPair),
    /// For `EdDSA`.
    Ed(Ed25519KeyPair),
    /// For HS256.
    Secret(Vec<u8>),
}

/// The public half in every form an attacker finds it in.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PublicKey {
    /// As an issuer publishes it.
    pub jwk: Value,
    /// As X.509 has it.
    pub der: Vec<u8>,
    /// The same as text.
    pub pem: String,
}

/// Base64 as tokens have it.
pub fn b64(bytes: &[u8]) -> String {
    BASE64URL_NOPAD.encode(bytes)
}

/// What was encoded so.
pub fn from_b64(text: &str) -> Vec<u8> {
    BASE64URL_NOPAD.decode(text.as_bytes()).unwrap()
}

/// A token of this header and these claims, whatever they are.
pub fn token(header: &Value, claims: &Value, sign: impl FnOnce(&[u8]) -> Vec<u8>) -> String {
    let message = format!("{}.{}", b64(header.to_string().as_bytes()), b64(claims.to_string().as_bytes()));
    let signature = sign(message.as_bytes());
    format!("{message}.{}", b64(&signature))
}

impl Key {
    /// A new key for an algorithm.
    pub fn of(algorithm: &str) -> Self {
        match algorithm {
            "RS256" | "PS256" => Self::rsa(),
            "ES256" => Self::ec(),
            "EdDSA" => Self::ed(),
            other => unreachable!("no issuer signs with {other}"),
        }
    }

    /// A new key for RS256 and PS256.
    pub fn rsa() -> Self {
        Self::Rsa(RsaKeyPair::generate(KeySize::Rsa2048).unwrap())
    }

    /// A new key for ES256.
    pub fn ec() -> Self {
        Self::Ec(EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap())
    }

    /// A new key for `EdDSA`.
    pub fn ed() -> Self {
        Self::Ed(Ed25519KeyPair::generate().unwrap())
    }

    /// The public half, as an issuer publishes it.
    pub fn jwk(&self, kid: &str) -> Value {
        match self {
            Self::Rsa(pair) => {
                let public = pair.public_key();
                let n = b64(public.modulus().big_endian_without_leading_zero());
                let e = b64(public.exponent().big_endian_without_leading_zero());
                json!({"kty": "RSA", "use": "sig", "kid": kid, "n": n, "e": e})
            }
            Self::Ec(pair) => {
                let point = pair.public_key().as_ref();
                json!({"kty": "EC", "crv": "P-256", "kid": kid, "x": b64(&point[1..33]), "y": b64(&point[33..])})
            }
            Self::Ed(pair) => json!({"kty": "OKP", "crv": "Ed25519", "kid": kid, "x": b64(pair.public_key().as_ref())}),
            Self::Secret(bytes) => json!({"kty": "oct", "kid": kid, "k": b64(bytes)}),
        }
    }

    /// The public half in every form.
    pub fn public(&self, kid: &str) -> PublicKey {
        let der: PublicKeyX509Der<'_> = match self {
            Self::Rsa(pair) => pair.public_key().as_der().unwrap(),
            Self::Ec(pair) => pair.public_key().as_der().unwrap(),
            Self::Ed(pair) => pair.public_key().as_der().unwrap(),
            Self::Secret(_) => unreachable!("a secret has no public half"),
        };
        let body = BASE64_MIME.encode(der.as_ref()).replace("\r\n", "\n");
        let pem = format!("-----BEGIN PUBLIC KEY-----\n{body}-----END PUBLIC KEY-----\n");
        PublicKey { jwk: self.jwk(kid), der: der.as_ref().to_vec(), pem }
    }

    /// The default signing key.
    pub fn algorithm(&self) -> &'static str {
        match self {
            Self::Rsa(_) => "RS256",
            Self::Ec(_) => "ES256",
            Self::Ed(_) => "EdDSA",
            Self::Secret(_) => "HS256",
        }
    }

    /// Signs with that.
    pub fn sign(&self, message: &[u8]) -> Vec<u8> {
        match self {
            Self::Rsa(pair) => rsa(pair, &RSA_PKCS1_SHA256, message),
            Self::Ec(pair) => pair.sign(&SystemRandom::new(), message).unwrap().as_ref().to_vec(),
            Self::Ed(pair) => pair.sign(message).as_ref().to_vec(),
            Self::Secret(secret) => hmac_sha256(secret, message),
        }
    }

    /// Signs with PS256.
    pub fn sign_pss(&self, message: &[u8]) -> Vec<u8> {
        let Self::Rsa(pair) = self else { unreachable!("PSS is RSA's") };
        rsa(pair, &RSA_PSS_SHA256, message)
    }
}

/// What HS256 signs with.
pub fn hmac_sha256(secret: &[u8], message: &[u8]) -> Vec<u8> {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, secret), message).as_ref().to_vec()
}

fn rsa(pair: &RsaKeyPair, encoding: &'static dyn signature::RsaEncoding, message: &[u8]) -> Vec<u8> {
    let mut signature = vec![0; pair.public_modulus_len()];
    pair.sign(encoding, &SystemRandom::new(), message, &mut signature).unwrap();
    signature
}
