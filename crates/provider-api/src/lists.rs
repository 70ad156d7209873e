//! Lists of a provider's objects, page by page. A link to the next page is never followed: the path is built from the cursor, so
//! that no response decides where a request goes.

use crate::requests::encoded;
use crate::service::Service;
use perennial_domain::connections::{ConnectionMode, ObjectKind};
use perennial_domain::time::Time;
use serde::Deserialize;
use serde_json::value::RawValue;

/// A list that a sweep reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    /// All subscriptions.
    Subscriptions,
    /// Orders of Lemon Squeezy: subscriptions that are paid once, and their payments.
    Orders,
    /// Invoices or transactions since an instant.
    Payments,
    /// Prices or variants.
    Prices,
    /// Events since an instant.
    Events,
}

impl List {
    /// The lists of a sweep, in order.
    pub const fn of_sweep(service: Service) -> &'static [Self] {
        match service {
            Service::LemonSqueezy => &[Self::Subscriptions, Self::Orders, Self::Payments, Self::Prices],
            Service::Stripe | Service::Paddle => &[Self::Subscriptions, Self::Payments, Self::Prices],
        }
    }

    /// The word in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Subscriptions => "subscriptions",
            Self::Orders => "orders",
            Self::Payments => "payments",
            Self::Prices => "prices",
            Self::Events => "events",
        }
    }

    /// The list of a stored word.
    pub fn from_stored(word: &str) -> Option<Self> {
        [Self::Subscriptions, Self::Orders, Self::Payments, Self::Prices, Self::Events]
            .into_iter()
            .find(|list| list.as_str() == word)
    }

    /// The kind of its objects. None for events, whose bodies decide.
    pub const fn object(self) -> Option<ObjectKind> {
        match self {
            Self::Subscriptions => Some(ObjectKind::Subscription),
            Self::Orders | Self::Payments => Some(ObjectKind::Payment),
            Self::Prices => Some(ObjectKind::Price),
            Self::Events => None,
        }
    }
}

/// What a list is limited to.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// The Stripe account or the Lemon Squeezy store.
    pub account: Option<&'a str>,
    /// The mode of the connection.
    pub mode: ConnectionMode,
    /// Payments and events since then.
    pub since: Time,
}

/// The path of a page. None if the provider has no such list.
pub fn path(service: Service, list: List, scope: Scope<'_>, cursor: Option<&str>) -> Option<String> {
    Some(match service {
        Service::Stripe => stripe(list, scope, cursor)?,
        Service::LemonSqueezy => lemon_squeezy(list, scope, cursor)?,
        Service::Paddle => paddle(list, scope, cursor)?,
    })
}

fn stripe(list: List, scope: Scope<'_>, cursor: Option<&str>) -> Option<String> {
    let since = scope.since.as_micros() / 1_000_000;
    let list = match list {
        List::Subscriptions => "/v1/subscriptions?status=all".to_owned(),
        List::Payments => format!("/v1/invoices?created[gte]={since}&expand[]=data.charge"),
        List::Prices => "/v1/prices?expand[]=data.product".to_owned(),
        List::Events => format!("/v1/events?created[gte]={since}"),
        List::Orders => return None,
    };
    let after = cursor.map(|id| format!("&starting_after={}", encoded(id))).unwrap_or_default();
    Some(format!("{list}&limit=100{after}"))
}

/// The newest invoices and orders come first, so that a list can end at an instant.
fn lemon_squeezy(list: List, scope: Scope<'_>, cursor: Option<&str>) -> Option<String> {
    let list = match list {
        List::Subscriptions => "subscriptions",
        List::Orders => "orders",
        List::Payments => "subscription-invoices",
        List::Prices => "variants",
        List::Events => return None,
    };
    let number = cursor.unwrap_or("1");
    // Variants belong to a product, and only their product to a store.
    let store = scope.account.filter(|_| list != "variants");
    let store = store.map(|store| format!("&filter[store_id]={}", encoded(store))).unwrap_or_default();
    Some(format!("/v1/{list}?page[number]={}&page[size]=100{store}", encoded(number)))
}

fn paddle(list: List, scope: Scope<'_>, cursor: Option<&str>) -> Option<String> {
    let list = match list {
        List::Subscriptions => "/subscriptions?per_page=200".to_owned(),
        List::Payments => {
            let since = encoded(&scope.since.to_string());
            format!("/transactions?created_at[GTE]={since}&include=adjustments&per_page=30")
        }
        List::Prices => "/prices?include=product&per_page=200".to_owned(),
        List::Events => "/events?per_page=200".to_owned(),
        List::Orders => return None,
    };
    let after = cursor.map(|id| format!("&after={}", encoded(id))).unwrap_or_default();
    Some(format!("{list}{after}"))
}

/// A page of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The objects, without an envelope.
    pub objects: Vec<String>,
    /// The cursor of the next page.
    pub next: Option<String>,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    data: Vec<&'a RawValue>,
    has_more: Option<bool>,
    meta: Option<Meta>,
}

#[derive(Deserialize)]
struct Meta {
    page: Option<Numbers>,
    pagination: Option<Pagination>,
}

#[derive(Deserialize)]
struct Numbers {
    #[serde(rename = "currentPage")]
    current: u64,
    #[serde(rename = "lastPage")]
    last: u64,
}

#[derive(Deserialize)]
struct Pagination {
    has_more: Option<bool>,
}

