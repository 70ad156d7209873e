//! A response of a server.

use serde_json::Value;

/// A complete response. Names of headers are in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Response {
    /// The first header of this name (in lower case).
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON; null if it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }

    /// What is in the envelope; null if there is none.
    pub fn data(&self) -> Value {
        self.json().get_mut("data").map_or(Value::Null, Value::take)
    }

    /// The code of a problem; empty if it is none.
    pub fn code(&self) -> String {
        self.json().get("code").and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    /// Whether the server will take no further request on this connection.
    pub fn closes(&self) -> bool {
        self.header("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"))
    }
}
