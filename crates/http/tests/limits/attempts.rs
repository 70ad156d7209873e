//! Who is admitted how often, and when there is room again.

use super::support::{ADDRESS, Visitor};
use perennial_app::caller::Caller;
use perennial_app::context::AppOptions;
use perennial_app::limits::{Budget, Limited, RateLimits, Standing};
use perennial_testkit::{TestApp, TestOptions};

fn standing(remaining: u32, reset_seconds: u64) -> Standing {
    Standing { limit: 60, remaining, reset_seconds }
}

#[tokio::test]
async fn the_sixty_first_attempt_of_a_minute_is_rejected() {
    let app = TestApp::start().await;
    let visitor = Visitor::public(&app, ADDRESS).await;
    assert_eq!(visitor.admit().await, Ok(Some(standing(59, 60))));
    assert_eq!(visitor.attempt(58).await, 58);
    assert_eq!(visitor.admit().await, Ok(Some(standing(0, 61))));
    assert_eq!(visitor.admit().await, Err(Limited(standing(0, 61))));
    app.advance(45);
    assert_eq!(visitor.admit().await, Err(Limited(standing(0, 16))));
}

#[tokio::test]
async fn there_is_room_again_as_the_minute_slides_and_not_before() {
    let app = TestApp::start().await;
    let visitor = Visitor::public(&app, ADDRESS).await;
    assert_eq!(visitor.attempt(100).await, 60);
    app.advance(60);
    assert_eq!(visitor.attempt(1).await, 0, "a burst across the turn of the minute is not admitted twice");
    app.advance(1);
    assert_eq!(visitor.attempt(100).await, 1);
    app.advance(29);
    assert_eq!(visitor.attempt(100).await, 29, "half of the minute before has slid out");
    app.advance(90);
    assert_eq!(visitor.attempt(100).await, 60, "and two minutes later all is forgotten");
}

#[tokio::test]
async fn the_returned_seconds_are_those_after_which_it_works() {
    let app = TestApp::start().await;
    app.advance(17);
    let visitor = Visitor::public(&app, ADDRESS).await;
    visitor.attempt(60).await;
    let Err(Limited(reported)) = visitor.admit().await else { panic!("it was admitted") };
    let seconds = i64::try_from(reported.reset_seconds).unwrap();
    app.advance(seconds - 1);
    assert_eq!(visitor.attempt(1).await, 0);
    app.advance(1);
    assert_eq!(visitor.attempt(1).await, 1);
}

#[tokio::test]
async fn addresses_are_limited_each_and_a_network_of_ipv6_as_one() {
    let app = TestApp::start().await;
    assert_eq!(Visitor::public(&app, "2001:db8:1:2::1").await.attempt(40).await, 40);
    assert_eq!(Visitor::public(&app, "2001:db8:1:2:ffff::1").await.attempt(40).await, 20);
    assert_eq!(Visitor::public(&app, "2001:db8:1:3::1").await.attempt(40).await, 40);
    assert_eq!(Visitor::public(&app, ADDRESS).await.attempt(40).await, 40);
    assert_eq!(Visitor::public(&app, &format!("::ffff:{ADDRESS}")).await.attempt(40).await, 20);
    assert_eq!(Visitor::public(&app, "203.0.113.6").await.attempt(40).await, 40);
}

#[tokio::test]
async fn operators_and_users_of_an_address_sign_in_from_one_budget() {
    let app = TestApp::start().await;
    let operator = Visitor { caller: Caller::anonymous("request"), ..Visitor::public(&app, ADDRESS).await };
    assert_eq!(Visitor::public(&app, ADDRESS).await.attempt(40).await, 40);
    assert_eq!(operator.attempt(40).await, 20);
    let failed = Visitor { budget: Budget::FailedRefresh, ..operator };
    assert_eq!(failed.attempt(100).await, 60, "other budgets are those of the organization");
}

#[tokio::test]
async fn a_trusted_client_has_six_thousand_wherever_it_is() {
    let app = TestApp::start().await;
    let (here, there) = (Visitor::trusted(&app, ADDRESS).await, Visitor::trusted(&app, "203.0.113.6").await);
    assert_eq!(here.attempt(3_000).await, 3_000);
    assert_eq!(there.attempt(4_000).await, 3_000);
    assert_eq!(here.attempt(1).await, 0);
    assert_eq!(Visitor::public(&app, ADDRESS).await.attempt(100).await, 60, "and the public client its own sixty");
}

#[tokio::test]
async fn refreshes_count_when_they_fail_and_in_a_budget_of_their_own() {
    let app = TestApp::start().await;
    let visitor = Visitor { budget: Budget::FailedRefresh, ..Visitor::public(&app, ADDRESS).await };
    for _ in 0..1_000 {
        assert_eq!(visitor.peek().await, Ok(Some(standing(60, 60))), "a refresh that works costs nothing");
    }
    for failed in 1..=60 {
        assert!(visitor.peek().await.is_ok());
        assert_eq!(visitor.count().remaining, 60 - failed);
    }
    assert_eq!(visitor.peek().await, Err(Limited(standing(0, 61))));
    assert_eq!(Visitor::public(&app, ADDRESS).await.attempt(100).await, 60);
    app.advance(61);
    assert!(visitor.peek().await.is_ok());
}

#[tokio::test]
async fn the_limits_are_the_operators() {
    let limited = async |rate_limits: RateLimits| {
        let options = AppOptions { rate_limits, ..AppOptions::default() };
        TestApp::with(TestOptions { app: options, ..TestOptions::default() }).await
    };
    let few = limited(RateLimits { public_per_minute: 2, trusted_per_minute: 3, ..RateLimits::default() }).await;
    assert_eq!(Visitor::public(&few, ADDRESS).await.attempt(10).await, 2);
    assert_eq!(Visitor::trusted(&few, ADDRESS).await.attempt(10).await, 3);
    let off = limited(RateLimits { enabled: false, ..RateLimits::default() }).await;
    let visitor = Visitor::public(&off, ADDRESS).await;
    assert_eq!(visitor.attempt(1_000).await, 1_000);
    assert_eq!(visitor.admit().await, Ok(None), "and there is nothing to tell");
}
