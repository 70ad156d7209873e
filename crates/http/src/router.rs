//! The table of contents: every endpoint of the service.

use crate::operation::Operation;
use crate::{accounts, meta, payments, plans, sessions, subscriptions, tokens};
use http::Method;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Every endpoint, in the order of the reference.
pub(crate) static OPERATIONS: &[&Operation] = &[
    &sessions::SIGN_UP,
    &sessions::SIGN_IN,
    &sessions::CHECK,
    &sessions::REFRESH,
    &tokens::LIST,
    &tokens::LOGOUT,
    &tokens::REVOKE_ALL,
    &tokens::REVOKE_ALL_EXCEPT_CURRENT,
    &tokens::REVOKE_ONE,
    &accounts::DELETE,
    &plans::LIST,
    &plans::CREATE,
    &plans::READ,
    &plans::UPDATE,
    &plans::DELETE,
    &subscriptions::LIST,
    &subscriptions::CREATE,
    &subscriptions::READ,
    &subscriptions::UPDATE,
    &subscriptions::DELETE,
    &payments::CREATE,
    &payments::READ,
    &payments::UPDATE,
    &payments::DELETE,
    &meta::LIVE,
    &meta::READY,
    &meta::DOCUMENT,
    &meta::REFERENCE,
    &meta::REFERENCE_STYLE,
    &meta::REFERENCE_SCRIPT,
    &meta::REFERENCE_START,
    &meta::CATALOGUE,
    &meta::SIGNING_KEYS,
];

/// Where a request leads.
pub(crate) enum Route<'a> {
    /// To this endpoint, with the path's parameter as it was sent.
    Found(&'static Operation, &'a str),
    /// To a path that takes other methods.
    WrongMethod(String),
    /// Nowhere.
    Nowhere,
}

/// Finds the endpoint of a method and path. HEAD goes where GET goes.
pub(crate) fn find<'a>(method: &Method, path: &'a str) -> Route<'a> {
    let wanted = if *method == Method::HEAD { &Method::GET } else { method };
    let (operations, parameter) = at(path);
    match operations.iter().find(|operation| operation.method == *wanted) {
        Some(operation) => Route::Found(operation, parameter),
        None if operations.is_empty() => Route::Nowhere,
        None => Route::WrongMethod(methods(operations)),
    }
}

/// The methods a path takes, as the header `Allow` lists them; empty if the path leads nowhere.
pub(crate) fn allowed(path: &str) -> String {
    methods(at(path).0)
}

fn methods(operations: &[&'static Operation]) -> String {
    let mut methods = Vec::new();
    for operation in operations {
        methods.push(operation.method.as_str());
        if operation.method == Method::GET {
            methods.push("HEAD");
        }
    }
    methods.join(", ")
}

/// The operations by their path, up to its parameter if it has one.
#[derive(Default)]
struct Places {
    whole: HashMap<&'static str, Vec<&'static Operation>>,
    with_parameter: HashMap<&'static str, Vec<&'static Operation>>,
}

static PLACES: LazyLock<Places> = LazyLock::new(|| {
    let mut places = Places::default();
    for operation in OPERATIONS {
        let (path, has_parameter) = operation.split_path();
        let paths = if has_parameter { &mut places.with_parameter } else { &mut places.whole };
        paths.entry(path).or_default().push(*operation);
    }
    places
});

/// The operations at a path, and its parameter, empty if it has none.
fn at(path: &str) -> (&'static [&'static Operation], &str) {
    if let Some(operations) = PLACES.whole.get(path) {
        return (operations, "");
    }
    match path.rsplit_once('/') {
        Some((collection, parameter)) if !parameter.is_empty() => {
            (PLACES.with_parameter.get(collection).map_or(&[], Vec::as_slice), parameter)
        }
        _ => (&[], ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(method: &str, path: &str) -> String {
        match find(&method.parse().unwrap(), path) {
            Route::Found(operation, parameter) => format!("{} {parameter}", operation.id),
            Route::WrongMethod(allowed) => format!("405 {allowed}"),
            Route::Nowhere => "404".into(),
        }
    }

    #[test]
    fn paths_lead_to_their_endpoints() {
        assert_eq!(route("GET", "/subscription-plans"), "listPlans ");
        assert_eq!(route("HEAD", "/subscription-plans/pro"), "readPlan pro");
        assert_eq!(route("DELETE", "/subscription-payments/pay_1"), "deletePayment pay_1");
        assert_eq!(route("GET", "/livez"), "live ");
    }

    #[test]
    fn other_methods_and_paths_are_told_apart() {
        assert_eq!(route("PATCH", "/subscription-plans/pro"), "405 GET, HEAD, PUT, DELETE");
        assert_eq!(route("GET", "/subscription-payments"), "405 POST");
        for path in [
            "/",
            "",
            "/subscription-plans/",
            "/subscription-plans/a/b",
            "/Subscription-plans",
            "/subscription-plansx",
            "//livez",
        ] {
            assert_eq!(route("GET", path), "404", "{path}");
        }
    }

    #[test]
    fn every_operation_has_its_own_name_and_place() {
        for (index, one) in OPERATIONS.iter().enumerate() {
            for other in &OPERATIONS[index + 1..] {
                assert_ne!(one.id, other.id);
                assert!(one.endpoint != other.endpoint && (one.path, &one.method) != (other.path, &other.method));
            }
        }
    }

    #[test]
    fn reads_are_told_from_writes_by_what_they_do() {
        let reads = |method: Method, path: &str| match find(&method, path) {
            Route::Found(operation, _) => !operation.writes(),
            _ => panic!("{path} leads nowhere"),
        };
        assert!(reads(Method::GET, "/subscriptions/sub_1") && reads(Method::HEAD, "/readyz"));
        // A POST, for the token's sake, and asked more often than anything else.
        assert!(reads(Method::POST, "/authentication/user-logged-in"));
        assert!(!reads(Method::POST, "/subscriptions") && !reads(Method::DELETE, "/subscription-plans/pro"));
    }
}
