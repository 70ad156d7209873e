//! API rules 9.2 (`docs/api.md`): lists of users.

use super::support::*;
use perennial_testkit::TestApp;
use serde_json::{Value, json};

/// Five users, newest first. The second and the fourth have signed up.
async fn fill(app: &TestApp) -> Vec<Value> {
    let mut users = Vec::new();
    for (number, email) in ["adb@x", "ada@y", "ada@x", "ada@x.org", "eve@x"].into_iter().enumerate() {
        app.advance(1);
        let id = match number % 2 {
            0 => app.user(email).await,
            _ => app.sign_up(email).await.user_id().to_owned(),
        };
        users.insert(0, app.get(&format!("/users/{id}")).await.expect(200).data().clone());
    }
    users
}

#[tokio::test]
async fn users_are_listed_newest_first_page_by_page() {
    let app = TestApp::start().await;
    let mut users = fill(&app).await;
    for limit in [1, 2, 5, 50] {
        assert_eq!(follow(&app, "/users", limit).await, users, "{limit}");
        assert_eq!(follow(&app, "/users?sort=-created_at", limit).await, users, "{limit}");
        let oldest: Vec<Value> = users.iter().rev().cloned().collect();
        assert_eq!(follow(&app, "/users?sort=created_at", limit).await, oldest, "{limit}");
    }
    app.delete(&format!("/users/{}", users.remove(2)["id"].as_str().unwrap())).await.expect(200);
    assert_eq!(follow(&app, "/users", 2).await, users);
}

#[tokio::test]
async fn every_filter_of_users_narrows_the_list() {
    let app = TestApp::start().await;
    let users = fill(&app).await;
    let of = |index: usize, field: &str| encode(users[index][field].as_str().unwrap());
    let lists: Vec<(String, &[usize])> = vec![
        (format!("id={}", of(2, "id")), &[2]),
        (format!("id={},{},{},usr_01h455vb4pex5vsknk084sn02q", of(4, "id"), of(0, "id"), of(4, "id")), &[0, 4]),
        (format!("id={},{},{}&sort=created_at", of(1, "id"), of(0, "id"), of(3, "id")), &[3, 1, 0]),
        ("email=%20ADA%40X".into(), &[2]),
        ("email=none%40x".into(), &[]),
        ("email_prefix=ada".into(), &[2, 1, 3]),
        ("email_prefix=ADA%40X".into(), &[2, 1]),
        ("email_prefix=ada%40x.".into(), &[1]),
        ("email_prefix=zzz".into(), &[]),
        (format!("auth_id={}", of(1, "auth_id")), &[1]),
        ("auth_id=nothing".into(), &[]),
        (format!("created_after={}", of(1, "created_at")), &[0, 1]),
        (format!("created_before={}", of(1, "created_at")), &[2, 3, 4]),
        (format!("email_prefix=ada&created_after={}", of(2, "created_at")), &[2, 1]),
        (format!("email_prefix=ada&created_before={}&id={},{}", of(1, "created_at"), of(3, "id"), of(1, "id")), &[3]),
        (format!("email_prefix=ada&auth_id={}", of(3, "auth_id")), &[3]),
        (format!("id={}&email=eve%40x&auth_id={}", of(1, "id"), of(1, "auth_id")), &[]),
        (format!("id={}&email=ada%40x.org&auth_id={}", of(1, "id"), of(1, "auth_id")), &[1]),
    ];
    for (query, expected) in lists {
        let expected: Vec<Value> = expected.iter().map(|index| users[*index].clone()).collect();
        for limit in [1, 50] {
            assert_eq!(follow(&app, &format!("/users?{query}"), limit).await, expected, "{query}");
        }
    }
}

#[tokio::test]
async fn two_hundred_ids_are_accepted_and_no_more() {
    let app = TestApp::start().await;
    let user = app.user("ada@x").await;
    let ids = |count: usize| vec![user.as_str(); count].join(",");
    assert_eq!(follow(&app, &format!("/users?id={}", ids(200)), 200).await.len(), 1);
    app.get(&format!("/users?id={}", ids(201))).await.refused(400, "invalid_parameter");
}

#[tokio::test]
async fn a_malformed_filter_of_users_is_400() {
    let app = TestApp::start().await;
    for query in [
        "id=",
        "id=usr_1",
        "id=usr_01h455vb4pex5vsknk084sn02q,",
        "id=me",
        "email=",
        "email=ada",
        "email_prefix=ad",
        "email_prefix=a%00da",
        "auth_id=",
        "auth_id=a%00b",
        "created_after=yesterday",
        "sort=email",
        "sort=",
        "email_prefix=ada&sort=created_at",
        "limit=201",
    ] {
        app.get(&format!("/users?{query}")).await.refused(400, "invalid_parameter");
    }
    app.get("/users?user_id=usr_1").await.refused(400, "unknown_parameter");
    let cursor = {
        fill(&app).await;
        next_cursor(&app.get("/users?limit=1").await.expect(200)).unwrap()
    };
    for query in ["sort=created_at", "email_prefix=ada", "email=ada%40x"] {
        app.get(&format!("/users?{query}&cursor={cursor}")).await.refused(400, "invalid_cursor");
    }
}

#[tokio::test]
async fn a_list_of_users_shows_one_organization_only() {
    let app = TestApp::start().await;
    let users = fill(&app).await;
    let other = Tenant::new(&app, "other").await;
    let id = users[1]["id"].as_str().unwrap();
    let subject = encode(users[1]["auth_id"].as_str().unwrap());
    for query in ["", &format!("?id={id}"), "?email=ada%40x", "?email_prefix=ada", &format!("?auth_id={subject}")] {
        let list = other.request("GET", &format!("/users{query}")).send().await.expect(200);
        assert_eq!(list.json, json!({ "data": [], "page": { "next_cursor": null, "has_more": false, "limit": 50 } }));
    }
}
