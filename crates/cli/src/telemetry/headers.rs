//! Additional headers for the collector, such as an API key. They are secrets, so only the environment contains them.

use crate::config::{OTLP_HEADERS, variable};
use crate::failure::Failure;
use http::{HeaderMap, HeaderName, HeaderValue};
use percent_encoding::percent_decode_str;

/// The headers that the environment names.
pub(super) fn from_environment() -> Result<HeaderMap, Failure> {
    let text = variable(OTLP_HEADERS)?.unwrap_or_default();
    let sentence = "must be name=value, or several of them with commas between, values percent-encoded: correct it";
    parse(&text).ok_or_else(|| Failure::new(format!("{OTLP_HEADERS} {sentence}")))
}

fn parse(text: &str) -> Option<HeaderMap> {
    let mut headers = HeaderMap::new();
    for pair in text.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=')?;
        let value = percent_decode_str(value.trim()).decode_utf8().ok()?;
        let mut value = HeaderValue::from_str(&value).ok()?;
        value.set_sensitive(true);
        headers.append(HeaderName::from_bytes(name.trim().as_bytes()).ok()?, value);
    }
    Some(headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_pairs_with_commas_between() {
        let headers = parse("api-key=k%3D1, Authorization=Basic%20eA==").unwrap();
        assert_eq!(
            (&headers["api-key"], &headers["authorization"]),
            (&"k=1".parse().unwrap(), &"Basic eA==".parse().unwrap())
        );
        assert!(parse("").unwrap().is_empty());
        for bad in ["api-key", "a b=c", "a=%0A", "a=%ff"] {
            assert!(parse(bad).is_none(), "{bad}");
        }
    }
}
