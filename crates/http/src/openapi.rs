//! The OpenAPI document, written from the descriptions that the router and the parsers use.

mod answers;
mod parameters;

use crate::operation::{Access, Answers, Operation};
use crate::router::OPERATIONS;
use crate::{accounts, payments, plans, sessions, subscriptions, tokens};
use perennial_domain::clients::Scope;
use serde_json::{Map, Value, json};

const ABOUT: &str = "Subscription management that a team runs itself: sign-in and sessions, plans, subscriptions and payments.\n\n\
    Every call names a client in the header `client-id`. Answers are wrapped in `data`; lists add `page`. Refusals are \
    problem documents (RFC 9457) with a stable `code`; bad input lists all its faults in `errors`.";

/// The document as it is served and committed: pretty, and the same for the same code.
pub fn document() -> String {
    let document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Perennial",
            "version": env!("CARGO_PKG_VERSION"),
            "description": ABOUT,
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" }
        },
        "servers": [{ "url": "/" }],
        "security": [{ "client": [] }],
        "tags": tags(),
        "paths": paths(),
        "components": {
            "securitySchemes": {
                "client": {
                    "type": "apiKey", "in": "header", "name": "client-id",
                    "description": "A public client's id is no secret; a trusted client's is a credential for servers."
                },
                "user": {
                    "type": "http", "scheme": "bearer", "bearerFormat": "JWT",
                    "description": "The `token` that signing in answered."
                }
            },
            "schemas": schemas(),
            "headers": answers::headers(),
            "responses": answers::problems(),
        }
    });
    let mut text = serde_json::to_string_pretty(&document).expect("the document is plain data");
    text.push('\n');
    text
}

fn tags() -> Value {
    let mut names: Vec<&str> = Vec::new();
    for operation in OPERATIONS {
        if !names.contains(&operation.tag) {
            names.push(operation.tag);
        }
    }
    names.into_iter().map(|name| json!({ "name": name })).collect()
}

fn paths() -> Value {
    let mut paths = Map::new();
    for operation in OPERATIONS {
        let path = paths.entry(operation.path).or_insert_with(|| json!({}));
        path[operation.method.as_str().to_lowercase()] = describe(operation);
    }
    Value::Object(paths)
}

fn describe(operation: &Operation) -> Value {
    let mut described = json!({
        "operationId": operation.id,
        "tags": [operation.tag],
        "summary": operation.summary,
        "parameters": parameters::of(operation),
        "responses": answers::of(operation),
    });
    if !operation.about.is_empty() {
        described["description"] = operation.about.into();
    }
    match operation.access {
        Access::Open => described["security"] = json!([]),
        Access::Scope(scope) => described["x-required-scope"] = scope.as_str().into(),
        Access::Own(scope, own) => {
            described["x-required-scope"] = scope.as_str().into();
            described["x-own-scope"] = own.as_str().into();
            described["security"] = json!([{ "client": [] }, { "client": [], "user": [] }]);
        }
        Access::Session | Access::Token => {
            described["x-required-scope"] = Scope::Auth.as_str().into();
            described["security"] = json!([{ "client": [], "user": [] }]);
        }
    }
    if let Some(schema) = operation.takes {
        let mut content = json!({ "schema": schema() });
        if let Some(example) = operation.example {
            content["example"] = example();
        }
        described["requestBody"] = json!({ "required": true, "content": { "application/json": content } });
    }
    described
}

fn schemas() -> Value {
    let mut schemas = json!({
        "Plan": plans::record_schema(),
        "Subscription": subscriptions::record_schema(),
        "Payment": payments::record_schema(),
        "User": sessions::user_schema(),
        "Tokens": sessions::tokens_schema(),
        "LoggedIn": sessions::logged_in_schema(),
        "TokenList": tokens::list_schema(),
        "Revoked": tokens::revoked_schema(),
        "Deleted": accounts::deleted_schema(),
        "Page": {
            "type": "object",
            "properties": {
                "next_cursor": { "type": ["string", "null"], "description": "Where the next page begins." },
                "has_more": { "type": "boolean" },
                "limit": { "type": "integer", "minimum": 1 }
            },
            "required": ["next_cursor", "has_more", "limit"],
            "additionalProperties": false
        },
        "Problem": answers::problem_schema(),
    });
    for operation in OPERATIONS {
        match operation.answers {
            Answers::Record(name) | Answers::Created(name) | Answers::Told(_, name) => {
                schemas[format!("{name}Answer")] = json!({
                    "type": "object",
                    "properties": { "data": { "$ref": format!("#/components/schemas/{name}") } },
                    "required": ["data"],
                    "additionalProperties": false
                });
            }
            Answers::List(name) => {
                schemas[format!("{name}List")] = json!({
                    "type": "object",
                    "properties": {
                        "data": { "type": "array", "items": { "$ref": format!("#/components/schemas/{name}") } },
                        "page": { "$ref": "#/components/schemas/Page" }
                    },
                    "required": ["data", "page"],
                    "additionalProperties": false
                });
            }
            Answers::Plain(_) => {}
        }
    }
    schemas
}

/// An example of a record.
fn example(name: &str) -> Value {
    match name {
        "Plan" => plans::record_example(),
        "Subscription" => subscriptions::record_example(),
        "Tokens" => sessions::tokens_example(),
        "LoggedIn" => sessions::logged_in_example(),
        "TokenList" => tokens::list_example(),
        "Revoked" => tokens::revoked_example(),
        "Deleted" => accounts::deleted_example(),
        _ => payments::record_example(),
    }
}