/// The page of a response. None if it is not a list.
pub fn page(service: Service, body: &str) -> Option<Page> {
    let envelope: Envelope<'_> = serde_json::from_str(body).ok()?;
    let last = envelope.data.last().and_then(|object| id_of(object.get()));
    let meta = envelope.meta;
    let next = match service {
        Service::Stripe => last.filter(|_| envelope.has_more == Some(true)),
        Service::LemonSqueezy => meta
            .and_then(|meta| meta.page)
            .filter(|page| page.current < page.last)
            .map(|page| (page.current + 1).to_string()),
        Service::Paddle => {
            let more = meta.and_then(|meta| meta.pagination).and_then(|pagination| pagination.has_more);
            last.filter(|_| more == Some(true))
        }
    };
    Some(Page { objects: envelope.data.iter().map(|object| object.get().to_owned()).collect(), next })
}

/// The ID of an object or an event.
pub fn id_of(object: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Head {
        id: Option<serde_json::Value>,
        event_id: Option<String>,
    }
    let head: Head = serde_json::from_str(object).ok()?;
    head.event_id.or(head.id.and_then(|id| match id {
        serde_json::Value::String(id) => Some(id),
        serde_json::Value::Number(id) => Some(id.to_string()),
        _ => None,
    }))
}

/// Whether an object belongs to the account and the mode of the connection. What an object does not show is not held against
/// it.
pub fn is_within(service: Service, object: &str, scope: Scope<'_>) -> bool {
    #[derive(Default, Deserialize)]
    struct Marks {
        livemode: Option<bool>,
        attributes: Option<Attributes>,
    }
    #[derive(Deserialize)]
    struct Attributes {
        test_mode: Option<bool>,
        store_id: Option<u64>,
    }
    let marks: Marks = serde_json::from_str(object).unwrap_or_default();
    let is_live = scope.mode == ConnectionMode::Live;
    match service {
        Service::Stripe => marks.livemode.is_none_or(|live| live == is_live),
        Service::LemonSqueezy => marks.attributes.is_none_or(|of| {
            let is_of_store = match (scope.account, of.store_id) {
                (Some(account), Some(store)) => account == store.to_string(),
                _ => true,
            };
            is_of_store && of.test_mode.is_none_or(|test| test != is_live)
        }),
        Service::Paddle => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCOPE: Scope<'static> = Scope { account: Some("7"), mode: ConnectionMode::Live, since: Time::MIN };

    #[test]
    fn each_list_has_its_path() {
        for (service, list, cursor, expected) in [
            (Service::Stripe, List::Subscriptions, None, "/v1/subscriptions?status=all&limit=100"),
            (
                Service::Stripe,
                List::Payments,
                Some("in_1"),
                "/v1/invoices?created[gte]=0&expand[]=data.charge&limit=100&starting_after=in_1",
            ),
            (Service::Stripe, List::Events, None, "/v1/events?created[gte]=0&limit=100"),
            (
                Service::LemonSqueezy,
                List::Subscriptions,
                None,
                "/v1/subscriptions?page[number]=1&page[size]=100&filter[store_id]=7",
            ),
            (Service::LemonSqueezy, List::Prices, Some("2"), "/v1/variants?page[number]=2&page[size]=100"),
            (Service::Paddle, List::Subscriptions, Some("sub_1"), "/subscriptions?per_page=200&after=sub_1"),
            (Service::Paddle, List::Events, None, "/events?per_page=200"),
        ] {
            assert_eq!(path(service, list, SCOPE, cursor).as_deref(), Some(expected));
        }
        assert_eq!(path(Service::LemonSqueezy, List::Events, SCOPE, None), None);
        assert_eq!(path(Service::Paddle, List::Orders, SCOPE, None), None);
    }

    #[test]
    fn the_next_page_follows_from_the_last_object_or_the_number() {
        let next = |service, body: &str| page(service, body).map(|page| (page.objects.len(), page.next));
        let stripe = r#"{"object":"list","has_more":true,"data":[{"id":"a"},{"id":"b"}],"url":"https://elsewhere/"}"#;
        assert_eq!(next(Service::Stripe, stripe), Some((2, Some("b".to_owned()))));
        assert_eq!(next(Service::Stripe, r#"{"has_more":true,"data":[]}"#), Some((0, None)));
        let squeezy =
            r#"{"data":[{"id":"1"}],"meta":{"page":{"currentPage":1,"lastPage":3}},"links":{"next":"https://x/"}}"#;
        assert_eq!(next(Service::LemonSqueezy, squeezy), Some((1, Some("2".to_owned()))));
        let paddle = r#"{"data":[{"event_id":"evt_1","data":{"id":"sub_1"}}],"meta":{"pagination":{"has_more":true,"next":"https://x/"}}}"#;
        assert_eq!(next(Service::Paddle, paddle), Some((1, Some("evt_1".to_owned()))));
        assert_eq!(
            next(Service::Paddle, r#"{"data":[{"id":"sub_1"}],"meta":{"pagination":{"has_more":false}}}"#),
            Some((1, None))
        );
        assert_eq!(next(Service::Stripe, r#"{"error":{}}"#), None);
    }

    #[test]
    fn objects_of_another_mode_or_account_are_recognized() {
        for (service, object, is_ours) in [
            (Service::Stripe, r#"{"livemode":true}"#, true),
            (Service::Stripe, r#"{"livemode":false}"#, false),
            (Service::LemonSqueezy, r#"{"attributes":{"test_mode":false,"store_id":7}}"#, true),
            (Service::LemonSqueezy, r#"{"attributes":{"test_mode":true,"store_id":7}}"#, false),
            (Service::LemonSqueezy, r#"{"attributes":{"store_id":8}}"#, false),
            (Service::Paddle, "{}", true),
        ] {
            assert_eq!(is_within(service, object, SCOPE), is_ours, "{object}");
        }
    }
}
