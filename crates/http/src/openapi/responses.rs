//! The responses of an operation: its success and its errors.

use crate::access::Access;
use crate::analytics::META;
use crate::dry_run;
use crate::error_codes::{self, Code, Entry};
use crate::operation::{Operation, ResponseKind};
use crate::operations;
use crate::path::{self, Segment};
use crate::schema::Schema;
use http::{Method, StatusCode};
use perennial_domain::validation::MAX_ERRORS;
use serde_json::{Map, Value, json};

/// The errors of every operation that needs a client.
const ALWAYS: &[Code] = &[
    Code::InvalidParameter,
    Code::UnknownParameter,
    Code::InvalidHeader,
    Code::AmbiguousCredentials,
    Code::ClientIdRequired,
    Code::OperatorSessionRequired,
    Code::InvalidClient,
    Code::InsufficientScope,
    Code::ClientNotForBrowsers,
    Code::AddressNotAllowed,
    Code::CrossSiteRequest,
    Code::MisdirectedRequest,
    Code::RequestTimeout,
    Code::BodyTooLarge,
    Code::TargetTooLong,
    Code::HeadersTooLarge,
    Code::Internal,
    Code::Overloaded,
    Code::ShuttingDown,
    Code::StorageUnavailable,
    Code::AnswerTimeout,
];
/// The errors of every operation with a body.
const BODY: &[Code] =
    &[Code::MalformedJson, Code::DuplicateKey, Code::UnsupportedMediaType, Code::InvalidInput, Code::OutcomeUnknown];
/// The errors of every call that only the console makes.
const CONSOLE: &[Code] = &[
    Code::InvalidParameter,
    Code::UnknownParameter,
    Code::InvalidHeader,
    Code::AmbiguousCredentials,
    Code::AddressNotAllowed,
    Code::CrossSiteRequest,
    Code::RouteNotFound,
    Code::RequestTimeout,
    Code::BodyTooLarge,
    Code::TargetTooLong,
    Code::MisdirectedRequest,
    Code::HeadersTooLarge,
    Code::Internal,
    Code::Overloaded,
    Code::ShuttingDown,
    Code::StorageUnavailable,
    Code::AnswerTimeout,
];
/// The errors of every operation that needs no client.
const OPEN: &[Code] = &[
    Code::UnknownParameter,
    Code::InvalidHeader,
    Code::TargetTooLong,
    Code::HeadersTooLarge,
    Code::Internal,
    Code::Overloaded,
    Code::ShuttingDown,
];

