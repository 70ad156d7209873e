//! Instants as Paddle writes them. An instant before 1970 (it writes the year 1 for "never") counts as missing.

use super::super::findings::Why;
use perennial_domain::time::Time;
use perennial_domain::validation::ValidationCode;

/// An instant that may be absent.
pub(super) fn optional_time(name: &str, text: Option<&str>) -> Result<Option<Time>, Why> {
    match text.map(Time::parse).transpose() {
        Err(reason) if reason.code == ValidationCode::OutOfRange => Ok(None),
        parsed => parsed.map_err(|reason| Why::field(name, &reason)),
    }
}

/// When an object was created. Objects within others have no time of their own, but every ID contains one.
pub(super) fn created(id: &str, text: Option<&str>) -> Result<Time, Why> {
    let given = optional_time("created_at", text)?;
    given.or_else(|| time_of_id(id)).ok_or_else(|| Why::missing("created_at"))
}

pub(super) fn updated(text: Option<&str>, created_at: Time) -> Time {
    let given = optional_time("updated_at", text).ok().flatten();
    given.map_or(created_at, |updated| updated.max(created_at))
}

/// IDs are a prefix and a ULID, whose first ten characters are milliseconds since 1970.
fn time_of_id(id: &str) -> Option<Time> {
    const DIGITS: &[u8] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let (_, ulid) = id.split_once('_')?;
    if ulid.len() != 26 {
        return None;
    }
    let digit = |byte: &u8| DIGITS.iter().position(|digit| digit == byte).and_then(|value| i64::try_from(value).ok());
    let millis = ulid.as_bytes()[..10].iter().try_fold(0_i64, |sum, byte| Some(sum * 32 + digit(byte)?))?;
    millis.checked_mul(1000).and_then(Time::from_micros)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_instant_before_1970_is_missing_and_digits_after_the_sixth_are_cut() {
        assert_eq!(optional_time("a", None), Ok(None));
        assert_eq!(optional_time("a", Some("0001-01-01T00:00:00Z")), Ok(None));
        let cut = optional_time("a", Some("2024-01-11T08:34:01.787929123Z")).unwrap().unwrap();
        assert_eq!(cut.to_string(), "2024-01-11T08:34:01.787929Z");
        assert_eq!(optional_time("a", Some("soon")).unwrap_err().code, "invalid_format");
    }

    #[test]
    fn an_object_without_a_time_was_created_when_its_id_was() {
        let read =
            |id: &str, text: Option<&str>| created(id, text).map(|time| time.to_string()).map_err(|why| why.code);
        let id = "pri_01h7zd9mzfq79850w4ryc39v38";
        assert_eq!(read(id, None).as_deref(), Ok("2023-08-16T14:51:48.079000Z"));
        assert_eq!(read(id, Some("2023-08-16T14:51:48.5Z")).as_deref(), Ok("2023-08-16T14:51:48.500000Z"));
        for id in ["pri_1", "pri", "", "pri_ülh7zd9mzfq79850w4ryc39v3", "pri_ilh7zd9mzfq79850w4ryc39v38"] {
            assert_eq!(read(id, None), Err("malformed"), "{id}");
        }
    }

    proptest! {
        #[test]
        fn no_id_fails(id: String) {
            let _ = time_of_id(&id);
        }
    }
}
