//! API rules 22.3 and 22.4 (`docs/api.md`): what a user has.

use perennial_testkit::{TestApp, all_at_once};
use serde_json::{Value, json};

async fn start() -> (TestApp, String) {
    let app = TestApp::start().await;
    app.post("/meters", &json!({ "slug": "calls", "name": "Calls", "aggregation": "sum" })).await.expect(201);
    for feature in [
        json!({ "key": "sso", "name": "SSO", "kind": "boolean" }),
        json!({ "key": "projects", "name": "Projects", "kind": "limit" }),
        json!({ "key": "calls", "name": "Calls", "kind": "quota", "meter": "calls", "period": "month" }),
    ] {
        app.post("/features", &feature).await.expect(201);
    }
    let user = app.user("ada@example.com").await;
    (app, user)
}

async fn read(app: &TestApp, user: &str) -> Value {
    app.get(&format!("/users/{user}/entitlements")).await.expect(200).data().clone()
}

#[tokio::test]
async fn the_answer_has_the_values_of_the_subscriptions() {
    let (app, user) = start().await;
    let empty = read(&app, &user).await;
    let expected = json!({ "user_id": user, "valid_until": null, "truncated": false, "entitlements": {} });
    assert_eq!(empty, expected);
    app.plan("pro", json!({ "entitlements": { "sso": true, "projects": 3, "calls": 100 } })).await;
    let first = app.subscription(&user, "pro", json!({})).await["id"].clone();
    app.advance(1);
    let second =
        app.subscription(&user, "pro", json!({ "entitlements": { "projects": 7, "sso": false } })).await["id"].clone();
    let event = json!({ "id": "e1", "subscription_id": first, "meter": "calls", "value": 12 });
    app.post("/usage-events", &json!({ "events": [event] })).await.expect(200);
    let found = read(&app, &user).await;
    let null = Value::Null;
    let sso = &found["entitlements"]["sso"];
    assert_eq!((&sso["kind"], &sso["value"], &sso["used"]), (&json!("boolean"), &json!(true), &null));
    assert_eq!((&sso["remaining"], &sso["resets_at"]), (&null, &null));
    let sources = json!([
        { "subscription_id": first, "value": true, "used": null },
        { "subscription_id": second, "value": false, "used": null }
    ]);
    assert_eq!(sso["sources"], sources);
    assert_eq!(found["entitlements"]["projects"]["value"], json!(7));
    let calls = &found["entitlements"]["calls"];
    assert_eq!((&calls["value"], &calls["used"], &calls["remaining"]), (&json!(200), &json!(12), &json!(188)));
    assert!(calls["resets_at"].as_str().unwrap().ends_with("-01T00:00:00.000000Z"));
    assert_eq!(found["valid_until"], calls["resets_at"]);
    let keys: Vec<&String> = found["entitlements"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["calls", "projects", "sso"]);
}

#[tokio::test]
async fn a_read_is_one_statement_unless_the_total_of_a_quota_is_missing() {
    let (app, user) = start().await;
    // Which statements a request needs, and what was used.
    let cost = async |path: &str| {
        let path = format!("/users/{user}/entitlements{path}");
        // The first request reads the client and the features.
        app.get(&path).await.expect(200);
        let before = app.app.db.metrics().statements;
        let answer = app.get(&path).await.expect(200);
        let amount = answer.data()["used"].clone();
        (app.app.db.metrics().statements - before, amount)
    };
    let paths = ["", "/sso", "/projects", "/calls"];
    for path in paths {
        assert_eq!(cost(path).await.0, 1, "{path} without a subscription");
    }
    app.plan("pro", json!({ "entitlements": { "sso": true, "projects": 3, "calls": 100 } })).await;
    let owned = app.subscription(&user, "pro", json!({})).await["id"].clone();
    for path in paths {
        assert_eq!(cost(path).await.0, 1, "{path}");
    }
    assert_eq!(cost("/calls").await, (1, json!(0)));
    let other = app.user("grace@example.com").await;
    let joined = app.subscription(&other, "pro", json!({})).await["id"].clone();
    app.post(&format!("/subscriptions/{}/members", joined.as_str().unwrap()), &json!({ "user_id": user }))
        .await
        .expect(201);
    for (number, id) in [owned, joined].into_iter().enumerate() {
        let event = json!({ "id": "e", "subscription_id": id, "meter": "calls", "value": number + 5 });
        app.post("/usage-events", &json!({ "events": [event] })).await.expect(200);
    }
    assert_eq!(cost("/calls").await, (1, json!(11)));
    assert_eq!(cost("").await.0, 1);
    // The events of a new feature's period were not added up yet: one more statement for each subscription.
    let yearly = json!({ "key": "yearly", "name": "Y", "kind": "quota", "meter": "calls", "period": "year" });
    app.post("/features", &yearly).await.expect(201);
    app.put("/subscription-plans/pro", &json!({ "entitlements": { "yearly": 9 } })).await.expect(200);
    assert_eq!(cost("/yearly").await, (3, json!(11)));
    assert_eq!(cost("/calls").await, (1, json!(11)));
}

