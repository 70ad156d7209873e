//! The OpenAPI document, generated from the descriptions that the router and the parsers use.

mod parameters;
mod responses;

use crate::access::{Access, ConsoleAccess};
use crate::analytics::META;
use crate::dry_run;
use crate::operation::{Operation, ResponseKind};
use crate::operations;
use crate::schema::Schema;
use perennial_domain::clients::Scope;
use perennial_domain::operators::Role;
use serde_json::{Map, Value, json};

const ABOUT: &str = "Self-hosted subscription management: sign-in and sessions, plans, subscriptions, payments, invoices, usage, \
                     entitlements, events, webhooks and revenue figures.\n\n\
    Every call requires the ID of a client in the header `client-id`. Responses are wrapped in `data`; lists add `page`. \
    Errors are problem documents (RFC 9457) with a stable `code`; validation errors are listed in `errors`.";

/// The document as it is served and committed. It depends on the code only.
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
                    "description": "The ID of a public client is not a secret. The ID of a trusted client is a credential for servers."
                },
                "operator": {
                    "type": "apiKey", "in": "cookie", "name": "__Host-perennial-operator",
                    "description": "An operator's session, for pages of the console. It counts only with `x-perennial-console: 1`, on one of the console's hosts, and from a page of the same origin."
                },
                "user": {
                    "type": "http", "scheme": "bearer", "bearerFormat": "JWT",
                    "description": "The `token` that sign-in returned."
                }
            },
            "schemas": schemas(),
            "headers": responses::headers(),
            "responses": responses::problems(),
        }
    });
    let mut text = serde_json::to_string_pretty(&document).expect("the document is plain data");
    text.push('\n');
    text
}

/// The fields of a record that operations return, in the order in which they are returned. Empty for an unknown schema.
pub fn record_fields(schema: &str) -> Vec<String> {
    let schemas = operations::all().iter().filter_map(|operation| operation.response.schema());
    let definition = schemas.into_iter().find(|known| known.name == schema).map(|schema| (schema.definition)());
    let required = definition.as_ref().and_then(|definition| definition["required"].as_array());
    required.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn tags() -> Value {
    let mut names: Vec<&str> = Vec::new();
    for operation in operations::all() {
        if !names.contains(&operation.tag) {
            names.push(operation.tag);
        }
    }
    names.into_iter().map(|name| json!({ "name": name })).collect()
}

fn paths() -> Value {
    let mut paths = Map::new();
    for operation in operations::all() {
        let path = paths.entry(operation.path.replace("{*", "{")).or_insert_with(|| json!({}));
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
        "responses": responses::of(operation),
    });
    if !operation.description.is_empty() {
        described["description"] = operation.description.into();
    }
    match operation.access {
        Access::Open => described["security"] = json!([]),
        Access::Scope(scope) if is_for_operators(scope) => {
            described["x-required-scope"] = scope.as_str().into();
            described["security"] = json!([{ "client": [] }, { "operator": [] }]);
        }
        Access::Scope(scope) => described["x-required-scope"] = scope.as_str().into(),
        Access::AnyOf(scopes) => described["x-any-of-scopes"] = scopes.iter().map(|scope| scope.as_str()).collect(),
        Access::FreshScope(scope) => {
            described["x-required-scope"] = scope.as_str().into();
            described["x-fresh-sign-in"] = true.into();
            described["security"] = json!([{ "client": [] }, { "operator": [] }]);
        }
        Access::Console(access) => {
            described["x-console"] = true.into();
            let is_session = access == ConsoleAccess::Session;
            described["security"] = if is_session { json!([{ "operator": [] }]) } else { json!([]) };
        }
        Access::Own(scope, own) => {
            described["x-required-scope"] = scope.as_str().into();
            described["x-own-scope"] = own.as_str().into();
            described["security"] = json!([{ "client": [] }, { "client": [], "user": [] }, { "operator": [] }]);
        }
        Access::Session | Access::Token => {
            described["x-required-scope"] = Scope::Auth.as_str().into();
            described["security"] = json!([{ "client": [], "user": [] }]);
        }
    }
    if let Some(body) = &operation.body {
        let content = json!({ "schema": body.schema(), "example": (body.example)() });
        let is_required = !NEEDS_NO_BODY.contains(&operation.id);
        described["requestBody"] = json!({ "required": is_required, "content": { "application/json": content } });
    }
    described
}

