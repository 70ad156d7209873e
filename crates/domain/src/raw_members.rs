//! The members of a JSON object in their order, the values unread.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;
use std::marker::PhantomData;

/// The names and values of an object. With `&str` as the name, names must need no escapes.
pub struct RawMembers<'a, N>(pub Vec<(N, &'a RawValue)>);

impl<'de, N: Deserialize<'de>> Deserialize<'de> for RawMembers<'de, N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Object(PhantomData))
    }
}

struct Object<N>(PhantomData<N>);

impl<'de, N: Deserialize<'de>> Visitor<'de> for Object<N> {
    type Value = RawMembers<'de, N>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::with_capacity(32);
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(RawMembers(members))
    }
}
