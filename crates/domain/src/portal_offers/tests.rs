use super::*;
use crate::clients::Origin;
use crate::id::{EventId, OrganizationId, PlanId, SubscriptionId, UserId};
use crate::lifecycle::billing::Billing;
use crate::lifecycle::calendar::ZoneName;
use crate::plans::Version;
use crate::portal::{Accent, PORTAL_MAX_SECONDS, masked_email, portal_expiry};
use crate::subscriptions::{SubscriptionDetails, SubscriptionDraft};
use crate::validation::ValidationCode;
use crate::validation::ValidationErrors;
use proptest::prelude::*;

fn at(seconds: i64) -> Time {
    Time::from_micros(seconds * 1_000_000).unwrap()
}

fn subscription(status: SubscriptionStatus, ends_at: Option<Time>) -> Subscription {
    Subscription {
        id: SubscriptionId::from_bytes([1; 16]),
        user_id: UserId::from_bytes([2; 16]),
        plan_id: PlanId::from_bytes([3; 16]),
        plan_version: Version::default(),
        details: SubscriptionDetails::default(),
        billing_cycle: crate::cycle::BillingCycle::Monthly,
        status,
        is_active: status.is_active_by_default(),
        renews_at: Some(at(200)),
        starts_at: at(0),
        billing: None,
        managed_by: None,
        ends_at,
        entitlements: crate::entitlements::Grants::default(),
        created_at: at(0),
        updated_at: at(0),
        organization_id: OrganizationId::from_bytes([4; 16]),
        due_at: None,
        usage_closed_until: None,
        revision: EventId::from_bytes([5; 16]),
    }
}

#[test]
fn a_session_ends_after_half_an_hour_without_use_and_after_half_a_day() {
    assert_eq!(portal_expiry(at(0), at(0)), at(1_800));
    assert_eq!(portal_expiry(at(0), at(3_600)), at(5_400));
    assert_eq!(portal_expiry(at(0), at(43_000)), at(43_200));
}

#[test]
fn a_color_is_dark_enough_for_white_text() {
    for color in ["#17734b", "#000000", "#0000FF", "#767676", "#B00020"] {
        assert_eq!(Accent::parse(color).unwrap().as_str(), color.to_ascii_lowercase());
    }
    for color in ["#777777", "#ffffff", "#00ff00", "#e3a008"] {
        assert_eq!(Accent::parse(color).unwrap_err().code, ValidationCode::OutOfRange, "{color}");
    }
    for color in ["", "17734b", "#17734", "#17734b0", "#gggggg", "red", "#+17734", "#1é734"] {
        assert_eq!(Accent::parse(color).unwrap_err().code, ValidationCode::InvalidFormat, "{color}");
    }
    assert!(Accent::parse(Accent::default().as_str()).is_ok());
}

#[test]
fn what_is_offered_follows_the_status_and_the_settings() {
    use SubscriptionStatus::{Active, Cancelled, Expired, OnTrial};
    let usual = PortalSettings::default();
    let offers = |settings: &PortalSettings, status, ends_at| {
        let Offers { cancel, resume, change } = settings.offers(&subscription(status, ends_at), at(100));
        (cancel, resume, change == ChangeMode::Link)
    };
    assert_eq!(offers(&usual, Active, None), (true, false, false));
    assert_eq!(offers(&usual, OnTrial, None), (true, false, false));
    assert_eq!(offers(&usual, Cancelled, Some(at(101))), (false, true, false));
    assert_eq!(offers(&usual, Cancelled, Some(at(100))), (false, false, false));
    assert_eq!(offers(&usual, Expired, None), (false, false, false));
    assert_eq!(offers(&usual, Active, Some(at(50))), (false, false, false));
    let closed = PortalSettings { cancel: CancelMode::Off, resume: false, ..usual.clone() };
    assert_eq!(offers(&closed, Active, None), (false, false, false));
    assert_eq!(offers(&closed, Cancelled, Some(at(101))), (false, false, false));
    let link = PortalSettings { change: ChangeMode::Link, ..usual };
    assert_eq!(offers(&link, Active, None), (true, false, true));
    assert_eq!(offers(&link, Cancelled, Some(at(101))), (false, true, false));
}

