//! The pages of the console: one page for every path below `/console/`, and its files under an address that changes with them.
//!
//! **Invariant:** names come from a table that was embedded at build time. No path of a request reaches the file system. Every
//! response below `/console` has the headers of [`add_headers`].

use crate::error_codes::Code;
use crate::options::ConsoleOptions;
use crate::problem::Problem;
use crate::reply::{Content, Reply};
use bytes::Bytes;
use http::header::{CONTENT_SECURITY_POLICY, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use perennial_app::keys::sha256;
use std::fmt::Write as _;
use std::sync::LazyLock;

#[cfg(debug_assertions)]
mod directory;

const BASE: &str = "/console";
const ASSETS: &str = "/console/assets/";

/// Nothing but our own files runs, nothing is embedded, and no text becomes markup: scripts cannot create trusted types.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
                      trusted-types 'none'";

pub(crate) const HEADERS: [(HeaderName, HeaderValue); 6] = [
    (CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
    (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
    (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (
        HeaderName::from_static("permissions-policy"),
        HeaderValue::from_static("camera=(), geolocation=(), microphone=(), payment=()"),
    ),
];

/// A file of the console, compressed.
type File = (&'static str, &'static [u8]);

#[cfg(feature = "console")]
static FILES: &[File] = include!(concat!(env!("OUT_DIR"), "/console_files.rs"));
#[cfg(feature = "console")]
static EMBEDDED: LazyLock<Option<Page>> = LazyLock::new(|| {
    let (index, sums) = (include_str!("../assets/console/index.html"), include_bytes!("../assets/console/SHA256SUMS"));
    Some(Page::new(index, sums))
});

#[cfg(not(feature = "console"))]
static FILES: &[File] = &[];
#[cfg(not(feature = "console"))]
static EMBEDDED: LazyLock<Option<Page>> = LazyLock::new(|| None);

/// The page, and the name of the build that it loads.
struct Page {
    build: String,
    html: Bytes,
}

impl Page {
    /// A build is named by the sums of its files.
    fn new(index: &str, sums: &[u8]) -> Self {
        let mut build = String::with_capacity(16);
        for byte in &sha256(&[sums])[..8] {
            // Writing to a string cannot fail.
            let _ = write!(build, "{byte:02x}");
        }
        let html = index.replace("{build}", &build).into();
        Self { build, html }
    }
}

/// Whether a path is the console's.
pub(crate) fn is_page(path: &str) -> bool {
    path.strip_prefix(BASE).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The build of the embedded files. Files of a directory change while the server runs, so they have none.
pub(crate) fn build(options: &ConsoleOptions) -> Option<&'static str> {
    if options.directory.is_some() {
        return None;
    }
    EMBEDDED.as_ref().map(|page| page.build.as_str())
}

/// The page, or one of its files.
#[cfg_attr(not(debug_assertions), expect(unused_variables, reason = "only a debug build reads files of a directory"))]
pub(crate) fn respond(options: &ConsoleOptions, parts: &Parts) -> Result<Reply, Problem> {
    if parts.method != Method::GET && parts.method != Method::HEAD {
        return Err(Problem::method_not_allowed("GET, HEAD"));
    }
    let path = parts.uri.path();
    if path == BASE {
        let mut reply = Reply::new(StatusCode::PERMANENT_REDIRECT, Content::Html, "");
        reply.location = Some(format!("{BASE}/"));
        return Ok(reply);
    }
    let wanted = path.strip_prefix(ASSETS);
    #[cfg(debug_assertions)]
    if let Some(directory) = &options.directory {
        return directory::read(directory, wanted).ok_or_else(not_found);
    }
    let Some(page) = EMBEDDED.as_ref() else { return Err(not_found()) };
    match wanted {
        None => Ok(Reply::new(StatusCode::OK, Content::Html, Bytes::clone(&page.html))),
        Some(wanted) => embedded(page, wanted).ok_or_else(not_found),
    }
}

fn embedded(page: &Page, wanted: &str) -> Option<Reply> {
    let (build, name) = wanted.split_once('/')?;
    let (_, bytes) = FILES.iter().find(|(known, _)| *known == name && build == page.build)?;
    let content = Content::Asset { media_type: media_type(name)?, is_compressed: true };
    Some(Reply::new(StatusCode::OK, content, *bytes))
}

/// The type of a file that can be loaded; the page itself is none.
fn media_type(name: &str) -> Option<&'static str> {
    match name.rsplit_once('.') {
        Some((_, "js")) => Some("text/javascript; charset=utf-8"),
        Some((_, "css")) => Some("text/css; charset=utf-8"),
        None => Some("text/plain; charset=utf-8"),
        Some(_) => None,
    }
}

fn not_found() -> Problem {
    Problem::new(Code::RouteNotFound, "The path does not exist.")
}

/// Adds the headers of every response below `/console`. Pages of the sign-in have a stricter policy, which stays.
pub(crate) fn add_headers(options: &ConsoleOptions, headers: &mut HeaderMap) {
    for (name, value) in HEADERS {
        headers.entry(name).or_insert(value);
    }
    if options.is_https {
        headers.insert(STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=31536000"));
    }
}
