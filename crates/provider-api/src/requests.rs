//! The paths of requests for single objects. An ID that comes from a webhook is encoded, so that it cannot leave its place.

use crate::service::Service;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use perennial_domain::connections::ObjectKind;

const UNRESERVED: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// The version of Stripe's API that all requests ask for.
pub const STRIPE_VERSION: &str = "2024-06-20";

/// The media type of Lemon Squeezy's API.
pub const JSON_API: &str = "application/vnd.api+json";

/// How an object is fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route {
    /// With one request.
    Object(String),
    /// A variant of Lemon Squeezy: its product, its store and its prices are fetched too.
    Variant(String),
    /// The ID is that of a product: this list has its prices.
    PricesOfProduct(String),
    /// There is no way from this ID to a record.
    Nowhere,
}

/// How an object is fetched.
pub fn route(service: Service, object: ObjectKind, id: &str) -> Route {
    let part = encoded(id);
    if matches!(id, "" | "." | "..") {
        return Route::Nowhere;
    }
    match service {
        Service::Stripe => stripe(object, id, &part),
        Service::LemonSqueezy => lemon_squeezy(object, id, &part),
        Service::Paddle => paddle(object, id, &part),
    }
}

fn stripe(object: ObjectKind, id: &str, part: &str) -> Route {
    Route::Object(match object {
        ObjectKind::Customer => format!("/v1/customers/{part}"),
        ObjectKind::Price if id.starts_with("prod_") => {
            return Route::PricesOfProduct(format!("/v1/prices?product={part}&limit=100"));
        }
        ObjectKind::Price => format!("/v1/prices/{part}?expand[]=product"),
        ObjectKind::Subscription => format!("/v1/subscriptions/{part}"),
        ObjectKind::Payment if id.starts_with("ch_") || id.starts_with("py_") => format!("/v1/charges/{part}"),
        ObjectKind::Payment if id.starts_with("in_") => format!("/v1/invoices/{part}?expand[]=charge"),
        ObjectKind::Payment if id.starts_with("pi_") => format!("/v1/payment_intents/{part}?expand[]=latest_charge"),
        ObjectKind::Payment => return Route::Nowhere,
    })
}

fn lemon_squeezy(object: ObjectKind, id: &str, part: &str) -> Route {
    let order = id.strip_prefix("order-").map(encoded);
    Route::Object(match (object, order) {
        (ObjectKind::Customer, _) => format!("/v1/customers/{part}"),
        (ObjectKind::Price, _) => return Route::Variant(format!("/v1/variants/{part}")),
        (ObjectKind::Subscription | ObjectKind::Payment, Some(order)) => format!("/v1/orders/{order}"),
        (ObjectKind::Subscription, None) => format!("/v1/subscriptions/{part}"),
        (ObjectKind::Payment, None) => format!("/v1/subscription-invoices/{part}"),
    })
}

fn paddle(object: ObjectKind, id: &str, part: &str) -> Route {
    Route::Object(match object {
        ObjectKind::Customer => format!("/customers/{part}"),
        ObjectKind::Price if id.starts_with("pro_") => {
            return Route::PricesOfProduct(format!("/prices?product_id={part}&per_page=200"));
        }
        ObjectKind::Price => format!("/prices/{part}?include=product"),
        ObjectKind::Subscription => format!("/subscriptions/{part}"),
        ObjectKind::Payment if id.starts_with("txn_") => format!("/transactions/{part}?include=adjustments"),
        ObjectKind::Payment => return Route::Nowhere,
    })
}

/// The product, the store and the prices of a variant of Lemon Squeezy.
pub fn product(id: &str) -> String {
    format!("/v1/products/{}", encoded(id))
}

/// The store of a product of Lemon Squeezy.
pub fn store(id: &str) -> String {
    format!("/v1/stores/{}", encoded(id))
}

/// The prices of a variant of Lemon Squeezy.
pub fn prices_of_variant(id: &str) -> String {
    format!("/v1/prices?filter[variant_id]={}", encoded(id))
}

