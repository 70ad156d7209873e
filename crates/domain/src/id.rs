//! Identifiers: a type prefix and a `UUIDv7` in base 32, as the `TypeID` convention writes them.
//! A `PlanId` cannot stand where a `SubscriptionId` belongs, and ids sort by creation.

use crate::time::Time;

const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const SUFFIX_LENGTH: usize = 26;

/// Text that is not an id of the wanted type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MalformedId;

/// The sixteen bytes of a `UUIDv7` made at `at`, its free bits taken from `random`.
/// The twelve bits behind the milliseconds hold the microseconds, so that byte order is time order.
pub const fn uuid_v7(at: Time, random: u64) -> [u8; 16] {
    let micros = at.as_micros().unsigned_abs();
    let millis = micros / 1000;
    let fraction = (micros % 1000) * 4096 / 1000;
    let high = (millis << 16) | 0x7000 | fraction;
    let low = (random >> 2) | (1 << 63);
    (((high as u128) << 64) | low as u128).to_be_bytes()
}

/// The smallest id that can have been made at `at`: the bound of a range over creation times.
pub const fn uuid_floor(at: Time) -> [u8; 16] {
    uuid_v7(at, 0)
}

fn encode(prefix: &str, bytes: [u8; 16]) -> String {
    let mut text = String::with_capacity(prefix.len() + 1 + SUFFIX_LENGTH);
    text.push_str(prefix);
    text.push('_');
    push_suffix(&mut text, bytes);
    text
}

fn push_suffix(text: &mut String, bytes: [u8; 16]) {
    let number = u128::from_be_bytes(bytes);
    for place in (0..SUFFIX_LENGTH).rev() {
        let digit = (number >> (place * 5)) & 31;
        text.push(char::from(ALPHABET[usize::try_from(digit).unwrap_or_default()]));
    }
}

fn decode(prefix: &str, text: &str) -> Result<[u8; 16], MalformedId> {
    let suffix = text
        .strip_prefix(prefix)
        .and_then(|rest| rest.strip_prefix('_'))
        .filter(|suffix| suffix.len() == SUFFIX_LENGTH)
        .ok_or(MalformedId)?;
    let mut number: u128 = 0;
    for (place, byte) in suffix.bytes().enumerate() {
        let digit = ALPHABET.iter().position(|&known| known == byte).ok_or(MalformedId)?;
        // 26 digits hold 130 bits: the first may use three of its five.
        if place == 0 && digit > 7 {
            return Err(MalformedId);
        }
        number = (number << 5) | digit as u128;
    }
    Ok(number.to_be_bytes())
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident = $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name([u8; 16]);

        impl $name {
            /// What stands before the underscore.
            pub const PREFIX: &'static str = $prefix;

            /// The id of these bytes, as a store keeps them.
            pub const fn from_bytes(bytes: [u8; 16]) -> Self {
                Self(bytes)
            }

            /// The bytes a store keeps.
            pub const fn bytes(self) -> [u8; 16] {
                self.0
            }

            /// A new id made at `at`.
            pub const fn new(at: Time, random: u64) -> Self {
                Self(uuid_v7(at, random))
            }

            /// The part behind the prefix.
            pub fn suffix(self) -> String {
                let mut text = String::with_capacity(SUFFIX_LENGTH);
                push_suffix(&mut text, self.0);
                text
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&encode($prefix, self.0))
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&encode($prefix, self.0))
            }
        }

        impl std::str::FromStr for $name {
            type Err = MalformedId;

            fn from_str(text: &str) -> Result<Self, MalformedId> {
                decode($prefix, text).map(Self)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&encode($prefix, self.0))
            }
        }
    )*};
}

ids! {
    /// An organization.
    OrganizationId = "org";
    /// A client: an application that calls us.
    ClientId = "cli";
    /// A user of an organization.
    UserId = "usr";
    /// A plan.
    PlanId = "plan";
    /// A subscription.
    SubscriptionId = "sub";
    /// A payment.
    PaymentId = "pay";
    /// An event; the last one of a record is the record's revision.
    EventId = "evt";
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_published_example_of_the_convention_reads_back() {
        let bytes = [0x01, 0x89, 0x0a, 0x5d, 0xac, 0x96, 0x77, 0x4b, 0xbc, 0xce, 0xb3, 0x02, 0x09, 0x9a, 0x80, 0x57];
        let id = PlanId::from_bytes(bytes);
        assert_eq!(id.to_string(), "plan_01h455vb4pex5vsknk084sn02q");
        assert_eq!("plan_01h455vb4pex5vsknk084sn02q".parse(), Ok(id));
    }

    #[test]
    fn other_prefixes_and_spellings_are_refused() {
        for text in [
            "sub_01h455vb4pex5vsknk084sn02q",
            "plan_01H455VB4PEX5VSKNK084SN02Q",
            "plan_81h455vb4pex5vsknk084sn02q",
            "plan_01h455vb4pex5vsknk084sn02",
            "plan_01h455vb4pex5vsknk084sn02qq",
            "plan_01h455vb4pex5vsknk084sn02l",
            "plan01h455vb4pex5vsknk084sn02qq",
            "plan_",
            "",
        ] {
            assert_eq!(text.parse::<PlanId>(), Err(MalformedId), "{text}");
        }
    }

    #[test]
    fn the_version_and_variant_bits_are_those_of_a_uuid_v7() {
        let bytes = uuid_v7(Time::from_micros(1_700_000_000_123_456).unwrap(), u64::MAX);
        assert_eq!(bytes[6] >> 4, 7);
        assert_eq!(bytes[8] >> 6, 0b10);
        let millis = u64::from_be_bytes([0, 0, bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5]]);
        assert_eq!(millis, 1_700_000_000_123);
    }

    proptest! {
        #[test]
        fn every_id_reads_back(bytes: [u8; 16]) {
            let id = SubscriptionId::from_bytes(bytes);
            prop_assert_eq!(id.to_string().parse(), Ok(id));
            prop_assert_eq!(format!("sub_{}", id.suffix()), id.to_string());
        }

        #[test]
        fn byte_order_is_time_order(a in 0..253_402_300_799_999_999_i64, step in 1..5_000_000_i64, r: u64, s: u64) {
            let (earlier, later) = (Time::from_micros(a).unwrap(), Time::from_micros((a + step).min(253_402_300_799_999_999)).unwrap());
            prop_assume!(earlier < later);
            prop_assert!(uuid_v7(earlier, r) < uuid_v7(later, s));
            prop_assert!(uuid_v7(earlier, r) < uuid_floor(later));
            prop_assert!(uuid_floor(earlier) <= uuid_v7(earlier, r));
        }
    }
}
