//! The objects of a file: single objects, lists and pages of lists, one after the other. A truncated list is detected by
//! its own metadata.

use super::service::Service;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::{BTreeMap, BTreeSet};

/// The objects of one JSON value.
#[derive(Default)]
#[expect(missing_docs, reason = "each holds what it is called")]
pub struct Page<'a> {
    pub objects: Vec<&'a str>,
    pub parts: Vec<Part>,
}

/// The metadata of a page.
pub struct Part {
    list: String,
    is_last: bool,
    /// Its number and the number of the last page, if pages are numbered.
    number: Option<(u64, u64)>,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    id: Option<serde_json::Value>,
    object: Option<String>,
    has_more: Option<bool>,
    url: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
    #[serde(borrow)]
    included: Option<&'a RawValue>,
    meta: Option<Meta>,
}

#[derive(Deserialize)]
struct Meta {
    page: Option<Numbers>,
    pagination: Option<Pagination>,
}

#[derive(Deserialize)]
struct Pagination {
    has_more: bool,
}

#[derive(Deserialize)]
struct Numbers {
    #[serde(rename = "currentPage")]
    current: u64,
    #[serde(rename = "lastPage")]
    last: u64,
}

impl<'a> Page<'a> {
    /// Opens a value.
    pub fn open(service: Service, text: &'a str) -> Self {
        let mut page = Self::default();
        page.add(service, text);
        page
    }

    fn add(&mut self, service: Service, text: &'a str) {
        let text = text.trim();
        if text.starts_with('[') {
            let elements: Vec<&RawValue> = serde_json::from_str(text).unwrap_or_default();
            for element in elements {
                self.add(service, element.get());
            }
            return;
        }
        match (service, serde_json::from_str::<Envelope<'a>>(text)) {
            (Service::Stripe, Ok(Envelope { object: Some(object), has_more, url, data: Some(data), .. }))
                if object == "list" || object == "search_result" =>
            {
                let list = url.unwrap_or_else(|| "a list".to_owned());
                self.parts.push(Part { list, is_last: has_more != Some(true), number: None });
                self.add(service, data.get());
            }
            (Service::LemonSqueezy, Ok(Envelope { kind: None, data: Some(data), included, meta, .. })) => {
                let before = self.objects.len();
                self.add(service, data.get());
                let list = self.objects.get(before).and_then(|first| serde_json::from_str::<Envelope<'_>>(first).ok());
                if let (Some(Numbers { current, last }), Some(list)) =
                    (meta.and_then(|meta| meta.page), list.and_then(|first| first.kind))
                {
                    self.parts.push(Part { list, is_last: current >= last, number: Some((current, last)) });
                }
                if let Some(included) = included {
                    self.add(service, included.get());
                }
            }
            (Service::Paddle, Ok(Envelope { id: None, data: Some(data), meta, .. })) => {
                let before = self.objects.len();
                self.add(service, data.get());
                let first = self.objects.get(before).and_then(|first| serde_json::from_str::<Envelope<'_>>(first).ok());
                let prefix =
                    first.and_then(|first| first.id).and_then(|id| Some(id.as_str()?.split_once('_')?.0.to_owned()));
                if let (Some(pagination), Some(list)) = (meta.and_then(|meta| meta.pagination), prefix) {
                    self.parts.push(Part { list, is_last: !pagination.has_more, number: None });
                }
            }
            // The reader decides what it is.
            _ => self.objects.push(text),
        }
    }
}

/// The lists of the files, and how much of each was found.
#[derive(Default)]
pub struct Lists(BTreeMap<String, Seen>);

#[derive(Default)]
struct Seen {
    has_end: bool,
    pages: BTreeSet<u64>,
    last: u64,
}

impl Lists {
    /// Adds a page.
    pub fn note(&mut self, part: Part) {
        let seen = self.0.entry(part.list).or_default();
        seen.has_end |= part.is_last;
        if let Some((number, last)) = part.number {
            seen.pages.insert(number);
            seen.last = seen.last.max(last);
        }
    }

    /// The lists with missing pages.
    pub fn cut_short(&self) -> impl Iterator<Item = &str> {
        let is_cut = |seen: &Seen| !seen.has_end || (seen.pages.len() as u64) < seen.last;
        self.0.iter().filter(move |(_, seen)| is_cut(seen)).map(|(list, _)| list.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(service: Service, values: &[&str]) -> (usize, Vec<String>) {
        let (mut lists, mut objects) = (Lists::default(), 0);
        for value in values {
            let page = Page::open(service, value);
            objects += page.objects.len();
            page.parts.into_iter().for_each(|part| lists.note(part));
        }
        (objects, lists.cut_short().map(str::to_owned).collect())
    }

    #[test]
    fn objects_lists_arrays_and_pages_are_opened() {
        let first = r#"{"object":"list","url":"/v1/customers","has_more":true,"data":[{"id":"cus_1"},{"id":"cus_2"}]}"#;
        let last = r#"{"object":"list","url":"/v1/customers","has_more":false,"data":[{"id":"cus_3"}]}"#;
        assert_eq!(cut(Service::Stripe, &[first]), (2, vec!["/v1/customers".to_owned()]));
        assert_eq!(cut(Service::Stripe, &[first, last]), (3, vec![]));
        assert_eq!(cut(Service::Stripe, &[&format!("[{first},{last}]")]), (3, vec![]));
        assert_eq!(cut(Service::Stripe, &[r#"{"object":"customer","id":"cus_1"}"#, "[]", "7"]), (2, vec![]));
    }

    #[test]
    fn pages_of_entities_are_opened_and_the_last_one_is_recognized() {
        let page = |id: &str, more: bool| {
            format!(r#"{{"data":[{{"id":"{id}"}}],"meta":{{"pagination":{{"has_more":{more}}}}}}}"#)
        };
        let one = r#"{"data":{"id":"pri_1"},"meta":{"request_id":"1"}}"#;
        assert_eq!(cut(Service::Paddle, &[one, &page("sub_1", true)]), (2, vec!["sub".to_owned()]));
        assert_eq!(cut(Service::Paddle, &[&page("sub_1", true), &page("sub_2", false)]), (2, vec![]));
        assert_eq!(cut(Service::Paddle, &[r#"{"id":"pri_1","data":{}}"#]), (1, vec![]));
    }

    #[test]
    fn documents_of_one_or_many_are_opened_and_their_pages_counted() {
        let page = |number: u64| {
            let meta = format!(r#"{{"page":{{"currentPage":{number},"lastPage":3}}}}"#);
            format!(
                r#"{{"meta":{meta},"data":[{{"type":"customers","id":"{number}"}}],"included":[{{"type":"stores","id":"1"}}]}}"#
            )
        };
        let one = r#"{"data":{"type":"stores","id":"1"}}"#;
        assert_eq!(cut(Service::LemonSqueezy, &[one, &page(1), &page(3)]), (5, vec!["customers".to_owned()]));
        assert_eq!(cut(Service::LemonSqueezy, &[&page(3), &page(1), &page(2)]), (6, vec![]));
    }
}
