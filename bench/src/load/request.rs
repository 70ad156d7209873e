//! Requests that are prepared before the measurement, with what their responses must contain.

use std::fmt::Write;

/// One request, and how its response is checked.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    bytes: Vec<u8>,
    /// Where the digits of a running number are in the bytes, for what may be sent only once.
    digits: Vec<usize>,
    /// After so many digits, counted from the end, the number begins anew.
    repeats_after: usize,
    pub(crate) status: u16,
    /// What the body must contain: the id or the owner of the record.
    pub(crate) needle: Vec<u8>,
    /// How many records a list must have; each begins with these bytes.
    pub(crate) records: Option<(Vec<u8>, usize)>,
}

impl Request {
    /// Every `#` in the target, the headers or the body becomes a digit of a running number.
    pub(crate) fn new(method: &str, target: &str, headers: &[(String, String)], body: &str) -> Self {
        let mut text = format!("{method} {target} HTTP/1.1\r\n");
        if !headers.iter().any(|(name, _)| name == "host") {
            text.push_str("host: 127.0.0.1\r\n");
        }
        for (name, value) in headers {
            let _ = write!(text, "{name}: {value}\r\n");
        }
        if method != "GET" {
            let _ = write!(text, "content-type: application/json\r\ncontent-length: {}\r\n", body.len());
        }
        text.push_str("\r\n");
        text.push_str(body);
        let digits = text.match_indices('#').map(|(at, _)| at).collect();
        Self {
            bytes: text.into_bytes(),
            digits,
            repeats_after: usize::MAX,
            status: 200,
            needle: Vec::new(),
            records: None,
        }
    }

    pub(crate) fn status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    /// The running number is written again after each `digits` places.
    pub(crate) fn repeated_number(self, digits: usize) -> Self {
        Self { repeats_after: digits.max(1), ..self }
    }

    pub(crate) fn needle(self, needle: impl Into<Vec<u8>>) -> Self {
        Self { needle: needle.into(), ..self }
    }

    pub(crate) fn records(self, beginning: impl Into<Vec<u8>>, count: usize) -> Self {
        Self { records: Some((beginning.into(), count)), ..self }
    }

    /// The same request to a target that responses always the same: only the status can be checked.
    pub(crate) fn blind(&self) -> Self {
        Self { needle: Vec::new(), records: None, ..self.clone() }
    }

    /// Writes the request into `out`, with the last digits of `number` in their places.
    pub(crate) fn write(&self, number: u64, out: &mut Vec<u8>) {
        out.clear();
        out.extend_from_slice(&self.bytes);
        let mut rest = number;
        for (written, place) in self.digits.iter().rev().enumerate() {
            if written.is_multiple_of(self.repeats_after) {
                rest = number;
            }
            out[*place] = b'0' + u8::try_from(rest % 10).unwrap_or_default();
            rest /= 10;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_written_with_its_length_and_number() {
        let body = r#"{"n":"0#:0#.####"}"#;
        let request = Request::new("POST", "/x", &[("client-id".to_owned(), "c".to_owned())], body);
        let mut out = Vec::new();
        request.write(9_420_042, &mut out);
        let expected = "POST /x HTTP/1.1\r\nhost: 127.0.0.1\r\nclient-id: c\r\ncontent-type: application/json\r\n\
                        content-length: 18\r\n\r\n{\"n\":\"04:02.0042\"}";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn a_repeated_number_is_written_in_each_place() {
        let request =
            Request::new("POST", "/x", &[("host".to_owned(), "h".to_owned())], "a-### b-###").repeated_number(3);
        let mut out = Vec::new();
        request.write(12_345, &mut out);
        let text = String::from_utf8(out).unwrap();
        assert!(text.ends_with("a-345 b-345") && !text.contains("127.0.0.1"), "{text}");
    }

    #[test]
    fn a_request_without_digits_stays_as_it_is() {
        let request = Request::new("GET", "/x", &[], "");
        let mut out = b"old".to_vec();
        request.write(42, &mut out);
        assert_eq!(out, b"GET /x HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n");
    }
}
