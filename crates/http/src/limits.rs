//! Rate limits: rejects attempts above the limit, and adds the rate limit headers to responses.
//!
//! The headers are those of draft-ietf-httpapi-ratelimit-headers-10. A handler checks the limit after client, scope and
//! token, and before query, headers and body.

use crate::call::Call;
use crate::error_codes::Code;
use crate::headers::{RATE_LIMIT, RATE_LIMIT_POLICY};
use crate::problem::Problem;
use crate::reply::Reply;
use http::header::RETRY_AFTER;
use http::{HeaderName, HeaderValue, StatusCode};
use perennial_app::limits::{self, Budget, Limited, Standing};

const WINDOW_SECONDS: u32 = 60;

/// The state of the caller's budget, for the response headers; `None` if nothing is limited.
pub(crate) struct RateLimitStatus(Option<(Budget, Standing)>);

/// Counts an attempt to sign in or up, or rejects it. Pass the result through [`RateLimitStatus::add_to`].
pub(crate) async fn admit(call: &Call<'_>) -> Result<RateLimitStatus, Problem> {
    let budget = Budget::SignIn;
    let standing = limits::admit(call.app, &call.caller, budget, call.address).await;
    standing.map(|standing| RateLimitStatus::new(budget, standing)).map_err(|limited| reject(budget, limited))
}

/// Rejects a refresh if too many have failed. Pass the result through [`count_failure`].
pub(crate) async fn admit_refresh(call: &Call<'_>) -> Result<(), Problem> {
    let budget = Budget::FailedRefresh;
    let standing = limits::peek(call.app, &call.caller, budget, call.address).await;
    standing.map(|_| ()).map_err(|limited| reject(budget, limited))
}

/// Counts a refresh that was rejected, whatever is wrong with it: reading a malformed one costs as much as a guess. A
/// success and a failure of the server cost nothing, and neither does losing a race.
pub(crate) fn count_failure(call: &Call<'_>, result: Result<Reply, Problem>) -> Result<Reply, Problem> {
    match result {
        Err(problem) if problem.status().is_client_error() && problem.status() != StatusCode::CONFLICT => {
            let budget = Budget::FailedRefresh;
            let standing = limits::count(call.app, &call.caller, budget, call.address);
            RateLimitStatus::new(budget, standing).add_to(Err(problem))
        }
        other => other,
    }
}

impl RateLimitStatus {
    fn new(budget: Budget, standing: Option<Standing>) -> Self {
        Self(standing.map(|standing| (budget, standing)))
    }

    /// Adds the rate limit headers to a result.
    pub(crate) fn add_to(self, result: Result<Reply, Problem>) -> Result<Reply, Problem> {
        let Some((budget, standing)) = self.0 else { return result };
        let fields = fields(budget, standing);
        match result {
            Ok(mut reply) => {
                reply.headers.extend(fields);
                Ok(reply)
            }
            Err(problem) => Err(with_headers(problem, fields)),
        }
    }
}

/// Counts an attempt to sign in to the portal, or rejects it.
pub(crate) async fn admit_portal(call: &Call<'_>) -> Result<(), Problem> {
    admit(call).await.map(drop)
}

/// Counts a webhook whose signature is invalid, or rejects it.
pub(crate) async fn admit_invalid_signature(call: &Call<'_>) -> Result<(), Problem> {
    let budget = Budget::InvalidSignature;
    let standing = limits::admit(call.app, &call.caller, budget, call.address).await;
    standing.map(drop).map_err(|limited| reject(budget, limited))
}

fn reject(budget: Budget, Limited(standing): Limited) -> Problem {
    let seconds = standing.reset_seconds;
    let detail = match budget {
        Budget::SignIn => format!("Too many attempts to sign in or up within a minute. Retry in {seconds} s."),
        Budget::FailedRefresh => format!("Too many refreshes failed within a minute. Retry in {seconds} s."),
        Budget::InvalidSignature => {
            format!("Too many invalid signatures within a minute. Retry in {seconds} s.")
        }
    };
    let problem = Problem::new(Code::RateLimited, detail).with_header(RETRY_AFTER, seconds.into());
    with_headers(problem, fields(budget, standing))
}