#[tokio::test]
async fn a_check_gives_the_first_reason() {
    let (app, user) = start().await;
    let check = async |feature: &str, query: &str| {
        let answer = app.get(&format!("/users/{user}/entitlements/{feature}{query}")).await.expect(200);
        answer.data().clone()
    };
    let none = check("projects", "").await;
    let members: Vec<&String> = none.as_object().unwrap().keys().collect();
    let expected = [
        "user_id",
        "feature",
        "kind",
        "allowed",
        "value",
        "used",
        "remaining",
        "resets_at",
        "need",
        "reason",
        "valid_until",
    ];
    assert_eq!(members, expected);
    assert_eq!((&none["allowed"], &none["value"]), (&json!(false), &json!(null)));
    assert_eq!(none["reason"], "no_subscription");
    app.plan("pro", json!({ "entitlements": { "projects": 3, "calls": 100, "sso": false } })).await;
    let subscription = app.subscription(&user, "pro", json!({})).await["id"].clone();
    assert_eq!(check("projects", "?need=3").await["allowed"], json!(true));
    assert_eq!(check("projects", "?need=4").await["reason"], "limit_reached");
    assert_eq!(check("sso", "?need=9").await["reason"], "not_granted");
    let event = json!({ "id": "e1", "subscription_id": subscription, "meter": "calls", "value": 99.5 });
    app.post("/usage-events", &json!({ "events": [event] })).await.expect(200);
    let quota = check("calls", "").await;
    assert_eq!((&quota["allowed"], &quota["remaining"], &quota["need"]), (&json!(false), &json!(0.5), &json!(1)));
    assert_eq!((&quota["reason"], &quota["used"]), (&json!("limit_reached"), &json!(99.5)));
    app.put("/features/calls", &json!({ "is_active": false })).await.expect(200);
    assert_eq!(check("calls", "").await["reason"], "feature_inactive");
    app.get(&format!("/users/{user}/entitlements/nothing")).await.refused(404, "not_found");
    for need in ["0", "-1", "x", "9007199254740992"] {
        let path = format!("/users/{user}/entitlements/sso?need={need}");
        app.get(&path).await.refused(400, "invalid_parameter");
    }
}

#[tokio::test]
async fn the_entity_tag_covers_the_content() {
    let (app, user) = start().await;
    app.plan("pro", json!({ "entitlements": { "sso": true } })).await;
    app.subscription(&user, "pro", json!({})).await;
    let path = format!("/users/{user}/entitlements");
    let tag = app.get(&path).await.expect(200).header("etag").to_owned();
    assert!(tag.starts_with('"'), "a strong tag");
    app.request("GET", &path).header("if-none-match", &tag).send().await.expect(304);
    app.put("/subscription-plans/pro", &json!({ "entitlements": { "sso": false } })).await.expect(200);
    app.request("GET", &path).header("if-none-match", &tag).send().await.expect(200);
}

/// N3: at the end access is gone, and a microsecond before it is there.
#[tokio::test]
async fn access_ends_to_the_microsecond() {
    let (app, user) = start().await;
    app.plan("pro", json!({ "entitlements": { "sso": true } })).await;
    let end = app.now().plus_seconds(3_600);
    app.subscription(&user, "pro", json!({ "ends_at": end })).await;
    assert_eq!(read(&app, &user).await["valid_until"], json!(end));
    app.set_time(&end.plus_micros(-1).to_string());
    assert_eq!(read(&app, &user).await["entitlements"]["sso"]["value"], json!(true));
    app.set_time(&end.to_string());
    assert_eq!(read(&app, &user).await["entitlements"], json!({}));
}

/// N4: a write answered by one server is in the next answer of every server.
#[tokio::test]
async fn a_write_is_in_the_next_answer_of_every_server() {
    let (app, user) = start().await;
    app.plan("pro", json!({ "entitlements": { "projects": 1 } })).await;
    let subscription = app.subscription(&user, "pro", json!({})).await["id"].as_str().unwrap().to_owned();
    let Some(other) = app.second_server().await else { return };
    let value = async || read(&other, &user).await["entitlements"]["projects"]["value"].clone();
    assert_eq!(value().await, json!(1));
    for number in 2..6 {
        let grants = json!({ "entitlements": { "projects": number } });
        app.put("/subscription-plans/pro", &grants).await.expect(200);
        assert_eq!(value().await, json!(number));
    }
    app.put(&format!("/subscriptions/{subscription}"), &json!({ "entitlements": { "projects": 0 } })).await.expect(200);
    assert_eq!(value().await, json!(0));
    app.put("/features/projects", &json!({ "is_active": false })).await.expect(200);
    assert_eq!(value().await, json!(null));
}

