//! Calls to identity providers, and what their responses must look like.

use bytes::Bytes;
use http::Method;
use http::header::{ACCEPT, AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, HeaderMap, HeaderValue};
use perennial_outbound::{Endpoint, FetchError, OutboundClient};

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const FORM: HeaderValue = HeaderValue::from_static("application/x-www-form-urlencoded");

/// The content of a response with status 200.
pub(crate) struct Document {
    pub(crate) body: Bytes,
    pub(crate) max_age_seconds: Option<i64>,
}

pub(crate) async fn get(client: &OutboundClient, endpoint: &Endpoint) -> Result<Document, FetchError> {
    send(client, endpoint, Method::GET, HeaderMap::new(), Bytes::new()).await
}

/// Sends a form, with the credentials in `authorization`.
pub(crate) async fn post_form(
    client: &OutboundClient,
    endpoint: &Endpoint,
    mut authorization: HeaderValue,
    form: String,
) -> Result<Document, FetchError> {
    authorization.set_sensitive(true);
    let headers = HeaderMap::from_iter([(AUTHORIZATION, authorization), (CONTENT_TYPE, FORM)]);
    send(client, endpoint, Method::POST, headers, form.into()).await
}

async fn send(
    client: &OutboundClient,
    endpoint: &Endpoint,
    method: Method,
    mut headers: HeaderMap,
    body: Bytes,
) -> Result<Document, FetchError> {
    headers.insert(ACCEPT, JSON);
    // Both kinds of calls only read, so one on a connection that was just closed is repeated.
    let response = match client.send(endpoint, method.clone(), headers.clone(), body.clone()).await {
        Err(FetchError::Closed) => client.send(endpoint, method, headers, body).await?,
        outcome => outcome?,
    };
    let response = response.ok()?;
    Ok(Document { max_age_seconds: max_age(&response.headers), body: response.body })
}

fn max_age(headers: &HeaderMap) -> Option<i64> {
    let directives = headers.get_all(CACHE_CONTROL).into_iter().filter_map(|value| value.to_str().ok());
    directives.flat_map(|value| value.split(',')).find_map(|directive| {
        let (name, value) = directive.trim().split_once('=')?;
        // A number out of range is a very long time, as RFC 9111 defines.
        let digits = value.trim_matches('"');
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        (name.eq_ignore_ascii_case("max-age") && is_number).then(|| digits.parse().unwrap_or(i64::MAX))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use perennial_outbound::{Limits, Reach};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    /// Every connection serves one request and is closed by the second, as when an idle timeout ends at that moment.
    #[tokio::test]
    async fn a_connection_that_was_just_closed_costs_no_call() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/keys", listener.local_addr().unwrap());
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut request = vec![0; 4096];
                let _ = stream.read(&mut request).await;
                stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").await.unwrap();
                let _ = stream.read(&mut request).await;
            }
        });
        let client = OutboundClient::without_roots(Limits::default()).unwrap();
        let endpoint = Endpoint::parse(&url, Reach { private_addresses: true, plain_http: true }).unwrap();
        let basic = HeaderValue::from_static("Basic YTpi");
        for _ in 0..3 {
            assert_eq!(get(&client, &endpoint).await.unwrap().body, "{}");
            assert_eq!(post_form(&client, &endpoint, basic.clone(), "token=t".into()).await.unwrap().body, "{}");
        }
    }

    #[test]
    fn max_age_is_read_from_cache_control() {
        let read = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(CACHE_CONTROL, value.parse().unwrap());
            max_age(&headers)
        };
        assert_eq!(read("public, max-age=600, must-revalidate"), Some(600));
        assert_eq!(read("Max-Age=\"7\""), Some(7));
        assert_eq!(read("max-age=99999999999999999999999"), Some(i64::MAX));
        for value in ["no-store", "max-age", "max-age=", "max-age=-5", "max-age=1e3", "s-maxage=9"] {
            assert_eq!(read(value), None, "{value}");
        }
    }
}
