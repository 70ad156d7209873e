//! API rules 8.1 (`docs/api.md`): the OpenAPI document of users and of the search matches their responses.

use super::openapi::Document;
use perennial_testkit::{Answer, TestApp};
use serde_json::json;

pub(crate) const USERS: [(&str, &str); 9] = [
    ("get", "/users"),
    ("post", "/users"),
    ("get", "/users/{id}"),
    ("put", "/users/{id}"),
    ("delete", "/users/{id}"),
    ("get", "/users/{id}/sessions"),
    ("delete", "/users/{id}/sessions"),
    ("delete", "/users/{id}/sessions/{session_id}"),
    ("get", "/search"),
];

#[tokio::test]
async fn users_and_the_search_document_what_they_return() {
    let app = TestApp::start().await;
    let document = Document::of(&app).await;
    let held = app.sign_up("ada@example.com").await;
    app.sign_in("ada@example.com").await;
    let user = format!("/users/{}", held.user_id());
    let session = format!("{user}/sessions/{}", held.session_id());
    let stale = "\"evt_01h455vb4pex5vsknk084sn02q\"";
    let put = |body| app.request("PUT", &user).json(&body);
    let keyed = app.request("POST", "/users").header("idempotency-key", "k").json(&json!({ "email": "b@x" }));
    let reused = app.request("POST", "/users").header("idempotency-key", "k").json(&json!({ "email": "c@x" }));
    let one = "/users/{id}";
    let sessions = "/users/{id}/sessions";
    let answers: Vec<(&str, &str, u16, Answer)> = vec![
        ("get", "/users", 200, app.get("/users").await),
        ("get", "/users", 400, app.get("/users?cursor=odd").await),
        ("post", "/users", 201, keyed.clone().send().await),
        ("post", "/users", 201, keyed.send().await),
        ("post", "/users", 422, reused.send().await),
        ("post", "/users", 409, app.post("/users", &json!({ "email": "ada@example.com" })).await),
        ("get", one, 200, app.get(&user).await),
        ("get", one, 304, app.request("GET", &user).header("if-none-match", "*").send().await),
        ("get", one, 404, app.get("/users/me").await),
        ("put", one, 200, put(json!({ "first_name": "Ada" })).send().await),
        ("put", one, 409, put(json!({ "email": "d@x" })).send().await),
        ("put", one, 412, put(json!({})).header("if-match", stale).send().await),
        ("put", one, 422, put(json!({ "is_blocked": 1 })).send().await),
        ("get", sessions, 200, app.get(&format!("{user}/sessions")).await),
        ("delete", "/users/{id}/sessions/{session_id}", 200, app.delete(&session).await),
        ("delete", "/users/{id}/sessions/{session_id}", 404, app.delete(&session).await),
        ("delete", sessions, 200, app.delete(&format!("{user}/sessions")).await),
        ("get", "/search", 200, app.get("/search?q=ada").await),
        ("get", "/search", 400, app.get("/search").await),
        ("delete", one, 412, app.request("DELETE", &user).header("if-match", stale).send().await),
        ("delete", one, 200, app.delete(&user).await),
        ("delete", one, 404, app.delete(&user).await),
        ("get", sessions, 404, app.get(&format!("{user}/sessions")).await),
        ("delete", sessions, 404, app.delete(&format!("{user}/sessions")).await),
    ];
    for (method, path, status, answer) in answers {
        assert_eq!(answer.status, status, "{method} {path}: {}", answer.json);
        document.assert_documented(method, path, &answer);
    }
    for (method, path) in USERS {
        let target = path.replace("{id}", held.user_id()).replace("{session_id}", held.session_id());
        let method_name = method.to_uppercase();
        for (status, request) in [
            (401, app.anonymous(&method_name, &target)),
            (400, app.request(&method_name, &format!("{target}?color=red"))),
            (403, app.request(&method_name, &target).header("origin", "https://app.example.com")),
        ] {
            let answer = request.send().await;
            assert_eq!(answer.status, status, "{method} {path}");
            document.assert_documented(method, path, &answer);
        }
    }
    let q = document.operation("get", "/search")["parameters"].as_array().unwrap();
    assert_eq!(q.iter().find(|parameter| parameter["name"] == "q").unwrap()["required"], json!(true));
}
