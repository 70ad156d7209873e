//! Signatures of webhooks from payment providers: HMAC-SHA256 over a prefix and the raw body, compared in constant time.

use crate::secret::Secret;
use aws_lc_rs::hmac;

/// Whether the secret signed the prefix and the body. The key is the whole text of the secret, never decoded.
pub fn is_signed(secret: &Secret, prefix: &str, body: &[u8], signatures: &[[u8; 32]]) -> bool {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.expose().as_bytes());
    let mut context = hmac::Context::with_key(&key);
    context.update(prefix.as_bytes());
    context.update(body);
    let tag = context.sign();
    let is_equal = |given: &[u8; 32]| aws_lc_rs::constant_time::verify_slices_are_equal(tag.as_ref(), given).is_ok();
    // Every signature is compared, so that the time does not depend on which one matches.
    signatures.iter().fold(false, |found, given| found | is_equal(given))
}

#[cfg(test)]
mod tests {
    use super::*;
    use perennial_domain::connections::ConnectionKind::{self, LemonSqueezy, Paddle, Stripe};

    fn verify(kind: ConnectionKind, secret: &str, header: &str, body: &[u8], now: i64) -> bool {
        let signed = kind.read_signature(header, now);
        signed
            .is_some_and(|signed| is_signed(&Secret::new(secret.to_owned()), &signed.prefix, body, &signed.signatures))
    }

    const VECTORS: [(ConnectionKind, &str, &str, &[u8], i64); 3] = [
        (
            Stripe,
            "whsec_test_secret",
            "t=1614265330,v1=10c96c6fd3f320fcfc264cdc4f476c15060ede8e8a08404cea2ddf3b72544a9c",
            br#"{"test": 2432232314}"#,
            1_614_265_330,
        ),
        (
            LemonSqueezy,
            "test-secret",
            "e9dc34bc95db8b9940209d2ca01193ef0a834fc5e11856456df8a0b91b6eb47d",
            br#"{"data": ["1", "2"]}"#,
            0,
        ),
        (
            Paddle,
            "VALID_SECRET",
            "ts=1698796800;h1=a300428748dce5c70e4da19bffd60769591ea969c99dea3105d0ec9612cf43f9",
            br#"{"data": ["1", "2"]}"#,
            1_698_796_800,
        ),
    ];

    #[test]
    fn the_published_vectors_verify() {
        for (kind, secret, header, body, now) in VECTORS {
            assert!(verify(kind, secret, header, body, now), "{kind:?}");
        }
    }

    #[test]
    fn one_changed_byte_another_secret_or_upper_case_does_not_verify() {
        for (kind, secret, header, body, now) in VECTORS {
            let mut changed = body.to_vec();
            changed[2] ^= 1;
            assert!(!verify(kind, secret, header, &changed, now), "{kind:?}");
            assert!(!verify(kind, "other", header, body, now), "{kind:?}");
            let upper = header.replace(|letter: char| ('a'..='f').contains(&letter), "A");
            assert!(!verify(kind, secret, &upper, body, now), "{kind:?}");
            assert_eq!(verify(kind, secret, header, body, now + 301), kind == LemonSqueezy);
            assert_eq!(verify(kind, secret, header, body, now - 301), kind == LemonSqueezy);
        }
    }

    #[test]
    fn any_of_several_signatures_may_match() {
        let (kind, secret, header, body, now) = VECTORS[0];
        let rolled = header.replace(",v1=", &format!(",v1={},v1=", "0".repeat(64)));
        assert!(verify(kind, secret, &rolled, body, now));
    }
}
