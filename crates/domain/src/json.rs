//! Writes records as compact JSON, the same text as `serde_json` writes, in a fraction of the instructions: the names of fields
//! and variants, IDs and times are copied and not searched for characters to escape, texts are searched in whole words, and
//! nothing can fail half-way.
//! What is rare in a record (characters to escape, floating-point numbers) is left to `serde_json`.

use serde::Serialize;
use serde::ser::{self, Serializer};
use std::fmt::{self, Display};

/// Room for a record, so that most are written without a second allocation.
const ROOM: usize = 1024;
/// The same for each record of a list.
const ROOM_IN_LIST: usize = 640;
/// The struct as which `serde_json` serializes a `RawValue`: its only field is JSON already.
const RAW_VALUE: &str = "$serde_json::private::RawValue";

/// The newtype as which a text is serialized that has no character to escape. Other serializers pass over its name.
const PLAIN: &str = "$perennial::Plain";

/// The value as JSON. Panics if it cannot be written, which no plain data causes.
pub fn to_string<T: Serialize + ?Sized>(value: &T) -> String {
    list_to_string(value, 0)
}

/// The same for a value that contains so many records.
pub fn list_to_string<T: Serialize + ?Sized>(value: &T, records: usize) -> String {
    let room = ROOM.max(ROOM_IN_LIST * records);
    let mut writer = Writer { out: String::with_capacity(room), is_raw: false };
    value.serialize(&mut writer).expect("plain data can be written");
    writer.out
}

/// Serializes a text that has no character to escape: an ID, a time, a word of ours. It is not searched for one.
pub(crate) fn serialize_plain<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    debug_assert!(is_plain(text), "{text} has characters to escape");
    serializer.serialize_newtype_struct(PLAIN, text)
}

struct Writer {
    out: String,
    /// Whether the next text is JSON already.
    is_raw: bool,
}

/// Why a value cannot be written: an implementation of `Serialize` refused.
#[derive(Debug)]
struct Refused(String);

impl Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refused {}

impl ser::Error for Refused {
    fn custom<T: Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

impl Writer {
    fn text(&mut self, text: &str) {
        if is_plain(text) { self.quoted(text) } else { self.rare(text) }
    }

    fn quoted(&mut self, text: &str) {
        self.out.push('"');
        self.out.push_str(text);
        self.out.push('"');
    }

    fn rare<T: Serialize + ?Sized>(&mut self, value: &T) {
        self.out.push_str(&serde_json::to_string(value).expect("a text or a number can be written"));
    }

    fn open(&mut self, open: char, close: &'static str) -> Members<'_> {
        self.out.push(open);
        Members { writer: self, is_first: true, close }
    }

    /// A variant with content is an object whose only key is the variant.
    fn open_variant(&mut self, variant: &str, open: char, close: &'static str) -> Members<'_> {
        self.out.push('{');
        self.text(variant);
        self.out.push(':');
        self.open(open, close)
    }
}

/// Whether nothing in the text must be escaped. Eight bytes are looked at at a time; the last eight overlap those before them.
fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (words, _) = bytes.as_chunks::<WORD>();
    match bytes.last_chunk::<WORD>() {
        Some(last) => words.iter().chain([last]).all(|word| is_plain_word(u64::from_ne_bytes(*word))),
        None => bytes.iter().all(|byte| *byte >= 0x20 && *byte != b'"' && *byte != b'\\'),
    }
}

const WORD: usize = size_of::<u64>();

/// Whether no byte of a word must be escaped. A byte above one that must be may be taken for one too.
const fn is_plain_word(word: u64) -> bool {
    const ONES: u64 = u64::MAX / 255;
    let control = word.wrapping_sub(ONES * 0x20) & !word;
    let quote = word ^ (ONES * 0x22);
    let quote = quote.wrapping_sub(ONES) & !quote;
    let backslash = word ^ (ONES * 0x5c);
    let backslash = backslash.wrapping_sub(ONES) & !backslash;
    (control | quote | backslash) & (ONES * 0x80) == 0
}

/// The members of an object or a list.
struct Members<'a> {
    writer: &'a mut Writer,
    is_first: bool,
    close: &'static str,
}

impl Members<'_> {
    fn separate(&mut self) {
        if !self.is_first {
            self.writer.out.push(',');
        }
        self.is_first = false;
    }

