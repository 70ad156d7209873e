//! The rows and events of a store, read past the service.

use std::collections::HashMap;

use serde_json::Value;

use crate::failure::{Failure, Result};
use crate::home::Home;
use crate::rows;

const TABLES: [&str; 3] = ["plans", "subscriptions", "payments"];
const KINDS: &str = "kind LIKE 'plan.%' OR kind LIKE 'subscription.%' OR kind LIKE 'payment.%'";

pub(crate) struct Stored {
    /// By the id that the database stores.
    pub(super) rows: HashMap<String, Row>,
    /// Of each record, oldest first.
    pub(super) events: HashMap<String, Vec<Event>>,
    /// The amounts of payments.
    pub(crate) amounts: HashMap<String, u64>,
}

pub(super) struct Row {
    pub(super) revision: String,
    pub(super) is_deleted: bool,
}

pub(crate) struct Event {
    pub(crate) id: String,
    pub(crate) kind: String,
    /// Null if there is none.
    pub(crate) before: Value,
    pub(crate) after: Value,
}

impl Event {
    /// Where the API shows the record; `None` after its deletion.
    pub(super) fn target(&self) -> Option<String> {
        let id = self.after["id"].as_str()?;
        let collection = match self.kind.split('.').next()? {
            "plan" => "subscription-plans",
            "payment" => "subscription-payments",
            _ => "subscriptions",
        };
        Some(format!("/{collection}/{id}"))
    }
}

impl Stored {
    pub(crate) fn read(home: &Home) -> Result<Self> {
        let mut rows = HashMap::new();
        let id = |column: &str| if home.cluster.is_some() { column.to_owned() } else { format!("hex({column})") };
        for table in TABLES {
            let sql = format!(
                "SELECT {}, {}, CASE WHEN deleted_at IS NULL THEN 'live' ELSE 'deleted' END FROM {table}",
                id("id"),
                id("revision")
            );
            for row in rows::query(home, &sql)? {
                let [id, revision, state] = row.try_into().map_err(|row: Vec<String>| unreadable(&row))?;
                rows.insert(id, Row { revision, is_deleted: state == "deleted" });
            }
        }
        let amounts = rows::query(home, &format!("SELECT {}, amount / 10000 FROM payments", id("id")))?;
        let amounts = amounts.into_iter().filter_map(|row| Some((row.first()?.clone(), row.get(1)?.parse().ok()?)));
        Ok(Self { rows, events: events(home, id)?, amounts: amounts.collect() })
    }

    /// The events of each record that has any, oldest first.
    pub(crate) fn histories(&self) -> impl Iterator<Item = (&str, &[Event])> {
        self.events.iter().map(|(id, events)| (id.as_str(), events.as_slice()))
    }
}

fn events(home: &Home, id: impl Fn(&str) -> String) -> Result<HashMap<String, Vec<Event>>> {
    let mut events: HashMap<String, Vec<Event>> = HashMap::new();
    let sql = format!(
        "SELECT {}, {}, kind, before, after FROM events WHERE {KINDS} ORDER BY events.id",
        id("record_id"),
        id("id")
    );
    for row in rows::query(home, &sql)? {
        let [record, id, kind, before, after] = row.try_into().map_err(|row: Vec<String>| unreadable(&row))?;
        let event = Event { id, kind, before: json(&before)?, after: json(&after)? };
        events.entry(record).or_default().push(event);
    }
    Ok(events)
}

fn json(text: &str) -> Result<Value> {
    if text.is_empty() {
        return Ok(Value::Null);
    }
    serde_json::from_str(text).map_err(|error| Failure::new(format!("an event holds no JSON: {error}: {text}")))
}

fn unreadable(row: &[String]) -> Failure {
    Failure::new(format!("a row has another number of columns than was asked for: {row:?}"))
}
