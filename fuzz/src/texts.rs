//! Slugs, names, prose, words and ids.

use crate::utf8;
use perennial_domain::clients::Origin;
use perennial_domain::currency::Currency;
use perennial_domain::cycle::BillingCycle;
use perennial_domain::id::{EventId, PlanId, SessionId, SubscriptionId, UserId};
use perennial_domain::payments::PaymentStatus;
use perennial_domain::plans::{Href, PlanKey};
use perennial_domain::slug::Slug;
use perennial_domain::subscriptions::SubscriptionStatus;
use perennial_domain::text::{Line, Prose};
use perennial_domain::users::Email;
use perennial_domain::validation::InvalidValue;

/// A slug is what it was written as, needs no escaping in a path, and is never an id.
pub(crate) fn slug(data: &[u8]) {
    let Some(text) = utf8(data) else { return };
    match Slug::parse(text) {
        Ok(slug) => {
            assert_eq!(slug.as_str(), text);
            assert!(text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_')));
            assert!((1..=100).contains(&text.len()) && !text.starts_with("plan_"));
            assert!(text.parse::<PlanId>().is_err());
            assert_eq!(PlanKey::parse(text), Some(PlanKey::Slug(slug)));
        }
        Err(reason) => has_a_message(&reason),
    }
    if let Some(PlanKey::Id(id)) = PlanKey::parse(text) {
        assert_eq!(id.to_string(), text);
    }
}

/// Whatever is read is written so that it reads the same, and both engines can keep it.
pub(crate) fn text(data: &[u8]) {
    let Some(text) = utf8(data) else { return };
    again(text, |text| Line::<1, 255>::parse(text).map(|line| line.as_str().to_owned()));
    again(text, |text| Prose::<5000>::parse(text).map(|prose| prose.as_str().to_owned()));
    again(text, |text| Email::parse(text).map(|email| email.as_str().to_owned()));
    again(text, |text| Href::parse(text).map(|href| href.as_str().to_owned()));
    again(text, |text| Origin::parse(text).map(|origin| origin.as_str().to_owned()));
    again(text, |text| Currency::parse(text).map(|currency| currency.as_str().to_owned()));
    again(text, |text| BillingCycle::parse(text).map(|cycle| cycle.as_str().to_owned()));
    again(text, |text| SubscriptionStatus::parse(text).map(|status| status.as_str().to_owned()));
    again(text, |text| PaymentStatus::parse(text).map(|status| status.as_str().to_owned()));
    let ids = [
        text.parse::<PlanId>().map(|id| id.to_string()),
        text.parse::<SubscriptionId>().map(|id| id.to_string()),
        text.parse::<UserId>().map(|id| id.to_string()),
        text.parse::<SessionId>().map(|id| id.to_string()),
        text.parse::<EventId>().map(|id| id.to_string()),
    ];
    assert!(ids.into_iter().flatten().all(|id| id == text), "an id has one spelling");
}

fn again(text: &str, parse: impl Fn(&str) -> Result<String, InvalidValue>) {
    match parse(text) {
        Ok(stored) => {
            assert_eq!(parse(&stored).as_ref(), Ok(&stored), "a stored value parses to itself");
            stored.chars().for_each(storable);
        }
        Err(reason) => has_a_message(&reason),
    }
}

/// PostgreSQL keeps no NUL; people are shown no control but breaks and tabs, and nothing that reorders.
pub(crate) fn storable(c: char) {
    let hidden =
        (c.is_control() && c != '\n' && c != '\t') || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    assert!(!hidden, "U+{:04X} was let through", u32::from(c));
}

/// A rejection has a remedy in one line.
pub(crate) fn has_a_message(reason: &InvalidValue) {
    assert!(!reason.code.as_str().is_empty() && !reason.detail.is_empty());
    assert!(!reason.detail.contains('\n'), "{:?}", reason.detail);
}
