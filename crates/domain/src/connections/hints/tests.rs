use super::*;
use crate::connections::ConnectionDraft;
use crate::connections::ConnectionName;
use crate::id::{ConnectionId, EventId, OrganizationId};
use crate::organizations::OrganizationMode;
use proptest::prelude::*;
use serde_json::json;

fn connection(kind: ConnectionKind) -> Connection {
    let name = ConnectionName::parse("main").ok();
    let draft = ConnectionDraft { kind: Some(kind), name, ..ConnectionDraft::default() };
    let organization = (OrganizationId::from_bytes([1; 16]), OrganizationMode::Live);
    let ids = (ConnectionId::from_bytes([2; 16]), EventId::from_bytes([3; 16]));
    Connection::create(draft, organization, ids.0, ids.1, Time::from_micros(1).unwrap()).unwrap()
}

fn read(kind: ConnectionKind, event: &Value) -> Hint {
    Hint::read(&connection(kind), event.to_string().as_bytes())
}

fn stripe_event(kind: &str, object: &Value) -> Hint {
    let event = json!({
        "id": "evt_1", "type": kind, "created": 1_767_225_600, "livemode": true, "data": { "object": object }
    });
    read(ConnectionKind::Stripe, &event)
}

#[test]
fn the_object_of_a_stripe_event_decides() {
    use ObjectKind::{Customer, Payment, Price, Subscription};
    for (kind, object, expected) in [
        ("customer.updated", json!({ "object": "customer", "id": "cus_1" }), Some((Customer, "cus_1"))),
        ("price.updated", json!({ "object": "price", "id": "price_1" }), Some((Price, "price_1"))),
        ("plan.updated", json!({ "object": "plan", "id": "gold" }), Some((Price, "gold"))),
        ("product.updated", json!({ "object": "product", "id": "prod_1" }), Some((Price, "prod_1"))),
        ("any.name", json!({ "object": "subscription", "id": "sub_1" }), Some((Subscription, "sub_1"))),
        (
            "c",
            json!({ "object": "checkout.session", "id": "cs_1", "subscription": "sub_2" }),
            Some((Subscription, "sub_2")),
        ),
        (
            "c",
            json!({ "object": "checkout.session", "subscription": { "id": "sub_3" } }),
            Some((Subscription, "sub_3")),
        ),
        ("invoice.paid", json!({ "object": "invoice", "id": "in_1" }), Some((Payment, "in_1"))),
        ("invoice_payment.paid", json!({ "object": "invoice_payment", "invoice": "in_2" }), Some((Payment, "in_2"))),
        ("charge.refunded", json!({ "object": "charge", "id": "ch_1", "invoice": "in_3" }), Some((Payment, "in_3"))),
        ("charge.refunded", json!({ "object": "charge", "id": "ch_1", "invoice": null }), Some((Payment, "ch_1"))),
        ("charge.refunded", json!({ "id": "ch_1", "invoice": "in_4" }), Some((Payment, "in_4"))),
        ("charge.refunded", json!({ "id": "py_1", "invoice": null }), Some((Payment, "py_1"))),
        ("charge.dispute.created", json!({ "object": "dispute", "charge": "ch_2" }), Some((Payment, "ch_2"))),
        ("charge.succeeded", json!({ "object": "charge", "id": "ch_1", "invoice": "in_3" }), None),
        ("payment_intent.succeeded", json!({ "object": "payment_intent", "id": "pi_1" }), None),
        ("mandate.updated", json!({ "object": "mandate", "id": "m_1" }), None),
    ] {
        let hint = stripe_event(kind, &object);
        assert_eq!(hint.object.as_ref().map(|(kind, id)| (*kind, id.as_str())), expected, "{object}");
        assert_eq!(hint.refusal, expected.is_none().then_some(UNHANDLED), "{object}");
        assert_eq!((hint.key.as_deref(), hint.kind.as_deref()), (Some("evt_1"), Some(kind)));
    }
    let none =
        stripe_event("checkout.session.completed", &json!({ "object": "checkout.session", "subscription": null }));
    assert_eq!(none.refusal, Some(Refusal::Ignored("no_subscription")));
    let preview = stripe_event("invoice.upcoming", &json!({ "object": "invoice", "subscription": "sub_1" }));
    assert_eq!(preview.refusal, Some(Refusal::Ignored("draft_invoice")));
}

