//! The keys that an issuer publishes. Only keys that can verify an accepted signature are used: RSA from 2,048 bits, P-256
//! and Ed25519. A symmetric key is never taken from a public document.

use crate::algorithm::Algorithm;
use crate::json;
use data_encoding::BASE64URL_NOPAD;
use jsonwebtoken::DecodingKey;
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;

const MOST_KEYS: usize = 100;
const RSA_BYTES: std::ops::RangeInclusive<usize> = 256..=1024;

/// A document that cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MalformedDocument(pub(crate) &'static str);

/// The usable keys of one issuer.
pub(crate) struct IssuerKeys {
    by_id: HashMap<String, Arc<PublicKey>>,
    /// The only usable key, for tokens without `kid`.
    only: Option<Arc<PublicKey>>,
}

/// A key and its algorithms.
pub(crate) struct PublicKey {
    pub(crate) key: DecodingKey,
    algorithms: Vec<Algorithm>,
}

impl PublicKey {
    pub(crate) fn allows(&self, algorithm: Algorithm) -> bool {
        self.algorithms.contains(&algorithm)
    }
}

impl IssuerKeys {
    pub(crate) fn read(document: &[u8]) -> Result<Self, MalformedDocument> {
        let document: Document =
            json::object(document).ok_or(MalformedDocument("is not a JSON object with a list of `keys`"))?;
        if document.keys.len() > MOST_KEYS {
            return Err(MalformedDocument("has more than 100 keys"));
        }
        // Unknown keys are ignored: issuers publish kinds that we do not use.
        let usable: Vec<_> = document
            .keys
            .into_iter()
            .filter_map(|key| serde_json::from_value::<Jwk>(key).ok())
            .filter_map(|jwk| Some((jwk.kid.clone(), Arc::new(jwk.public_key()?))))
            .collect();
        let only = match usable.as_slice() {
            [] => return Err(MalformedDocument("has no key we can use")),
            [(_, key)] => Some(Arc::clone(key)),
            _ => None,
        };
        let mut by_id = HashMap::new();
        for (kid, key) in usable {
            if let Some(kid) = kid {
                by_id.entry(kid).or_insert(key);
            }
        }
        Ok(Self { by_id, only })
    }

    pub(crate) fn find(&self, kid: Option<&str>) -> Option<Arc<PublicKey>> {
        match kid {
            Some(kid) => self.by_id.get(kid).cloned(),
            None => self.only.clone(),
        }
    }

    /// Each named key with its algorithms, for display.
    pub(crate) fn summary(&self) -> Vec<(String, Vec<Algorithm>)> {
        let mut keys: Vec<_> = self.by_id.iter().map(|(kid, key)| (kid.clone(), key.algorithms.clone())).collect();
        keys.sort_by(|one, other| one.0.cmp(&other.0));
        keys
    }
}

#[derive(Deserialize)]
struct Document {
    keys: Vec<Value>,
}

