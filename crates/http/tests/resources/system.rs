//! API rules 8.1 (`docs/api.md`): endpoints without a client: liveness, readiness, the reference, the error list.

use super::support::{PLANS, SUBSCRIPTIONS};
use perennial_app::context::{App, AppOptions, Clock, Entropy};
use perennial_app::keys::{Keys, MasterKey};
use perennial_http::server::{Server, ServerOptions};
use perennial_http::{Api, ApiOptions};
use perennial_testkit::{Answer, TestApp, TestStore};
use serde_json::json;
use std::sync::Arc;

const OPEN: [&str; 8] = [
    "/livez",
    "/readyz",
    "/openapi.json",
    "/docs",
    "/docs/swagger-ui.css",
    "/docs/swagger-ui-bundle.js",
    "/docs/start.js",
    "/docs/errors",
];

async fn get(app: &TestApp, target: &str) -> Answer {
    app.anonymous("GET", target).send().await
}

/// The values of an attribute in a page.
fn attributes<'a>(page: &'a str, name: &str) -> Vec<&'a str> {
    let start = format!("{name}=\"");
    page.split(start.as_str()).skip(1).map(|rest| rest.split('"').next().unwrap()).collect()
}

#[tokio::test]
async fn the_process_reports_that_it_is_live_and_ready() {
    let app = TestApp::start().await;
    for (target, status) in [("/livez", "live"), ("/readyz", "ready")] {
        let answer = get(&app, target).await.expect(200);
        assert_eq!(answer.json, json!({ "data": { "status": status } }));
        assert_eq!(answer.header("content-type"), "application/json");
        assert_eq!(answer.header("cache-control"), "no-store");
    }
}

#[tokio::test]
async fn a_store_that_is_not_migrated_is_not_ready_though_the_process_lives() {
    let store = TestStore::create().await;
    let keys = Keys::derive(&MasterKey::new([7; 32]));
    let context = App::new(store.open_as_it_is().await, Clock::System, Entropy::seeded(1), keys, AppOptions::default());
    let server = Server::bind("127.0.0.1:0".parse().unwrap(), ServerOptions::default()).await.unwrap();
    let mut app = TestApp::start().await;
    app.address = server.local_addr();
    let api = Arc::new(Api::new(Arc::new(context), ApiOptions::default()));
    tokio::spawn(server.serve(api, std::future::pending()));
    get(&app, "/livez").await.expect(200);
    let answer = get(&app, "/readyz").await.refused(503, "storage_unavailable");
    assert_ne!(answer.header("retry-after"), "");
    assert!(!String::from_utf8_lossy(&answer.bytes).contains("schema"), "the cause is for the log");
}

#[tokio::test]
async fn the_open_endpoints_need_no_client_and_mind_none() {
    let app = TestApp::start().await;
    for target in OPEN {
        get(&app, target).await.expect(200);
        let unknown = app.anonymous("GET", target).header("client-id", "unknown");
        unknown.header("authorization", "Bearer stale").send().await.expect(200);
        let post = app.anonymous("POST", target).send().await.refused(405, "method_not_allowed");
        assert_eq!(post.header("allow"), "GET, HEAD", "{target}");
        let head = app.anonymous("HEAD", target).send().await.expect(200);
        assert!(head.bytes.is_empty(), "{target}");
        get(&app, &format!("{target}/")).await.refused(404, "route_not_found");
    }
}

#[tokio::test]
async fn the_reference_loads_everything_from_this_server() {
    let app = TestApp::start().await;
    let page = get(&app, "/docs").await.expect(200);
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    let html = String::from_utf8(page.bytes).unwrap();
    let mut linked = attributes(&html, "src");
    linked.extend(attributes(&html, "href"));
    assert!(!html.contains("http:") && !html.contains("https:") && !html.contains("url("), "{html}");
    let (data, paths): (Vec<&str>, Vec<&str>) = linked.into_iter().partition(|link| link.starts_with("data:"));
    assert_eq!(data, ["data:,"]);
    assert_eq!(paths, ["/docs/swagger-ui-bundle.js", "/docs/start.js", "/docs/swagger-ui.css"]);
    for path in paths {
        get(&app, path).await.expect(200);
    }
    let start = String::from_utf8(get(&app, "/docs/start.js").await.expect(200).bytes).unwrap();
    assert!(start.contains("url: \"/openapi.json\"") && start.contains("validatorUrl: null"));
    assert!(!start.contains("://"), "{start}");
}

