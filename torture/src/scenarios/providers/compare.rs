//! The records compared with what the providers have.

use std::collections::BTreeMap;

use serde_json::Value;

use super::account::{Account, Records};
use super::place::Place;
use crate::failure::Result;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) records: usize,
    pub(super) different: usize,
    pub(super) missing: usize,
    pub(super) twice: usize,
}

/// All records of these accounts.
pub(super) fn all(place: &Place<'_>, accounts: &[Account]) -> Result<Found> {
    let subscriptions = accounts.iter().flat_map(Account::subscriptions).collect();
    let payments = accounts.iter().flat_map(Account::payments).collect();
    let one = compare(&subscriptions, "external_subscription_id", &place.list("/subscriptions")?);
    let other = compare(&payments, "external_payment_id", &place.list("/subscription-payments")?);
    Ok(Found {
        records: one.records + other.records,
        different: one.different + other.different,
        missing: one.missing + other.missing,
        twice: one.twice + other.twice,
    })
}

/// The subscriptions that are not these.
pub(super) fn subscriptions(place: &Place<'_>, expected: &Records) -> Result<usize> {
    let found = compare(expected, "external_subscription_id", &place.list("/subscriptions")?);
    Ok(found.different + found.missing + found.twice)
}

fn compare(expected: &Records, name: &str, actual: &[Value]) -> Found {
    let mut by_id: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for record in actual {
        if let Some(id) = record[name].as_str() {
            by_id.entry(id).or_default().push(record);
        }
    }
    let mut found = Found::default();
    for (id, fields) in expected {
        let records = by_id.get(id.as_str()).map(Vec::as_slice).unwrap_or_default();
        found.records += records.len();
        found.missing += usize::from(records.is_empty());
        found.twice += records.len().saturating_sub(1);
        for record in records {
            let differs = fields.as_object().into_iter().flatten().any(|(name, value)| record[name] != *value);
            if differs {
                eprintln!("{id}: expected {fields}, found {record}");
            }
            found.different += usize::from(differs);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_differs_is_missing_or_exists_twice_is_counted() {
        let expected: Records = ["a", "b", "c", "d"].map(|id| (id.to_owned(), json!({ "status": "active" }))).into();
        let record = |id: &str, status: &str| json!({ "external_id": id, "status": status, "quantity": 3 });
        let actual = [record("a", "active"), record("b", "paused"), record("c", "active"), record("c", "active")];
        let found = compare(&expected, "external_id", &actual);
        assert_eq!(found, Found { records: 4, different: 1, missing: 1, twice: 1 });
    }
}