#[test]
fn nothing_is_offered_for_a_managed_subscription() {
    use SubscriptionStatus::{Active, Cancelled};
    let settings = PortalSettings { change: ChangeMode::Link, ..PortalSettings::default() };
    for (status, ends_at) in [(Active, None), (Cancelled, Some(at(101)))] {
        let managed_by = Some(crate::id::ConnectionId::from_bytes([6; 16]));
        let managed = Subscription { managed_by, ..subscription(status, ends_at) };
        let nothing = Offers { cancel: false, resume: false, change: ChangeMode::Off };
        assert_eq!(settings.offers(&managed, at(100)), nothing);
    }
}

#[test]
fn only_a_billed_subscription_that_renews_can_change_with_the_next_period() {
    let settings = PortalSettings { change: ChangeMode::NextPeriod, ..PortalSettings::default() };
    let choose = |subscription: &Subscription| settings.offers(subscription, at(100)).change == ChangeMode::NextPeriod;
    let external = subscription(SubscriptionStatus::Active, None);
    assert!(!choose(&external));
    let billing = Some(Box::new(Billing::new(ZoneName::default(), external.starts_at)));
    let billed = Subscription { billing, ..external };
    assert!(choose(&billed));
    assert_eq!(PortalSettings::default().offers(&billed, at(100)).change, ChangeMode::Off);
    assert!(!choose(&Subscription { renews_at: None, ..billed.clone() }));
    assert!(!choose(&Subscription { status: SubscriptionStatus::Cancelled, ends_at: Some(at(101)), ..billed }));
}

#[test]
fn a_link_returns_to_listed_origins_only() {
    let origins = ["https://app.example.com", "http://localhost:*"].map(|text| Origin::parse(text).unwrap());
    let settings = PortalSettings { return_origins: origins.to_vec(), ..PortalSettings::default() };
    let allows = |url: &str| settings.allows_return(&Href::parse(url).unwrap());
    assert!(allows("https://app.example.com") && allows("https://APP.example.com/billing?x=1"));
    assert!(allows("http://localhost:3000/"));
    assert!(!allows("http://app.example.com") && !allows("https://app.example.com:444/"));
    assert!(!allows("https://app.example.com.evil.example/") && !allows("https://app.example.com@evil.example/"));
}

#[test]
fn a_masked_address_shows_its_first_character_and_its_domain() {
    assert_eq!(masked_email("ada@example.com"), "a…@example.com");
    assert_eq!(masked_email("éa@b.example"), "é…@b.example");
    assert_eq!(masked_email("nothing"), "…");
}

fn statuses() -> impl Strategy<Value = SubscriptionStatus> {
    prop::sample::select(SubscriptionStatus::ALL.to_vec())
}

proptest! {
    /// Whatever is offered is a transition that the API allows, and cancelling and resuming exclude each other.
    #[test]
    fn what_is_offered_is_allowed(status in statuses(), ends in prop::option::of(0_i64..200), now in 0_i64..200) {
        let before = subscription(status, ends.map(at));
        let offers = PortalSettings::default().offers(&before, at(now));
        prop_assert!(!(offers.cancel && offers.resume));
        let is_allowed = |status| {
            let patch = SubscriptionDraft { status: Some(status), ..SubscriptionDraft::default() };
            before.merge(patch, None, ValidationErrors::none(), at(now)).is_ok()
        };
        prop_assert!(!offers.cancel || is_allowed(SubscriptionStatus::Cancelled));
        prop_assert!(!offers.resume || is_allowed(SubscriptionStatus::Active));
    }

    /// A session never outlives half a day, and is extended by use.
    #[test]
    fn use_never_shortens_a_session(used in 0_i64..100_000, later in 0_i64..100_000) {
        let one = portal_expiry(at(0), at(used));
        prop_assert!(one <= at(PORTAL_MAX_SECONDS));
        prop_assert!(portal_expiry(at(0), at(used + later)) >= one);
    }
}
