//! The query of a request. Every parameter must be known and sent once; all errors are collected.

use crate::error_codes::Code;
use crate::problem::{Problem, RequestError};
use percent_encoding::percent_decode;
use perennial_domain::validation::{InvalidValue, MAX_ERRORS};
use serde_json::Value;

/// The largest number of pairs in a query. No operation has nearly as many parameters.
const MAX_PAIRS: usize = 100;

/// The query of an operation: its parameters, and the function that reads them.
pub(crate) struct QuerySpec {
    pub(crate) parameters: &'static [Parameter],
    pub(crate) parse: fn(&mut Query),
}

impl QuerySpec {
    /// No parameters.
    pub(crate) const NONE: Self = Self { parameters: &[], parse: |_| {} };
}

impl QuerySpec {
    /// Whether a query without this parameter is rejected.
    pub(crate) fn requires(&self, name: &str) -> bool {
        let mut empty = Query::new(None, self.parameters);
        (self.parse)(&mut empty);
        empty.rejects(name)
    }
}

/// A query parameter.
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    pub(crate) schema: fn() -> Value,
}

/// A query being read.
pub(crate) struct Query {
    pairs: Vec<(String, String)>,
    errors: Vec<RequestError>,
    omitted: usize,
}

impl Query {
    /// Splits the query; parameters that are not `known` are errors.
    pub(crate) fn new(raw: Option<&str>, known: &[Parameter]) -> Self {
        let mut query = Self { pairs: Vec::new(), errors: Vec::new(), omitted: 0 };
        let Some(raw) = raw else { return query };
        let pairs = || raw.split('&').filter(|pair| !pair.is_empty());
        if pairs().nth(MAX_PAIRS).is_some() {
            query.error("query", Code::InvalidParameter, &format!("has more than {MAX_PAIRS} parameters"));
            return query;
        }
        for pair in pairs() {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            match (decode(name), decode(value)) {
                (Some(name), Some(value)) => query.add(name, value, known),
                (name, _) => {
                    let name = name.unwrap_or_else(|| "query".to_owned());
                    query.error(&name, Code::InvalidParameter, "is not percent-encoded UTF-8");
                }
            }
        }
        query
    }

    fn add(&mut self, name: String, value: String, known: &[Parameter]) {
        if !known.iter().any(|parameter| parameter.name == name) {
            self.error(&name, Code::UnknownParameter, "is not a parameter of this operation");
        } else if self.pairs.iter().any(|(other, _)| *other == name) {
            self.error(&name, Code::InvalidParameter, "must be sent once");
        } else {
            self.pairs.push((name, value));
        }
    }

    /// A parameter's value, parsed with `parse`.
    pub(crate) fn get<T>(&mut self, name: &str, parse: impl FnOnce(&str) -> Result<T, InvalidValue>) -> Option<T> {
        let (_, value) = self.pairs.iter().find(|(known, _)| known == name)?;
        match parse(value) {
            Ok(value) => Some(value),
            Err(reason) => {
                self.error(name, Code::InvalidParameter, &reason.detail);
                None
            }
        }
    }

    /// A parameter that must be sent.
    pub(crate) fn required<T>(&mut self, name: &str, parse: impl FnOnce(&str) -> Result<T, InvalidValue>) -> Option<T> {
        if !self.pairs.iter().any(|(known, _)| known == name) {
            self.error(name, Code::InvalidParameter, "is required");
        }
        self.get(name, parse)
    }

    /// Whether a parameter has an error.
    pub(crate) fn rejects(&self, name: &str) -> bool {
        self.errors.iter().any(|error| error.is_parameter(name))
    }

    /// Adds the error of a parameter that is valid alone.
    pub(crate) fn reject(&mut self, name: &str, detail: &str) {
        self.error(name, Code::InvalidParameter, detail);
    }

    /// Adds the error of a header.
    pub(crate) fn header_error(&mut self, name: &str, detail: &str) {
        self.note(RequestError::header(name, detail));
    }

    /// Returns all errors as a problem.
    pub(crate) fn finish(self) -> Result<(), Problem> {
        if self.errors.is_empty() { Ok(()) } else { Err(Problem::request(&self.errors).omitting(self.omitted)) }
    }

    fn error(&mut self, name: &str, code: Code, detail: &str) {
        self.note(RequestError::parameter(name, code, detail));
    }

    fn note(&mut self, error: RequestError) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(error);
        } else {
            self.omitted += 1;
        }
    }
}

/// Decodes percent-encoding and `+` as a space; `None` if an escape is malformed or the result is not UTF-8.
pub(crate) fn decode(text: &str) -> Option<String> {
    let spaced = text.replace('+', " ");
    decode_percent(&spaced)
}

/// Decodes percent-encoding, as in a path.
pub fn decode_percent(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let complete =
        |place: usize| bytes.get(place + 1..place + 3).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit));
    let well_formed = bytes.iter().enumerate().all(|(place, byte)| *byte != b'%' || complete(place));
    well_formed.then(|| percent_decode(bytes).decode_utf8().ok().map(std::borrow::Cow::into_owned)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &[Parameter] = &[
        Parameter { name: "a", description: "", schema: || Value::Null },
        Parameter { name: "b", description: "", schema: || Value::Null },
    ];

    fn text(query: &mut Query, name: &str) -> Option<String> {
        query.get(name, |value| Ok(value.to_owned()))
    }

    #[test]
    fn values_are_decoded() {
        let mut query = Query::new(Some("a=x%20y+z%2B&b="), KNOWN);
        assert_eq!(text(&mut query, "a").as_deref(), Some("x y z+"));
        assert_eq!(text(&mut query, "b").as_deref(), Some(""));
        assert!(query.finish().is_ok());
        assert!(Query::new(None, KNOWN).finish().is_ok());
    }

    #[test]
    fn a_query_with_too_many_pairs_has_one_error() {
        let many = |count: usize| format!("&&{}", "a&".repeat(count));
        assert_eq!(Query::new(Some(&many(MAX_PAIRS)), KNOWN).errors.len(), MAX_PAIRS - 1);
        let mut query = Query::new(Some(&many(MAX_PAIRS + 1)), KNOWN);
        assert_eq!((query.errors.len(), text(&mut query, "a")), (1, None));
    }

    #[test]
    fn errors_over_the_limit_are_counted() {
        let raw = "c&".repeat(MAX_PAIRS);
        let mut query = Query::new(Some(&raw), KNOWN);
        query.header_error("if-match", "is wrong");
        assert_eq!((query.errors.len(), query.omitted), (MAX_ERRORS, 1));
    }

    #[test]
    fn unknown_repeated_and_malformed_parameters_are_errors() {
        for raw in ["c=1", "a=1&a=2", "a=%zz", "a=%4", "a=%ff", "%=1", "A=1"] {
            assert!(Query::new(Some(raw), KNOWN).finish().is_err(), "{raw}");
        }
    }
}
