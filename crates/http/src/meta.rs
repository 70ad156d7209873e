//! Around the API: whether the process lives and is ready, the document, the reference that renders it, the catalogue.

use crate::error_codes::{self, CATALOGUE_PATH, Code};
use crate::openapi;
use crate::operation::{Access, Answers, Endpoint, Operation, System};
use crate::problem::Problem;
use crate::reply::{Content, Reply};
use crate::service::Api;
use bytes::Bytes;
use http::{Method, StatusCode};
use perennial_app::signing_keys;
use std::sync::LazyLock;

const TAG: &str = "Around the API";

pub(crate) static LIVE: Operation =
    open(System::Live, "/livez", "live", "Whether the process lives", "application/json");
pub(crate) static READY: Operation =
    open(System::Ready, "/readyz", "ready", "Whether the store answers and is migrated", "application/json");
pub(crate) static DOCUMENT: Operation =
    open(System::Document, "/openapi.json", "document", "This document", "application/json");
pub(crate) static REFERENCE: Operation =
    open(System::Reference, "/docs", "reference", "The rendered reference", "text/html");
pub(crate) static REFERENCE_STYLE: Operation =
    open(System::ReferenceStyle, "/docs/swagger-ui.css", "referenceStyle", "The reference's style", "text/css");
pub(crate) static REFERENCE_SCRIPT: Operation = open(
    System::ReferenceScript,
    "/docs/swagger-ui-bundle.js",
    "referenceScript",
    "The reference's script",
    "text/javascript",
);
pub(crate) static REFERENCE_START: Operation =
    open(System::ReferenceStart, "/docs/start.js", "referenceStart", "What starts the reference", "text/javascript");
pub(crate) static CATALOGUE: Operation =
    open(System::Catalogue, CATALOGUE_PATH, "catalogue", "The error catalogue", "text/html");

pub(crate) static SIGNING_KEYS: Operation = open(
    System::SigningKeys,
    "/.well-known/jwks.json",
    "signingKeys",
    "The keys our access tokens can be verified with, offline",
    "application/json",
);

/// Written once: anyone may ask for these, as often as they like, and shares the one copy.
static DOCUMENT_TEXT: LazyLock<Bytes> = LazyLock::new(|| openapi::document().into());
static CATALOGUE_TEXT: LazyLock<Bytes> = LazyLock::new(|| error_codes::html().into());

const STYLE: &[u8] = include_bytes!("../assets/swagger-ui/swagger-ui.css.gz");
const SCRIPT: &[u8] = include_bytes!("../assets/swagger-ui/swagger-ui-bundle.js.gz");
const PAGE: &str = include_str!("../assets/reference.html");
const START: &str = include_str!("../assets/reference.js");

const fn open(
    system: System,
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    media_type: &'static str,
) -> Operation {
    Operation {
        endpoint: Endpoint::System(system),
        method: Method::GET,
        path,
        id,
        tag: TAG,
        summary,
        about: "",
        access: Access::Open,
        query: &[],
        takes: None,
        example: None,
        answers: Answers::Plain(media_type),
        refuses: match system {
            System::Ready | System::SigningKeys => &[Code::StorageUnavailable],
            _ => &[],
        },
    }
}

/// Why requests should go to another server, if they should.
async fn ready(api: &Api) -> Result<(), String> {
    let waited = api.app.db.metrics().oldest_change;
    if waited > api.options.stuck_after {
        return Err(format!("the oldest change has waited for {} ms", waited.as_millis()));
    }
    match tokio::time::timeout(api.options.stuck_after, api.app.db.ping()).await {
        Ok(pinged) => pinged.map_err(|error| error.to_string()),
        Err(_) => Err("the database does not answer".to_owned()),
    }
}

/// Answers an endpoint that needs no client.
pub(crate) async fn answer(api: &Api, system: System) -> Result<Reply, Problem> {
    let ok = |content, body: &'static [u8]| Ok(Reply::new(StatusCode::OK, content, body));
    match system {
        System::Live => ok(Content::Json, br#"{"data":{"status":"live"}}"#),
        System::Ready if api.is_leaving() => {
            Err(Problem::new(Code::ShuttingDown, "This server is about to stop; another one will answer."))
        }
        System::Ready => match ready(api).await {
            Ok(()) => ok(Content::Json, br#"{"data":{"status":"ready"}}"#),
            Err(reason) => Err(perennial_app::error::Error::Unavailable(reason).into()),
        },
        System::Document => Ok(Reply::new(StatusCode::OK, Content::Json, Bytes::clone(&DOCUMENT_TEXT))),
        System::Reference => ok(Content::Html, PAGE.as_bytes()),
        System::ReferenceStyle => ok(Content::Style, STYLE),
        System::ReferenceScript => ok(Content::Script, SCRIPT),
        System::ReferenceStart => ok(Content::PlainScript, START.as_bytes()),
        System::SigningKeys => {
            let keys = signing_keys::published(&api.app).await?;
            Ok(Reply::new(StatusCode::OK, Content::PublicJson, keys))
        }
        System::Catalogue => Ok(Reply::new(StatusCode::OK, Content::Html, Bytes::clone(&CATALOGUE_TEXT))),
    }
}