/// The operations whose body may be left out.
const NEEDS_NO_BODY: [&str; 5] =
    ["collectPayment", "createEntitlementToken", "createPortalLink", "pingWebhookEndpoint", "rotateWebhookSecret"];

/// Whether an operator may hold the scope.
fn is_for_operators(scope: Scope) -> bool {
    Role::ALL.iter().any(|role| role.scopes().contain(scope))
}

/// The schemas: records first, then other responses, then their envelopes.
fn schemas() -> Value {
    let mut schemas = json!({});
    let (others, records): (Vec<&Operation>, Vec<&Operation>) =
        operations::all().iter().partition(|operation| matches!(operation.response, ResponseKind::Value(..)));
    for schema in records.into_iter().chain(others).filter_map(|operation| operation.response.schema()) {
        define(&mut schemas, schema);
    }
    schemas["Page"] = json!({
        "type": "object",
        "properties": {
            "next_cursor": { "type": ["string", "null"], "description": "The cursor of the next page." },
            "has_more": { "type": "boolean" },
            "limit": { "type": "integer", "minimum": 1 }
        },
        "required": ["next_cursor", "has_more", "limit"],
        "additionalProperties": false
    });
    schemas["Problem"] = responses::problem_schema();
    for operation in operations::all() {
        let Some(schema) = operation.response.schema() else { continue };
        if let ResponseKind::List(_) | ResponseKind::ListWith(..) = operation.response {
            schemas[format!("{}List", schema.name)] = json!({
                "type": "object",
                "properties": {
                    "data": { "type": "array", "items": schema.reference() },
                    "page": { "$ref": "#/components/schemas/Page" }
                },
                "required": ["data", "page"],
                "additionalProperties": false
            });
            if let ResponseKind::ListWith(_, name, about) = operation.response {
                define(&mut schemas, about);
                let envelope = &mut schemas[format!("{}List", schema.name)];
                envelope["properties"][name] = about.reference();
                envelope["required"] = json!(["data", "page", name]);
            }
        } else if let ResponseKind::Figures(_) | ResponseKind::FiguresPage(_) = operation.response {
            define(&mut schemas, &META);
            let mut envelope = json!({
                "type": "object",
                "properties": {
                    "data": { "type": "array", "items": schema.reference() },
                    "meta": META.reference()
                },
                "required": ["data", "meta"],
                "additionalProperties": false
            });
            if let ResponseKind::FiguresPage(_) = operation.response {
                envelope["properties"]["page"] = json!({ "$ref": "#/components/schemas/Page" });
                envelope["required"] = json!(["data", "page", "meta"]);
            }
            schemas[format!("{}Answer", schema.name)] = envelope;
        } else {
            let mut answer = json!({
                "type": "object",
                "properties": { "data": schema.reference() },
                "required": ["data"],
                "additionalProperties": false
            });
            let is_tried = |other: &Operation| {
                other.response.schema().is_some_and(|known| known.name == schema.name)
                    && dry_run::is_offered(&other.query)
            };
            if operations::all().iter().any(|other| is_tried(other)) {
                answer["properties"]["documents"] = dry_run::documents_schema();
            }
            schemas[format!("{}Answer", schema.name)] = answer;
        }
    }
    schemas
}

/// Adds a schema, after those it refers to.
fn define(schemas: &mut Value, schema: &Schema) {
    for other in schema.refers_to {
        define(schemas, other);
    }
    if schemas.get(schema.name).is_none() {
        schemas[schema.name] = (schema.definition)();
    }
}

#[cfg(test)]
mod tests;
