//! Objects shaped like those of the providers, and what each becomes.

use super::*;
use perennial_domain::connections::facts::Mapped;
use perennial_domain::payments::PaymentStatus;
use perennial_domain::subscriptions::SubscriptionStatus;
use proptest::prelude::*;
use serde_json::{Value, json};

const USER: &str = "usr_01h455vb4pex5vsknk084sn02q";

fn mapped(service: Service, object: ObjectKind, value: &Value) -> Mapped {
    match map(service, object, &value.to_string()) {
        Read::Mapped(mapped) => *mapped,
        other => panic!("{other:?}"),
    }
}

#[test]
fn objects_of_stripe_are_facts_with_references() {
    let customer = json!({ "id": "cus_1", "object": "customer", "email": "a@example.com", "name": "Ada Lovelace", "created": 1, "metadata": { "user_id": USER } });
    let user = mapped(Service::Stripe, ObjectKind::Customer, &customer).customer.unwrap();
    assert_eq!((user.external_id.as_str(), user.user_id.unwrap().to_string().as_str()), ("cus_1", USER));
    assert_eq!(user.email.unwrap().as_str(), "a@example.com");

    let price = json!({
        "id": "price_1", "object": "price", "active": false, "currency": "usd", "unit_amount": 400, "created": 1,
        "recurring": null, "product": { "id": "prod_1", "object": "product", "name": "Pro", "active": true },
    });
    let plan = mapped(Service::Stripe, ObjectKind::Price, &price).price.unwrap();
    assert_eq!((plan.name.as_str(), plan.is_active, plan.product_id.as_deref()), ("Pro", false, Some("prod_1")));

    let given = json!({
        "id": "sub_1", "object": "subscription", "customer": "cus_1", "status": "active", "created": 1, "start_date": 2,
        "current_period_end": 9, "metadata": { "user_id": "usr_of_another" }, "pause_collection": { "behavior": "void" },
        "items": { "data": [{ "price": { "id": "price_1", "currency": "usd" }, "quantity": 2 }, { "price": "price_2" }] },
    });
    let found = mapped(Service::Stripe, ObjectKind::Subscription, &given);
    let subscription = found.subscription.unwrap();
    let items: Vec<_> = subscription.items.iter().map(|item| (item.price.as_str(), item.quantity)).collect();
    assert_eq!((subscription.customer.as_str(), items), ("cus_1", vec![("price_1", 2), ("price_2", 1)]));
    assert_eq!((subscription.user_id, found.codes), (None, vec!["several_items", "collection_paused"]));

    let invoice = json!({
        "id": "in_1", "object": "invoice", "subscription": "sub_1", "status": "paid", "currency": "usd", "created": 1,
        "amount_paid": 2500, "amount_due": 2500, "charge": { "id": "ch_1", "object": "charge", "amount_refunded": 2500 },
    });
    let payment = mapped(Service::Stripe, ObjectKind::Payment, &invoice).payment.unwrap();
    assert_eq!((payment.subscription.as_str(), payment.status), ("sub_1", PaymentStatus::Refunded));
}

#[test]
fn what_is_no_record_of_stripe_leads_on_or_is_ignored() {
    let read = |object, value: Value| map(Service::Stripe, object, &value.to_string());
    let charge = |invoice: Value| json!({ "id": "ch_1", "object": "charge", "invoice": invoice });
    let invoice = vec![(ObjectKind::Payment, "in_1".to_owned())];
    assert_eq!(read(ObjectKind::Payment, charge(json!("in_1"))), Read::LeadsTo(invoice.clone()));
    for id in ["ch_1", "py_1"] {
        assert_eq!(read(ObjectKind::Payment, json!({ "id": id, "invoice": "in_1" })), Read::LeadsTo(invoice.clone()));
    }
    assert_eq!(read(ObjectKind::Payment, charge(Value::Null)), Read::Ignored("no_subscription"));
    let draft = json!({ "id": "in_1", "object": "invoice", "subscription": "sub_1", "status": "draft", "currency": "usd", "created": 1 });
    assert_eq!(read(ObjectKind::Payment, draft), Read::Ignored("draft_invoice"));
    let loose = json!({ "id": "in_1", "object": "invoice", "status": "paid", "currency": "usd", "created": 1 });
    assert_eq!(read(ObjectKind::Payment, loose), Read::Ignored("no_subscription"));
    assert_eq!(read(ObjectKind::Customer, json!({ "id": "cus_1", "object": "customer", "deleted": true })), Read::Gone);
    let odd = json!({ "id": "sub_1", "object": "subscription", "status": "asleep", "created": 1 });
    assert_eq!(read(ObjectKind::Subscription, odd), Read::Malformed("unknown_status"));
    assert_eq!(read(ObjectKind::Price, json!([])), Read::Malformed("malformed"));
}

#[test]
fn an_order_of_lemon_squeezy_is_a_subscription_and_its_payment() {
    let order = |status: &str| {
        json!({ "type": "orders", "id": "1", "attributes": {
            "customer_id": 3, "status": status, "currency": "USD", "total": 5899, "created_at": "2023-01-17T12:26:23Z",
            "first_order_item": { "variant_id": 7 },
        } })
    };
    for object in [ObjectKind::Subscription, ObjectKind::Payment] {
        let found = mapped(Service::LemonSqueezy, object, &order("paid"));
        let (subscription, payment) = (found.subscription.unwrap(), found.payment.unwrap());
        assert_eq!((subscription.external_id.as_str(), subscription.status), ("order-1", SubscriptionStatus::Active));
        assert_eq!((payment.external_id.as_str(), payment.subscription.as_str()), ("order-1", "order-1"));
        assert!(subscription.is_single && payment.is_single && payment.amount.to_string() == "58.99");
        let unpaid = map(Service::LemonSqueezy, object, &order("pending").to_string());
        assert_eq!(unpaid, Read::Ignored("no_subscription"));
    }
    let other = map(Service::LemonSqueezy, ObjectKind::Customer, &order("paid").to_string());
    assert_eq!(other, Read::Malformed("malformed"));
}

