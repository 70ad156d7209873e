//! The rules of a subscription, one sentence of the contract each.

use super::SubscriptionStatus::{Active, Cancelled, Expired, Incomplete, OnTrial, PastDue, Paused, Pending, Unpaid};
use super::*;
use crate::plans::tests::{event, instant, plan};
use proptest::prelude::*;

const NOW: &str = "2026-03-10T12:00:00Z";

fn draft() -> SubscriptionDraft {
    SubscriptionDraft { user_id: Some(UserId::new(instant(NOW), 4)), ..SubscriptionDraft::default() }
}

fn create(draft: SubscriptionDraft) -> Result<Subscription, ValidationErrors> {
    let now = instant(NOW);
    Subscription::create(draft, ValidationErrors::none(), Some(&plan()), SubscriptionId::new(now, 8), event(2), now)
}

fn in_status(status: SubscriptionStatus) -> Subscription {
    create(SubscriptionDraft { status: Some(status), ..draft() }).unwrap()
}

fn patch(status: SubscriptionStatus) -> SubscriptionDraft {
    SubscriptionDraft { status: Some(status), ..SubscriptionDraft::default() }
}

fn merge(before: &Subscription, patch: SubscriptionDraft) -> Result<Subscription, Rejection> {
    before.merge(patch, None, ValidationErrors::none(), instant(NOW))
}

fn errors(result: Result<Subscription, Rejection>) -> ValidationErrors {
    match result {
        Err(Rejection::Invalid(errors)) => errors,
        other => panic!("expected errors, got {other:?}"),
    }
}

#[test]
fn a_draft_gets_the_defaults_of_the_contract() {
    let subscription = create(draft()).unwrap();
    assert_eq!((subscription.status, subscription.is_active), (Active, true));
    assert_eq!(subscription.billing_cycle, plan().billing_cycle);
    assert_eq!(subscription.starts_at, instant(NOW));
    assert_eq!(subscription.renews_at, Some(instant("2026-04-10T12:00:00Z")));
    assert_eq!((subscription.ends_at, subscription.details.external_subscription_id.clone()), (None, None));
    assert_eq!((subscription.plan_id, subscription.organization_id), (plan().id, plan().organization_id));
}

#[test]
fn the_first_renewal_is_a_cycle_after_the_start_even_if_past() {
    let long_ago = SubscriptionDraft { starts_at: Some(instant("2020-01-31T00:00:00Z")), ..draft() };
    assert_eq!(create(long_ago).unwrap().renews_at, Some(instant("2020-02-29T00:00:00Z")));
    let yearly = SubscriptionDraft { billing_cycle: Some(BillingCycle::Yearly), ..draft() };
    assert_eq!(create(yearly).unwrap().renews_at, Some(instant("2027-03-10T12:00:00Z")));
    let forever = SubscriptionDraft { billing_cycle: Some(BillingCycle::Lifetime), ..draft() };
    assert_eq!(create(forever).unwrap().renews_at, None);
    let none = SubscriptionDraft { renews_at: Some(None), ..draft() };
    assert_eq!(create(none).unwrap().renews_at, None);
}

#[test]
fn a_start_that_leaves_no_renewal_is_refused_unless_the_renewal_is_sent() {
    let last = SubscriptionDraft { starts_at: Some(Time::MAX), ..draft() };
    assert!(create(last.clone()).unwrap_err().touch("/starts_at"));
    assert!(create(SubscriptionDraft { renews_at: Some(None), ..last.clone() }).is_ok());
    assert!(create(SubscriptionDraft { billing_cycle: Some(BillingCycle::Lifetime), ..last }).is_ok());
}

#[test]
fn a_draft_with_faults_or_gaps_is_no_subscription() {
    let now = instant(NOW);
    let mut wrong = ValidationErrors::none();
    wrong.note("/status", ValidationCode::UnknownValue, "");
    let id = SubscriptionId::new(now, 8);
    let result = Subscription::create(draft(), wrong.clone(), Some(&plan()), id, event(2), now);
    assert_eq!(result, Err(wrong.clone()));
    assert_eq!(Subscription::create(draft(), wrong.clone(), None, id, event(2), now), Err(wrong));
    assert!(create(SubscriptionDraft::default()).is_err());
}

