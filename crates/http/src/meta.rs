//! Operations around the API: health checks, the OpenAPI document, the reference that renders it, the error codes.

use crate::access::Access;
use crate::error_codes::{self, Code, ERRORS_PATH};
use crate::operation::{Handler, Handling, OpenCall, Operation, ResponseKind};
use crate::problem::Problem;
use crate::query::QuerySpec;
use crate::reply::{Content, Reply};
use crate::state::State;
use bytes::Bytes;
use http::{Method, StatusCode};
use perennial_app::error::Error;
use perennial_app::signing_keys;
use std::future::ready;
use std::sync::LazyLock;

const TAG: &str = "Service information";
const JSON: &str = "application/json";
const STORAGE: &[Code] = &[Code::StorageUnavailable];

pub(crate) static OPERATIONS: &[Operation] = &[
    open("live", "/livez", "Liveness check", JSON, &[], |_| file(Content::Json, br#"{"data":{"status":"live"}}"#)),
    open(
        "ready",
        "/readyz",
        "Readiness check: whether the database is reachable and migrated",
        JSON,
        STORAGE,
        |call| Box::pin(check_ready(call.state)),
    ),
    open("document", "/openapi.json", "The OpenAPI document", JSON, &[], |call| {
        bytes(Content::Json, Bytes::clone(&call.state.document))
    }),
    open("reference", "/docs", "The API reference", "text/html", &[], |_| {
        file(Content::Html, include_bytes!("../assets/reference.html"))
    }),
    open("referenceStyle", "/docs/swagger-ui.css", "The style sheet of the API reference", "text/css", &[], |_| {
        file(Content::Style, include_bytes!("../assets/swagger-ui/swagger-ui.css.gz"))
    }),
    open(
        "referenceScript",
        "/docs/swagger-ui-bundle.js",
        "The script of the API reference",
        "text/javascript",
        &[],
        |_| file(Content::Script, include_bytes!("../assets/swagger-ui/swagger-ui-bundle.js.gz")),
    ),
    open("referenceStart", "/docs/start.js", "The start script of the API reference", "text/javascript", &[], |_| {
        file(Content::PlainScript, include_bytes!("../assets/reference.js"))
    }),
    open("catalogue", ERRORS_PATH, "The list of error codes", "text/html", &[], |_| {
        bytes(Content::Html, Bytes::clone(&ERROR_PAGE))
    }),
    open(
        "signingKeys",
        "/.well-known/jwks.json",
        "The public keys for offline verification of access tokens (JWKS)",
        JSON,
        STORAGE,
        |call| Box::pin(signing_keys(call)),
    ),
];

/// Written once; all requests share it.
static ERROR_PAGE: LazyLock<Bytes> = LazyLock::new(|| error_codes::html().into());

/// An operation that needs no client.
const fn open(
    id: &'static str,
    path: &'static str,
    summary: &'static str,
    media_type: &'static str,
    errors: &'static [Code],
    handler: for<'a> fn(OpenCall<'a>) -> Handling<'a>,
) -> Operation {
    Operation {
        id,
        method: Method::GET,
        path,
        tag: TAG,
        summary,
        description: "",
        access: Access::Open,
        query: QuerySpec::NONE,
        body: None,
        response: ResponseKind::Media(media_type),
        errors,
        handler: Handler::Open(handler),
    }
}

fn file(content: Content, text: &'static [u8]) -> Handling<'static> {
    bytes(content, Bytes::from_static(text))
}

fn bytes(content: Content, text: Bytes) -> Handling<'static> {
    Box::pin(ready(Ok(Reply::new(StatusCode::OK, content, text))))
}

async fn check_ready(state: &State) -> Result<Reply, Problem> {
    if state.is_leaving() {
        return Err(Problem::new(Code::ShuttingDown, "This server is about to stop."));
    }
    store_is_ready(state).await.map_err(Error::Unavailable)?;
    Ok(Reply::new(StatusCode::OK, Content::Json, br#"{"data":{"status":"ready"}}"#.as_slice()))
}

/// Whether this server can commit changes and read; if not, why.
async fn store_is_ready(state: &State) -> Result<(), String> {
    let waited = state.app.db.metrics().oldest_change;
    if waited > state.options.stuck_after {
        return Err(format!("the oldest change has waited for {} ms", waited.as_millis()));
    }
    match tokio::time::timeout(state.options.stuck_after, state.app.db.ping()).await {
        Ok(pinged) => pinged.map_err(|error| error.to_string()),
        Err(_) => Err("the database does not respond".to_owned()),
    }
}

async fn signing_keys(call: OpenCall<'_>) -> Result<Reply, Problem> {
    let keys = signing_keys::published(&call.state.app).await?;
    Ok(Reply::new(StatusCode::OK, Content::PublicJson, keys))
}
