//! A strict parser of JSON bodies on top of `serde_json`'s raw values.
//! Numbers stay text, duplicate keys and deep nesting are rejected, and a lone surrogate is an error of its field.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashSet;

/// Why a body was rejected.
#[derive(Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// It is not JSON.
    Malformed(String),
    /// An object has this key twice.
    DuplicateKey(String),
    /// It is nested deeper than the limit.
    TooDeep,
}

/// The members of a JSON object in their order, with unparsed values.
#[derive(Debug)]
pub(crate) struct Object<'a>(pub(crate) Vec<(Cow<'a, str>, &'a RawValue)>);

/// A value, parsed one level deep.
#[derive(Debug)]
pub(crate) enum Json<'a> {
    Null,
    Bool(bool),
    Number(&'a str),
    /// `None` if the text contains a lone surrogate.
    Text(Option<Cow<'a, str>>),
    List(Vec<&'a RawValue>),
    Object(&'a RawValue),
}

/// Parses a body: one JSON value, with nesting and keys checked at all levels.
pub(crate) fn read(body: &[u8], max_depth: usize) -> Result<&RawValue, Unreadable> {
    let text = std::str::from_utf8(body).map_err(|_| Unreadable::Malformed("the body is not UTF-8".into()))?;
    let raw: &RawValue = serde_json::from_str(text).map_err(|error| Unreadable::Malformed(error.to_string()))?;
    check(raw, max_depth)?;
    Ok(raw)
}

/// The members of a value, if it is an object.
pub(crate) fn object(raw: &RawValue) -> Option<Object<'_>> {
    serde_json::from_str(raw.get()).ok()
}

/// Parses a raw value.
pub(crate) fn value(raw: &RawValue) -> Json<'_> {
    let text = raw.get();
    match text.as_bytes().first() {
        Some(b'"') => Json::Text(read_text(text)),
        Some(b'[') => Json::List(serde_json::from_str(text).unwrap_or_default()),
        Some(b'{') => Json::Object(raw),
        Some(b't') => Json::Bool(true),
        Some(b'f') => Json::Bool(false),
        Some(b'n') => Json::Null,
        _ => Json::Number(text),
    }
}

fn read_text(quoted: &str) -> Option<Cow<'_, str>> {
    struct Text<'a>(Cow<'a, str>);

    impl<'de> Deserialize<'de> for Text<'de> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct Read;
            impl<'de> Visitor<'de> for Read {
                type Value = Text<'de>;
                fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    f.write_str("a string")
                }
                fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                    Ok(Text(Cow::Borrowed(text)))
                }
                fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                    Ok(Text(Cow::Owned(text.to_owned())))
                }
            }
            deserializer.deserialize_str(Read)
        }
    }

    // The text was checked as JSON before, so only a lone surrogate can be wrong.
    serde_json::from_str::<Text<'_>>(quoted).ok().map(|text| text.0)
}

/// Each level is scanned once more than the level above it, at most `depth` times.
fn check(raw: &RawValue, depth: usize) -> Result<(), Unreadable> {
    match raw.get().as_bytes().first() {
        Some(b'[') => {
            let depth = depth.checked_sub(1).ok_or(Unreadable::TooDeep)?;
            let items: Vec<&RawValue> = parse(raw)?;
            items.into_iter().try_for_each(|item| check(item, depth))
        }
        Some(b'{') => {
            let depth = depth.checked_sub(1).ok_or(Unreadable::TooDeep)?;
            let Object(members) = parse(raw)?;
            let mut seen = HashSet::with_capacity(members.len());
            for (key, value) in &members {
                if !seen.insert(key.as_ref()) {
                    return Err(Unreadable::DuplicateKey(key.clone().into_owned()));
                }
                check(value, depth)?;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn parse<'a, T: Deserialize<'a>>(raw: &'a RawValue) -> Result<T, Unreadable> {
    serde_json::from_str(raw.get()).map_err(|error| Unreadable::Malformed(error.to_string()))
}

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Object<'de>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::with_capacity(16);
                while let Some(key) = map.next_key::<Cow<'de, str>>()? {
                    members.push((key, map.next_value()?));
                }
                Ok(Object(members))
            }
        }
        deserializer.deserialize_map(Members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unreadable(text: &str) -> Option<Unreadable> {
        read(text.as_bytes(), 32).err()
    }

    #[test]
    fn values_are_read_one_level_deep() {
        let raw = read(br#" {"a": "x\u00e9", "b": 1.50, "c": [1, {}], "d": null, "e": true, "f": {}} "#, 32).unwrap();
        let Object(members) = object(raw).unwrap();
        let shown: Vec<String> = members.iter().map(|(key, raw)| format!("{key}={:?}", value(raw))).collect();
        assert_eq!(shown[0], "a=Text(Some(\"xé\"))");
        assert_eq!(shown[1], "b=Number(\"1.50\")");
        assert!(shown[2].starts_with("c=List(["));
        assert_eq!(shown[3..], ["d=Null", "e=Bool(true)", "f=Object(RawValue({}))"]);
    }

    #[test]
    fn nesting_past_the_limit_is_refused_however_deep() {
        assert_eq!(unreadable(&format!("{}{}", "[".repeat(32), "]".repeat(32))), None);
        assert_eq!(unreadable(&format!("{}{}", "[".repeat(33), "]".repeat(33))), Some(Unreadable::TooDeep));
        assert_eq!(unreadable(&format!("{}{}", "[".repeat(100_000), "]".repeat(100_000))), Some(Unreadable::TooDeep));
        let objects = format!("{}1{}", r#"{"a":"#.repeat(33), "}".repeat(33));
        assert_eq!(unreadable(&objects), Some(Unreadable::TooDeep));
    }

    #[test]
    fn duplicate_keys_are_refused_at_any_depth_and_in_any_spelling() {
        assert_eq!(unreadable(r#"{"a": 1, "a": 2}"#), Some(Unreadable::DuplicateKey("a".into())));
        assert_eq!(unreadable(r#"{"a": 1, "\u0061": 2}"#), Some(Unreadable::DuplicateKey("a".into())));
        assert_eq!(unreadable(r#"[{"x": {"b": 1, "b": 1}}]"#), Some(Unreadable::DuplicateKey("b".into())));
    }

    #[test]
    fn what_is_not_json_is_malformed() {
        for text in ["", "{", "NaN", "{'a': 1}", "{\"a\": 01}", "[1,]", "1 2", "{\"a\": +1}", "\u{feff}{}", "\"a\nb\""]
        {
            assert!(matches!(unreadable(text), Some(Unreadable::Malformed(_))), "{text}");
        }
        assert!(matches!(read(b"\"\xff\"", 32), Err(Unreadable::Malformed(_))));
    }

    #[test]
    fn a_lone_surrogate_is_told_apart() {
        let raw = read(br#""\ud800""#, 32).unwrap();
        assert!(matches!(value(raw), Json::Text(None)));
        let raw = read(br#""\ud83d\ude00""#, 32).unwrap();
        assert!(matches!(value(raw), Json::Text(Some(text)) if text == "😀"));
    }

    #[test]
    fn what_is_no_object_has_no_members() {
        assert!(object(read(b"[1]", 32).unwrap()).is_none());
        assert!(object(read(b"{}", 32).unwrap()).is_some_and(|object| object.0.is_empty()));
    }
}
