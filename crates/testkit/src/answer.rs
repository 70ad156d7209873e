//! An answer, whole and easy to hold against what was expected.

use http::HeaderMap;
use serde_json::Value;

/// What the service answered.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body's bytes.
    pub bytes: Vec<u8>,
    /// The body as JSON; null if it is none.
    pub json: Value,
}

impl Answer {
    /// The record or the list inside the envelope.
    pub fn data(&self) -> &Value {
        &self.json["data"]
    }

    /// A header's text; empty if it is not there.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// Holds the status against what was expected, showing the body if it differs.
    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", String::from_utf8_lossy(&self.bytes));
        self
    }

    /// Holds a refusal against what was expected: its status and its code.
    #[track_caller]
    pub fn refused(self, status: u16, code: &str) -> Self {
        let answer = self.expect(status);
        assert_eq!(answer.header("content-type"), "application/problem+json");
        assert_eq!(answer.json["code"], code, "{}", answer.json);
        assert_eq!(answer.json["status"], status);
        answer
    }

    /// Every validation error as `place code`, such as `/price out_of_range`, in the order of the response.
    pub fn faults(&self) -> Vec<String> {
        let errors = self.json["errors"].as_array().cloned().unwrap_or_default();
        let place = |error: &Value| {
            ["pointer", "parameter", "header"]
                .iter()
                .find_map(|place| error[*place].as_str().map(str::to_owned))
                .unwrap()
        };
        errors.iter().map(|error| format!("{} {}", place(error), error["code"].as_str().unwrap())).collect()
    }
}