#[tokio::test]
async fn the_references_style_and_scripts_say_what_they_are() {
    let app = TestApp::start().await;
    for (target, media_type, encoding) in [
        ("/docs/swagger-ui.css", "text/css; charset=utf-8", "gzip"),
        ("/docs/swagger-ui-bundle.js", "text/javascript; charset=utf-8", "gzip"),
        ("/docs/start.js", "text/javascript; charset=utf-8", ""),
    ] {
        let answer = get(&app, target).await.expect(200);
        assert_eq!(answer.header("content-type"), media_type);
        assert_eq!(answer.header("content-encoding"), encoding);
        assert_eq!(answer.header("cache-control"), "no-cache");
        assert_eq!(answer.bytes.starts_with(&[0x1f, 0x8b]), encoding == "gzip", "{target}");
        if encoding == "gzip" {
            // The last four bytes of a gzip stream are the length of what it holds.
            let length = u32::from_le_bytes(answer.bytes[answer.bytes.len() - 4..].try_into().unwrap());
            assert!(length as usize > answer.bytes.len(), "{target}");
        }
    }
}

#[tokio::test]
async fn the_type_of_every_problem_is_an_anchor_of_the_catalogue() {
    let app = TestApp::start().await;
    let answer = get(&app, "/docs/errors").await.expect(200);
    assert_eq!(answer.header("content-type"), "text/html; charset=utf-8");
    let html = String::from_utf8(answer.bytes).unwrap();
    let anchors = attributes(&html, "id");
    let problems = [
        get(&app, "/nowhere").await,
        get(&app, PLANS).await,
        app.get("/subscription-plans/unknown").await,
        app.get("/subscription-plans?color=red").await,
        app.post(PLANS, &json!({})).await,
        app.post(PLANS, &json!({ "name": 1, "slug": "A", "price": -1 })).await,
        app.post(SUBSCRIPTIONS, &json!({ "user_id": "u", "subscription_plan_id": "p" })).await,
        app.request("PATCH", PLANS).send().await,
        app.request("POST", PLANS).json_text("{").send().await,
        app.browser("POST", PLANS).json(&json!({})).send().await,
    ];
    for problem in problems {
        let kind = problem.json["type"].as_str().unwrap();
        let code = problem.json["code"].as_str().unwrap();
        assert_eq!(kind, format!("/docs/errors#{code}"));
        assert!(anchors.contains(&code), "{code}");
        for error in problem.json["errors"].as_array().into_iter().flatten() {
            assert!(anchors.contains(&error["code"].as_str().unwrap()), "{error}");
        }
    }
    let mut unique = anchors.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), anchors.len(), "an anchor leads to one place");
}

#[tokio::test]
async fn the_catalogue_explains_every_code_of_the_document() {
    let app = TestApp::start().await;
    let document = get(&app, "/openapi.json").await.expect(200);
    let html = String::from_utf8(get(&app, "/docs/errors").await.expect(200).bytes).unwrap();
    let codes = document.json["components"]["schemas"]["Problem"]["properties"]["code"]["enum"].as_array().unwrap();
    let mut reported: Vec<&str> = codes.iter().map(|code| code.as_str().unwrap()).collect();
    let mut explained = attributes(&html, "id");
    reported.sort_unstable();
    explained.sort_unstable();
    explained.dedup();
    assert_eq!(reported, explained);
    assert!(reported.len() > 40);
}