    fn item<T: Serialize + ?Sized>(&mut self, item: &T) -> Result<(), Refused> {
        self.separate();
        item.serialize(&mut *self.writer)
    }

    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Refused> {
        let out = &mut self.writer.out;
        out.push_str(if self.is_first { "\"" } else { ",\"" });
        self.is_first = false;
        out.push_str(name);
        out.push_str("\":");
        value.serialize(&mut *self.writer)
    }

    fn key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Refused> {
        self.separate();
        let start = self.writer.out.len();
        key.serialize(&mut *self.writer)?;
        // A number becomes a text.
        if self.writer.out.as_bytes().get(start) != Some(&b'"') {
            self.writer.out.insert(start, '"');
            self.writer.out.push('"');
        }
        self.writer.out.push(':');
        Ok(())
    }

    #[expect(clippy::unnecessary_wraps, reason = "the traits of serde end with a result")]
    fn close(self) -> Result<(), Refused> {
        self.writer.out.push_str(self.close);
        Ok(())
    }
}

macro_rules! numbers {
    ($($method:ident($type:ty))*) => {$(
        fn $method(self, number: $type) -> Result<(), Refused> {
            self.out.push_str(itoa::Buffer::new().format(number));
            Ok(())
        }
    )*};
}

impl<'a> Serializer for &'a mut Writer {
    type Ok = ();
    type Error = Refused;
    type SerializeSeq = Members<'a>;
    type SerializeTuple = Members<'a>;
    type SerializeTupleStruct = Members<'a>;
    type SerializeTupleVariant = Members<'a>;
    type SerializeMap = Members<'a>;
    type SerializeStruct = Members<'a>;
    type SerializeStructVariant = Members<'a>;

    numbers! {
        serialize_i8(i8) serialize_i16(i16) serialize_i32(i32) serialize_i64(i64) serialize_i128(i128)
        serialize_u8(u8) serialize_u16(u16) serialize_u32(u32) serialize_u64(u64) serialize_u128(u128)
    }

    fn serialize_bool(self, value: bool) -> Result<(), Refused> {
        self.out.push_str(if value { "true" } else { "false" });
        Ok(())
    }

    fn serialize_f32(self, number: f32) -> Result<(), Refused> {
        self.rare(&number);
        Ok(())
    }

    fn serialize_f64(self, number: f64) -> Result<(), Refused> {
        self.rare(&number);
        Ok(())
    }

    fn serialize_char(self, letter: char) -> Result<(), Refused> {
        self.rare(&letter);
        Ok(())
    }

    fn serialize_str(self, text: &str) -> Result<(), Refused> {
        if self.is_raw {
            self.out.push_str(text);
        } else {
            self.text(text);
        }
        Ok(())
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<(), Refused> {
        self.rare(bytes);
        Ok(())
    }

    fn serialize_none(self) -> Result<(), Refused> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Refused> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Refused> {
        self.out.push_str("null");
        Ok(())
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<(), Refused> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _name: &'static str, _index: u32, variant: &'static str) -> Result<(), Refused> {
        self.quoted(variant);
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Result<(), Refused> {
        if name != PLAIN {
            return value.serialize(self);
        }
        self.out.push('"');
        self.is_raw = true;
        let written = value.serialize(&mut *self);
        self.is_raw = false;
        self.out.push('"');
        written
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Refused> {
        let mut members = self.open('{', "}");
        members.field(variant, value)?;
        members.close()
    }

    fn serialize_seq(self, _length: Option<usize>) -> Result<Members<'a>, Refused> {
        Ok(self.open('[', "]"))
    }

    fn serialize_tuple(self, _length: usize) -> Result<Members<'a>, Refused> {
        Ok(self.open('[', "]"))
    }

    fn serialize_tuple_struct(self, _name: &'static str, _length: usize) -> Result<Members<'a>, Refused> {
        Ok(self.open('[', "]"))
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _length: usize,
    ) -> Result<Members<'a>, Refused> {
        Ok(self.open_variant(variant, '[', "]}"))
    }

    fn serialize_map(self, _length: Option<usize>) -> Result<Members<'a>, Refused> {
        Ok(self.open('{', "}"))
    }

