//! Refresh tokens: session, generation and a MAC over both. The store has the session and its generation, but not
//! the key. So nothing in a backup works as a token, and all servers make the identical successor.

use crate::secret::Secret;
use aws_lc_rs::hmac;
use data_encoding::BASE64URL_NOPAD;
use perennial_domain::id::SessionId;

const PREFIX: &str = "prt_";
const BODY_BYTES: usize = 20;

/// The key of refresh tokens. It cannot be printed.
pub struct RefreshKey(hmac::Key);

/// A token that this installation did not issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MalformedToken;

impl RefreshKey {
    /// The key of these bytes, which are derived from the master key for this purpose alone.
    pub fn new(bytes: &[u8; 32]) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA256, bytes))
    }

    /// The token of this generation of the session: always the same text.
    pub fn make(&self, session: SessionId, generation: u32) -> Secret {
        let mut bytes = [session.bytes().as_slice(), &generation.to_be_bytes()].concat();
        let tag = hmac::sign(&self.0, &bytes);
        bytes.extend_from_slice(tag.as_ref());
        Secret::new(format!("{PREFIX}{}", BASE64URL_NOPAD.encode(&bytes)))
    }

    /// The session and generation of a token. The MAC is compared in constant time.
    pub fn open(&self, text: &str) -> Result<(SessionId, u32), MalformedToken> {
        let encoded = text.strip_prefix(PREFIX).ok_or(MalformedToken)?;
        let bytes = BASE64URL_NOPAD.decode(encoded.as_bytes()).map_err(|_| MalformedToken)?;
        let (body, tag) = bytes.split_at_checked(BODY_BYTES).ok_or(MalformedToken)?;
        hmac::verify(&self.0, body, tag).map_err(|_| MalformedToken)?;
        let (session, generation) = body.split_first_chunk::<16>().ok_or(MalformedToken)?;
        let generation = generation.try_into().map_err(|_| MalformedToken)?;
        Ok((SessionId::from_bytes(*session), u32::from_be_bytes(generation)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_token_is_the_same_each_time_and_another_for_each_generation_session_and_key() {
        let (key, other) = (RefreshKey::new(&[1; 32]), RefreshKey::new(&[2; 32]));
        let (one, two) = (SessionId::from_bytes([1; 16]), SessionId::from_bytes([2; 16]));
        let token = key.make(one, 1);
        assert_eq!(token.expose(), key.make(one, 1).expose());
        assert_eq!(token.expose().len(), 4 + 70);
        for different in [key.make(one, 2), key.make(two, 1), other.make(one, 1)] {
            assert_ne!(token.expose(), different.expose());
        }
        assert_eq!(other.open(token.expose()), Err(MalformedToken));
    }

    #[test]
    fn what_the_store_holds_is_no_token() {
        let key = RefreshKey::new(&[1; 32]);
        let body = [[1; 16].as_slice(), &1_u32.to_be_bytes()].concat();
        for bytes in [body.clone(), [body.as_slice(), &[0; 32]].concat(), body[..19].to_vec(), Vec::new()] {
            assert_eq!(key.open(&format!("{PREFIX}{}", BASE64URL_NOPAD.encode(&bytes))), Err(MalformedToken));
        }
    }

    proptest! {
        #[test]
        fn a_made_token_opens_and_a_changed_one_does_not(session: [u8; 16], generation: u32, place in 0..74_usize, letter in "[A-Za-z0-9_-]") {
            let key = RefreshKey::new(&[1; 32]);
            let session = SessionId::from_bytes(session);
            let token = key.make(session, generation);
            prop_assert_eq!(key.open(token.expose()), Ok((session, generation)));
            let mut changed = token.expose().to_owned();
            changed.replace_range(place..=place, &letter);
            prop_assume!(changed != token.expose());
            prop_assert_eq!(key.open(&changed), Err(MalformedToken));
        }

        #[test]
        fn no_text_panics(text in "(prt_)?\\PC{0,100}") {
            let _ = RefreshKey::new(&[1; 32]).open(&text);
        }
    }
}