#[derive(Deserialize)]
struct Jwk {
    kty: String,
    kid: Option<String>,
    #[serde(rename = "use")]
    purpose: Option<String>,
    key_ops: Option<Vec<String>>,
    alg: Option<String>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

impl Jwk {
    fn public_key(&self) -> Option<PublicKey> {
        let signs = self.purpose.as_deref().is_none_or(|purpose| purpose == "sig");
        let verifies = self.key_ops.as_ref().is_none_or(|operations| operations.iter().any(|name| name == "verify"));
        if !signs || !verifies {
            return None;
        }
        let (key, mut algorithms) = match (self.kty.as_str(), self.crv.as_deref()) {
            ("RSA", _) => {
                let (n, e) = (decode(self.n.as_ref()?)?, decode(self.e.as_ref()?)?);
                let modulus = n.iter().skip_while(|byte| **byte == 0).count();
                if !RSA_BYTES.contains(&modulus) {
                    return None;
                }
                (DecodingKey::from_rsa_raw_components(&n, &e), vec![Algorithm::Rs256, Algorithm::Ps256])
            }
            ("EC", Some("P-256")) => {
                let (x, y) = (self.x.as_ref()?, self.y.as_ref()?);
                if decode(x)?.len() != 32 || decode(y)?.len() != 32 {
                    return None;
                }
                (DecodingKey::from_ec_components(x, y).ok()?, vec![Algorithm::Es256])
            }
            ("OKP", Some("Ed25519")) => {
                let x = decode(self.x.as_ref()?).filter(|x| x.len() == 32)?;
                (DecodingKey::from_ed_der(&x), vec![Algorithm::EdDsa])
            }
            _ => return None,
        };
        if let Some(alg) = &self.alg {
            algorithms.retain(|algorithm| algorithm.name() == alg);
        }
        (!algorithms.is_empty()).then_some(PublicKey { key, algorithms })
    }
}

fn decode(text: &str) -> Option<Vec<u8>> {
    BASE64URL_NOPAD.decode(text.as_bytes()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn b64(bytes: &[u8]) -> String {
        BASE64URL_NOPAD.encode(bytes)
    }

    fn read(keys: &[Value]) -> Result<IssuerKeys, MalformedDocument> {
        IssuerKeys::read(json!({ "keys": keys }).to_string().as_bytes())
    }

    fn ed25519(kid: &str) -> Value {
        json!({"kty": "OKP", "crv": "Ed25519", "kid": kid, "x": b64(&[7; 32])})
    }

    #[test]
    fn what_cannot_check_a_signature_is_left_out() {
        let rsa = |bytes: usize| json!({"kty": "RSA", "kid": "r", "n": b64(&vec![0xff; bytes]), "e": "AQAB"});
        let with = |mut key: Value, name: &str, value: Value| {
            key[name] = value;
            key
        };
        for (key, usable) in [
            (rsa(256), true),
            (rsa(255), false),
            (rsa(1025), false),
            (with(rsa(256), "use", json!("sig")), true),
            (with(rsa(256), "use", json!("enc")), false),
            (with(rsa(256), "key_ops", json!(["verify"])), true),
            (with(rsa(256), "key_ops", json!(["encrypt"])), false),
            (with(rsa(256), "alg", json!("PS256")), true),
            (with(rsa(256), "alg", json!("RS512")), false),
            (with(rsa(256), "alg", json!("HS256")), false),
            (with(rsa(256), "e", json!(null)), false),
            (ed25519("e"), true),
            (with(ed25519("e"), "x", json!(b64(&[7; 31]))), false),
            (with(ed25519("e"), "crv", json!("X25519")), false),
            (json!({"kty": "EC", "crv": "P-256", "kid": "c", "x": b64(&[1; 32]), "y": b64(&[2; 32])}), true),
            (json!({"kty": "EC", "crv": "P-384", "kid": "c", "x": b64(&[1; 48]), "y": b64(&[2; 48])}), false),
            (json!({"kty": "oct", "kid": "h", "k": b64(&[1; 32]), "alg": "HS256"}), false),
            (json!(7), false),
        ] {
            assert_eq!(read(std::slice::from_ref(&key)).is_ok(), usable, "{key}");
        }
    }

    #[test]
    fn a_key_that_names_its_algorithm_is_used_with_no_other() {
        let key = json!({"kty": "RSA", "kid": "r", "n": b64(&[0xff; 256]), "e": "AQAB", "alg": "RS256"});
        let key = read(&[key]).unwrap().find(Some("r")).unwrap();
        assert!(key.allows(Algorithm::Rs256) && !key.allows(Algorithm::Ps256) && !key.allows(Algorithm::EdDsa));
    }

    #[test]
    fn a_token_may_leave_the_name_out_only_where_there_is_one_key() {
        let one = read(&[ed25519("a"), json!({"kty": "oct", "k": "AAAA"})]).unwrap();
        assert!(one.find(None).is_some() && one.find(Some("a")).is_some() && one.find(Some("b")).is_none());
        let two = read(&[ed25519("a"), ed25519("b")]).unwrap();
        assert!(two.find(None).is_none());
    }

    #[test]
    fn a_document_has_at_most_a_hundred_keys() {
        let keys: Vec<Value> = (0..=100).map(|number| ed25519(&number.to_string())).collect();
        assert!(read(&keys[..100]).is_ok());
        assert_eq!(read(&keys).err(), Some(MalformedDocument("has more than 100 keys")));
    }

    proptest! {
        #[test]
        fn no_document_panics(text in "\\PC{0,200}", x in "[A-Za-z0-9_=-]{0,50}", kty in "RSA|EC|OKP|oct") {
            let _ = IssuerKeys::read(text.as_bytes());
            let _ = read(&[json!({"kty": kty, "crv": "Ed25519", "x": x, "n": x, "e": x})]);
        }
    }
}
