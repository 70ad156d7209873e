//! Changes that meet: whatever the order, on one server or two, no record refers to what is gone and no write is lost.

use super::support::*;
use perennial_store::Sql;
use perennial_testkit::{Answer, Request, TestApp};
use serde_json::{Value, json};

const PLANS: usize = 60;
const ORPHANS: &str = "
    SELECT COUNT(*) FROM subscriptions
    WHERE deleted_at IS NULL AND plan_id IN (SELECT id FROM plans WHERE deleted_at IS NOT NULL)";

/// A plan for each round, and a subscription that can be moved to it.
async fn fill(app: &TestApp) -> (String, Vec<String>) {
    let user = app.user("ada@example.com").await;
    app.plan("base", json!({})).await;
    let plans = (0..PLANS).map(|number| {
        let body = json!({ "name": "P", "slug": format!("p{number}"), "price": 1, "billing_cycle": "monthly" });
        app.request("POST", "/subscription-plans").json(&body)
    });
    all_at_once(plans).await.into_iter().for_each(|answer| drop(answer.expect(201)));
    let body = json!({ "user_id": user, "subscription_plan_id": "base" });
    let movers = all_at_once((0..PLANS).map(|_| app.request("POST", "/subscriptions").json(&body))).await;
    let movers = movers.into_iter().map(|answer| answer.expect(201).header("location").to_owned()).collect();
    (user, movers)
}

/// For every plan a create, a move and `end` at the same moment, in changing order, spread over the servers.
async fn meet(servers: &[&TestApp], end: impl Fn(&TestApp, &str) -> Request) -> Vec<[Answer; 3]> {
    let (user, movers) = fill(servers[0]).await;
    let server = |place: usize| servers[place % servers.len()];
    let requests = (0..PLANS).flat_map(|number| {
        let slug = format!("p{number}");
        let body = json!({ "user_id": user, "subscription_plan_id": slug });
        let mut three = [
            server(number).request("POST", "/subscriptions").json(&body),
            server(number + 1).request("PUT", &movers[number]).json(&json!({ "subscription_plan_id": slug })),
            end(server(number + number / 2), &slug),
        ];
        three.rotate_left(number % 3);
        three
    });
    let answers = all_at_once(requests).await;
    let rounds = answers.chunks(3).enumerate().map(|(number, three)| {
        let mut three: [Answer; 3] = three.to_vec().try_into().unwrap();
        three.rotate_right(number % 3);
        three
    });
    rounds.collect()
}

