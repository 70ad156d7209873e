//! The `local` issuer for development: our own key signs for any e-mail address, so that no provider is needed to sign up.
//! If it is enabled beyond a loopback listener, anyone with the master key can sign in as any user.

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
    /// Its own keys, then those of other accepted master keys.
    keys: Vec<DecodingKey>,
    audience: Audience,
    name: String,
}

impl LocalIssuer {
    /// The `iss` of its tokens.
    pub const ISSUER: &str = "urn:perennial:local";

    /// The issuer of this seed. A token is for one organization only, even if several share a seed.
    pub fn new(seed: &[u8; 32], organization: OrganizationId) -> Self {
        let pair = pair(seed);
        let keys = vec![public(&pair)];
        let name = organization.to_string();
        let audience = Audience::new([name.clone()], []).expect("an id is not empty");
        Self { pair, keys, audience, name }
    }

    /// Also accepts tokens of this seed, during a rotation of the master key.
    #[must_use]
    pub fn accepting(mut self, seed: &[u8; 32]) -> Self {
        self.keys.push(public(&pair(seed)));
        self
    }

    /// Issues a token for this address. Its subject is derived from the address if omitted.
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