#[test]
fn contradictions_are_told_though_the_references_are_missing() {
    let now = instant(NOW);
    let early = Some(Some(instant("2026-03-10T11:59:59Z")));
    let draft = SubscriptionDraft {
        status: Some(Expired),
        is_active: Some(true),
        renews_at: early,
        ends_at: early,
        ..SubscriptionDraft::default()
    };
    let id = SubscriptionId::new(now, 8);
    let found = Subscription::create(draft, ValidationErrors::none(), None, id, event(2), now).unwrap_err();
    let pointers: Vec<&str> = found.iter().map(|error| error.pointer.as_ref()).collect();
    assert_eq!(pointers, ["/renews_at", "/ends_at", "/is_active"]);
}

#[test]
fn a_field_that_was_not_sent_is_not_blamed_for_one_that_was() {
    let now = instant(NOW);
    let mut wrong = ValidationErrors::none();
    wrong.note("/renews_at", ValidationCode::InvalidFormat, "");
    let last = SubscriptionDraft { starts_at: Some(Time::MAX), ..draft() };
    let id = SubscriptionId::new(now, 8);
    assert_eq!(Subscription::create(last, wrong.clone(), Some(&plan()), id, event(2), now), Err(wrong));
    let cancelled = SubscriptionDraft {
        status: Some(Cancelled),
        starts_at: Some(instant("2027-01-01T00:00:00Z")),
        renews_at: Some(Some(instant("2026-12-31T00:00:00Z"))),
        ..draft()
    };
    let found = create(cancelled).unwrap_err();
    assert!(found.touch("/renews_at") && !found.touch("/ends_at"));
}

#[test]
fn activity_defaults_by_status() {
    for status in SubscriptionStatus::ALL {
        assert_eq!(in_status(status).is_active, status.is_active_by_default(), "{status:?}");
    }
    let paused = SubscriptionDraft { status: Some(Paused), is_active: Some(true), ..draft() };
    assert!(create(paused).unwrap().is_active);
}

#[test]
fn instants_keep_their_order() {
    let early = Some(Some(instant("2026-03-10T11:59:59Z")));
    let both = SubscriptionDraft { renews_at: early, ends_at: early, ..draft() };
    let found = create(both).unwrap_err();
    assert!(found.touch("/renews_at") && found.touch("/ends_at"));
    let same = Some(Some(instant(NOW)));
    assert!(create(SubscriptionDraft { renews_at: same, ends_at: same, ..draft() }).is_ok());
    let later_start =
        SubscriptionDraft { starts_at: Some(instant("2027-01-01T00:00:00Z")), ..SubscriptionDraft::default() };
    assert!(errors(merge(&in_status(Active), later_start)).touch("/renews_at"));
}

#[test]
fn an_instant_already_at_fault_is_not_compared() {
    for pointer in ["/starts_at", "/renews_at"] {
        let mut wrong = ValidationErrors::none();
        wrong.note(pointer, ValidationCode::InvalidFormat, "");
        let patch = SubscriptionDraft {
            renews_at: Some(Some(instant("2020-01-01T00:00:00Z"))),
            ..SubscriptionDraft::default()
        };
        let result = in_status(Active).merge(patch, None, wrong.clone(), instant(NOW));
        assert_eq!(result, Err(Rejection::Invalid(wrong)), "{pointer}");
    }
}

#[test]
fn an_expired_subscription_cannot_be_active() {
    let draft = SubscriptionDraft { status: Some(Expired), is_active: Some(true), ..draft() };
    assert!(create(draft).unwrap_err().touch("/is_active"));
    let patch = SubscriptionDraft { is_active: Some(true), ..SubscriptionDraft::default() };
    assert!(errors(merge(&in_status(Expired), patch)).touch("/is_active"));
    let mut wrong = ValidationErrors::none();
    wrong.note("/is_active", ValidationCode::InvalidType, "");
    let overridden = Subscription { is_active: true, ..in_status(Paused) };
    let patch = SubscriptionDraft { status: Some(Expired), ..SubscriptionDraft::default() };
    assert_eq!(overridden.merge(patch, None, wrong.clone(), instant(NOW)), Err(Rejection::Invalid(wrong)));
}

#[test]
fn activity_moves_with_the_status_unless_the_operator_overrode_it() {
    assert!(!merge(&in_status(Active), patch(Paused)).unwrap().is_active);
    assert!(merge(&in_status(Paused), patch(Active)).unwrap().is_active);
    let stopped = Subscription { is_active: false, ..in_status(Active) };
    assert!(!merge(&stopped, patch(PastDue)).unwrap().is_active);
    let kept_open = Subscription { is_active: true, ..in_status(Paused) };
    assert!(merge(&kept_open, patch(Unpaid)).unwrap().is_active);
    let sent = SubscriptionDraft { is_active: Some(true), ..patch(Paused) };
    assert!(merge(&in_status(Active), sent).unwrap().is_active);
    assert!(errors(merge(&kept_open, patch(Expired))).touch("/is_active"));
    let other = SubscriptionDraft { billing_cycle: Some(BillingCycle::Daily), ..SubscriptionDraft::default() };
    assert!(!merge(&stopped, other).unwrap().is_active);
}

