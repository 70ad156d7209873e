//! Cursors: a position in a list, opaque to clients and signed together with the name of the list.

mod names;

pub(crate) use names::{
    clients, connection_inbox, connections, coupons, credit_notes, credits, features, invoices, members, meters,
    open_optional, operators, payments, plan_versions, plans, previous_plans, previous_subscriptions, subscriptions,
    tax_rates, users, webhook_attempts, webhook_endpoints, webhook_undelivered,
};

use crate::error::Error;
use crate::keys::Keys;
use data_encoding::BASE64URL_NOPAD;
use perennial_store::{Page, Position, Type, Value};

/// The list that a cursor belongs to: resource, organization, filters and sort, encoded by `names`.
pub type ListName = Vec<u8>;

const TAG_LENGTH: usize = 16;

/// Encodes a position as a cursor.
pub fn seal(keys: &Keys, list: &ListName, position: &Position) -> String {
    let payload = encode(&position.values);
    let mut sealed = keys.sign_cursor(list, &payload).to_vec();
    sealed.extend(payload);
    BASE64URL_NOPAD.encode(&sealed)
}

/// Decodes a cursor that this installation made for this list.
pub fn open(keys: &Keys, list: &ListName, cursor: &str) -> Result<Position, Error> {
    let sealed = BASE64URL_NOPAD.decode(cursor.as_bytes()).map_err(|_| Error::InvalidCursor)?;
    let (tag, payload) = sealed.split_at_checked(TAG_LENGTH).ok_or(Error::InvalidCursor)?;
    if !keys.signed_cursor(list, payload, tag) {
        return Err(Error::InvalidCursor);
    }
    decode(payload).ok_or(Error::InvalidCursor)
}

/// The page after a cursor, and the cursor of the next one.
pub(crate) async fn list<T>(
    keys: &Keys,
    list: &ListName,
    cursor: Option<&str>,
    page: impl AsyncFnOnce(Option<Position>) -> Result<Page<T>, Error>,
) -> Result<(Vec<T>, Option<String>), Error> {
    let after = cursor.map(|cursor| open(keys, list, cursor)).transpose()?;
    Ok(with_next(keys, list, page(after).await?))
}

/// The items of a page, and the cursor of the next one.
pub(crate) fn with_next<T>(keys: &Keys, list: &ListName, page: Page<T>) -> (Vec<T>, Option<String>) {
    let next = page.next.map(|position| seal(keys, list, &position));
    (page.items, next)
}

/// Each value: a letter for its type, upper case if null, then its bytes. A text is preceded by its length.
fn encode(values: &[Value]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for value in values {
        match value {
            Value::Null(kind) => bytes.push(letter(*kind).to_ascii_uppercase()),
            Value::Bool(value) => bytes.extend([b'b', u8::from(*value)]),
            Value::Int(value) => tagged(&mut bytes, b'i', &value.to_be_bytes()),
            Value::Time(value) => tagged(&mut bytes, b't', &value.to_be_bytes()),
            Value::Uuid(value) => tagged(&mut bytes, b'u', value),
            Value::Text(value) => lengthy(&mut bytes, b's', value.as_bytes()),
            Value::Bytes(value) => lengthy(&mut bytes, b'y', value),
        }
    }
    bytes
}

fn tagged(bytes: &mut Vec<u8>, tag: u8, value: &[u8]) {
    bytes.push(tag);
    bytes.extend(value);
}

fn lengthy(bytes: &mut Vec<u8>, tag: u8, value: &[u8]) {
    bytes.push(tag);
    bytes.extend(u32::try_from(value.len()).unwrap_or(u32::MAX).to_be_bytes());
    bytes.extend(value);
}

fn letter(kind: Type) -> u8 {
    match kind {
        Type::Bool => b'b',
        Type::Int => b'i',
        Type::Time => b't',
        Type::Uuid => b'u',
        Type::Text => b's',
        Type::Bytes => b'y',
    }
}

fn decode(mut bytes: &[u8]) -> Option<Position> {
    let mut values = Vec::new();
    while let Some((&tag, rest)) = bytes.split_first() {
        bytes = rest;
        values.push(match tag {
            b'b' => Value::Bool(*bytes.split_off_first()? == 1),
            b'i' => Value::Int(i64::from_be_bytes(take(&mut bytes)?)),
            b't' => Value::Time(i64::from_be_bytes(take(&mut bytes)?)),
            b'u' => Value::Uuid(take(&mut bytes)?),
            b's' => Value::from(String::from_utf8(take_lengthy(&mut bytes)?).ok()?),
            b'y' => Value::Bytes(take_lengthy(&mut bytes)?),
            b'B' => Value::Null(Type::Bool),
            b'I' => Value::Null(Type::Int),
            b'T' => Value::Null(Type::Time),
            b'U' => Value::Null(Type::Uuid),
            b'S' => Value::Null(Type::Text),
            b'Y' => Value::Null(Type::Bytes),
            _ => return None,
        });
    }
    Some(Position { values })
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    bytes.split_off(..N)?.try_into().ok()
}

fn take_lengthy(bytes: &mut &[u8]) -> Option<Vec<u8>> {
    let length = usize::try_from(u32::from_be_bytes(take(bytes)?)).ok()?;
    bytes.split_off(..length).map(<[u8]>::to_vec)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::MasterKey;
    use proptest::prelude::*;

    fn keys() -> Keys {
        Keys::derive(&MasterKey::new([7; 32]))
    }

    fn position() -> Position {
        let values = vec![
            Value::Null(Type::Time),
            Value::Time(5),
            Value::Int(-3),
            Value::from("é"),
            Value::Uuid([9; 16]),
            Value::Bool(true),
            Value::Bytes(vec![1, 2]),
        ];
        Position { values }
    }

    #[test]
    fn a_cursor_reads_back_for_its_own_list_only() {
        let sealed = seal(&keys(), &b"list".to_vec(), &position());
        assert_eq!(open(&keys(), &b"list".to_vec(), &sealed), Ok(position()));
        assert_eq!(open(&keys(), &b"other".to_vec(), &sealed), Err(Error::InvalidCursor));
        let other_key = Keys::derive(&MasterKey::new([8; 32]));
        assert_eq!(open(&other_key, &b"list".to_vec(), &sealed), Err(Error::InvalidCursor));
    }

    #[test]
    fn no_byte_of_a_cursor_can_be_changed() {
        let sealed = BASE64URL_NOPAD.decode(seal(&keys(), &b"list".to_vec(), &position()).as_bytes()).unwrap();
        for index in 0..sealed.len() {
            let mut forged = sealed.clone();
            forged[index] ^= 1;
            let forged = BASE64URL_NOPAD.encode(&forged);
            assert_eq!(open(&keys(), &b"list".to_vec(), &forged), Err(Error::InvalidCursor), "byte {index}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[A-Za-z0-9_-]{0,80}") {
            prop_assert_eq!(open(&keys(), &b"list".to_vec(), &text), Err(Error::InvalidCursor));
        }

        #[test]
        fn no_payload_panics(bytes: Vec<u8>) {
            let _ = decode(&bytes);
        }

        #[test]
        fn every_position_reads_back(time: i64, id: [u8; 16], text in "\\PC{0,20}") {
            let position = Position { values: vec![Value::Time(time), Value::from(text), Value::Uuid(id)] };
            let sealed = seal(&keys(), &b"list".to_vec(), &position);
            prop_assert_eq!(open(&keys(), &b"list".to_vec(), &sealed), Ok(position));
        }
    }
}
