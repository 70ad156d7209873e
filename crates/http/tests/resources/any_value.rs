//! API rules 1.3 (`docs/api.md`): whatever a field, a parameter or a path contains, the service responds as documented. It
//! never fails, and never stores what it cannot return.

use super::openapi::Document;
use perennial_testkit::{Answer, Connection, Request, TestApp};
use serde_json::{Value, json};

/// Values as they are written in a body.
const VALUES: [&str; 20] = [
    "null",
    "true",
    "0",
    "-1",
    "0.5",
    "1e400",
    "9223372036854775808",
    "\"\"",
    "\" \"",
    "\"x\"",
    "\"\\u0000\"",
    "\"\\ud800\"",
    "\"\u{1f600}\u{202e}\"",
    "\"9999-12-31T23:59:59.999999999Z\"",
    "\"sub_7zzzzzzzzzzzzzzzzzzzzzzzzz\"",
    "[]",
    "[null]",
    "[\"x\", \"x\"]",
    "{}",
    "{\"x\": {\"x\": []}}",
];

/// Texts as they are written in a query or a path.
const TEXTS: [&str; 12] = [
    "x",
    "-1",
    "99999999999999999999",
    "%00",
    "%FF",
    "%zz",
    "%F0%9F%98%80",
    "a,,b",
    "..",
    "9999-12-31T23:59:59.999999Z",
    "1970-01-01T00:00:00Z",
    "usr_7zzzzzzzzzzzzzzzzzzzzzzzzz",
];