    fn serialize_struct(self, name: &'static str, _length: usize) -> Result<Members<'a>, Refused> {
        if name == RAW_VALUE {
            self.is_raw = true;
            return Ok(Members { writer: self, is_first: true, close: "" });
        }
        Ok(self.open('{', "}"))
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _length: usize,
    ) -> Result<Members<'a>, Refused> {
        Ok(self.open_variant(variant, '{', "}}"))
    }
}

macro_rules! lists {
    ($($trait:ident::$method:ident)*) => {$(
        impl ser::$trait for Members<'_> {
            type Ok = ();
            type Error = Refused;

            fn $method<T: Serialize + ?Sized>(&mut self, item: &T) -> Result<(), Refused> {
                self.item(item)
            }

            fn end(self) -> Result<(), Refused> {
                self.close()
            }
        }
    )*};
}

lists! {
    SerializeSeq::serialize_element
    SerializeTuple::serialize_element
    SerializeTupleStruct::serialize_field
    SerializeTupleVariant::serialize_field
}

impl ser::SerializeMap for Members<'_> {
    type Ok = ();
    type Error = Refused;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Refused> {
        self.key(key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Refused> {
        value.serialize(&mut *self.writer)
    }

    fn end(self) -> Result<(), Refused> {
        self.close()
    }
}

impl ser::SerializeStruct for Members<'_> {
    type Ok = ();
    type Error = Refused;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Refused> {
        if self.writer.is_raw {
            let written = value.serialize(&mut *self.writer);
            self.writer.is_raw = false;
            return written;
        }
        self.field(name, value)
    }

    fn end(self) -> Result<(), Refused> {
        self.close()
    }
}

impl ser::SerializeStructVariant for Members<'_> {
    type Ok = ();
    type Error = Refused;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Refused> {
        self.field(name, value)
    }

    fn end(self) -> Result<(), Refused> {
        self.close()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::PlanId;
    use crate::time::Time;
    use proptest::prelude::*;
    use serde_json::Value;
    use serde_json::value::RawValue;
    use std::collections::BTreeMap;

    #[derive(Serialize)]
    enum Kind {
        Unit,
        New(u8),
        Tuple(i8, char),
        Struct { text: &'static str },
    }

    #[derive(Serialize)]
    struct Inner {
        first: Option<bool>,
        second: (),
    }

    #[derive(Serialize)]
    struct Record {
        texts: Vec<String>,
        numbers: (i64, u64, f64, f32),
        kinds: Vec<Kind>,
        #[serde(flatten)]
        inner: Inner,
        #[serde(skip_serializing_if = "Option::is_none")]
        missing: Option<u8>,
        raw: Box<RawValue>,
        after: &'static str,
        keys: BTreeMap<u16, &'static str>,
        variants: BTreeMap<String, Inner>,
        bytes: [u8; 3],
        displayed: std::net::Ipv6Addr,
        at: Time,
        ids: BTreeMap<PlanId, Option<Time>>,
    }

    #[test]
    fn every_shape_is_written_as_serde_json_writes_it() {
        let record = Record {
            texts: vec![String::new(), "a\"\\\n\u{1}\u{7f}é😀".into()],
            numbers: (i64::MIN, u64::MAX, 1e300, f32::NAN),
            kinds: vec![Kind::Unit, Kind::New(7), Kind::Tuple(-1, '"'), Kind::Struct { text: "x" }],
            inner: Inner { first: None, second: () },
            missing: None,
            raw: RawValue::from_string("12.50".into()).unwrap(),
            after: "quoted again",
            keys: BTreeMap::from([(1, "one"), (20, "twenty")]),
            variants: BTreeMap::from([("a\"b".into(), Inner { first: Some(true), second: () })]),
            bytes: [1, 2, 3],
            displayed: std::net::Ipv6Addr::LOCALHOST,
            at: Time::MAX,
            ids: BTreeMap::from([(PlanId::from_bytes([1; 16]), None), (PlanId::from_bytes([2; 16]), Some(Time::MIN))]),
        };
        assert_eq!(to_string(&record), serde_json::to_string(&record).unwrap());
        assert_eq!(to_string("alone"), "\"alone\"");
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
            "[ -~]{0,70}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 64, 8, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
                prop::collection::btree_map(any::<String>(), inner, 0..8)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_value_is_written_as_serde_json_writes_it(value in value()) {
            prop_assert_eq!(to_string(&value), serde_json::to_string(&value).unwrap());
        }
    }
}
