//! Replies: what a handler returns, before the headers of every response are added.

use crate::headers;
use bytes::Bytes;
use http::{HeaderName, HeaderValue, StatusCode};
use perennial_app::analytics::Meta;
use perennial_domain::id::EventId;
use perennial_domain::members::Seats;
use serde::Serialize;

/// What a create returns, stored under its idempotency key so that a retry returns the same.
pub(crate) use perennial_app::idempotency::StoredResponse;

/// A success.
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) content: Content,
    pub(crate) body: Bytes,
    pub(crate) etag: Option<String>,
    pub(crate) location: Option<String>,
    pub(crate) replayed: bool,
    /// Additional headers.
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
}

/// The media type and caching of a body.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    /// A record or a list that must not be cached.
    Json,
    /// A record or a list that a browser may cache and must revalidate.
    CacheableJson,
    /// Public JSON that may be cached for an hour.
    PublicJson,
    /// A page.
    Html,
    /// A page that must not be cached.
    PrivateHtml,
    /// A PDF that must not be cached.
    Pdf,
    /// A style sheet, stored compressed.
    Style,
    /// A script, stored compressed.
    Script,
    /// A script, stored uncompressed.
    PlainScript,
    /// A file whose address changes with its content.
    Asset { media_type: &'static str, is_compressed: bool },
}

impl Content {
    pub(crate) fn media_type(self) -> HeaderValue {
        match self {
            Self::Json | Self::CacheableJson | Self::PublicJson => {
                const { HeaderValue::from_static("application/json") }
            }
            Self::Html | Self::PrivateHtml => const { HeaderValue::from_static("text/html; charset=utf-8") },
            Self::Pdf => const { HeaderValue::from_static("application/pdf") },
            Self::Style => const { HeaderValue::from_static("text/css; charset=utf-8") },
            Self::Script | Self::PlainScript => const { HeaderValue::from_static("text/javascript; charset=utf-8") },
            Self::Asset { media_type, .. } => HeaderValue::from_static(media_type),
        }
    }

    pub(crate) const fn is_compressed(self) -> bool {
        matches!(self, Self::Style | Self::Script | Self::Asset { is_compressed: true, .. })
    }

    pub(crate) fn cache_control(self) -> HeaderValue {
        match self {
            Self::Json | Self::PrivateHtml | Self::Pdf => const { HeaderValue::from_static("no-store") },
            Self::CacheableJson => const { HeaderValue::from_static("private, no-cache") },
            Self::PublicJson => const { HeaderValue::from_static("public, max-age=3600") },
            Self::Html | Self::Style | Self::Script | Self::PlainScript => {
                const { HeaderValue::from_static("no-cache") }
            }
            Self::Asset { .. } => const { HeaderValue::from_static("public, max-age=31536000, immutable") },
        }
    }
}

#[derive(Serialize)]
struct Envelope<T> {
    data: T,
}

#[derive(Serialize)]
struct ListEnvelope<'a, T> {
    data: &'a [T],
    page: PageView<'a>,
}

#[derive(Serialize)]
struct SeatsEnvelope<'a, T> {
    data: &'a [T],
    page: PageView<'a>,
    seats: &'a Seats,
}

#[derive(Serialize)]
struct FiguresEnvelope<'a, T> {
    data: &'a [T],
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<PageView<'a>>,
    meta: &'a Meta,
}

#[derive(Serialize)]
struct PageView<'a> {
    next_cursor: Option<&'a str>,
    has_more: bool,
    limit: usize,
}

impl Reply {
    pub(crate) fn new(status: StatusCode, content: Content, body: impl Into<Bytes>) -> Self {
        Self { status, content, body: body.into(), etag: None, location: None, replayed: false, headers: Vec::new() }
    }

    /// A record with its entity tag.
    pub(crate) fn record<T: Serialize>(record: T, etag: String) -> Self {
        let mut reply = Self::new(StatusCode::OK, Content::Json, envelope(record));
        reply.etag = Some(etag);
        reply
    }

    /// Something that is computed. Its entity tag covers the content.
    pub(crate) fn computed<T: Serialize>(value: &T) -> Self {
        let body = envelope(value);
        let etag = headers::etag_of_content(body.as_bytes());
        let mut reply = Self::new(StatusCode::OK, Content::Json, body);
        reply.etag = Some(etag);
        reply
    }

    /// Something that has no path.
    pub(crate) fn value<T: Serialize>(status: StatusCode, value: T) -> Self {
        Self::new(status, Content::Json, envelope(value))
    }

    /// A page of records.
    pub(crate) fn list<T: Serialize>(records: &[T], next: Option<&str>, limit: usize) -> Self {
        let page = PageView { next_cursor: next, has_more: next.is_some(), limit };
        Self::new(StatusCode::OK, Content::Json, list_json(records, page))
    }

    /// A page of members, and the seats of their subscription.
    pub(crate) fn seat_list<T: Serialize>(members: &[T], seats: &Seats, next: Option<&str>, limit: usize) -> Self {
        let page = PageView { next_cursor: next, has_more: next.is_some(), limit };
        Self::new(StatusCode::OK, Content::Json, json(&SeatsEnvelope { data: members, page, seats }))
    }

    /// A page of the feed, which always has a next cursor.
    pub(crate) fn feed<T: Serialize>(records: &[T], next: &str, has_more: bool, limit: usize) -> Self {
        let page = PageView { next_cursor: Some(next), has_more, limit };
        Self::new(StatusCode::OK, Content::Json, list_json(records, page))
    }

    /// Rows of figures.
    pub(crate) fn figures<T: Serialize>(rows: &[T], meta: &Meta) -> Self {
        Self::new(StatusCode::OK, Content::Json, json(&FiguresEnvelope { data: rows, page: None, meta }))
    }

    /// A page of rows of figures.
    pub(crate) fn figures_page<T: Serialize>(rows: &[T], next: Option<&str>, limit: usize, meta: &Meta) -> Self {
        let page = Some(PageView { next_cursor: next, has_more: next.is_some(), limit });
        Self::new(StatusCode::OK, Content::Json, json(&FiguresEnvelope { data: rows, page, meta }))
    }

    /// The response of a create, new or replayed.
    pub(crate) fn stored(stored: StoredResponse) -> Self {
        let status = u16::try_from(stored.status).ok().and_then(|status| StatusCode::from_u16(status).ok());
        let mut reply = Self::new(status.unwrap_or(StatusCode::CREATED), Content::Json, stored.body);
        reply.etag = Some(stored.etag);
        reply.location = Some(stored.location);
        reply.replayed = stored.replayed;
        reply
    }

    /// Lets browsers cache it if they revalidate.
    pub(crate) fn cacheable(mut self) -> Self {
        self.content = Content::CacheableJson;
        self
    }
}

/// The response of a create.
pub(crate) fn created<T: Serialize>(
    record: T,
    location: String,
    revision: EventId,
    has_access: Option<bool>,
) -> StoredResponse {
    StoredResponse {
        status: i64::from(StatusCode::CREATED.as_u16()),
        body: envelope(record),
        location,
        etag: headers::etag(revision, has_access),
        replayed: false,
    }
}

fn envelope<T: Serialize>(record: T) -> String {
    json(&Envelope { data: record })
}

fn list_json<T: Serialize>(records: &[T], page: PageView<'_>) -> String {
    perennial_domain::json::list_to_string(&ListEnvelope { data: records, page }, records.len())
}

fn json<T: Serialize>(value: &T) -> String {
    perennial_domain::json::to_string(value)
}
