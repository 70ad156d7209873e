//! The parameters of an operation: path, query and headers.

use crate::access::Access;
use crate::error_codes::Code;
use crate::operation::{Operation, ResponseKind};
use crate::path::parameter_names;
use http::Method;
use serde_json::{Value, json};

pub(super) fn of(operation: &Operation) -> Value {
    let mut parameters = Vec::new();
    for name in parameter_names(operation.path) {
        parameters.push(json!({
            "name": name, "in": "path", "required": true, "schema": { "type": "string", "minLength": 1 },
            "description": "A malformed value is treated like one that does not exist."
        }));
    }
    for parameter in operation.query.parameters {
        parameters.push(json!({
            "name": parameter.name, "in": "query", "required": operation.query.requires(parameter.name),
            "description": parameter.description,
            "schema": (parameter.schema)(),
        }));
    }
    if !matches!(operation.access, Access::Open) {
        parameters
            .push(header("x-request-id", "The request ID: up to 128 of A-Z a-z 0-9 . _ -. An invalid ID is replaced."));
        parameters.push(header("traceparent", "The W3C trace context of the request."));
    }
    match operation.response {
        ResponseKind::Created(_) | ResponseKind::Acted(_) => parameters.push(json!({
            "name": "idempotency-key", "in": "header", "required": false,
            "description": "An idempotency key. For 24 hours, a retry with the same key returns the same response.",
            "schema": { "type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$" }
        })),
        ResponseKind::Record(_) if operation.method == Method::GET => {
            parameters.push(tag("if-none-match", "The entity tag that you have. Returns 304 if it is current."));
        }
        // A delete that does not return the record.
        ResponseKind::Value(..) if !operation.errors.contains(&Code::Stale) => {}
        ResponseKind::Record(_) | ResponseKind::Value(..) => {
            parameters.push(tag("if-match", "The entity tag that you read. Returns 412 if the record has changed."));
        }
        ResponseKind::CreatedOnce(_)
        | ResponseKind::List(_)
        | ResponseKind::ListWith(..)
        | ResponseKind::Figures(_)
        | ResponseKind::FiguresPage(_)
        | ResponseKind::Media(_)
        | ResponseKind::Document
        | ResponseKind::Redirect => {}
    }
    Value::Array(parameters)
}

fn header(name: &str, about: &str) -> Value {
    json!({ "name": name, "in": "header", "required": false, "description": about, "schema": { "type": "string" } })
}

fn tag(name: &str, about: &str) -> Value {
    let form = r#"^(\*|(W/)?"[!#-~]*"(\s*,\s*(W/)?"[!#-~]*")*)$"#;
    json!({
        "name": name, "in": "header", "required": false, "description": about,
        "schema": { "type": "string", "pattern": form }
    })
}
