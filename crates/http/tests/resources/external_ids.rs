//! API rules 5.1 and 6.1 (`docs/api.md`): ids of other systems. `""` is none; no two records have the same.

use super::support::{Base, PAYMENTS, SUBSCRIPTIONS, assert_errors, place, text};
use perennial_testkit::Answer;
use serde_json::{Value, json};

/// One of the two kinds of record that carry an external id.
#[derive(Clone, Copy)]
enum Kind {
    Subscription,
    Payment,
}

use Kind::{Payment, Subscription};

impl Kind {
    fn field(self) -> &'static str {
        match self {
            Subscription => "external_subscription_id",
            Payment => "external_payment_id",
        }
    }

    fn collection(self) -> &'static str {
        match self {
            Subscription => SUBSCRIPTIONS,
            Payment => PAYMENTS,
        }
    }

    async fn try_create(self, base: &Base, external: Value) -> Answer {
        let sent = json!({ self.field(): external });
        match self {
            Subscription => base.try_subscribe(sent).await,
            Payment => {
                let subscription = base.subscribe(json!({})).await["id"].clone();
                let mut body = json!({ "subscription_id": subscription, "amount": 1, "currency": "USD" });
                body.as_object_mut().unwrap().extend(sent.as_object().unwrap().clone());
                base.app.post(PAYMENTS, &body).await
            }
        }
    }

    async fn create(self, base: &Base, external: Value) -> Value {
        self.try_create(base, external).await.expect(201).data().clone()
    }

    async fn put(self, base: &Base, record: &Value, external: Value) -> Answer {
        base.app.put(&place(self.collection(), record), &json!({ self.field(): external })).await
    }
}

#[tokio::test]
async fn an_external_id_has_up_to_255_characters_and_none_is_null() {
    let base = Base::start().await;
    for kind in [Subscription, Payment] {
        let longest = "é".repeat(255);
        assert_eq!(kind.create(&base, json!(longest)).await[kind.field()], longest);
        let too_long = kind.try_create(&base, json!("é".repeat(256))).await;
        assert_errors(too_long, &[&format!("/{} too_long", kind.field())], kind.field());
        let control = kind.try_create(&base, json!("a\u{0}")).await;
        assert_errors(control, &[&format!("/{} invalid_text", kind.field())], kind.field());
        for none in [json!(""), json!(null)] {
            assert_eq!(kind.create(&base, none.clone()).await[kind.field()], json!(null));
            assert_eq!(kind.create(&base, none).await[kind.field()], json!(null), "none is not unique");
        }
        let record = kind.create(&base, json!("x")).await;
        assert_eq!(kind.put(&base, &record, json!("")).await.expect(200).data()[kind.field()], json!(null));
        let too_long = kind.put(&base, &record, json!("é".repeat(256))).await;
        assert_errors(too_long, &[&format!("/{} too_long", kind.field())], kind.field());
    }
}

#[tokio::test]
async fn a_taken_external_id_is_rejected_with_the_id_of_its_holder() {
    let base = Base::start().await;
    for kind in [Subscription, Payment] {
        let holder = kind.create(&base, json!("ext-1")).await;
        let refused = kind.try_create(&base, json!("ext-1")).await.refused(409, "external_id_taken");
        assert_eq!(refused.json["conflicting_id"], holder["id"]);
        let other = kind.create(&base, json!("ext-2")).await;
        let refused = kind.put(&base, &other, json!("ext-1")).await.refused(409, "external_id_taken");
        assert_eq!(refused.json["conflicting_id"], holder["id"]);
        assert_eq!(base.app.get(&place(kind.collection(), &other)).await.expect(200).data(), &other);
        kind.create(&base, json!("EXT-1")).await;
    }
}

#[tokio::test]
async fn a_record_may_keep_its_own_external_id() {
    let base = Base::start().await;
    for kind in [Subscription, Payment] {
        let record = kind.create(&base, json!("ext-1")).await;
        assert_eq!(kind.put(&base, &record, json!("ext-1")).await.expect(200).data(), &record);
        let status =
            json!({ kind.field(): "ext-1", "status": if kind.field().contains("pay") { "failed" } else { "paused" } });
        base.app.put(&place(kind.collection(), &record), &status).await.expect(200);
    }
}

#[tokio::test]
async fn an_external_id_is_free_again_once_its_holder_is_deleted_or_gives_it_up() {
    let base = Base::start().await;
    for kind in [Subscription, Payment] {
        let first = kind.create(&base, json!("ext-1")).await;
        base.app.delete(&place(kind.collection(), &first)).await.expect(200);
        let second = kind.create(&base, json!("ext-1")).await;
        assert_ne!(first["id"], second["id"]);
        kind.put(&base, &second, json!(null)).await.expect(200);
        let third = kind.create(&base, json!("ext-1")).await;
        kind.put(&base, &third, json!("ext-9")).await.expect(200);
        let renamed = kind.put(&base, &second, json!("ext-1")).await.expect(200);
        assert_eq!(text(renamed.data(), kind.field()), "ext-1");
    }
}

#[tokio::test]
async fn subscriptions_and_payments_do_not_share_their_external_ids() {
    let base = Base::start().await;
    Subscription.create(&base, json!("same")).await;
    Payment.create(&base, json!("same")).await;
}

#[tokio::test]
async fn an_invalid_body_is_reported_before_a_taken_external_id() {
    let base = Base::start().await;
    base.subscribe(json!({ "external_subscription_id": "ext" })).await;
    let sent = json!({ "external_subscription_id": "ext", "status": "odd" });
    assert_errors(base.try_subscribe(sent).await, &["/status unknown_value"], "");
}
