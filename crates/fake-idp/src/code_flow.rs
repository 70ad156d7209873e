//! The authorization code flow with PKCE: every person agrees at once, and a code works once.

use aws_lc_rs::digest::{SHA256, digest};
use bytes::Bytes;
use data_encoding::BASE64URL_NOPAD;
use http::{Response, StatusCode, Uri};
use http_body_util::Full;
use std::collections::HashMap;
use std::sync::Mutex;
use url::Url;
use url::form_urlencoded::parse;

type Codes = Mutex<HashMap<String, (String, String)>>;

/// Sends the browser back with a code.
pub(crate) fn authorize(uri: &Uri, issuer: &str, codes: &Codes) -> Response<Full<Bytes>> {
    let query: HashMap<String, String> = parse(uri.query().unwrap_or_default().as_bytes()).into_owned().collect();
    let asked = |name: &str| query.get(name).cloned().unwrap_or_default();
    assert_eq!((asked("response_type"), asked("code_challenge_method")), ("code".to_owned(), "S256".to_owned()));
    let code = format!("code-{}", asked("nonce"));
    codes.lock().unwrap().insert(code.clone(), (asked("code_challenge"), asked("redirect_uri")));
    let mut place = Url::parse(&asked("redirect_uri")).unwrap();
    place.query_pairs_mut().extend_pairs([("code", code.as_str()), ("state", &asked("state")), ("iss", issuer)]);
    let mut response = Response::new(Full::default());
    *response.status_mut() = StatusCode::FOUND;
    response.headers_mut().insert("location", place.as_str().parse().unwrap());
    response
}

/// Whether the form exchanges a code that was not used, with its verifier and its redirect URI.
pub(crate) fn is_good(form: &[u8], codes: &Codes) -> bool {
    let form: HashMap<String, String> = parse(form).into_owned().collect();
    let sent = |name: &str| form.get(name).cloned().unwrap_or_default();
    let Some((challenge, redirect_uri)) = codes.lock().unwrap().remove(&sent("code")) else { return false };
    let proof = BASE64URL_NOPAD.encode(digest(&SHA256, sent("code_verifier").as_bytes()).as_ref());
    sent("grant_type") == "authorization_code" && proof == challenge && sent("redirect_uri") == redirect_uri
}
