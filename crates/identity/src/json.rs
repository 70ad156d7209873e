//! JSON from elsewhere. Reading into a type skips what the type has no field for without a look at its bytes, so that
//! a document which others refuse would pass here.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// Whether this is an object, and JSON from its first byte to its last.
pub(crate) fn is_object(json: &[u8]) -> bool {
    serde_json::from_slice::<Value>(json).is_ok_and(|value| value.is_object())
}

/// What counts of an object all of which is JSON. A field that is there twice is refused, as far as it counts.
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