pub(super) fn of(operation: &Operation) -> Value {
    let mut responses = Map::new();
    let mut headers = common_headers();
    let (status, about, content) = match operation.response {
        ResponseKind::Record(schema) | ResponseKind::Acted(schema) => ("200", "The record.", record(schema)),
        ResponseKind::Created(schema) | ResponseKind::CreatedOnce(schema) => ("201", "The new record.", record(schema)),
        ResponseKind::List(schema) => ("200", "A page of records.", list(schema)),
        ResponseKind::ListWith(schema, name, about) => {
            let mut content = list(schema);
            content["application/json"]["example"][name] = (about.example)();
            ("200", "A page of records.", content)
        }
        ResponseKind::Figures(schema) => ("200", "The figures.", figures(schema, false)),
        ResponseKind::FiguresPage(schema) => ("200", "A page of figures.", figures(schema, true)),
        ResponseKind::Value(StatusCode::CREATED, schema) => ("201", operation.summary, record(schema)),
        ResponseKind::Value(_, schema) => ("200", operation.summary, record(schema)),
        ResponseKind::Redirect => ("303", operation.summary, json!({ "text/html": { "schema": plain("text/html") } })),
        ResponseKind::Document => {
            let of = |media_type| json!({ "schema": plain(media_type) });
            let content = json!({ "text/html": of("text/html"), "application/pdf": of("application/pdf") });
            ("200", "The document.", content)
        }
        ResponseKind::Media(media_type) => {
            ("200", operation.summary, json!({ media_type: { "schema": plain(media_type) } }))
        }
    };
    let is_created = matches!(operation.response, ResponseKind::Created(_) | ResponseKind::CreatedOnce(_));
    if is_created || matches!(operation.response, ResponseKind::Record(_) | ResponseKind::Acted(_)) {
        headers["etag"] = link("etag");
    }
    if is_created || matches!(operation.response, ResponseKind::Redirect) {
        headers["location"] = link("location");
    }
    if let ResponseKind::Created(_) | ResponseKind::Acted(_) = operation.response {
        headers["idempotency-replayed"] = link("idempotency-replayed");
    }
    if let ResponseKind::Media("text/css" | "text/javascript") = operation.response {
        headers["content-encoding"] = link("content-encoding");
    }
    if is_limited(operation) {
        add_limit(&mut headers);
    }
    let is_tried = dry_run::is_offered(&operation.query);
    if is_tried {
        headers["perennial-dry-run"] = link("perennial-dry-run");
    }
    let mut success = json!({ "description": about, "headers": headers, "content": content });
    if is_created {
        success["links"] = links(operation);
    }
    if is_tried && is_created {
        let about = "With `dry_run=true`: the record that would be created.";
        let mut headers = common_headers();
        headers["perennial-dry-run"] = link("perennial-dry-run");
        let tried = json!({ "description": about, "headers": headers, "content": success["content"] });
        responses.insert(status.into(), success);
        responses.insert("200".into(), tried);
    } else {
        responses.insert(status.into(), success);
    }
    if operation.method == Method::GET && matches!(operation.response, ResponseKind::Record(_)) {
        let mut headers = common_headers();
        headers["etag"] = link("etag");
        responses.insert("304".into(), json!({ "description": "Not modified.", "headers": headers }));
    }
    for code in errors(operation) {
        let status = code.entry().status.as_u16().to_string();
        responses.insert(status.clone(), json!({ "$ref": format!("#/components/responses/{status}") }));
    }
    Value::Object(responses)
}

/// Links to the operations that read, update and delete the new record.
fn links(create: &Operation) -> Value {
    let mut links = Map::new();
    for operation in operations::all() {
        let Some(parameter) = member_of(operation, create.path) else { continue };
        let field = if matches!(parameter, "slug" | "key" | "user_id") { parameter } else { "id" };
        let link = json!({
            "operationId": operation.id,
            "parameters": { parameter: format!("$response.body#/data/{field}") }
        });
        links.insert(operation.id.to_owned(), link);
    }
    Value::Object(links)
}

