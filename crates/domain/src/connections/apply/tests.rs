use super::*;
use crate::currency::Currency;
use crate::cycle::BillingCycle;
use crate::plans::tests::plan;
use SubscriptionStatus::{Active, Cancelled, Expired, PastDue};
use proptest::prelude::*;

fn at(seconds: i64) -> Time {
    Time::from_micros(seconds * 1_000_000).unwrap()
}

fn new(now: i64) -> NewRecord {
    let plan = plan();
    NewRecord {
        organization_id: plan.organization_id,
        id: [7; 16],
        revision: EventId::from_bytes([1; 16]),
        now: at(now),
    }
}

fn facts(status: SubscriptionStatus) -> SubscriptionFacts {
    SubscriptionFacts {
        external_id: "sub_1".to_owned(),
        customer: "cus_1".to_owned(),
        user_id: None,
        items: vec![item(2)],
        status,
        starts_at: at(100),
        renews_at: Some(at(1_000)),
        ends_at: None,
        is_single: false,
        created_at: at(100),
    }
}

fn item(quantity: i64) -> ItemFacts {
    ItemFacts { price: "price_1".to_owned(), quantity }
}

fn apply(before: Option<&Subscription>, facts: &SubscriptionFacts, now: i64) -> Result<Subscription, NotApplied> {
    let (plan, item) = (plan(), facts.items[0].clone());
    let connection = ConnectionId::from_bytes([4; 16]);
    let owner = Owner { connection, user: UserId::from_bytes([5; 16]), plan: &plan, item: &item };
    match before {
        None => new_subscription(facts, owner, new(now)),
        Some(before) => follow_subscription(before, facts, owner, at(now)),
    }
}

#[test]
fn a_new_subscription_is_as_the_provider_reports_it() {
    let made = apply(None, &facts(PastDue), 500).unwrap();
    assert_eq!((made.status, made.is_active, made.details.quantity.get()), (PastDue, true, 2));
    assert_eq!((made.starts_at, made.renews_at, made.created_at), (at(100), Some(at(1_000)), at(500)));
    assert_eq!(made.managed_by, Some(ConnectionId::from_bytes([4; 16])));
    assert_eq!(apply(Some(&made), &facts(PastDue), 600), Ok(made), "nothing differs");
}

#[test]
fn facts_skip_the_transitions_and_expired_is_final() {
    for from in SubscriptionStatus::ALL {
        let before = apply(None, &facts(from), 500).unwrap();
        for to in SubscriptionStatus::ALL {
            let after = apply(Some(&before), &facts(to), 600);
            if from == Expired && to != Expired {
                assert_eq!(after, Err(NotApplied::ExpiredIsFinal));
            } else {
                assert_eq!(after.unwrap().status, to);
            }
        }
    }
}

#[test]
fn an_override_of_is_active_stays_and_an_expired_subscription_is_inactive() {
    let before = Subscription { is_active: false, ..apply(None, &facts(Active), 500).unwrap() };
    assert!(!apply(Some(&before), &facts(PastDue), 600).unwrap().is_active);
    let forced = Subscription { is_active: true, ..apply(None, &facts(SubscriptionStatus::Paused), 500).unwrap() };
    assert!(apply(Some(&forced), &facts(Active), 600).unwrap().is_active);
    assert!(!apply(Some(&forced), &facts(Expired), 600).unwrap().is_active);
}

#[test]
fn an_end_that_is_reported_ends_access_then() {
    let leaving = SubscriptionFacts { ends_at: Some(at(1_000)), ..facts(Cancelled) };
    let made = apply(None, &leaving, 500).unwrap();
    assert_eq!(made.due_at, Some(at(1_000)));
    assert!(made.has_access(at(999)) && !made.has_access(at(1_000)));
    assert_eq!(apply(Some(&made), &facts(Active), 600).unwrap().ends_at, None);
}

#[test]
fn the_price_and_whether_it_is_sold_follow_and_the_name_does_not() {
    let before = plan();
    let facts = |price: &str, is_active, name: &str| PriceFacts {
        external_id: "price_1".to_owned(),
        product_id: None,
        name: crate::plans::PlanName::parse(name).unwrap(),
        slug_text: name.to_owned(),
        price: crate::money::Money::parse(crate::number::Number::parse(price).unwrap()).unwrap(),
        currency: Currency::USD,
        billing_cycle: BillingCycle::Yearly,
        href: None,
        description: crate::plans::Description::default(),
        features: crate::plans::Features::default(),
        is_active,
        created_at: at(1),
    };
    assert_eq!(follow_price(&before, &facts("9.5", true, "Pro")), Ok((before.clone(), false)));
    let (after, is_renamed) = follow_price(&before, &facts("12", false, "Other")).unwrap();
    assert_eq!((after.version.get(), after.is_active, is_renamed), (2, false, true));
    assert_eq!((&after.name, &after.slug, after.billing_cycle), (&before.name, &before.slug, before.billing_cycle));
    let made = new_plan(&facts("9.5", true, "Pro Plan!"), slug_for("Pro Plan!", "abc", false), new(1));
    assert_eq!((made.slug.as_str(), made.variants[0].as_str()), ("pro-plan", "price_1"));
    let euro = PriceFacts { currency: Currency::parse("EUR").unwrap(), ..facts("9.5", true, "Pro") };
    assert_eq!(follow_price(&before, &euro).unwrap_err().code(), "currency");
}

proptest! {
    #[test]
    fn any_name_has_a_slug(text in "\\PC{0,200}", is_taken: bool) {
        let slug = slug_for(&text, "0a1b2c", is_taken);
        prop_assert!(Slug::parse(slug.as_str()).is_ok());
    }

    #[test]
    fn the_last_fetch_wins_whatever_came_before(statuses in prop::collection::vec(0..8_usize, 1..12)) {
        let usual: Vec<_> = SubscriptionStatus::ALL.into_iter().filter(|status| *status != Expired).collect();
        let mut record = None;
        for (number, place) in statuses.iter().enumerate() {
            let now = 500 + i64::try_from(number).unwrap();
            record = Some(apply(record.as_ref(), &facts(usual[*place % usual.len()]), now).unwrap());
        }
        let last = facts(usual[*statuses.last().unwrap() % usual.len()]);
        let direct = apply(None, &last, 500).unwrap();
        let record = record.unwrap();
        prop_assert_eq!((record.status, record.is_active, record.ends_at), (direct.status, direct.is_active, direct.ends_at));
    }
}
