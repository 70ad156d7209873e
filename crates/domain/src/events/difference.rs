//! The record before a change, stored as what differs from the record after it. Most changes touch few fields of a large
//! record.

use crate::raw_members::RawMembers;
use serde_json::json;
use serde_json::value::RawValue;

/// Begins a stored difference, which is an object too, for programs that do not know differences. No record has such a
/// member.
const OPEN: &str = r#"{"~":"#;

/// Begins the names of the members that only the record after the change has.
const ABSENT: &str = r#","-":"#;

/// What is stored of the record before a change: the members that differ and the names of those that it does not have, or all of
/// it where it has members that the record after does not have in the same order.
pub fn shorten(before: &str, after: &str) -> String {
    let (mut stored, mut absent) = (String::from(OPEN), Vec::new());
    if write_difference(before, after, &mut stored, &mut absent).is_none() {
        return before.to_owned();
    }
    if !absent.is_empty() {
        stored.push_str(ABSENT);
        stored.push_str(&json!(absent).to_string());
    }
    stored + "}"
}

/// The record before a change, from what is stored of it. None: it is a difference that does not fit the record after it.
pub fn restore(stored: String, after: Option<&str>) -> Option<String> {
    if !stored.starts_with(OPEN) {
        return Some(stored);
    }
    let (difference, absent) = match members(&stored)?.as_slice() {
        [(_, difference)] => (difference.get(), Vec::new()),
        [(_, difference), ("-", absent)] => (difference.get(), serde_json::from_str(absent.get()).ok()?),
        _ => return None,
    };
    let after = after?;
    let mut before = String::with_capacity(after.len());
    write_restored(difference, after, &absent, &mut before)?;
    Some(before)
}

/// Members that only `after` has are added to `absent`. Those of inner objects are not: their names may be any text.
fn write_difference<'a>(
    before: &str,
    after: &'a str,
    difference: &mut String,
    absent: &mut Vec<&'a str>,
) -> Option<()> {
    let mut before = members(before)?.into_iter().peekable();
    let mut separator = '{';
    for (name, after) in members(after)? {
        let Some((_, before)) = before.next_if(|(same_name, _)| *same_name == name) else {
            absent.push(name);
            continue;
        };
        if before.get() == after.get() {
            continue;
        }
        write_name(difference, &mut separator, name);
        if is_object(before) && is_object(after) {
            let mut absent = Vec::new();
            write_difference(before.get(), after.get(), difference, &mut absent)?;
            absent.is_empty().then_some(())?;
        } else {
            difference.push_str(before.get());
        }
    }
    end(difference, separator);
    before.next().is_none().then_some(())
}

fn write_restored(difference: &str, after: &str, absent: &[&str], before: &mut String) -> Option<()> {
    let mut changed = members(difference)?.into_iter().peekable();
    let mut absent = absent.iter().peekable();
    let mut separator = '{';
    for (name, after) in members(after)? {
        if absent.next_if(|absent| **absent == name).is_some() {
            continue;
        }
        write_name(before, &mut separator, name);
        match changed.next_if(|(changed, _)| *changed == name) {
            Some((_, value)) if is_object(value) && is_object(after) => {
                write_restored(value.get(), after.get(), &[], before)?;
            }
            Some((_, value)) => before.push_str(value.get()),
            None => before.push_str(after.get()),
        }
    }
    end(before, separator);
    (changed.next().is_none() && absent.next().is_none()).then_some(())
}

fn write_name(object: &mut String, separator: &mut char, name: &str) {
    object.push(*separator);
    object.push('"');
    object.push_str(name);
    object.push_str("\":");
    *separator = ',';
}

/// Ends an object. Where the separator is still a brace, it has no member.
fn end(object: &mut String, separator: char) {
    object.push_str(if separator == '{' { "{}" } else { "}" });
}

fn is_object(value: &RawValue) -> bool {
    value.get().starts_with('{')
}

fn members(object: &str) -> Option<Vec<(&str, &RawValue)>> {
    serde_json::from_str::<RawMembers<'_, &str>>(object).ok().map(|members| members.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    #[test]
    fn only_what_differs_is_stored() {
        let before = json!({ "id": "a", "billing": { "anchor": 1, "period": 2 }, "meta": {}, "end": null });
        let after = json!({ "id": "a", "billing": { "anchor": 1, "period": 3 }, "meta": {}, "end": 9 });
        let stored = shorten(&before.to_string(), &after.to_string());
        assert_eq!(stored, r#"{"~":{"billing":{"period":2},"end":null}}"#);
        assert_eq!(restore(stored, Some(&after.to_string())), Some(before.to_string()));
    }

    #[test]
    fn members_that_only_the_record_after_has_are_named() {
        let (before, after) =
            (r#"{"id":"a","status":"draft"}"#, r#"{"seller":{"n":1},"id":"a","status":"open","lines":[]}"#);
        let stored = shorten(before, after);
        assert_eq!(stored, r#"{"~":{"status":"draft"},"-":["seller","lines"]}"#);
        assert_eq!(restore(stored, Some(after)).as_deref(), Some(before));
    }

    #[test]
    fn a_record_with_other_members_is_stored_whole() {
        let after = r#"{"a":1,"b":{"c":2}}"#;
        for before in
            [r#"{"a":1,"z":1}"#, r#"{"b":{"c":2},"a":1}"#, r#"{"a":1,"b":{}}"#, r#"{"a":1,"b":{"d":2}}"#, "[1]"]
        {
            assert_eq!(shorten(before, after), before);
            assert_eq!(restore(before.to_owned(), Some(after)).as_deref(), Some(before));
        }
    }

    #[test]
    fn a_difference_that_does_not_fit_is_none() {
        assert_eq!(restore(r#"{"~":{"b":1}}"#.to_owned(), Some(r#"{"a":1}"#)), None);
        assert_eq!(restore(r#"{"~":{"a":1}}"#.to_owned(), None), None);
        for stored in [
            r#"{"~":"#,
            r#"{"~":{},"-":["b"]}"#,
            r#"{"~":{},"-":["b","a"]}"#,
            r#"{"~":{"a":1},"-":["a"]}"#,
            r#"{"~":{},"-":{}}"#,
            r#"{"~":{},"+":["a"]}"#,
        ] {
            assert_eq!(restore(stored.to_owned(), Some(r#"{"a":1}"#)), None, "{stored}");
        }
    }

    fn record() -> impl Strategy<Value = Value> {
        let plain = prop_oneof![Just(Value::Null), any::<i64>().prop_map(Value::from), ".{0,4}".prop_map(Value::from)];
        plain.prop_recursive(3, 24, 4, |inner| {
            let name = prop_oneof!["[a-c]", ".{0,3}"];
            prop::collection::vec((name, inner), 0..4).prop_map(|members| Value::Object(members.into_iter().collect()))
        })
    }

    proptest! {
        #[test]
        fn what_is_stored_gives_the_record_again(before in record(), after in record()) {
            let (before, after) = (before.to_string(), after.to_string());
            prop_assume!(!before.starts_with(OPEN));
            prop_assert_eq!(restore(shorten(&before, &after), Some(&after)), Some(before));
        }
    }
}