/// The parameter of an operation on one record of a collection.
fn member_of(operation: &Operation, collection: &'static str) -> Option<&'static str> {
    let mut segments = path::segments(operation.path);
    match segments.next_back() {
        Some(Segment::Parameter(name)) if segments.eq(path::segments(collection)) => Some(name),
        _ => None,
    }
}

/// Whether the operation is rate limited. Then its responses have the rate limit headers.
fn is_limited(operation: &Operation) -> bool {
    operation.errors.contains(&Code::RateLimited)
}

fn add_limit(headers: &mut Value) {
    for name in ["ratelimit", "ratelimit-policy"] {
        headers[name] = link(name);
    }
}

/// Every error code of an operation.
fn errors(operation: &Operation) -> Vec<Code> {
    let mut codes = operation.errors.to_vec();
    match operation.access {
        Access::Open => codes.extend(OPEN),
        Access::Scope(_) | Access::AnyOf(_) => codes.extend(ALWAYS),
        Access::FreshScope(_) => {
            codes.extend(ALWAYS);
            codes.push(Code::FreshSignInRequired);
        }
        Access::Console(_) => codes.extend(CONSOLE),
        Access::Own(..) | Access::Session | Access::Token => {
            codes.extend(ALWAYS);
            codes.extend([Code::TokenRequired, Code::InvalidToken]);
        }
    }
    if operation.body.is_some() {
        codes.extend(BODY);
    }
    // The response does not reveal whether another user's account exists.
    if path::parameter_names(operation.path).next().is_some() && !operation.errors.contains(&Code::NotAccountOwner) {
        codes.push(Code::NotFound);
    }
    match operation.response {
        ResponseKind::Created(_) => codes.extend([Code::IdempotencyKeyReused, Code::IdempotencyInFlight]),
        ResponseKind::Acted(_) => {
            codes.extend([Code::IdempotencyKeyReused, Code::IdempotencyInFlight, Code::OutcomeUnknown]);
        }
        ResponseKind::Record(_) if operation.method != Method::GET => codes.extend([Code::Stale, Code::OutcomeUnknown]),
        _ => {}
    }
    codes
}

/// A response for each status, with its error codes.
pub(super) fn problems() -> Value {
    let mut problems = Map::new();
    for entry in error_codes::entries() {
        let status = entry.status.as_u16();
        let response = problems.entry(status.to_string()).or_insert_with(|| problem_response(entry));
        let described = response["description"].as_str().unwrap_or_default();
        response["description"] = format!("{described}\n- `{}`: {}.", entry.code, entry.title).into();
    }
    Value::Object(problems)
}

fn problem_response(entry: Entry) -> Value {
    let status = entry.status.as_u16();
    let mut headers = common_headers();
    match status {
        401 => headers["www-authenticate"] = link("www-authenticate"),
        405 => headers["allow"] = link("allow"),
        429 | 503 => headers["retry-after"] = link("retry-after"),
        _ => {}
    }
    let mut limited = operations::all().iter().filter(|operation| is_limited(operation));
    if limited.any(|operation| errors(operation).iter().any(|code| code.entry().status == entry.status)) {
        add_limit(&mut headers);
    }
    let mut example = json!({
        "type": format!("{}#{}", error_codes::ERRORS_PATH, entry.code), "title": entry.title, "status": status,
        "detail": entry.remedy, "code": entry.code, "request_id": "req_5f3a9c0d1e2b4a68"
    });
    let error = match status {
        400 => {
            json!({ "parameter": "limit", "code": "invalid_parameter", "detail": "must be a whole number from 1 to 200" })
        }
        422 => json!({ "pointer": "/price", "code": "out_of_range", "detail": "must be between 0 and 999999999999" }),
        _ => Value::Null,
    };
    if !error.is_null() {
        example["errors"] = json!([error]);
    }
    json!({
        "description": format!("{}:\n", entry.status.canonical_reason().unwrap_or("Error")),
        "headers": headers,
        "content": { "application/problem+json": {
            "schema": { "$ref": "#/components/schemas/Problem" },
            "example": example
        } }
    })
}

pub(super) fn problem_schema() -> Value {
    let codes: Vec<&str> = {
        let mut codes: Vec<&str> = error_codes::entries().iter().map(|entry| entry.code).collect();
        codes.sort_unstable();
        codes.dedup();
        codes
    };
    json!({
        "type": "object",
        "description": "An error (RFC 9457).",
        "properties": {
            "type": { "type": "string", "format": "uri-reference", "description": "A link to the description of the code." },
            "title": { "type": "string" },
            "status": { "type": "integer", "minimum": 400, "maximum": 599 },
            "detail": { "type": "string", "description": "What is wrong in this case." },
            "code": { "type": "string", "enum": codes },
            "request_id": { "type": "string" },
            "errors": { "type": "array", "maxItems": MAX_ERRORS, "items": {
                "type": "object",
                "properties": {
                    "pointer": { "type": "string", "description": "A JSON pointer into the body." },
                    "parameter": { "type": "string" },
                    "header": { "type": "string" },
                    "code": { "type": "string" },
                    "detail": { "type": "string" }
                },
                "required": ["code", "detail"],
                "additionalProperties": false
            } },
            "errors_omitted": {
                "type": "integer", "minimum": 1,
                "description": "The number of further errors that are not listed in `errors`. Absent if all are listed."
            },
            "required_scope": { "type": "string" },
            "provider": { "type": ["string", "null"], "description": "The host of the identity provider that operators can sign in with." },
            "conflicting_id": { "type": "string" },
            "subscriptions": { "type": "integer" },
            "limit": { "type": "integer", "description": "How many are allowed (`seat_limit`, `quota_exceeded`)." },
            "used": { "type": "number", "description": "How many are used (`seat_limit`, `quota_exceeded`)." },
            "allowed": { "type": "array", "items": { "type": "string" } },
            "oldest": {
                "type": ["string", "null"], "format": "date-time",
                "description": "When the oldest event entered the feed (`cursor_gone`)."
            },
            "restored": {
                "type": "boolean",
                "description": "Whether the store was restored to an earlier state (`cursor_gone`). If false, the events were pruned."
            }
        },
        "required": ["type", "title", "status", "detail", "code", "request_id"]
    })
}

pub(super) fn headers() -> Value {
    let text = |about: &str| json!({ "description": about, "schema": { "type": "string" } });
    json!({
        "x-request-id": text("The ID of the request."),
        "vary": text("The request headers that the response depends on."),
        "cache-control": text("Whether the response may be cached."),
        "etag": text("The revision of the record. Send it in `if-match` or `if-none-match`."),
        "location": text("The path of the new record."),
        "perennial-dry-run": text("`true` if nothing was written because of `dry_run=true`."),
        "idempotency-replayed": text("`true` if this is the stored response of an earlier request with the same idempotency key."),
        "retry-after": { "description": "Seconds to wait before a retry.", "schema": { "type": "integer", "minimum": 0 } },
        "ratelimit": text("For rate-limited operations: remaining attempts (`r`), and seconds until the limit resets (`t`)."),
        "ratelimit-policy": text("For rate-limited operations: the limit (`q`) and its window in seconds (`w`)."),
        "allow": text("The methods that the path supports."),
        "www-authenticate": text("The authentication scheme."),
        "content-encoding": text("`gzip` if the file is stored compressed."),
        "access-control-allow-origin": text("The origin of the request, if the public client lists it."),
        "access-control-expose-headers": text("The response headers that a page of that origin may read."),
    })
}

/// The headers of every response.
fn common_headers() -> Value {
    let names =
        ["x-request-id", "vary", "cache-control", "access-control-allow-origin", "access-control-expose-headers"];
    names.into_iter().map(|name| (name.to_owned(), link(name))).collect::<Map<_, _>>().into()
}

fn link(header: &str) -> Value {
    json!({ "$ref": format!("#/components/headers/{header}") })
}

fn record(schema: &Schema) -> Value {
    json!({ "application/json": {
        "schema": { "$ref": format!("#/components/schemas/{}Answer", schema.name) },
        "example": { "data": (schema.example)() }
    } })
}

fn list(schema: &Schema) -> Value {
    json!({ "application/json": {
        "schema": { "$ref": format!("#/components/schemas/{}List", schema.name) },
        "example": { "data": [(schema.example)()], "page": { "next_cursor": null, "has_more": false, "limit": 50 } }
    } })
}

fn figures(schema: &Schema, is_page: bool) -> Value {
    let mut example = json!({ "data": [(schema.example)()] });
    if is_page {
        example["page"] = json!({ "next_cursor": null, "has_more": false, "limit": 50 });
    }
    example["meta"] = (META.example)();
    json!({ "application/json": {
        "schema": { "$ref": format!("#/components/schemas/{}Answer", schema.name) },
        "example": example
    } })
}

fn plain(media_type: &str) -> Value {
    if media_type == "application/json" { json!({ "type": "object" }) } else { json!({ "type": "string" }) }
}
