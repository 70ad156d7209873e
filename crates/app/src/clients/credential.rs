//! The credential of a trusted client: shown once, and stored only as its hash.

use crate::entropy::Entropy;
use crate::keys::sha256;
use aws_lc_rs::constant_time::verify_slices_are_equal;
use std::cell::RefCell;

const PREFIX: &str = "pk_";
const RANDOM_LENGTH: usize = 32;
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A credential. It can be neither printed nor serialized; `expose` is the only access to its text.
#[derive(Clone)]
pub struct Credential(String);

impl Credential {
    /// Generates a credential: `pk_` and 32 random letters and digits.
    pub fn generate(entropy: &Entropy) -> Self {
        Self(random_text(entropy, PREFIX))
    }

    /// A credential that the operator chose: 32 to 255 visible ASCII characters.
    pub fn chosen(text: &str) -> Option<Self> {
        let visible = text.bytes().all(|byte| byte.is_ascii_graphic());
        (visible && (32..=255).contains(&text.len())).then(|| Self(text.to_owned()))
    }

    /// The text, to be shown once.
    pub fn expose(&self) -> &str {
        &self.0
    }

    pub(crate) fn hash(&self) -> [u8; 32] {
        hash(&self.0)
    }
}

/// A prefix and 32 random letters and digits: 190 bits.
pub(crate) fn random_text(entropy: &Entropy, prefix: &str) -> String {
    let mut text = String::from(prefix);
    while text.len() < prefix.len() + RANDOM_LENGTH {
        // Six bits at a time. The two values beyond the alphabet are drawn again, so that all letters are equally likely.
        let draw = usize::from(entropy.bytes::<1>()[0] & 63);
        if let Some(letter) = ALPHABET.get(draw) {
            text.push(char::from(*letter));
        }
    }
    text
}

/// The hash that the store holds of a `client-id`.
pub(crate) fn hash(credential: &str) -> [u8; 32] {
    sha256(&[credential.as_bytes()])
}

/// The hash of the `client-id` of a request. Hashing takes a twentieth of a read, and most requests have the `client-id` of the
/// request before, so each thread remembers one. How long the comparison takes does not depend on the content.
pub(crate) fn hash_of_presented(presented: &str) -> [u8; 32] {
    thread_local! {
        static LAST: RefCell<(String, [u8; 32])> = RefCell::new((String::new(), hash("")));
    }
    LAST.with_borrow_mut(|(last, hash_of_last)| {
        if verify_slices_are_equal(last.as_bytes(), presented.as_bytes()).is_err() {
            *hash_of_last = hash(presented);
            presented.clone_into(last);
        }
        *hash_of_last
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generated_credential_has_its_form_and_is_never_the_same() {
        let entropy = Entropy::seeded(1);
        let (one, two) = (Credential::generate(&entropy), Credential::generate(&entropy));
        assert!(one.0.starts_with("pk_") && one.0.len() == 35);
        assert!(one.0[3..].bytes().all(|byte| byte.is_ascii_alphanumeric()));
        assert_ne!(one.0, two.0);
        assert_ne!(one.hash(), two.hash());
    }

    #[test]
    fn a_presented_credential_has_its_own_hash_whichever_came_before() {
        let texts = ["one", "one", "two", "", "one", "", "on", "one", "one and more"];
        for text in texts {
            assert_eq!(hash_of_presented(text), hash(text));
        }
    }

    #[test]
    fn a_chosen_credential_is_long_and_visible() {
        assert!(Credential::chosen(&"x".repeat(32)).is_some());
        assert!(Credential::chosen(&"x".repeat(31)).is_none());
        assert!(Credential::chosen(&"x y ".repeat(10)).is_none());
        assert!(Credential::chosen(&"é".repeat(32)).is_none());
    }
}