#[test]
fn a_variant_of_lemon_squeezy_is_read_with_its_product_store_and_newest_price() {
    let variant = json!({ "type": "variants", "id": "7", "attributes": { "product_id": 5, "name": "Default", "created_at": "2021-05-27T12:54:47Z", "status": "published" } }).to_string();
    let product =
        json!({ "type": "products", "id": "5", "attributes": { "store_id": 2, "name": "Lemonade" } }).to_string();
    let store = json!({ "type": "stores", "id": "2", "attributes": { "currency": "EUR" } }).to_string();
    let price = |units: u64, at: &str| {
        json!({ "type": "prices", "id": "1", "attributes": { "variant_id": 7, "category": "subscription", "unit_price": units, "renewal_interval_unit": "month", "renewal_interval_quantity": 1, "created_at": at } }).to_string()
    };
    let prices = [price(999, "2023-01-02T00:00:00Z"), price(100, "2023-01-01T00:00:00Z")];
    assert_eq!(product_of_variant(&variant).as_deref(), Ok("5"));
    assert_eq!(store_of_product(&product).as_deref(), Ok("2"));
    let Read::Mapped(found) = map_variant(&variant, &product, &store, &prices.each_ref().map(String::as_str)) else {
        panic!("a variant is a plan")
    };
    let plan = found.price.unwrap();
    let read = (plan.external_id.as_str(), plan.price.to_string(), plan.currency.as_str(), plan.is_active);
    assert_eq!(read, ("7", "9.99".to_owned(), "EUR", true));
}

#[test]
fn entities_of_paddle_are_facts_with_references() {
    let customer = json!({ "id": "ctm_01h8441jn5pcwrfhwh78jqt8hk", "name": "Sam Miller", "email": "sam@example.com", "custom_data": { "user_id": USER } });
    let user = mapped(Service::Paddle, ObjectKind::Customer, &customer).customer.unwrap();
    assert_eq!((user.user_id.is_some(), user.last_name.unwrap().as_str()), (true, "Miller"));
    let transaction = |status: &str, subscription: Value| json!({ "id": "txn_01h8dzxgkvdwemdhbpcapj2tbj", "status": status, "subscription_id": subscription, "currency_code": "USD", "details": { "totals": { "grand_total": "65215" } } });
    let payment =
        mapped(Service::Paddle, ObjectKind::Payment, &transaction("completed", json!("sub_1"))).payment.unwrap();
    assert_eq!((payment.amount.to_string(), payment.status), ("652.15".to_owned(), PaymentStatus::Completed));
    let ready = map(Service::Paddle, ObjectKind::Payment, &transaction("ready", json!(null)).to_string());
    assert_eq!(ready, Read::Ignored("draft_invoice"));
    for status in ["billed", "paid", "completed", "past_due"] {
        let loose = map(Service::Paddle, ObjectKind::Payment, &transaction(status, json!(null)).to_string());
        assert_eq!(loose, Read::AwaitsSubscription, "{status}");
    }
    let canceled = map(Service::Paddle, ObjectKind::Payment, &transaction("canceled", json!(null)).to_string());
    assert_eq!(canceled, Read::Ignored("no_subscription"));
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-z_0-9:TZ.-]{0,30}".prop_map(Value::from),
    ];
    let names = prop::sample::select(vec![
        "id",
        "object",
        "type",
        "attributes",
        "status",
        "created",
        "created_at",
        "items",
        "data",
        "price",
        "currency",
        "customer",
        "subscription",
        "subscription_id",
        "details",
        "totals",
        "grand_total",
        "currency_code",
        "metadata",
    ]);
    leaf.prop_recursive(4, 48, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(names.clone().prop_map(str::to_owned), inner, 0..8)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    /// Whatever a provider sends, there is an outcome, and the same one each time.
    #[test]
    fn every_json_has_one_outcome(value in any_json()) {
        let text = value.to_string();
        for service in [Service::Stripe, Service::LemonSqueezy, Service::Paddle] {
            for object in ObjectKind::ALL.iter().copied() {
                prop_assert_eq!(map(service, object, &text), map(service, object, &text));
            }
        }
    }

    /// Money is not created or lost between the provider's smallest unit and the record.
    #[test]
    fn amounts_are_exact(units in 0_i64..100_000_000_000) {
        let invoice = json!({ "id": "in_1", "object": "invoice", "subscription": "s", "status": "paid", "currency": "usd", "created": 1, "amount_paid": units });
        let stripe = mapped(Service::Stripe, ObjectKind::Payment, &invoice).payment.unwrap();
        let transaction = json!({ "id": "txn_01h8dzxgkvdwemdhbpcapj2tbj", "status": "paid", "subscription_id": "s", "currency_code": "USD", "details": { "totals": { "grand_total": units.to_string() } } });
        let paddle = mapped(Service::Paddle, ObjectKind::Payment, &transaction).payment.unwrap();
        prop_assert_eq!(stripe.amount.ten_thousandths(), units * 100);
        prop_assert_eq!(paddle.amount, stripe.amount);
    }
}