#[test]
fn becoming_cancelled_ends_with_the_paid_period() {
    let cancelled = merge(&in_status(Active), patch(Cancelled)).unwrap();
    assert_eq!(cancelled.ends_at, Some(instant("2026-04-10T12:00:00Z")));
    let overdue = Subscription { renews_at: Some(instant(NOW)), ..in_status(Active) };
    assert_eq!(merge(&overdue, patch(Cancelled)).unwrap().ends_at, Some(instant(NOW)));
    let future = instant("2026-06-01T00:00:00Z");
    let not_begun = Subscription { starts_at: future, renews_at: None, ..in_status(Pending) };
    assert_eq!(merge(&not_begun, patch(Cancelled)).unwrap().ends_at, Some(future));
    let chosen = SubscriptionDraft { ends_at: Some(Some(future)), ..patch(Cancelled) };
    assert_eq!(merge(&in_status(Active), chosen).unwrap().ends_at, Some(future));
    let already = Subscription { ends_at: Some(future), ..in_status(Active) };
    assert_eq!(merge(&already, patch(Cancelled)).unwrap().ends_at, Some(future));
    let emptied = SubscriptionDraft { ends_at: Some(None), ..patch(Cancelled) };
    assert_eq!(merge(&already, emptied).unwrap().ends_at, Some(instant("2026-04-10T12:00:00Z")));
}

#[test]
fn a_subscription_created_cancelled_ends_with_the_paid_period_unless_told() {
    assert_eq!(in_status(Cancelled).ends_at, Some(instant("2026-04-10T12:00:00Z")));
    let explicit = SubscriptionDraft { status: Some(Cancelled), ends_at: Some(None), ..draft() };
    assert_eq!(create(explicit).unwrap().ends_at, None);
    assert_eq!(in_status(Expired).ends_at, None);
}

#[test]
fn leaving_cancelled_clears_the_end_except_to_expired() {
    let cancelled = in_status(Cancelled);
    assert_eq!(merge(&cancelled, patch(Active)).unwrap().ends_at, None);
    assert_eq!(merge(&cancelled, patch(Expired)).unwrap().ends_at, cancelled.ends_at);
    let later = Some(instant("2027-01-01T00:00:00Z"));
    let sent = SubscriptionDraft { ends_at: Some(later), ..patch(Active) };
    assert_eq!(merge(&cancelled, sent).unwrap().ends_at, later);
    let paused = Subscription { ends_at: later, ..in_status(Active) };
    assert_eq!(merge(&paused, patch(Paused)).unwrap().ends_at, later);
    let still = SubscriptionDraft { billing_cycle: Some(BillingCycle::Daily), ..SubscriptionDraft::default() };
    assert_eq!(merge(&cancelled, still).unwrap().ends_at, cancelled.ends_at);
}

#[test]
fn a_forbidden_move_names_the_allowed_ones() {
    let refusal = merge(&in_status(Incomplete), patch(PastDue)).unwrap_err();
    let allowed = vec!["active", "on_trial", "cancelled", "expired"];
    assert_eq!(refusal, Rejection::Transition(Transition { from: "incomplete", to: "past_due", allowed }));
    assert!(matches!(merge(&in_status(Expired), patch(Active)), Err(Rejection::Transition(_))));
}

#[test]
fn an_update_touches_only_what_was_sent() {
    let before = in_status(Active);
    assert_eq!(merge(&before, SubscriptionDraft::default()), Ok(before.clone()));
    let user = UserId::new(instant(NOW), 400);
    let other_plan = Plan { id: PlanId::new(instant(NOW), 800), version: Version::from_stored(3), ..plan() };
    let external = ExternalSubscriptionId::parse("ext").unwrap();
    let patch = SubscriptionDraft {
        user_id: Some(user),
        details: Some(SubscriptionDetails {
            external_subscription_id: Some(external.clone()),
            ..SubscriptionDetails::default()
        }),
        billing_cycle: Some(BillingCycle::Yearly),
        starts_at: Some(instant("2026-03-01T00:00:00Z")),
        ..SubscriptionDraft::default()
    };
    let after = before.merge(patch, Some(&other_plan), ValidationErrors::none(), instant(NOW)).unwrap();
    assert_eq!(
        (after.user_id, after.plan_id, after.plan_version, after.details.external_subscription_id),
        (user, other_plan.id, other_plan.version, Some(external))
    );
    assert_eq!((after.billing_cycle, after.starts_at), (BillingCycle::Yearly, instant("2026-03-01T00:00:00Z")));
    assert_eq!((after.renews_at, after.status), (before.renews_at, before.status));
}

