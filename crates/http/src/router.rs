//! The table of contents: every endpoint of the service.

use crate::operation::Operation;
use crate::{accounts, payments, plans, sessions, subscriptions, system, tokens};
use http::Method;

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
    &system::LIVE,
    &system::READY,
    &system::DOCUMENT,
    &system::REFERENCE,
    &system::REFERENCE_STYLE,
    &system::REFERENCE_SCRIPT,
    &system::REFERENCE_START,
    &system::CATALOGUE,
    &system::SIGNING_KEYS,
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
    let mut known = false;
    for operation in OPERATIONS {
        if let Some(parameter) = matches(operation, path) {
            if operation.method == *wanted {
                return Route::Found(operation, parameter);
            }
            known = true;
        }
    }
    if known { Route::WrongMethod(allowed(path)) } else { Route::Nowhere }
}

/// The methods a path takes, as the header `Allow` lists them.
pub(crate) fn allowed(path: &str) -> String {
    let mut methods = Vec::new();
    for operation in OPERATIONS.iter().filter(|operation| matches(operation, path).is_some()) {
        methods.push(operation.method.as_str());
        if operation.method == Method::GET {
            methods.push("HEAD");
        }
    }
    methods.join(", ")
}

/// The parameter of the path, empty if it has none, if the path is the operation's.
fn matches<'a>(operation: &Operation, path: &'a str) -> Option<&'a str> {
    let (prefix, has_parameter) = operation.split_path();
    let rest = path.strip_prefix(prefix)?;
    match (has_parameter, rest.strip_prefix('/')) {
        (false, None) if rest.is_empty() => Some(""),
        (true, Some(parameter)) if !parameter.is_empty() && !parameter.contains('/') => Some(parameter),
        _ => None,
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
}
