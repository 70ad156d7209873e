//! Cursors. The key is known here, so that the code after the signature check is reached too.

use crate::utf8;
use data_encoding::BASE64URL_NOPAD;
use perennial_app::cursor;
use perennial_app::keys::{Keys, MasterKey};
use perennial_store::{Position, Type, Value};
use std::sync::LazyLock;

static KEYS: LazyLock<Keys> = LazyLock::new(|| Keys::derive(&MasterKey::new([7; 32])));

/// A cursor opens if we made it and not otherwise; nothing behind the seal can do harm.
pub(crate) fn cursor(data: &[u8]) {
    let list = b"list".to_vec();
    if let Some(text) = utf8(data)
        && let Ok(position) = cursor::open(&KEYS, &list, text)
    {
        assert_eq!(cursor::seal(&KEYS, &list, &position), text, "a place has one cursor");
    }
    let sealed = [KEYS.sign_cursor(&list, data).as_slice(), data].concat();
    let _ = cursor::open(&KEYS, &list, &BASE64URL_NOPAD.encode(&sealed));

    let position = Position { values: data.chunks(9).take(8).map(value).collect() };
    let made = cursor::seal(&KEYS, &list, &position);
    assert_eq!(cursor::open(&KEYS, &list, &made).as_ref(), Ok(&position));
    assert!(cursor::open(&KEYS, &b"other".to_vec(), &made).is_err());
    let mut forged = BASE64URL_NOPAD.decode(made.as_bytes()).expect("a cursor is base64");
    let place = data.len() % forged.len();
    forged[place] ^= 1;
    assert!(cursor::open(&KEYS, &list, &BASE64URL_NOPAD.encode(&forged)).is_err(), "byte {place} was changed");
}

fn value(bytes: &[u8]) -> Value {
    let number = bytes.iter().skip(1).fold(0_i64, |number, byte| (number << 8) | i64::from(*byte));
    match bytes.first().map_or(0, |tag| tag % 7) {
        0 => Value::Int(number),
        1 => Value::Time(number),
        2 => Value::Bool(number % 2 == 0),
        3 => Value::from(String::from_utf8_lossy(bytes).into_owned()),
        4 => Value::Bytes(bytes.to_vec()),
        5 => Value::Uuid([bytes[0]; 16]),
        _ => Value::Null(Type::Text),
    }
}
