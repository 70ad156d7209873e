//! One request to a provider. The key is in a header and nowhere else; errors name neither the key nor an address.

use super::{service, turns};
use crate::connections::provider::{Account, Answer, Fetched, Request};
use crate::keyed_locks::KeyedLocks;
use perennial_domain::connections::bucket::Priority;
use perennial_outbound::http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER};
use perennial_outbound::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use perennial_outbound::{Bytes, Endpoint, FetchError, OutboundClient, Reach, Response};
use perennial_provider_api::Service;
use perennial_provider_api::requests::{JSON_API, STRIPE_VERSION};

/// The client, and what its requests need.
#[derive(Clone, Copy)]
pub(super) struct Call<'a> {
    pub(super) client: &'a OutboundClient,
    pub(super) turns: &'a KeyedLocks,
    pub(super) account: Account<'a>,
    pub(super) priority: Priority,
}

/// Why there is no object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CallError {
    /// There was no response, or none in time: why.
    NoResponse(String),
    /// The connection has to wait this many seconds for its turn.
    NoTurn(i64),
    /// Another status than 2xx.
    Rejected { status: u16, retry_after: Option<i64> },
    /// The response is too long or no text.
    Malformed,
}

impl CallError {
    /// What a failed fetch is, if the object may exist.
    pub(super) fn unavailable(&self) -> Fetched {
        match self {
            Self::NoResponse(_) => Fetched::Unavailable { retry_after: None, is_rate_limited: false },
            Self::NoTurn(seconds) => Fetched::NotSent(*seconds),
            Self::Rejected { status: 404 | 410, .. } => Fetched::NotFound,
            Self::Rejected { status, retry_after } => {
                Fetched::Unavailable { retry_after: *retry_after, is_rate_limited: *status == 429 }
            }
            Self::Malformed => Fetched::Malformed("malformed"),
        }
    }

    /// A text for the operator.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::NoResponse(reason) => format!("there was no response: {reason}"),
            Self::NoTurn(seconds) => format!("the limit of requests is reached for {seconds} seconds"),
            Self::Rejected { status: status @ (401 | 403), .. } => {
                format!("the response has status {status}; the API key needs this permission")
            }
            Self::Rejected { status, .. } => format!("the response has status {status}"),
            Self::Malformed => "the response is not one of this provider".to_owned(),
        }
    }
}

impl Call<'_> {
    /// The body of a successful response to a GET.
    pub(super) async fn get(&self, path: &str) -> Result<String, CallError> {
        let response = self.exchange(Method::GET, path, HeaderMap::new(), Bytes::new()).await?;
        let status = response.status.as_u16();
        if !response.status.is_success() {
            return Err(CallError::Rejected { status, retry_after: retry_after(&response) });
        }
        String::from_utf8(response.body.to_vec()).map_err(|_| CallError::Malformed)
    }

    /// The response to a request that may write. A body that is no text is empty.
    pub(super) async fn send(&self, request: &Request<'_>) -> Answer {
        let mut headers = HeaderMap::new();
        if let Some(key) = request.idempotency_key.and_then(|key| HeaderValue::from_str(key).ok()) {
            headers.insert(HeaderName::from_static("idempotency-key"), key);
        }
        let (method, body) = match request.form {
            None => (Method::GET, Bytes::new()),
            Some(form) => {
                headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"));
                (Method::POST, Bytes::copy_from_slice(form.as_bytes()))
            }
        };
        match self.exchange(method, request.path, headers, body).await {
            Ok(response) => Answer::Response {
                status: response.status.as_u16(),
                retry_after: retry_after(&response),
                body: String::from_utf8(response.body.to_vec()).unwrap_or_default(),
            },
            Err(CallError::NoTurn(seconds)) => Answer::NotSent { retry_after: Some(seconds) },
            Err(_) => Answer::Unknown,
        }
    }

    async fn exchange(
        &self,
        method: Method,
        path: &str,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<Response, CallError> {
        let (account, connection) = (self.account, self.account.connection);
        self.turn().await?;
        let reach = Reach { private_addresses: connection.allow_private_addresses, plain_http: connection.allow_http };
        let url = format!("{}{path}", connection.base_url.as_str());
        let endpoint = Endpoint::parse(&url, reach)
            .map_err(|_| CallError::NoResponse("the base URL is not allowed".to_owned()))?;
        let headers = self.headers(headers);
        let mut outcome = self.client.send(&endpoint, method.clone(), headers.clone(), body.clone()).await;
        // A pooled connection can be closed while it is taken. Every request here may be repeated, and counts again. Without a
        // turn soon, the caller repeats it: the first one may have been received.
        if matches!(outcome, Err(FetchError::Closed)) && self.turn().await.is_ok() {
            outcome = self.client.send(&endpoint, method, headers, body).await;
        }
        let status = outcome.as_ref().ok().map(|response| response.status);
        account.figures.request(connection.kind, status.map(|status| status.as_u16()));
        let response = outcome.map_err(|error| {
            tracing::debug!(connection = %connection.id, %error, "a payment provider did not respond");
            match error {
                FetchError::TooLarge(_) => CallError::Malformed,
                other => CallError::NoResponse(other.to_string()),
            }
        })?;
        if response.status == StatusCode::TOO_MANY_REQUESTS
            && let Err(error) = turns::pause(account, retry_after(&response)).await
        {
            tracing::warn!(connection = %connection.id, %error, "the pause of a connection cannot be stored");
        }
        Ok(response)
    }

    /// Waits for the turn of a request.
    async fn turn(&self) -> Result<(), CallError> {
        match turns::wait(self.account, self.turns, self.priority).await {
            Ok(turn) => turn.map_err(CallError::NoTurn),
            Err(error) => {
                let connection = self.account.connection.id;
                tracing::warn!(%connection, %error, "the bucket of a connection's requests cannot be read");
                Err(CallError::NoTurn(1))
            }
        }
    }

    fn headers(&self, mut headers: HeaderMap) -> HeaderMap {
        let bearer = format!("Bearer {}", self.account.api_key.expose());
        if let Ok(mut value) = HeaderValue::from_str(&bearer) {
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        match service(self.account.connection.kind) {
            Service::Stripe => {
                headers.insert(HeaderName::from_static("stripe-version"), HeaderValue::from_static(STRIPE_VERSION));
            }
            Service::LemonSqueezy => {
                headers.insert(ACCEPT, HeaderValue::from_static(JSON_API));
            }
            Service::Paddle => {
                headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
            }
        }
        headers
    }
}

/// The seconds of `Retry-After`. A date is not used by these providers.
fn retry_after(response: &Response) -> Option<i64> {
    response.headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok().filter(|seconds| *seconds >= 0)
}
