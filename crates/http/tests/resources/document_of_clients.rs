//! API rules 8.1 (`docs/api.md`): the OpenAPI document about clients and the organization, compared with what the service
//! returns.

use super::document::refused_requests;
use super::openapi::{Document, keys};
use perennial_testkit::TestApp;
use serde_json::{Value, json};

/// The endpoints of clients and of the organization.
pub(crate) const CLIENTS: [(&str, &str); 10] = [
    ("get", "/clients"),
    ("post", "/clients"),
    ("get", "/clients/{id}"),
    ("put", "/clients/{id}"),
    ("get", "/organization"),
    ("put", "/organization"),
    ("get", "/test-clock"),
    ("post", "/test-clock"),
    ("put", "/test-clock"),
    ("delete", "/test-clock"),
];

fn example(document: &Document, method: &str, path: &str) -> Value {
    let content = &document.operation(method, path)["requestBody"]["content"]["application/json"];
    document.assert_conforms(&content["schema"], &content["example"], path);
    content["example"].clone()
}

#[tokio::test]
async fn every_operation_on_clients_documents_the_errors_it_returns() {
    let app = TestApp::start().await;
    let document = Document::of(&app).await;
    let created = app.post("/clients", &example(&document, "post", "/clients")).await.expect(201);
    let id = created.data()["id"].as_str().unwrap();
    let stale = "\"evt_01h455vb4pex5vsknk084sn02q\"";
    for (method, path) in CLIENTS {
        let (name, target) = (method.to_uppercase(), path.replace("{id}", id));
        let mut requests = refused_requests(&app, &name, &target);
        // A key is ignored where the response contains a secret.
        requests.retain(|(_, request)| !format!("{request:?}").contains("idempotency-key"));
        // A live organization has no clock, so that an update finds none, whatever it sends.
        requests.retain(|(status, _)| *status != 422 || (method, path) != ("put", "/test-clock"));
        if path.contains("{id}") {
            requests.push((404, app.request(&name, "/clients/nowhere").json(&json!({}))));
        }
        // The status of a clock follows from other records, so it has no revision.
        let has_revision = path != "/test-clock";
        if method == "put" && has_revision {
            requests.push((412, app.request(&name, &target).header("if-match", stale).json(&json!({}))));
        } else if method == "get" && path != "/clients" && has_revision {
            requests.push((304, app.request(&name, &target).header("if-none-match", "*")));
        }
        for (status, request) in requests {
            let context = format!("{request:?}");
            let answer = request.send().await;
            assert_eq!(answer.status, status, "{}", context.get(..400).unwrap_or(&context));
            document.assert_documented(method, path, &answer);
        }
    }
}

#[tokio::test]
async fn every_operation_on_clients_documents_its_success_and_its_conflicts() {
    let app = TestApp::start().await;
    let document = Document::of(&app).await;
    let mut body = example(&document, "post", "/clients");
    body["client_id"] = json!("web-shop");
    let created = app.post("/clients", &body).await;
    let target = format!("/clients/{}", created.data()["id"].as_str().unwrap());
    let update = example(&document, "put", "/clients/{id}");
    let off = json!({ "is_active": false });
    let trusted = json!({ "name": "server", "kind": "trusted", "scopes": ["plans:read"] });
    for (method, path, status, answer) in [
        ("post", "/clients", 201, created),
        ("post", "/clients", 201, app.post("/clients", &trusted).await),
        ("post", "/clients", 409, app.post("/clients", &body).await),
        ("get", "/clients", 200, app.get("/clients").await),
        ("get", "/clients/{id}", 200, app.get(&target).await),
        ("put", "/clients/{id}", 200, app.put(&target, &update).await),
        ("put", "/clients/{id}", 200, app.put(&target, &off).await),
        ("put", "/clients/{id}", 409, app.put(&target, &json!({ "name": "late" })).await),
        ("get", "/organization", 200, app.get("/organization").await),
        ("put", "/organization", 200, app.put("/organization", &example(&document, "put", "/organization")).await),
        ("post", "/test-clock", 409, app.post("/test-clock", &example(&document, "post", "/test-clock")).await),
        ("get", "/test-clock", 404, app.get("/test-clock").await),
        ("put", "/test-clock", 404, app.put("/test-clock", &example(&document, "put", "/test-clock")).await),
        ("delete", "/test-clock", 404, app.delete("/test-clock").await),
    ] {
        assert_eq!(answer.status, status, "{method} {path}: {}", answer.json);
        document.assert_documented(method, path, &answer);
    }
}

#[tokio::test]
async fn clients_and_the_organization_have_exactly_the_members_of_their_schemas() {
    let app = TestApp::start().await;
    let document = Document::of(&app).await;
    let clients = app.get("/clients").await.expect(200);
    let organization = app.get("/organization").await.expect(200);
    for (name, record) in [("Client", &clients.data()[0]), ("Organization", organization.data())] {
        assert_eq!(keys(record), keys(&document.schema(name)["properties"]), "{name}");
    }
}
