//! JSON from other systems. Deserializing into a type skips unknown fields without validating them, so that
//! a document which other parsers reject would be accepted.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// Whether this is an object and valid JSON from its first byte to its last.
pub(crate) fn is_object(json: &[u8]) -> bool {
    serde_json::from_slice::<Value>(json).is_ok_and(|value| value.is_object())
}

/// The relevant fields of a valid object. A duplicate of a relevant field is rejected.
pub(crate) fn object<T: DeserializeOwned>(json: &[u8]) -> Option<T> {
    is_object(json).then(|| serde_json::from_slice(json).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    struct Counted {
        a: u8,
    }

    #[test]
    fn what_is_skipped_must_be_json_too() {
        let read = |json: &[u8]| object::<Counted>(json).map(|counted| counted.a);
        assert_eq!(read(br#"{"a":1,"b":"c"}"#), Some(1));
        for bad in
            [&b"{\"a\":1,\"b\":\"\xec\"}"[..], br#"{"a":1,"b":"\ud800"}"#, br#"{"a":1,"a":1}"#, b"[1]", b"{\"a\":1"]
        {
            assert_eq!(read(bad), None, "{}", bad.escape_ascii());
        }
    }
}
