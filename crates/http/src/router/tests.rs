use super::*;
use crate::access::Access;
use crate::operation::{Handler, ResponseKind};
use crate::operations::{ROUTER, all};
use crate::query::QuerySpec;
use proptest::prelude::*;

fn route(method: &str, path: &str) -> String {
    describe(&ROUTER, method, path)
}

fn describe(router: &Router, method: &str, path: &str) -> String {
    match router.find(&method.parse().unwrap(), path) {
        Route::Found(found) => format!("{} {}", found.operation.id, found.parameters.sent().join(" ")),
        Route::WrongMethod(allowed) => format!("405 {allowed}"),
        Route::NotFound => "404".into(),
    }
}

#[test]
fn a_path_leads_to_its_operation() {
    assert_eq!(route("GET", "/subscription-plans"), "listPlans ");
    assert_eq!(route("HEAD", "/subscription-plans/pro"), "readPlan pro");
    assert_eq!(route("DELETE", "/subscription-payments/pay_1"), "deletePayment pay_1");
    assert_eq!(route("GET", "/livez"), "live ");
}

#[test]
fn another_method_is_405_and_another_path_404() {
    assert_eq!(route("PATCH", "/subscription-plans/pro"), "405 GET, HEAD, PUT, DELETE");
    assert_eq!(route("PUT", "/subscription-payments"), "405 GET, HEAD, POST");
    for path in [
        "/",
        "",
        "/subscription-plans/",
        "/subscription-plans/a/b",
        "/Subscription-plans",
        "/subscription-plansx",
        "//livez",
        "/livez/",
        "livez",
        "*",
    ] {
        assert_eq!(route("GET", path), "404", "{path}");
    }
}

#[test]
fn every_operation_has_its_own_id_and_path() {
    for (index, one) in all().iter().enumerate() {
        for other in &all()[index + 1..] {
            assert_ne!(one.id, other.id);
            assert_ne!((one.path, &one.method), (other.path, &other.method));
        }
    }
}

#[test]
fn an_operation_is_open_exactly_if_its_handler_needs_no_client() {
    // Webhooks of payment providers have a body, which a handler reads as that of a client does.
    for operation in all().iter().filter(|operation| operation.id != "receiveProviderWebhook") {
        let is_open = matches!(operation.handler, Handler::Open(_));
        assert_eq!(is_open, matches!(operation.access, Access::Open), "{}", operation.id);
    }
}

#[test]
fn what_only_reads_does_not_count_as_a_write() {
    let reads = |method: Method, path: &str| match ROUTER.find(&method, path) {
        Route::Found(found) => !found.operation.writes(),
        _ => panic!("{path} does not exist"),
    };
    assert!(reads(Method::GET, "/subscriptions/sub_1") && reads(Method::HEAD, "/readyz"));
    // A POST because the token is a credential, and called more often than anything else.
    assert!(reads(Method::POST, "/authentication/user-logged-in"));
    assert!(!reads(Method::POST, "/subscriptions") && !reads(Method::DELETE, "/subscription-plans/pro"));
}

const fn get(id: &'static str, path: &'static str) -> Operation {
    Operation {
        id,
        method: Method::GET,
        path,
        tag: "",
        summary: "",
        description: "",
        access: Access::Open,
        query: QuerySpec::NONE,
        body: None,
        response: ResponseKind::Media("text/plain"),
        errors: &[],
        handler: Handler::Open(|_| Box::pin(std::future::pending())),
    }
}

static NESTED: &[Operation] = &[
    get("users", "/users"),
    get("me", "/users/me"),
    get("invoice", "/users/{user}/invoices/{invoice}"),
    get("myLimits", "/users/me/limits"),
    get("console", "/console"),
    get("assets", "/console/{*path}"),
    get("settings", "/console/settings"),
];

#[test]
fn paths_nest_and_end_in_a_wildcard() {
    let router = Router::new(&[NESTED]);
    let route = |path: &str| describe(&router, "GET", path);
    assert_eq!(route("/users/u1/invoices/i1"), "invoice u1 i1");
    assert_eq!(route("/users/me"), "me ");
    // A literal that leads nowhere further gives way to a parameter.
    assert_eq!(route("/users/me/invoices/i1"), "invoice me i1");
    assert_eq!(route("/users/me/limits"), "myLimits ");
    assert_eq!(route("/console"), "console ");
    assert_eq!(route("/console/settings"), "settings ");
    assert_eq!(route("/console/a.js"), "assets a.js");
    assert_eq!(route("/console/settings/b/c.js"), "assets settings/b/c.js");
    for path in ["/users/u1", "/users/u1/invoices", "/users//invoices/i1", "/users/u1/invoices/", "/console/"] {
        assert_eq!(route(path), "404", "{path}");
    }
}

proptest! {
    #[test]
    fn every_path_leads_to_its_operation_and_no_other(
        index in 0..all().len() + NESTED.len(),
        values in proptest::collection::vec("[^/]{1,12}", 4),
    ) {
        let own = Router::new(&[NESTED]);
        let (router, index) =
            if index < all().len() { (&*ROUTER, index) } else { (&own, index - all().len()) };
        let expected = router.operations()[index];
        let mut sent = values.iter();
        let mut parameters = Vec::new();
        let mut path = String::new();
        for segment in segments(expected.path) {
            path.push('/');
            match segment {
                Segment::Literal(text) => path.push_str(text),
                Segment::Parameter(_) | Segment::Wildcard(_) => {
                    let value = sent.next().unwrap();
                    parameters.push(value.as_str());
                    path.push_str(value);
                }
            }
        }
        // A random value may be the literal of a sibling, which takes precedence.
        let is_literal = router.operations().iter().any(|other| other.path == path);
        prop_assume!(parameters.is_empty() || !is_literal);
        match router.find(&expected.method, &path) {
            Route::Found(found) => {
                prop_assert_eq!(found.operation.id, expected.id);
                prop_assert_eq!(found.number, index);
                prop_assert_eq!(found.parameters.sent(), parameters);
            }
            _ => prop_assert!(false, "{} does not exist", path),
        }
    }
}
