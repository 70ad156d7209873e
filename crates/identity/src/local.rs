//! The development issuer: our own key signs for any e-mail, so that a newcomer can sign up without a provider.
//! Whoever lets it answer beyond a loopback listener lets anyone with the master key be anyone.

use crate::audience::Audience;
use crate::claims::seconds;
use crate::jws::seal;
use crate::rejection::Reason;
use crate::secret::Secret;
use aws_lc_rs::digest::{SHA256, digest};
use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair};
use data_encoding::BASE64URL_NOPAD;
use jsonwebtoken::DecodingKey;
use perennial_domain::id::OrganizationId;
use perennial_domain::time::Time;
use perennial_domain::users::Email;
use serde_json::json;

const KEY_ID: &str = "local";
const LIFE_SECONDS: i64 = 3600;

/// The local issuer of one organization. It cannot be printed.
pub struct LocalIssuer {
    pair: Ed25519KeyPair,
    /// Its own, then those of other master keys that are accepted.
    keys: Vec<DecodingKey>,
    audience: Audience,
    name: String,
}

impl LocalIssuer {
    /// What its tokens say in `iss`.
    pub const ISSUER: &str = "urn:perennial:local";

    /// The issuer of this seed. A token is for one organization and no other, even where they share a seed.
    pub fn new(seed: &[u8; 32], organization: OrganizationId) -> Self {
        let pair = pair(seed);
        let keys = vec![public(&pair)];
        let name = organization.to_string();
        let audience = Audience::new([name.clone()], []).expect("an id is not empty");
        Self { pair, keys, audience, name }
    }

    /// The issuer that also accepts tokens of this seed, during a rotation of the master key.
    #[must_use]
    pub fn accepting(mut self, seed: &[u8; 32]) -> Self {
        self.keys.push(public(&pair(seed)));
        self
    }

    /// A token for this address. Its subject, unless given, is derived from the address and always the same.
    pub fn mint(&self, email: &Email, subject: Option<&str>, now: Time) -> Secret {
        let derived = || BASE64URL_NOPAD.encode(digest(&SHA256, email.as_str().as_bytes()).as_ref())[..22].to_owned();
        let iat = seconds(now);
        let claims = json!({
            "iss": Self::ISSUER,
            "aud": self.name,
            "sub": subject.map_or_else(derived, str::to_owned),
            "email": email.as_str(),
            "email_verified": true,
            "iat": iat,
            "exp": iat + LIFE_SECONDS,
        });
        let header = json!({"typ": "JWT", "alg": "EdDSA", "kid": KEY_ID});
        Secret::new(seal(&header, &claims, |bytes| self.pair.sign(bytes).as_ref().to_vec()))
    }

    pub(crate) const fn audience(&self) -> &Audience {
        &self.audience
    }

    pub(crate) fn keys(&self, kid: Option<&str>) -> Result<&[DecodingKey], Reason> {
        if kid == Some(KEY_ID) { Ok(&self.keys) } else { Err(Reason("the issuer has no key of the name in `kid`")) }
    }
}

fn pair(seed: &[u8; 32]) -> Ed25519KeyPair {
    Ed25519KeyPair::from_seed_unchecked(seed).expect("every 32 bytes are a seed of Ed25519")
}

fn public(pair: &Ed25519KeyPair) -> DecodingKey {
    DecodingKey::from_ed_der(pair.public_key().as_ref())
}