/// The requests that show whether an API key may read everything that a connection needs, each with what it is for.
pub fn permissions(service: Service) -> &'static [(&'static str, &'static str)] {
    match service {
        Service::Stripe => &[
            ("subscriptions", "/v1/subscriptions?status=all&limit=1"),
            ("invoices", "/v1/invoices?limit=1"),
            ("customers", "/v1/customers?limit=1"),
            ("prices", "/v1/prices?limit=1"),
            ("charges", "/v1/charges?limit=1"),
            ("events", "/v1/events?limit=1"),
        ],
        Service::LemonSqueezy => &[
            ("subscriptions", "/v1/subscriptions?page[size]=1"),
            ("subscription invoices", "/v1/subscription-invoices?page[size]=1"),
            ("orders", "/v1/orders?page[size]=1"),
            ("variants", "/v1/variants?page[size]=1"),
        ],
        Service::Paddle => &[
            ("subscriptions", "/subscriptions?per_page=1"),
            ("transactions", "/transactions?per_page=1"),
            ("customers", "/customers?per_page=1"),
            ("prices", "/prices?per_page=1"),
            ("events", "/events?per_page=1"),
        ],
    }
}

/// The same for a connection to Stripe that collects. Whether the key may also write shows only when it does.
pub const COLLECTING: &[(&str, &str)] = &[("payment intents", "/v1/payment_intents?limit=1")];

/// The object of a response, without its envelope. None if the body is not a response for one object.
pub fn object_of(service: Service, body: &str) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Envelope<'a> {
        #[serde(borrow)]
        data: Option<&'a serde_json::value::RawValue>,
    }
    match service {
        Service::Stripe => Some(body.to_owned()),
        Service::LemonSqueezy | Service::Paddle => {
            serde_json::from_str::<Envelope<'_>>(body).ok()?.data.map(|data| data.get().to_owned())
        }
    }
}

pub(crate) fn encoded(text: &str) -> String {
    utf8_percent_encode(text, &UNRESERVED).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_object_has_its_path() {
        use ObjectKind::{Customer, Payment, Price, Subscription};
        let object = |service, object, id| match route(service, object, id) {
            Route::Object(path) | Route::Variant(path) | Route::PricesOfProduct(path) => path,
            Route::Nowhere => "-".to_owned(),
        };
        for (service, kind, id, path) in [
            (Service::Stripe, Customer, "cus_1", "/v1/customers/cus_1"),
            (Service::Stripe, Price, "price_1", "/v1/prices/price_1?expand[]=product"),
            (Service::Stripe, Price, "prod_1", "/v1/prices?product=prod_1&limit=100"),
            (Service::Stripe, Subscription, "sub_1", "/v1/subscriptions/sub_1"),
            (Service::Stripe, Payment, "in_1", "/v1/invoices/in_1?expand[]=charge"),
            (Service::Stripe, Payment, "ch_1", "/v1/charges/ch_1"),
            (Service::Stripe, Payment, "re_1", "-"),
            (Service::LemonSqueezy, Customer, "1", "/v1/customers/1"),
            (Service::LemonSqueezy, Price, "1", "/v1/variants/1"),
            (Service::LemonSqueezy, Subscription, "1", "/v1/subscriptions/1"),
            (Service::LemonSqueezy, Subscription, "order-1", "/v1/orders/1"),
            (Service::LemonSqueezy, Payment, "order-1", "/v1/orders/1"),
            (Service::LemonSqueezy, Payment, "1", "/v1/subscription-invoices/1"),
            (Service::Paddle, Customer, "ctm_1", "/customers/ctm_1"),
            (Service::Paddle, Price, "pri_1", "/prices/pri_1?include=product"),
            (Service::Paddle, Price, "pro_1", "/prices?product_id=pro_1&per_page=200"),
            (Service::Paddle, Subscription, "sub_1", "/subscriptions/sub_1"),
            (Service::Paddle, Payment, "txn_1", "/transactions/txn_1?include=adjustments"),
            (Service::Paddle, Payment, "adj_1", "-"),
            (Service::Stripe, Subscription, "..", "-"),
        ] {
            assert_eq!(object(service, kind, id), path, "{id}");
        }
    }

    proptest! {
        #[test]
        fn an_id_cannot_leave_its_place(id in "\\PC{1,40}") {
            for service in [Service::Stripe, Service::LemonSqueezy, Service::Paddle] {
                if let Route::Object(path) = route(service, ObjectKind::Subscription, &id) {
                    let depth = if service == Service::Paddle { 2 } else { 3 };
                    prop_assert_eq!(path.matches('/').count(), depth);
                    prop_assert!(!path.contains(['?', '#', ' ']));
                }
            }
        }
    }
}
