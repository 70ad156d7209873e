//! Replies: what a handler gives back, before the service adds what every answer carries.

use crate::headers;
use bytes::Bytes;
use http::{HeaderName, HeaderValue, StatusCode};
use perennial_domain::id::EventId;
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
    /// What the answer carries beside what every answer does.
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
}

/// What a body is, and how long it may be kept.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    /// A record or a list that nobody keeps.
    Json,
    /// A record or a list that a browser may keep, asking each time whether it is still good.
    CacheableJson,
    /// JSON that is the same for everyone, and good for an hour.
    PublicJson,
    /// A page of ours.
    Html,
    /// A style sheet, kept compressed.
    Style,
    /// A script, kept compressed.
    Script,
    /// A script of ours.
    PlainScript,
}

impl Content {
    pub(crate) const fn media_type(self) -> &'static str {
        match self {
            Self::Json | Self::CacheableJson | Self::PublicJson => "application/json",
            Self::Html => "text/html; charset=utf-8",
            Self::Style => "text/css; charset=utf-8",
            Self::Script | Self::PlainScript => "text/javascript; charset=utf-8",
        }
    }

    pub(crate) const fn is_compressed(self) -> bool {
        matches!(self, Self::Style | Self::Script)
    }

    pub(crate) const fn cache_control(self) -> &'static str {
        match self {
            Self::Json => "no-store",
            Self::CacheableJson => "private, no-cache",
            Self::PublicJson => "public, max-age=3600",
            Self::Html | Self::Style | Self::Script | Self::PlainScript => "no-cache",
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

    /// Something that is no record of its own.
    pub(crate) fn value<T: Serialize>(status: StatusCode, value: T) -> Self {
        Self::new(status, Content::Json, envelope(value))
    }

    /// A page of records.
    pub(crate) fn list<T: Serialize>(records: &[T], next: Option<&str>, limit: usize) -> Self {
        let page = PageView { next_cursor: next, has_more: next.is_some(), limit };
        Self::new(StatusCode::OK, Content::Json, json(&ListEnvelope { data: records, page }))
    }

    /// What a create answers, now or again.
    pub(crate) fn stored(stored: StoredResponse) -> Self {
        let status = u16::try_from(stored.status).ok().and_then(|status| StatusCode::from_u16(status).ok());
        let mut reply = Self::new(status.unwrap_or(StatusCode::CREATED), Content::Json, stored.body);
        reply.etag = Some(stored.etag);
        reply.location = Some(stored.location);
        reply.replayed = stored.replayed;
        reply
    }

    /// Lets browsers keep it, asking each time.
    pub(crate) fn cacheable(mut self) -> Self {
        self.content = Content::CacheableJson;
        self
    }
}

/// How the creation of a record is told.
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

fn json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("a record is plain data")
}
