//! The accepted signature algorithms of identity tokens. Symmetric algorithms are not among them: a provider with a shared
//! secret always uses HS256.

use serde::{Deserialize, Serialize};

/// A signature algorithm of a provider with public keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Algorithm {
    /// RSA, PKCS #1 v1.5.
    #[serde(rename = "RS256")]
    Rs256,
    /// RSA-PSS.
    #[serde(rename = "PS256")]
    Ps256,
    /// ECDSA on P-256.
    #[serde(rename = "ES256")]
    Es256,
    /// Ed25519.
    #[serde(rename = "EdDSA")]
    EdDsa,
}

impl Algorithm {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Rs256, Self::Ps256, Self::Es256, Self::EdDsa];

    /// As `alg` spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rs256 => "RS256",
            Self::Ps256 => "PS256",
            Self::Es256 => "ES256",
            Self::EdDsa => "EdDSA",
        }
    }

    /// The algorithm with this exact spelling.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|algorithm| algorithm.name() == name)
    }

    pub(crate) const fn of_library(self) -> jsonwebtoken::Algorithm {
        match self {
            Self::Rs256 => jsonwebtoken::Algorithm::RS256,
            Self::Ps256 => jsonwebtoken::Algorithm::PS256,
            Self::Es256 => jsonwebtoken::Algorithm::ES256,
            Self::EdDsa => jsonwebtoken::Algorithm::EdDSA,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_algorithm_has_one_spelling() {
        for algorithm in Algorithm::ALL {
            assert_eq!(Algorithm::parse(algorithm.name()), Some(algorithm));
            assert_eq!(Algorithm::parse(&algorithm.name().to_lowercase()), None);
            assert_eq!(serde_json::to_value(algorithm).unwrap(), algorithm.name());
        }
        for name in ["", "none", "None", "HS256", "RS512", "ES384", "RS256 "] {
            assert_eq!(Algorithm::parse(name), None, "{name}");
        }
    }
}
