//! How documents are sent. They share the origin of the console, and names in them come from customers: a browser runs nothing of
//! them, guesses no type, and stores nothing.

use crate::query::{Parameter, Query, QuerySpec};
use crate::reply::{Content, Reply};
use http::header::{CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderValue, StatusCode};
use perennial_app::documents::{DocumentFormat, Rendered};
use serde_json::json;

const POLICY: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'";

/// The parameter of an operation that returns a document.
pub(crate) const QUERY: QuerySpec = QuerySpec {
    parameters: &[Parameter {
        name: "format",
        description: "The format of the document.",
        schema: || json!({ "type": "string", "enum": ["html", "pdf"], "default": "html" }),
    }],
    parse: |query| {
        format(query);
    },
};

/// The requested format.
pub(crate) fn format(query: &mut Query) -> DocumentFormat {
    query.get("format", DocumentFormat::parse).unwrap_or_default()
}

/// A document as a response. A PDF is downloaded: browsers do not show one in a sandbox.
pub(crate) fn reply(rendered: Rendered) -> Reply {
    let Rendered { format, number, bytes } = rendered;
    let (content, disposition) = match format {
        DocumentFormat::Html => (Content::PrivateHtml, "inline"),
        DocumentFormat::Pdf => (Content::Pdf, "attachment"),
    };
    let mut reply = Reply::new(StatusCode::OK, content, bytes);
    reply.headers.push((CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)));
    reply.headers.push((X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")));
    // A number consists of A-Z, 0-9 and dashes, so that it needs no quoting.
    let name = format!("{disposition}; filename=\"{number}.{}\"", format.as_str());
    if let Ok(value) = HeaderValue::try_from(name) {
        reply.headers.push((CONTENT_DISPOSITION, value));
    }
    reply
}
