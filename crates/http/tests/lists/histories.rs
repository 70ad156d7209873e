//! A record has one history, even if the servers that write it disagree about the time.

use super::support::*;
use perennial_app::{clients, providers, sessions};
use perennial_domain::clients::Scope;
use perennial_domain::events::{Event, EventKind};
use perennial_domain::time::Time;
use perennial_testkit::TestApp;
use serde_json::{Value, json};
use std::collections::HashMap;

const SKEW_SECONDS: i64 = 10;

/// Two servers, the second of them behind the first. SQLite has one server, whose clock steps back and forth instead.
struct Servers {
    servers: Vec<TestApp>,
    is_behind: bool,
}

impl Servers {
    async fn start() -> Self {
        let mut servers = vec![TestApp::start().await];
        servers.extend(servers[0].second_server_with_clock(-SKEW_SECONDS).await);
        Self { servers, is_behind: false }
    }

    /// The server that is ahead.
    fn ahead(&mut self) -> &TestApp {
        if self.is_behind { self.other() } else { &self.servers[0] }
    }

    /// The other server than the last one: the first one is behind.
    fn other(&mut self) -> &TestApp {
        self.is_behind = !self.is_behind;
        if self.servers.len() == 1 {
            self.servers[0].advance(if self.is_behind { -SKEW_SECONDS } else { SKEW_SECONDS });
        }
        let place = usize::from(self.is_behind).min(self.servers.len() - 1);
        &self.servers[place]
    }

    /// The events of each record in the order of their IDs, as `(at, kind)`; checks every step from one to the next.
    async fn histories(&self) -> HashMap<String, Vec<&'static str>> {
        let mut histories: HashMap<String, Vec<Event>> = HashMap::new();
        for event in self.servers[0].events().await {
            histories.entry(event.record()).or_default().push(event);
        }
        let mut kinds = HashMap::new();
        for (record, events) in histories {
            for pair in events.windows(2) {
                // A change of access leaves `updated_at`, which the next change follows.
                assert!(
                    pair[0].at < pair[1].at || pair[0].kind == EventKind::SubscriptionAccessChanged,
                    "{record}: {} at {} is followed by {} at {}",
                    pair[0].kind.as_str(),
                    pair[0].at,
                    pair[1].kind.as_str(),
                    pair[1].at
                );
                // Events of users and sessions store no state.
                if !record.starts_with("usr_") && !record.starts_with("ses_") {
                    assert_eq!(
                        without_access(pair[0].after.as_deref()),
                        without_access(pair[1].before.as_deref()),
                        "{record}"
                    );
                }
            }
            kinds.insert(record, events.iter().map(|event| event.kind.as_str()).collect());
        }
        kinds
    }
}

/// The record of an event. Only a change of access stores the access.
fn without_access(stored: Option<&str>) -> Option<Value> {
    let mut record: Value = serde_json::from_str(stored?).unwrap();
    record.as_object_mut().unwrap().remove("has_access");
    Some(record)
}

fn text<'a>(record: &'a Value, field: &str) -> &'a str {
    record[field].as_str().unwrap()
}

fn updated_at(record: &Value) -> Time {
    Time::parse(text(record, "updated_at")).unwrap()
}

/// A record made by the server that is ahead, changed by both in turn, and deleted by the one that is behind.
async fn write(servers: &mut Servers, target: &str, body: Value, field: &str, values: [Value; 5]) -> String {
    let made = servers.ahead().post(target, &body).await.expect(201).data().clone();
    let target = format!("{target}/{}", text(&made, "id"));
    let mut last = updated_at(&made);
    for value in values {
        let changed = servers.other().put(&target, &json!({ field: value })).await.expect(200).data().clone();
        assert!(updated_at(&changed) > last, "{target}: {} is not after {last}", text(&changed, "updated_at"));
        last = updated_at(&changed);
        let read = servers.servers[0].get(&target).await.expect(200).data().clone();
        assert_eq!(read["updated_at"], changed["updated_at"]);
    }
    servers.ahead();
    servers.other().delete(&target).await.expect(200);
    text(&made, "id").to_owned()
}

fn whole(kind: &'static [&'static str; 3]) -> Vec<&'static str> {
    let [created, updated, deleted] = *kind;
    [created].into_iter().chain([updated; 5]).chain([deleted]).collect()
}

