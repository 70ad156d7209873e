//! The feed of a server, one event at a time: each page has one event, so that its cursor is the position of that event.

use crate::failure::Failure;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use perennial_outbound::{Endpoint, Limits, OutboundClient, Reach, Response};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::time::Duration;
use url::Url;

/// Longer than a call that waits takes.
const LIMITS: Limits = Limits { connect: Duration::from_secs(5), total: Duration::from_secs(40) };
const WAIT_SECONDS: &str = "25";
/// The pause after an empty page that did not wait: the server is stopping, or too many calls wait already.
const PAUSE: Duration = Duration::from_secs(1);
/// The server that an operator names may be anywhere.
const REACH: Reach = Reach { private_addresses: true, plain_http: true };

pub(super) struct Feed {
    client: OutboundClient,
    url: Url,
    headers: HeaderMap,
}

/// At most one event, as the server wrote it, and the position after it.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) event: Option<String>,
    pub(super) next_cursor: String,
}

/// Why there is no page.
pub(super) enum ReadError {
    /// The feed no longer continues at the cursor.
    Gone { restored: bool },
    /// The request will not succeed later.
    Rejected(String),
    /// The server may be back later.
    Unavailable(String),
}

#[derive(Deserialize)]
struct PageBody<'a> {
    #[serde(borrow)]
    data: Vec<&'a RawValue>,
    page: PageInfo,
}

#[derive(Deserialize)]
struct PageInfo {
    next_cursor: String,
    has_more: bool,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Problem {
    code: String,
    detail: String,
    restored: bool,
}

impl Feed {
    pub(super) fn new(api: &str, client_id: &str, types: Option<&str>) -> Result<Self, Failure> {
        let wrong = || Failure::new(format!("--api must be a URL such as https://billing.example.com, not {api:?}"));
        let mut url = Url::parse(&format!("{}/events", api.trim_end_matches('/'))).map_err(|_| wrong())?;
        url.query_pairs_mut().append_pair("limit", "1");
        if let Some(types) = types {
            url.query_pairs_mut().append_pair("type", types);
        }
        Endpoint::parse(url.as_str(), REACH).map_err(|_| wrong())?;
        let mut id = HeaderValue::from_str(client_id)
            .map_err(|_| Failure::new("the client ID has a character that a header cannot have"))?;
        id.set_sensitive(true);
        let headers = HeaderMap::from_iter([(HeaderName::from_static("client-id"), id)]);
        let client = OutboundClient::with_system_roots(LIMITS)
            .map_err(|error| Failure::new(format!("TLS cannot be set up: {error}")))?;
        Ok(Self { client, url, headers })
    }

    /// The event after the cursor, which is waited for. Without a cursor, the first event at the start, or none: the call does
    /// not wait, so that there is a cursor to store from the first moment on.
    pub(super) async fn next(&self, cursor: Option<&str>, start: &str) -> Result<Page, ReadError> {
        let mut url = self.url.clone();
        match cursor {
            Some(cursor) => url.query_pairs_mut().append_pair("cursor", cursor).append_pair("wait", WAIT_SECONDS),
            None => url.query_pairs_mut().append_pair("start", start),
        };
        let endpoint =
            Endpoint::parse(url.as_str(), REACH).map_err(|_| ReadError::Rejected(format!("{url} is not a URL")))?;
        let since = tokio::time::Instant::now();
        let response = self.client.send(&endpoint, Method::GET, self.headers.clone(), Bytes::new()).await;
        let response = response.map_err(|error| ReadError::Unavailable(error.to_string()))?;
        let (page, has_more) = parse(&response)?;
        if cursor.is_some() && page.event.is_none() && !has_more && since.elapsed() < PAUSE {
            tokio::time::sleep(PAUSE).await;
        }
        Ok(page)
    }
}

fn parse(response: &Response) -> Result<(Page, bool), ReadError> {
    if response.status != StatusCode::OK {
        return Err(rejection(response));
    }
    let PageBody { data, page } = serde_json::from_slice(&response.body)
        .map_err(|_| ReadError::Rejected("the response is not a page of events: check --api".to_owned()))?;
    let event = data.first().map(|event| event.get().to_owned());
    Ok((Page { event, next_cursor: page.next_cursor }, page.has_more))
}

fn rejection(response: &Response) -> ReadError {
    let problem: Problem = serde_json::from_slice(&response.body).unwrap_or_default();
    let Problem { code, detail, restored } = problem;
    if code == "cursor_gone" {
        return ReadError::Gone { restored };
    }
    let status = response.status.as_u16();
    let reason = if code.is_empty() {
        format!("the server responded with {status}, and not like Perennial: check --api")
    } else {
        format!("the server responded with {status} {code}: {detail}")
    };
    if response.status.is_server_error() || matches!(status, 408 | 429) {
        ReadError::Unavailable(reason)
    } else {
        ReadError::Rejected(reason)
    }
}