async fn deletes(servers: &[&TestApp]) {
    let app = servers[0];
    let rounds = meet(servers, |app, slug| app.request("DELETE", &format!("/subscription-plans/{slug}"))).await;
    assert_eq!(count(app, ORPHANS).await, 0);
    for [create, moved, delete] in rounds {
        let subscribed = usize::from(create.status == 201) + usize::from(moved.status == 200);
        match delete.status {
            200 => assert_eq!(subscribed, 0, "{} {}", create.json, moved.json),
            _ => {
                let delete = delete.refused(409, "plan_in_use");
                assert!(subscribed > 0 && delete.json["subscriptions"].as_u64().unwrap() <= subscribed as u64);
            }
        }
        for (answer, success) in [(create, 201), (moved, 200)] {
            if answer.status != success {
                assert_eq!(answer.refused(422, "not_found").faults(), ["/subscription_plan_id not_found"]);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_subscription_is_left_on_a_deleted_plan_with_one_server() {
    deletes(&[&TestApp::start().await]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_subscription_is_left_on_a_deleted_plan_with_two_servers() {
    let app = TestApp::start().await;
    if let Some(other_server) = app.second_server().await {
        deletes(&[&app, &other_server]).await;
    }
}

// The database itself watches: a subscription that comes to a retired plan makes its statement fail, and a 500.
static WATCH_INSERTS: Sql = Sql::split(
    "CREATE TRIGGER watch_inserts BEFORE INSERT ON subscriptions
     WHEN NOT EXISTS (SELECT 1 FROM plans WHERE id = NEW.plan_id AND is_active AND deleted_at IS NULL)
     BEGIN SELECT RAISE(ABORT, 'the plan is retired'); END",
    "CREATE TRIGGER watch BEFORE INSERT OR UPDATE OF plan_id ON subscriptions
     FOR EACH ROW EXECUTE FUNCTION watch()",
);
static WATCH_MOVES: Sql = Sql::split(
    "CREATE TRIGGER watch_moves BEFORE UPDATE OF plan_id ON subscriptions
     WHEN NOT EXISTS (SELECT 1 FROM plans WHERE id = NEW.plan_id AND is_active AND deleted_at IS NULL)
     BEGIN SELECT RAISE(ABORT, 'the plan is retired'); END",
    "CREATE FUNCTION watch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         IF NOT EXISTS (SELECT 1 FROM plans WHERE id = NEW.plan_id AND is_active AND deleted_at IS NULL) THEN
             RAISE EXCEPTION 'the plan is retired';
         END IF;
         RETURN NEW;
     END $$",
);

async fn retirements(servers: &[&TestApp]) {
    let app = servers[0];
    execute(app, &WATCH_MOVES).await;
    execute(app, &WATCH_INSERTS).await;
    let retire = |app: &TestApp, slug: &str| {
        app.request("PUT", &format!("/subscription-plans/{slug}")).json(&json!({ "is_active": false }))
    };
    for [create, moved, retired] in meet(servers, retire).await {
        retired.expect(200);
        for (answer, success) in [(create, 201), (moved, 200)] {
            if answer.status != success {
                answer.refused(409, "plan_inactive");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_subscription_comes_to_a_retired_plan_with_one_server() {
    retirements(&[&TestApp::start().await]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_subscription_comes_to_a_retired_plan_with_two_servers() {
    let app = TestApp::start().await;
    if let Some(other_server) = app.second_server().await {
        retirements(&[&app, &other_server]).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn puts_of_different_fields_at_once_all_stay() {
    let app = TestApp::start().await;
    let other_server = app.second_server().await;
    for round in 0..8 {
        let path = format!("/subscription-plans/r{round}");
        app.plan(&format!("r{round}"), json!({})).await;
        let changes = json!({
            "price": 5, "billing_cycle": "yearly", "description": "d", "node_quota": 3, "features": "f",
            "most_popular": true, "tier": 9, "is_active": false
        });
        let changes = changes.as_object().unwrap();
        let puts = changes.iter().enumerate().map(|(number, (field, value))| {
            let server = other_server.as_ref().filter(|_| number % 2 == 1).unwrap_or(&app);
            server.request("PUT", &path).json(&json!({ field: value }))
        });
        all_at_once(puts).await.into_iter().for_each(|answer| drop(answer.expect(200)));
        let plan = app.get(&path).await.expect(200).data().clone();
        for (field, value) in changes {
            assert_eq!(&plan[field], value, "{field}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_puts_at_one_revision_one_is_applied() {
    let app = TestApp::start().await;
    let other_server = app.second_server().await;
    let user = app.user("ada@example.com").await;
    app.plan("pro", json!({})).await;
    for _ in 0..8 {
        let made =
            app.post("/subscriptions", &json!({ "user_id": user, "subscription_plan_id": "pro" })).await.expect(201);
        let (path, etag) = (made.header("location"), made.header("etag"));
        let puts = (0..8).map(|number: usize| {
            let server = other_server.as_ref().filter(|_| number % 2 == 1).unwrap_or(&app);
            let body = json!({ "external_subscription_id": format!("{etag}{number}") });
            server.request("PUT", path).header("if-match", etag).json(&body)
        });
        let (applied, stale): (Vec<Answer>, Vec<Answer>) =
            all_at_once(puts).await.into_iter().partition(|answer| answer.status == 200);
        assert_eq!(applied.len(), 1);
        for answer in stale {
            answer.refused(412, "stale");
        }
        let now: Value = app.get(path).await.expect(200).json;
        assert_eq!(now, applied[0].json);
    }
}