#[tokio::test]
async fn plans_subscriptions_and_payments_have_one_history_whatever_the_clocks_show() {
    let mut servers = Servers::start().await;
    let user = servers.ahead().user("ada@example.com").await;
    servers.ahead().plan("base", json!({})).await;
    let paid = servers.ahead().subscription(&user, "base", json!({})).await;
    let names = ["a", "b", "c", "d", "e"].map(Value::from);
    let plan = json!({ "name": "Pro", "slug": "pro", "price": 1, "billing_cycle": "monthly" });
    let plan = write(&mut servers, "/subscription-plans", plan, "price", [2, 3, 4, 5, 6].map(Value::from)).await;
    let body = json!({ "user_id": user, "subscription_plan_id": "base" });
    let subscription = write(&mut servers, "/subscriptions", body, "external_subscription_id", names.clone()).await;
    let body = json!({ "subscription_id": paid["id"], "amount": 1, "currency": "USD" });
    let payment = write(&mut servers, "/subscription-payments", body, "external_payment_id", names).await;
    let histories = servers.histories().await;
    assert_eq!(histories[&plan], whole(&["plan.created", "plan.updated", "plan.deleted"]));
    assert_eq!(
        histories[&subscription],
        whole(&["subscription.created", "subscription.updated", "subscription.deleted"])
    );
    assert_eq!(histories[&payment], whole(&["payment.created", "payment.updated", "payment.deleted"]));
}

#[tokio::test]
async fn organizations_clients_and_providers_have_one_history_whatever_the_clocks_show() {
    let mut servers = Servers::start().await;
    let organization = servers.ahead().organization;
    for most in 1..4 {
        let app = servers.other();
        app.put("/organization", &json!({ "max_sessions": most })).await.expect(200);
    }
    let app = servers.ahead();
    let made = clients::create(&app.app, organization, trusted("second", &[Scope::SubscriptionsRead])).await.unwrap();
    let made = made.unwrap();
    let app = servers.other();
    let disabled = clients::disable(&app.app, organization, made.id).await.unwrap();
    assert!(disabled.updated_at > made.updated_at && disabled.revision > made.revision);
    let settings = providers::Settings { audience: vec!["app".to_owned()], ..providers::Settings::default() };
    let description = providers::Description {
        issuer: "https://id.example.com".to_owned(),
        kind: providers::ProviderKind::JwtSecret,
        settings,
        secret: Some(providers::Secret::new("0123456789abcdef0123456789abcdef".to_owned())),
    };
    let provider = providers::add(&servers.ahead().app, organization, &description).await.unwrap();
    providers::remove(&servers.other().app, organization, &provider.issuer).await.unwrap().unwrap();
    let histories = servers.histories().await;
    let updated = "organization.updated";
    assert_eq!(histories[&organization.to_string()], ["organization.created", updated, updated, updated]);
    assert_eq!(histories[&made.id.to_string()], ["client.created", "client.updated"]);
    assert_eq!(histories[&provider.id.unwrap().to_string()], ["provider.created", "provider.deleted"]);
}

#[tokio::test]
async fn people_their_sessions_and_what_ends_with_them_have_one_history_whatever_the_clocks_show() {
    let mut servers = Servers::start().await;
    servers.ahead().plan("base", json!({})).await;
    let ada = servers.ahead().user("ada@example.com").await;
    let subscription = servers.ahead().subscription(&ada, "base", json!({})).await;
    // The server that is behind gives the person the user that the operator made on the other.
    let first = servers.other().sign_up("ada@example.com").await;
    assert_eq!(first.user_id(), ada);
    let second = servers.other().sign_in("ada@example.com").await;
    let app = servers.other();
    let caller = app.public_caller().await;
    let grant = sessions::open_token(&app.app, &caller, &second.token).await.unwrap();
    assert_eq!(sessions::logout(&app.app, &caller, &grant).await.unwrap(), 1);
    let third = servers.ahead().sign_in("ada@example.com").await;
    let target = format!("/authentication/delete-my-account/{}", encode(text(&third.user, "auth_id")));
    servers.other().browser("DELETE", &target).bearer(&third.token).send().await.expect(200);
    let histories = servers.histories().await;
    assert_eq!(histories[&ada], ["user.created", "user.updated", "user.deleted"]);
    assert_eq!(histories[text(&subscription, "id")], ["subscription.created", "subscription.updated"]);
    for held in [&first, &second, &third] {
        assert_eq!(histories[held.session_id()], ["session.created", "session.revoked"]);
    }
}

#[tokio::test]
async fn changes_within_one_microsecond_are_in_order() {
    let app = TestApp::start().await;
    let plan = app.plan("pro", json!({})).await;
    let target = format!("/subscription-plans/{}", text(&plan, "id"));
    for price in 1..=30 {
        app.put(&target, &json!({ "price": price })).await.expect(200);
    }
    let servers = Servers { servers: vec![app], is_behind: false };
    assert_eq!(servers.histories().await[text(&plan, "id")].len(), 31);
}
