//! The signature header of a webhook: what was signed, and the signatures to compare with. The HMAC is computed elsewhere.

use super::ConnectionKind;

/// How far the time in a header may be from now, in seconds.
pub const TOLERANCE_SECONDS: i64 = 300;
/// The most signatures of a header that are compared.
const MAX_SIGNATURES: usize = 10;

/// A header that may be valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signed {
    /// What is signed in front of the body.
    pub prefix: String,
    /// The signatures: any of them may match.
    pub signatures: Vec<[u8; 32]>,
}

impl ConnectionKind {
    /// The name of the header, in lower case.
    pub const fn signature_header(self) -> &'static str {
        match self {
            Self::Stripe => "stripe-signature",
            Self::LemonSqueezy => "x-signature",
            Self::Paddle => "paddle-signature",
        }
    }

    /// Reads the header at a time in seconds. None: no body can match it.
    pub fn read_signature(self, header: &str, now: i64) -> Option<Signed> {
        match self {
            Self::Stripe => timed(header, ',', ("t", "v1"), '.', now),
            Self::LemonSqueezy => Some(Signed { prefix: String::new(), signatures: vec![hex(header)?] }),
            Self::Paddle => timed(header, ';', ("ts", "h1"), ':', now),
        }
    }
}

fn timed(header: &str, separator: char, names: (&str, &str), joint: char, now: i64) -> Option<Signed> {
    let mut time = None;
    let mut signatures = Vec::new();
    for part in header.split(separator) {
        let (name, value) = part.trim().split_once('=')?;
        if name == names.0 {
            // Two times would leave open which of them is signed.
            if time.replace(value).is_some() {
                return None;
            }
        } else if name == names.1 && signatures.len() < MAX_SIGNATURES {
            signatures.extend(hex(value));
        }
    }
    let text = time?;
    let is_number = !text.is_empty() && text.len() <= 12 && text.bytes().all(|byte| byte.is_ascii_digit());
    let seconds: i64 = if is_number { text.parse().ok()? } else { return None };
    let is_near = (now - seconds).abs() <= TOLERANCE_SECONDS;
    (is_near && !signatures.is_empty()).then(|| Signed { prefix: format!("{text}{joint}"), signatures })
}

/// 32 bytes in lower-case hex.
fn hex(text: &str) -> Option<[u8; 32]> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let (pairs, []) = text.as_bytes().as_chunks::<2>() else { return None };
    let bytes: Vec<u8> =
        pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)).collect::<Option<_>>()?;
    bytes.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ConnectionKind::{LemonSqueezy, Paddle, Stripe};

    const HEX: &str = "10c96c6fd3f320fcfc264cdc4f476c15060ede8e8a08404cea2ddf3b72544a9c";

    #[test]
    fn each_provider_signs_another_text() {
        let prefix = |kind: ConnectionKind, header: String| kind.read_signature(&header, 1_000).unwrap().prefix;
        assert_eq!(prefix(Stripe, format!("t=1000,v1={HEX},v0={HEX}")), "1000.");
        assert_eq!(prefix(LemonSqueezy, HEX.to_owned()), "");
        assert_eq!(prefix(Paddle, format!("ts=1000;h1={HEX}")), "1000:");
    }

    #[test]
    fn a_time_is_within_the_tolerance_in_both_directions() {
        for (kind, header) in [(Stripe, format!("t=1000,v1={HEX}")), (Paddle, format!("ts=1000;h1={HEX}"))] {
            for (now, is_valid) in [(700, true), (1_300, true), (699, false), (1_301, false)] {
                assert_eq!(kind.read_signature(&header, now).is_some(), is_valid, "{now}");
            }
        }
        assert!(LemonSqueezy.read_signature(HEX, i64::MAX).is_some());
    }

    #[test]
    fn several_signatures_may_match_and_malformed_headers_never_do() {
        let two = Stripe.read_signature(&format!("t=1,v1={HEX},v1={HEX}"), 1).unwrap();
        assert_eq!(two.signatures.len(), 2);
        for header in [
            String::new(),
            format!("v1={HEX}"),
            "t=1".to_owned(),
            format!("t=1,t=1,v1={HEX}"),
            format!("t=,v1={HEX}"),
            format!("t=-1,v1={HEX}"),
            format!("t=+1,v1={HEX}"),
            format!("t=1,v1={}", HEX.to_uppercase()),
            format!("t=1,v1={}", &HEX[1..]),
            format!("t=1,v0={HEX}"),
        ] {
            assert_eq!(Stripe.read_signature(&header, 1), None, "{header}");
        }
        assert_eq!(LemonSqueezy.read_signature(&HEX.to_uppercase(), 1), None);
        assert_eq!(LemonSqueezy.read_signature(&format!("{HEX}00"), 1), None);
    }
}
