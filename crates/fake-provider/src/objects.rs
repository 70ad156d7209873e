//! The objects, by collection and ID, in the order in which they were created, and the events.

use crate::Kind;
use crate::behavior::Seen;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What the provider stores.
#[derive(Default)]
pub(crate) struct Objects {
    collections: BTreeMap<String, Vec<Value>>,
    pub(crate) events: Vec<Value>,
}

impl Objects {
    pub(crate) fn put(&mut self, collection: &str, object: Value) {
        let objects = self.collections.entry(collection.to_owned()).or_default();
        match objects.iter_mut().find(|known| known["id"] == object["id"]) {
            Some(known) => *known = object,
            None => objects.push(object),
        }
    }

    pub(crate) fn remove(&mut self, collection: &str, id: &str) {
        self.collections.entry(collection.to_owned()).or_default().retain(|object| object["id"] != id);
    }

    pub(crate) fn get(&self, collection: &str, id: &str) -> Option<&Value> {
        self.all(collection).iter().find(|object| object["id"] == id)
    }

    pub(crate) fn get_mut(&mut self, collection: &str, id: &str) -> Option<&mut Value> {
        self.collections.get_mut(collection)?.iter_mut().find(|object| object["id"] == id)
    }

    pub(crate) fn all(&self, collection: &str) -> &[Value] {
        if collection == "events" {
            return &self.events;
        }
        self.collections.get(collection).map(Vec::as_slice).unwrap_or_default()
    }

    /// A page of a collection, in the provider's envelope. None: the cursor is unknown.
    pub(crate) fn page(&self, kind: Kind, collection: &str, request: &Seen, size: usize) -> Option<Value> {
        let matching: Vec<&Value> = self.all(collection).iter().filter(|object| is_wanted(object, request)).collect();
        let asked =
            |names: [&str; 3]| names.iter().find_map(|name| request.parameter(name)).and_then(|n| n.parse().ok());
        let size = asked(["limit", "per_page", "page[size]"]).unwrap_or(size).min(size);
        if kind == Kind::LemonSqueezy {
            let number: usize = request.parameter("page[number]").and_then(|number| number.parse().ok()).unwrap_or(1);
            let last = matching.len().div_ceil(size).max(1);
            let data: Vec<&Value> = matching.into_iter().skip((number - 1) * size).take(size).collect();
            return Some(json!({ "meta": { "page": { "currentPage": number, "lastPage": last } }, "data": data }));
        }
        let cursor = request.parameter("starting_after").or(request.parameter("after"));
        let id = |object: &Value| object.get("event_id").unwrap_or(&object["id"]).clone();
        let start = match cursor {
            None => 0,
            Some(cursor) => matching.iter().position(|object| id(object) == cursor)? + 1,
        };
        let has_more = matching.len() > start + size;
        let data: Vec<&Value> = matching.into_iter().skip(start).take(size).collect();
        Some(match kind {
            Kind::Stripe => json!({ "object": "list", "has_more": has_more, "data": data }),
            _ => json!({ "data": data, "meta": { "pagination": { "has_more": has_more } } }),
        })
    }
}

fn is_wanted(object: &Value, request: &Seen) -> bool {
    let is = |parameter: &str, found: &Value| {
        request
            .parameter(parameter)
            .is_none_or(|asked| found == asked || asked.parse::<i64>().is_ok_and(|number| *found == number))
    };
    let since = request.parameter("created[gte]").and_then(|since| since.parse::<i64>().ok());
    let attributes = &object["attributes"];
    is("product", object["product"].get("id").unwrap_or(&object["product"]))
        && is("product_id", &object["product_id"])
        && is("customer", &object["customer"])
        && is("filter[variant_id]", &attributes["variant_id"])
        && is("filter[store_id]", &attributes["store_id"])
        && since.is_none_or(|since| object["created"].as_i64().is_none_or(|created| created >= since))
}
