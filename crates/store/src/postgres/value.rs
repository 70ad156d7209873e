//! Values on the wire, in PostgreSQL's binary format, written and read by hand.
//! A column of many values is an array: that is how many inserts become one.

use std::error::Error as StdError;
use std::fmt;

use bytes::{BufMut, BytesMut};
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type as Wire, to_sql_checked};

use crate::value::{Type, Value};

/// PostgreSQL counts microseconds from 2000-01-01, we from 1970-01-01.
const EPOCH: i64 = 946_684_800_000_000;

type Failure = Box<dyn StdError + Sync + Send>;

/// What a statement's parameter is bound to.
pub(super) enum Argument<'a> {
    One(&'a Value),
    Column(Type, Vec<&'a Value>),
}

/// The driver prints parameters into its debug log; ours stay out of it.
impl fmt::Debug for Argument<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("…")
    }
}

impl Argument<'_> {
    pub(super) fn wire(&self) -> Wire {
        match self {
            Self::One(value) => scalar(value.kind()),
            Self::Column(kind, _) => match kind {
                Type::Bool => Wire::BOOL_ARRAY,
                Type::Int => Wire::INT8_ARRAY,
                Type::Text => Wire::TEXT_ARRAY,
                Type::Bytes => Wire::BYTEA_ARRAY,
                Type::Uuid => Wire::UUID_ARRAY,
                Type::Time => Wire::TIMESTAMPTZ_ARRAY,
            },
        }
    }
}

fn scalar(kind: Type) -> Wire {
    match kind {
        Type::Bool => Wire::BOOL,
        Type::Int => Wire::INT8,
        Type::Text => Wire::TEXT,
        Type::Bytes => Wire::BYTEA,
        Type::Uuid => Wire::UUID,
        Type::Time => Wire::TIMESTAMPTZ,
    }
}

impl ToSql for Argument<'_> {
    fn to_sql(&self, wire: &Wire, out: &mut BytesMut) -> Result<IsNull, Failure> {
        // Statements are prepared with the types of their first values; others later are a defect of the caller.
        if *wire != self.wire() {
            let given = self.wire();
            return Err(format!("the statement takes {wire} here and was given {given}").into());
        }
        match self {
            Self::One(value) if value.is_null() => return Ok(IsNull::Yes),
            Self::One(value) => put(value, out),
            Self::Column(kind, values) => put_array(*kind, values, out)?,
        }
        Ok(IsNull::No)
    }

    fn accepts(_: &Wire) -> bool {
        true
    }

    to_sql_checked!();
}

fn put(value: &Value, out: &mut BytesMut) {
    match value {
        Value::Null(_) => {}
        Value::Bool(value) => out.put_u8(u8::from(*value)),
        Value::Int(value) => out.put_i64(*value),
        Value::Text(value) => out.put_slice(value.as_bytes()),
        Value::Bytes(value) => out.put_slice(value),
        Value::Uuid(value) => out.put_slice(value),
        Value::Time(value) => out.put_i64(value.saturating_sub(EPOCH)),
    }
}

/// One dimension, lower bound 1; an element is its length and its bytes, −1 for a null.
fn put_array(kind: Type, values: &[&Value], out: &mut BytesMut) -> Result<(), Failure> {
    out.put_i32(1);
    out.put_i32(i32::from(values.iter().any(|value| value.is_null())));
    out.put_u32(scalar(kind).oid());
    out.put_i32(i32::try_from(values.len())?);
    out.put_i32(1);
    for value in values {
        if value.is_null() {
            out.put_i32(-1);
            continue;
        }
        let start = out.len();
        out.put_i32(0);
        put(value, out);
        let length = i32::try_from(out.len() - start - 4)?;
        out[start..start + 4].copy_from_slice(&length.to_be_bytes());
    }
    Ok(())
}

pub(crate) struct Uuid(pub(crate) [u8; 16]);

impl<'a> FromSql<'a> for Uuid {
    fn from_sql(_: &Wire, raw: &'a [u8]) -> Result<Self, Failure> {
        Ok(Self(raw.try_into()?))
    }

    fn accepts(wire: &Wire) -> bool {
        *wire == Wire::UUID
    }
}

/// Microseconds since 1970.
pub(crate) struct Time(pub(crate) i64);

impl<'a> FromSql<'a> for Time {
    fn from_sql(_: &Wire, raw: &'a [u8]) -> Result<Self, Failure> {
        Ok(Self(i64::from_be_bytes(raw.try_into()?).saturating_add(EPOCH)))
    }

    fn accepts(wire: &Wire) -> bool {
        *wire == Wire::TIMESTAMPTZ
    }
}

/// Any integer type: a literal `1` is an INT4 there, a count an INT8.
pub(crate) struct Int(pub(crate) i64);

impl<'a> FromSql<'a> for Int {
    fn from_sql(_: &Wire, raw: &'a [u8]) -> Result<Self, Failure> {
        Ok(Self(match raw.len() {
            2 => i64::from(i16::from_be_bytes(raw.try_into()?)),
            4 => i64::from(i32::from_be_bytes(raw.try_into()?)),
            _ => i64::from_be_bytes(raw.try_into()?),
        }))
    }

    fn accepts(wire: &Wire) -> bool {
        matches!(*wire, Wire::INT2 | Wire::INT4 | Wire::INT8)
    }
}