fn with_headers(problem: Problem, fields: [(HeaderName, HeaderValue); 2]) -> Problem {
    fields.into_iter().fold(problem, |problem, (name, value)| problem.with_header(name, value))
}

fn fields(budget: Budget, standing: Standing) -> [(HeaderName, HeaderValue); 2] {
    let name = match budget {
        Budget::SignIn => "sign-in",
        Budget::FailedRefresh => "refresh",
        Budget::InvalidSignature => "signature",
    };
    let Standing { limit, remaining, reset_seconds } = standing;
    let value = |text: String| HeaderValue::try_from(text).expect("a name and numbers are visible ASCII");
    [
        (RATE_LIMIT_POLICY, value(format!("\"{name}\";q={limit};w={WINDOW_SECONDS}"))),
        (RATE_LIMIT, value(format!("\"{name}\";r={remaining};t={reset_seconds}"))),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address;
    use crate::reply::Content;
    use http::HeaderMap;
    use perennial_testkit::TestApp;
    use std::net::IpAddr;

    const STANDING: Standing = Standing { limit: 60, remaining: 59, reset_seconds: 60 };

    fn texts(headers: &[(HeaderName, HeaderValue)]) -> Vec<String> {
        headers.iter().map(|(name, value)| format!("{name}: {}", value.to_str().unwrap())).collect()
    }

    #[test]
    fn a_success_and_an_error_have_the_rate_limit_headers() {
        let status = || RateLimitStatus::new(Budget::SignIn, Some(STANDING));
        let expected = ["ratelimit-policy: \"sign-in\";q=60;w=60", "ratelimit: \"sign-in\";r=59;t=60"];
        let reply = status().add_to(Ok(Reply::new(StatusCode::OK, Content::Json, "{}")));
        assert_eq!(texts(&reply.ok().unwrap().headers), expected);
        let problem = status().add_to(Err(Problem::new(Code::UserNotFound, ""))).err().unwrap();
        assert_eq!(texts(problem.headers()), expected);
    }

    /// How many of a hundred attempts are admitted that come from one peer and each name another address.
    async fn admitted_when_spoofing(peer: IpAddr, trusted_proxies: &[ipnet::IpNet]) -> usize {
        let app = TestApp::start().await;
        let caller = app.public_caller().await;
        let mut admitted = 0;
        for number in 0..100 {
            let named = HeaderValue::try_from(format!("198.51.100.{number}")).unwrap();
            let headers = HeaderMap::from_iter([(HeaderName::from_static("x-forwarded-for"), named)]);
            let address = address::client(peer, &headers, trusted_proxies);
            admitted += usize::from(limits::admit(&app.app, &caller, Budget::SignIn, address).await.is_ok());
        }
        admitted
    }

    #[tokio::test]
    async fn an_untrusted_peer_does_not_escape_the_limit_by_naming_other_addresses() {
        let peer = "203.0.113.5".parse().unwrap();
        assert_eq!(admitted_when_spoofing(peer, &[]).await, 60);
        assert_eq!(admitted_when_spoofing(peer, &["10.0.0.0/8".parse().unwrap()]).await, 60);
        assert_eq!(admitted_when_spoofing(peer, &["203.0.113.0/24".parse().unwrap()]).await, 100);
    }

    #[test]
    fn nothing_is_told_where_nothing_is_limited() {
        let problem =
            RateLimitStatus::new(Budget::SignIn, None).add_to(Err(Problem::new(Code::UserNotFound, ""))).err().unwrap();
        assert!(problem.headers().is_empty());
    }

    #[test]
    fn who_is_refused_is_told_when_to_come_back() {
        let limited = Limited(Standing { limit: 60, remaining: 0, reset_seconds: 17 });
        let problem = reject(Budget::FailedRefresh, limited);
        assert_eq!(problem.status(), StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(
            texts(problem.headers()),
            ["retry-after: 17", "ratelimit-policy: \"refresh\";q=60;w=60", "ratelimit: \"refresh\";r=0;t=17"]
        );
    }
}
