//! Clocks that differ: a minute is forgiven, more is not.

use super::support::{DAY, REFUSED, Service};
use serde_json::json;

#[tokio::test]
async fn a_token_from_a_clock_that_is_ahead_or_behind_is_forgiven_a_minute() {
    let service = Service::start().await;
    let now = service.now();
    for (claim, value, expected) in [
        ("iat", now + 50, "accepted"),
        ("iat", now + 70, REFUSED),
        ("nbf", now + 50, "accepted"),
        ("nbf", now + 70, REFUSED),
        ("exp", now - 50, "accepted"),
        ("exp", now - 70, REFUSED),
        ("iat", now - DAY, "accepted"),
        ("iat", now - DAY - 50, "accepted"),
        ("iat", now - DAY - 70, REFUSED),
    ] {
        let token = service.token(|_, claims| claims[claim] = json!(value));
        assert_eq!(service.outcome(&token).await, expected, "{claim} {}", value - now);
    }
}

#[tokio::test]
async fn attack_35_our_own_clock_may_step_and_nothing_is_accepted_early() {
    let service = Service::start().await;
    for step in [-300, 300, 300, -600, DAY, -DAY] {
        service.app.advance(step);
        assert_eq!(service.outcome(&service.token_in(61)).await, REFUSED, "{step}");
        assert_eq!(service.outcome(&service.token_in(0)).await, "accepted", "{step}");
    }
}
