//! The parameters of an operation: its path, its query, and the headers it heeds.

use crate::access::Access;
use crate::operation::{Operation, ResponseKind};
use crate::path::parameter_names;
use http::Method;
use serde_json::{Value, json};

pub(super) fn of(operation: &Operation) -> Value {
    let mut parameters = Vec::new();
    for name in parameter_names(operation.path) {
        parameters.push(json!({
            "name": name, "in": "path", "required": true, "schema": { "type": "string", "minLength": 1 },
            "description": "One that cannot exist is answered like one that does not."
        }));
    }
    for parameter in operation.query.parameters {
        parameters.push(json!({
            "name": parameter.name, "in": "query", "required": false, "description": parameter.description,
            "schema": (parameter.schema)(),
        }));
    }
    if !matches!(operation.access, Access::Open) {
        parameters
            .push(header("x-request-id", "The request's id, up to 128 of A-Z a-z 0-9 . _ -; any other is replaced."));
        parameters.push(header("traceparent", "The W3C trace the request belongs to."));
    }
    match operation.response {
        ResponseKind::Created(_) => parameters.push(json!({
            "name": "idempotency-key", "in": "header", "required": false,
            "description": "A key to retry under: the same request answers the same for 24 hours.",
            "schema": { "type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$" }
        })),
        ResponseKind::Record(_) if operation.method == Method::GET => {
            parameters.push(tag("if-none-match", "The entity tag you have: 304 if it is still good."));
        }
        ResponseKind::Record(_) => {
            parameters.push(tag("if-match", "The entity tag you read: 412 if the record has changed."));
        }
        ResponseKind::List(_) | ResponseKind::Value(..) | ResponseKind::Media(_) => {}
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
