//! The values that a statement binds. Both engines support exactly these six types.
//! A null has a type too, because PostgreSQL types every parameter.

/// A bound value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    Null(Type),
    Bool(bool),
    Int(i64),
    Text(String),
    Bytes(Vec<u8>),
    Uuid([u8; 16]),
    /// Microseconds since 1970, UTC.
    Time(i64),
}

/// The type of a value: INTEGER/BOOLEAN, INTEGER/BIGINT, TEXT, BLOB/BYTEA, BLOB/UUID, INTEGER/TIMESTAMPTZ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    Bool,
    Int,
    Text,
    Bytes,
    Uuid,
    Time,
}

impl Value {
    /// A time, in microseconds since 1970.
    pub fn time(microseconds: i64) -> Self {
        Self::Time(microseconds)
    }

    /// A time that may be absent.
    pub fn optional_time(microseconds: Option<i64>) -> Self {
        microseconds.map_or(Self::Null(Type::Time), Self::Time)
    }

    /// Raw bytes.
    pub fn bytes(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes)
    }

    /// Raw bytes that may be absent.
    pub fn optional_bytes(bytes: Option<Vec<u8>>) -> Self {
        bytes.map_or(Self::Null(Type::Bytes), Self::Bytes)
    }

    /// The type, also of a null.
    pub fn kind(&self) -> Type {
        match self {
            Self::Null(kind) => *kind,
            Self::Bool(_) => Type::Bool,
            Self::Int(_) => Type::Int,
            Self::Text(_) => Type::Text,
            Self::Bytes(_) => Type::Bytes,
            Self::Uuid(_) => Type::Uuid,
            Self::Time(_) => Type::Time,
        }
    }

    /// Whether this is a null of any type.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null(_))
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl From<[u8; 16]> for Value {
    fn from(value: [u8; 16]) -> Self {
        Self::Uuid(value)
    }
}

impl From<Option<bool>> for Value {
    fn from(value: Option<bool>) -> Self {
        value.map_or(Self::Null(Type::Bool), Self::Bool)
    }
}

impl From<Option<i64>> for Value {
    fn from(value: Option<i64>) -> Self {
        value.map_or(Self::Null(Type::Int), Self::Int)
    }
}

impl From<Option<&str>> for Value {
    fn from(value: Option<&str>) -> Self {
        value.map_or(Self::Null(Type::Text), Self::from)
    }
}

impl From<Option<String>> for Value {
    fn from(value: Option<String>) -> Self {
        value.map_or(Self::Null(Type::Text), Self::Text)
    }
}

impl From<Option<[u8; 16]>> for Value {
    fn from(value: Option<[u8; 16]>) -> Self {
        value.map_or(Self::Null(Type::Uuid), Self::Uuid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_absent_value_has_a_type() {
        assert_eq!(Value::from(None::<&str>), Value::Null(Type::Text));
        assert_eq!(Value::optional_time(None).kind(), Type::Time);
        assert_eq!(Value::from(None::<[u8; 16]>).kind(), Type::Uuid);
    }
}
