//! The query strings of all operations.

use crate::utf8;
use perennial_http::fuzz_api;
use serde_json::Value;

/// A query is taken, or refused with 400 and every fault under its parameter.
pub(crate) fn operations(data: &[u8]) {
    let Some(text) = utf8(data) else { return };
    for refusal in fuzz_api::queries(text).filter_map(|(_, read)| read.err()) {
        let problem: Value = serde_json::from_slice(&refusal).expect("a problem is JSON");
        assert_eq!(problem["status"], 400, "{problem}");
        let code = problem["code"].as_str().expect("a code");
        assert!(matches!(code, "invalid_parameter" | "unknown_parameter"), "{code}");
        let faults = problem["errors"].as_array().expect("a list of faults");
        assert!(!faults.is_empty());
        for fault in faults {
            assert!(
                fault["parameter"].is_string() && fault["code"].is_string() && fault["detail"].is_string(),
                "{fault}"
            );
        }
    }
    if let Some(decoded) = fuzz_api::decode_percent(text) {
        assert_eq!(fuzz_api::decode_percent(&decoded.replace('%', "%25")), Some(decoded));
    }
}