/// N4 for features, which a server has in memory: every change is in the next answer, here and on another server.
#[tokio::test]
async fn a_change_of_a_feature_is_in_the_next_answer() {
    let (app, user) = start().await;
    app.plan("pro", json!({ "entitlements": { "projects": 3 } })).await;
    app.subscription(&user, "pro", json!({ "quantity": 2 })).await;
    let other = app.second_server().await;
    let value = async || {
        let here = read(&app, &user).await["entitlements"]["projects"]["value"].clone();
        for server in other.iter().chain([&app]) {
            assert_eq!(read(server, &user).await["entitlements"]["projects"]["value"], here);
            let path = format!("/users/{user}/entitlements/projects");
            assert_eq!(server.get(&path).await.expect(200).data()["value"], here);
        }
        here
    };
    assert_eq!(value().await, json!(3));
    for (change, expected) in [
        (json!({ "per_unit": true }), json!(6)),
        (json!({ "is_active": false }), json!(null)),
        (json!({ "is_active": true, "per_unit": false }), json!(3)),
    ] {
        app.put("/features/projects", &change).await.expect(200);
        assert_eq!(value().await, expected, "{change}");
    }
    let writer = other.as_ref().unwrap_or(&app);
    let feature = json!({ "key": "late", "name": "Late", "kind": "boolean" });
    writer.post("/features", &feature).await.expect(201);
    app.put("/subscription-plans/pro", &json!({ "entitlements": { "late": true } })).await.expect(200);
    assert_eq!(read(&app, &user).await["entitlements"]["late"]["value"], json!(true));
    app.get(&format!("/users/{user}/entitlements/late")).await.expect(200);
}

#[tokio::test]
async fn features_that_no_subscription_names_are_not_returned() {
    let (app, user) = start().await;
    app.plan("pro", json!({ "entitlements": { "projects": 3 } })).await;
    app.subscription(&user, "pro", json!({})).await;
    for number in 0..40 {
        let feature = json!({ "key": format!("more-{number}"), "name": "More", "kind": "boolean" });
        app.post("/features", &feature).await.expect(201);
    }
    let found = read(&app, &user).await;
    assert_eq!(found["entitlements"].as_object().unwrap().len(), 1, "{found}");
    let check = app.get(&format!("/users/{user}/entitlements/more-7")).await.expect(200);
    assert_eq!((&check.data()["value"], &check.data()["reason"]), (&json!(null), &json!("not_granted")));
    app.get(&format!("/users/{user}/entitlements/more-40")).await.refused(404, "not_found");
}

#[tokio::test]
async fn a_user_reads_the_own_entitlements_only() {
    let (app, _) = start().await;
    let held = app.sign_up("grace@example.com").await;
    app.plan("pro", json!({ "entitlements": { "sso": true } })).await;
    app.subscription(held.user_id(), "pro", json!({})).await;
    let own = async |path: &str| app.browser("GET", path).bearer(&held.token).send().await;
    let found = own("/users/me/entitlements").await.expect(200).data().clone();
    assert_eq!((&found["user_id"], &found["entitlements"]["sso"]["value"]), (&json!(held.user_id()), &json!(true)));
    own(&format!("/users/{}/entitlements/sso", held.user_id())).await.expect(200);
    let other = app.user("linus@example.com").await;
    own(&format!("/users/{other}/entitlements")).await.refused(404, "not_found");
    app.get("/users/me/entitlements").await.refused(404, "not_found");
    app.get("/users/usr_01h455vb4pex5vsknk084sn02q/entitlements").await.refused(404, "not_found");
}

/// On PostgreSQL, reads of several users are one statement: each must get its own rows.
#[tokio::test]
async fn checks_at_once_answer_for_their_own_user() {
    const USERS: usize = 24;
    let (app, _) = start().await;
    app.plan("pro", json!({ "entitlements": { "projects": 1 } })).await;
    let mut users = Vec::new();
    for number in 0..USERS {
        let user = app.user(&format!("user{number}@example.com")).await;
        // A third of the users has nothing, a third one subscription, a third two.
        for more in 0..number % 3 {
            let grants = json!({ "entitlements": { "projects": number * 10 + more } });
            app.subscription(&user, "pro", grants).await;
        }
        users.push(user);
    }
    let feature = |number: usize| if number.is_multiple_of(2) { "projects" } else { "sso" };
    let requests = users
        .iter()
        .enumerate()
        .map(|(number, user)| app.request("GET", &format!("/users/{user}/entitlements/{}", feature(number))));
    for (number, answer) in all_at_once(requests).await.into_iter().enumerate() {
        let found = answer.expect(200);
        let of_projects = match (feature(number), number % 3) {
            ("sso", _) | (_, 0) => Value::Null,
            (_, subscriptions) => json!(number * 10 + subscriptions - 1),
        };
        assert_eq!(
            (&found.data()["user_id"], &found.data()["feature"]),
            (&json!(users[number]), &json!(feature(number)))
        );
        assert_eq!(found.data()["value"], of_projects, "of user {number}");
    }
}