#[test]
fn the_type_of_a_lemon_squeezy_object_decides_and_orders_have_their_own_numbers() {
    use ObjectKind::{Payment, Subscription};
    for (kind, expected) in [
        ("subscriptions", Some((Subscription, "7"))),
        ("subscription-invoices", Some((Payment, "7"))),
        ("orders", Some((Payment, "order-7"))),
        ("license-keys", None),
    ] {
        let event = json!({ "meta": { "event_name": "e", "custom_data": { "user_id": "usr_x" } },
            "data": { "type": kind, "id": "7", "attributes": { "updated_at": "2023-01-18T12:16:24.000000Z" } } });
        let hint = read(ConnectionKind::LemonSqueezy, &event);
        assert_eq!(hint.object.as_ref().map(|(kind, id)| (*kind, id.as_str())), expected, "{kind}");
        assert!(hint.key.is_none() && hint.occurred_at.is_some());
    }
}

#[test]
fn the_prefix_of_a_paddle_id_decides() {
    use ObjectKind::{Customer, Payment, Price, Subscription};
    for (data, expected) in [
        (json!({ "id": "ctm_1" }), Some((Customer, "ctm_1"))),
        (json!({ "id": "pri_1" }), Some((Price, "pri_1"))),
        (json!({ "id": "pro_1" }), Some((Price, "pro_1"))),
        (json!({ "id": "sub_1" }), Some((Subscription, "sub_1"))),
        (json!({ "id": "txn_1" }), Some((Payment, "txn_1"))),
        (json!({ "id": "adj_1", "transaction_id": "txn_2" }), Some((Payment, "txn_2"))),
        (json!({ "id": "add_1" }), None),
        (json!({ "id": "2b1f" }), None),
    ] {
        let event =
            json!({ "event_id": "evt_9", "event_type": "t", "occurred_at": "2023-11-01T00:00:00Z", "data": data });
        let hint = read(ConnectionKind::Paddle, &event);
        assert_eq!(hint.object.as_ref().map(|(kind, id)| (*kind, id.as_str())), expected, "{data}");
        assert_eq!(hint.refusal, expected.is_none().then_some(UNHANDLED), "{data}");
        assert_eq!(hint.key.as_deref(), Some("evt_9"));
    }
    assert_eq!(read(ConnectionKind::Paddle, &json!({ "data": {} })).refusal, Some(Refusal::Malformed));
}

#[test]
fn another_account_or_mode_is_ignored() {
    let object = json!({ "object": "invoice", "id": "in_1" });
    let own = Connection { account: AccountId::parse("acct_1").ok(), ..connection(ConnectionKind::Stripe) };
    let code = |connection: &Connection, account: Value, livemode: bool| {
        let event = json!({ "id": "evt_1", "livemode": livemode, "account": account, "data": { "object": object } });
        Hint::read(connection, event.to_string().as_bytes()).refusal
    };
    assert_eq!(code(&own, json!("acct_1"), true), None);
    assert_eq!(code(&own, json!(null), true), None);
    assert_eq!(code(&own, json!("acct_2"), true), Some(Refusal::Ignored("other_account")));
    assert_eq!(code(&own, json!("acct_1"), false), Some(Refusal::Ignored("other_mode")));
    let store = Connection {
        account: AccountId::parse("5").ok(),
        mode: ConnectionMode::Test,
        ..connection(ConnectionKind::LemonSqueezy)
    };
    let code = |store_id: i64, test_mode: bool| {
        let attributes = json!({ "store_id": store_id, "test_mode": test_mode });
        let event = json!({ "data": { "type": "orders", "id": "1", "attributes": attributes } });
        Hint::read(&store, event.to_string().as_bytes()).refusal
    };
    assert_eq!(code(5, true), None);
    assert_eq!(code(6, true), Some(Refusal::Ignored("other_account")));
    assert_eq!(code(5, false), Some(Refusal::Ignored("other_mode")));
}

#[test]
fn a_body_that_is_none_of_the_providers_is_malformed() {
    for kind in ConnectionKind::ALL {
        for body in [&b"not json"[..], b"[]", b"{}", b"1", b"\xff"] {
            let hint = Hint::read(&connection(*kind), body);
            assert_eq!((hint.refusal, hint.object), (Some(Refusal::Malformed), None), "{body:?}");
        }
    }
    let long = "x".repeat(256);
    assert_eq!(stripe_event("e", &json!({ "object": "invoice", "id": long })).refusal, Some(Refusal::Malformed));
}

proptest! {
    #[test]
    fn any_body_is_read(body in prop::collection::vec(any::<u8>(), 0..200)) {
        for kind in ConnectionKind::ALL {
            let hint = Hint::read(&connection(*kind), &body);
            prop_assert!(hint.object.is_some() || hint.refusal.is_some());
        }
    }
}