#[test]
fn a_version_is_pinned_until_the_plans_current_one_is_sent() {
    let before = in_status(Active);
    let current = Plan { version: Version::from_stored(3), ..plan() };
    let version = |sent: Option<i64>, plan: Option<&Plan>| {
        let patch = SubscriptionDraft { plan_version: sent.map(Version::from_stored), ..SubscriptionDraft::default() };
        let merged = before.merge(patch, plan, ValidationErrors::none(), instant(NOW));
        merged.map(|merged| merged.plan_version.get()).ok()
    };
    assert_eq!(version(None, None), Some(1));
    assert_eq!(version(None, Some(&current)), Some(1), "naming the same plan moves nothing");
    assert_eq!(version(Some(1), Some(&current)), Some(1));
    assert_eq!(version(Some(3), Some(&current)), Some(3));
    assert_eq!(version(Some(2), Some(&current)), None);
    assert_eq!(version(Some(3), None), None);
    let other = Plan { id: PlanId::new(instant(NOW), 800), ..current };
    assert_eq!(version(Some(1), Some(&other)), Some(3), "a record that is sent back with another plan");
}

#[test]
fn access_follows_from_activity_status_start_and_end() {
    let now = instant(NOW);
    for status in [OnTrial, Active, PastDue, Cancelled] {
        assert!(in_status(status).has_access(now), "{status:?}");
        assert!(!Subscription { is_active: false, ..in_status(status) }.has_access(now), "{status:?}");
    }
    for status in [Pending, Incomplete, Unpaid, Paused, Expired] {
        assert!(!Subscription { is_active: true, ..in_status(status) }.has_access(now), "{status:?}");
    }
    let open_end = Subscription { ends_at: None, ..in_status(Cancelled) };
    assert!(!open_end.has_access(now));
    let ends = Subscription { ends_at: Some(instant("2026-03-10T12:00:01Z")), ..in_status(Active) };
    assert!(ends.has_access(now) && !ends.has_access(instant("2026-03-10T12:00:01Z")));
    let later = Subscription { starts_at: instant("2026-03-10T12:00:01Z"), ..in_status(Active) };
    assert!(!later.has_access(now) && later.has_access(instant("2026-03-10T12:00:01Z")));
}

proptest! {
    #[test]
    fn a_merged_record_is_valid_or_refused(
        from in 0_usize..9, to in 0_usize..9, active: Option<bool>,
        end in prop::option::of(prop::option::of(0_i64..4_000_000_000_000_000)),
    ) {
        let before = in_status(SubscriptionStatus::ALL[from]);
        let patch = SubscriptionDraft {
            is_active: active,
            ends_at: end.map(|end| end.and_then(Time::from_micros)),
            ..patch(SubscriptionStatus::ALL[to])
        };
        if let Ok(after) = merge(&before, patch) {
            prop_assert!(before.status.can_become(after.status));
            prop_assert!(after.ends_at.is_none_or(|end| end >= after.starts_at));
            prop_assert!(!(after.is_active && after.status == Expired));
            prop_assert!(!(after.status == Cancelled && before.status != Cancelled && after.ends_at.is_none()));
        }
    }
}

proptest! {
    /// The stored instants are exactly those at which access changes between now and the end of time, each once and in order.
    #[test]
    fn every_change_of_access_by_the_clock_is_found_once(
        status in prop::sample::select(SubscriptionStatus::ALL.to_vec()),
        is_active: bool,
        start in -5i64..5,
        end in prop::option::of(0i64..8),
        late in 0i64..20,
    ) {
        let second = |seconds| instant(NOW).plus_seconds(seconds);
        let ends_at = end.map(|length| second(start + length));
        let mut subscription = Subscription { is_active, starts_at: second(start), ends_at, ..in_status(status) };
        subscription.due_at = subscription.access().next_change(instant(NOW));
        let mut found = Vec::new();
        while let Some((after, has_access)) = subscription.change_access(second(late)) {
            found.push((subscription.due_at.unwrap(), has_access));
            subscription = after;
        }
        let flips = (1..=late).map(second).filter(|now| {
            subscription.has_access(*now) != subscription.has_access(now.plus_seconds(-1))
        });
        let expected: Vec<_> = flips.map(|now| (now, subscription.has_access(now))).collect();
        prop_assert_eq!(found, expected);
    }
}
