//! API rules 1.2 (`docs/api.md`): the list of errors is bounded, and so is the response, whatever is rejected.

use super::support::plan_body;
use perennial_testkit::{Answer, TestApp};
use serde_json::json;
use std::fmt::Write as _;

/// The largest response to a request that is rejected.
const LARGEST: usize = 64 * 1024;
const REFRESH: &str = "/authentication/refresh-token";

/// A body of nearly 256 KiB with as many unknown members as fit.
fn unknown_members() -> (String, usize) {
    let mut body = String::from("{");
    let mut count = 0;
    while body.len() < 261_000 {
        let _ = write!(body, "\"{count:x}\":0,");
        count += 1;
    }
    (format!("{}}}", body.trim_end_matches(',')), count)
}

fn listed(answer: &Answer) -> usize {
    answer.json["errors"].as_array().map_or(0, Vec::len)
}

#[tokio::test]
async fn a_query_of_8_kb_is_rejected_in_a_few_bytes() {
    let app = TestApp::start().await;
    let target = format!("/livez?{}", "a&".repeat(4_000));
    let answer = app.anonymous("GET", &target).send().await.refused(400, "invalid_parameter");
    assert_eq!(answer.faults(), ["query invalid_parameter"]);
    assert!(answer.bytes.len() < 1_024, "{} bytes", answer.bytes.len());
    let unknown: Vec<String> = (0..100).map(|number| format!("p{number}")).collect();
    let answer = app.anonymous("GET", &format!("/livez?{}", unknown.join("&"))).send().await;
    assert_eq!(listed(&answer.refused(400, "unknown_parameter")), 100);
}

#[tokio::test]
async fn errors_of_query_and_headers_past_the_hundredth_are_counted() {
    let app = TestApp::start().await;
    let target = format!("/subscription-plans/pro?{}", "x&".repeat(100));
    let request = app.request("DELETE", &target).header("if-match", "x").header("if-none-match", "x");
    let answer = request.send().await.refused(400, "unknown_parameter");
    assert_eq!((listed(&answer), &answer.json["errors_omitted"]), (100, &json!(2)));
}

#[tokio::test]
async fn a_refresh_of_256_kib_is_rejected_in_a_bounded_response() {
    let app = TestApp::start().await;
    let (body, members) = unknown_members();
    let answer = app.browser("POST", REFRESH).json_text(body).send().await.refused(422, "invalid_input");
    assert_eq!(listed(&answer), 100);
    // `refresh_token` is missing, too.
    assert_eq!(answer.json["errors_omitted"], members + 1 - 100);
    assert!(answer.bytes.len() < LARGEST, "{} bytes", answer.bytes.len());
    assert_eq!(answer.faults()[0], "/refresh_token required");
}

#[tokio::test]
async fn the_hundredth_error_is_listed_and_nothing_is_omitted_then() {
    let app = TestApp::start().await;
    for (unknown, omitted) in [(100, None), (101, Some(1))] {
        let mut body = plan_body("pro", &json!({}));
        for number in 0..unknown {
            body[format!("x{number}")] = json!(1);
        }
        let answer = app.post("/subscription-plans", &body).await.refused(422, "unknown_field");
        assert_eq!((listed(&answer), answer.json["errors_omitted"].as_u64()), (100, omitted));
    }
}

#[tokio::test]
async fn long_names_are_shortened_in_the_response() {
    let app = TestApp::start().await;
    let name = "~".repeat(250 * 1024);
    for (body, code) in [
        (format!("{{\"refresh_token\":\"x\",\"{name}\":1}}"), "unknown_field"),
        (format!("{{\"{0}\":1,\"{0}\":2}}", &name[..100 * 1024]), "duplicate_key"),
    ] {
        let answer = app.browser("POST", REFRESH).json_text(body).send().await;
        assert_eq!(answer.json["code"], code);
        assert!(answer.bytes.len() < 2_048, "{} bytes", answer.bytes.len());
    }
    let target = format!("/livez?{}", "%01".repeat(2_600));
    let answer = app.anonymous("GET", &target).send().await.refused(400, "unknown_parameter");
    assert!(answer.bytes.len() < 2_048, "{} bytes", answer.bytes.len());
}