/// A record of each kind, so that requests get past the lookup of their record.
struct Records(Vec<(&'static str, String)>);

impl Records {
    async fn create(app: &TestApp) -> Self {
        let user = app.user("ada@example.com").await;
        app.plan("free", json!({ "price": 0 })).await;
        let billing = json!({ "billing": { "collection": "manual" } });
        let subscription = app.subscription(&user, "free", billing).await["id"].as_str().unwrap().to_owned();
        let payment = app.payment(&subscription, json!({})).await["id"].as_str().unwrap().to_owned();
        let lines = json!([{ "description": "Item", "unit_price": 5 }]);
        let endpoint = json!({ "url": "https://93.184.215.14/hook", "is_active": false });
        let mut records = vec![
            ("/users/{id}", format!("/users/{user}")),
            ("/subscription-plans/{slug}", "/subscription-plans/free".to_owned()),
            ("/subscriptions/{id}", format!("/subscriptions/{subscription}")),
            ("/subscription-payments/{payment_id}", format!("/subscription-payments/{payment}")),
        ];
        for (template, body) in [
            ("/invoices/{id}", json!({ "subscription_id": subscription, "lines": lines })),
            ("/clients/{id}", json!({ "name": "app", "kind": "public", "scopes": [] })),
            ("/operators/{id}", json!({ "name": "Ada", "role": "viewer" })),
            ("/webhook-endpoints/{id}", endpoint),
            ("/tax-rates/{id}", json!({ "name": "VAT", "percentage": 19 })),
            ("/coupons/{id}", json!({ "code": "TEN", "percent": 10, "duration": "once" })),
            ("/meters/{id}", json!({ "slug": "calls", "name": "Calls", "aggregation": "sum" })),
            ("/features/{key}", json!({ "key": "seats", "name": "Seats", "kind": "boolean" })),
        ] {
            let (collection, _) = template.rsplit_once('/').unwrap();
            let created = app.post(collection, &body).await.expect(201);
            let id = if template.ends_with("{key}") { "seats" } else { created.data()["id"].as_str().unwrap() };
            records.push((template, format!("{collection}/{id}")));
        }
        Self(records)
    }

    /// The path of a template with the IDs of records. A parameter that is left refers to nothing.
    fn path(&self, template: &str) -> String {
        let known = self.0.iter().find_map(|(known, path)| Some((path, template.strip_prefix(known)?)));
        let filled = known.map_or_else(|| template.to_owned(), |(path, rest)| format!("{path}{rest}"));
        filled.replace(['{', '}'], "")
    }
}

#[track_caller]
fn assert_responds(document: &Document, method: &str, template: &str, sent: &str, answer: &Answer) {
    assert!(answer.status < 500, "{method} {template} with {sent}: {}", answer.json);
    if answer.status != 405 && answer.json["code"] != "route_not_found" {
        document.assert_documented(method, template, answer);
    }
}

/// The operations of clients, with their methods and templates.
fn operations(document: &Document) -> Vec<(&str, &str, &Value)> {
    let paths = document.0["paths"].as_object().unwrap();
    let all = paths.iter().flat_map(|(template, methods)| {
        methods.as_object().unwrap().iter().map(|(method, operation)| (method.as_str(), template.as_str(), operation))
    });
    all.filter(|(_, template, operation)| operation["x-console"].is_null() && !template.starts_with("/hooks")).collect()
}

fn request(app: &TestApp, method: &str, target: &str) -> Request {
    app.request(&method.to_uppercase(), target)
}

#[tokio::test]
async fn no_value_of_a_field_fails_the_service() {
    let app = TestApp::start().await;
    let (document, records) = (Document::of(&app).await, Records::create(&app).await);
    let mut connection = Connection::open(app.address).await;
    let mut sent = 0;
    for (method, template, operation) in operations(&document) {
        let content = &operation["requestBody"]["content"]["application/json"];
        let Some(fields) = document.follow(&content["schema"])["properties"].as_object() else { continue };
        for field in fields.keys() {
            for value in VALUES {
                let mut body = content["example"].clone();
                if !body["url"].is_null() {
                    body["url"] = json!("https://93.184.215.14/hook");
                }
                body.as_object_mut().unwrap().remove(field);
                let rest = body.to_string()[1..].to_owned();
                let comma = if rest == "}" { "" } else { "," };
                let body = format!("{{\"{field}\":{value}{comma}{rest}");
                let answer = connection.send(request(&app, method, &records.path(template)).json_text(body)).await;
                assert_responds(&document, method, template, &format!("{field}: {value}"), &answer);
                sent += 1;
            }
        }
    }
    assert!(sent > 4_000, "{sent}");
}

/// A body that is no object lacks nothing: its type is the only error.
#[tokio::test]
async fn a_body_that_is_no_object_has_one_error() {
    let app = TestApp::start().await;
    let (document, records) = (Document::of(&app).await, Records::create(&app).await);
    let mut connection = Connection::open(app.address).await;
    let (mut invalid, mut wrong) = (0, Vec::new());
    for (method, template, operation) in operations(&document) {
        if operation["requestBody"].is_null() {
            continue;
        }
        for body in ["null", "5", "\"x\"", "[]"] {
            let answer =
                connection.send(request(&app, method, &records.path(template)).json_text(body.to_owned())).await;
            if answer.status == 422 {
                invalid += 1;
                if (answer.faults(), &answer.json["code"]) != (vec![" invalid_type".to_owned()], &json!("invalid_type"))
                {
                    wrong.push(format!("{method} {template} {body}: {:?}", answer.faults()));
                }
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
    assert!(invalid > 100, "{invalid}");
}

#[tokio::test]
async fn no_text_in_a_query_or_a_path_fails_the_service() {
    let app = TestApp::start().await;
    let (document, records) = (Document::of(&app).await, Records::create(&app).await);
    let mut connection = Connection::open(app.address).await;
    let mut sent = 0;
    for (method, template, operation) in operations(&document) {
        let none = Vec::new();
        let parameters = operation["parameters"].as_array().unwrap_or(&none);
        let mut targets = Vec::new();
        for parameter in parameters.iter().filter(|parameter| parameter["in"] == "query" && method == "get") {
            let name = parameter["name"].as_str().unwrap();
            targets.extend(TEXTS.map(|text| format!("{}?{name}={text}", records.path(template))));
        }
        for parameter in parameters.iter().filter(|parameter| parameter["in"] == "path") {
            let place = format!("{{{}}}", parameter["name"].as_str().unwrap());
            targets.extend(TEXTS.map(|text| template.replacen(&place, text, 1).replace(['{', '}'], "")));
        }
        for target in targets {
            let answer = connection.send(request(&app, method, &target).json_text("{}")).await;
            assert_responds(&document, method, template, &target, &answer);
            sent += 1;
        }
    }
    assert!(sent > 1_500, "{sent}");
}
