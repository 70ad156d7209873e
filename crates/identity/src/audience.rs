//! The audience of identity tokens. Without one, a token for any other application would be accepted.

use crate::provider_error::ProviderError;

/// The accepted audiences and authorized parties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Audience {
    audiences: Vec<String>,
    authorized_parties: Vec<String>,
}

impl Audience {
    /// At least one audience; with authorized parties, every token must name one of them in `azp`.
    pub fn new(
        audiences: impl IntoIterator<Item = String>,
        authorized_parties: impl IntoIterator<Item = String>,
    ) -> Result<Self, ProviderError> {
        let audiences: Vec<String> = audiences.into_iter().collect();
        let authorized_parties: Vec<String> = authorized_parties.into_iter().collect();
        if audiences.is_empty() || audiences.iter().chain(&authorized_parties).any(|name| name.trim().is_empty()) {
            return Err(ProviderError::NoAudience);
        }
        Ok(Self { audiences, authorized_parties })
    }

    pub(crate) fn allows(&self, audience: &str) -> bool {
        self.audiences.iter().any(|allowed| allowed == audience)
    }

    pub(crate) fn authorizes(&self, party: &str) -> bool {
        let parties = if self.authorized_parties.is_empty() { &self.audiences } else { &self.authorized_parties };
        parties.iter().any(|authorized| authorized == party)
    }

    pub(crate) fn requires_a_party(&self) -> bool {
        !self.authorized_parties.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_audience_is_never_empty() {
        assert_eq!(Audience::new([], []), Err(ProviderError::NoAudience));
        assert_eq!(Audience::new([" ".to_owned()], []), Err(ProviderError::NoAudience));
        assert_eq!(Audience::new(["a".to_owned()], [String::new()]), Err(ProviderError::NoAudience));
    }
}
