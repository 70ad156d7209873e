//! Identifiers: a type prefix and a `UUIDv7` in base 32, in the format of `TypeID`.
//! A `PlanId` cannot be used where a `SubscriptionId` is expected, and ids sort by creation.

use crate::time::Time;

const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const SUFFIX_LENGTH: usize = 26;

/// Text that is not an id of the expected type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MalformedId;

/// The sixteen bytes of a `UUIDv7` created at `at`, its free bits taken from `random`.
/// The twelve bits after the milliseconds contain the microseconds, so that byte order is time order.
pub const fn uuid_v7(at: Time, random: u64) -> [u8; 16] {
    let micros = at.as_micros().unsigned_abs();
    let millis = micros / 1000;
    let fraction = (micros % 1000) * 4096 / 1000;
    let high = (millis << 16) | 0x7000 | fraction;
    let low = (random >> 2) | (1 << 63);
    (((high as u128) << 64) | low as u128).to_be_bytes()
}

/// The smallest id that can be created at `at`: the bound of a range over creation times.
pub const fn uuid_floor(at: Time) -> [u8; 16] {
    uuid_v7(at, 0)
}

/// The free bits of the IDs that one process makes: each is greater than the one before, so that records of one instant are in the
/// order of their creation. The distance between two is random, so that one ID does not reveal the next.
///
/// When the numbers are used up, after about a billion, they begin again at a random one. Only the order of IDs of the same instant depends on
/// them.
#[derive(Clone, Copy, Debug, Default)]
pub struct IdSequence {
    last: u64,
}

impl IdSequence {
    /// The number of bits that an ID takes: the upper 62 of 64.
    const SPARE: u32 = 2;
    /// A beginning is in the lower half, so that many numbers follow.
    const BEGINNING: u64 = u64::MAX >> (Self::SPARE + 1);
    const LARGEST: u64 = u64::MAX >> Self::SPARE;

    /// The bits of the next ID, from sixty-four random bits.
    pub const fn next(&mut self, random: u64) -> u64 {
        let distance = 1 + (random & 0xffff_ffff);
        let is_used_up = self.last == 0 || self.last > Self::LARGEST - distance;
        self.last = if is_used_up { (random & Self::BEGINNING) | 1 } else { self.last + distance };
        self.last << Self::SPARE
    }
}

/// The longest prefix, an underscore and the suffix, filled up to whole words: UTF-8 is checked word by word.
const ROOM: usize = (4 + 1 + SUFFIX_LENGTH).next_multiple_of(2 * size_of::<usize>());

/// An id's text, on the stack: every response contains several.
#[repr(align(16))]
struct Written {
    bytes: [u8; ROOM],
    length: usize,
}

impl Written {
    fn new(prefix: &str, bytes: [u8; 16]) -> Self {
        let mut written = [b'_'; ROOM];
        written[..prefix.len()].copy_from_slice(prefix.as_bytes());
        let start = prefix.len() + 1;
        written[start..start + SUFFIX_LENGTH].copy_from_slice(&suffix(bytes));
        Self { bytes: written, length: start + SUFFIX_LENGTH }
    }

    fn as_str(&self) -> &str {
        &std::str::from_utf8(&self.bytes).expect("prefixes and digits are ASCII")[..self.length]
    }
}

/// The digits of sixty bits each, and of the eight bits before them: a processor shifts 64 bits at a time, not 128.
fn suffix(bytes: [u8; 16]) -> [u8; SUFFIX_LENGTH] {
    const BITS: u32 = 60;
    const DIGITS: usize = 12;
    let number = u128::from_be_bytes(bytes);
    let mut digits = [0; SUFFIX_LENGTH];
    let (rest, low) = digits.split_at_mut(SUFFIX_LENGTH - DIGITS);
    let (high, middle) = rest.split_at_mut(SUFFIX_LENGTH - 2 * DIGITS);
    for (part, shift) in [(low, 0), (middle, BITS), (high, 2 * BITS)] {
        let mut bits = low_half(number >> shift);
        for place in part.iter_mut().rev() {
            *place = ALPHABET[usize::try_from(bits & 31).unwrap_or_default()];
            bits >>= 5;
        }
    }
    digits
}

#[expect(clippy::cast_possible_truncation, reason = "only the lower half is wanted")]
const fn low_half(number: u128) -> u64 {
    number as u64
}

/// The value of each byte as a digit; `NO_DIGIT` if it is none.
const DIGITS: [u8; 256] = {
    let mut digits = [NO_DIGIT; 256];
    let mut value = 0;
    while value < ALPHABET.len() {
        #[expect(clippy::cast_possible_truncation, reason = "there are 32 digits")]
        let digit = value as u8;
        digits[ALPHABET[value] as usize] = digit;
        value += 1;
    }
    digits
};
const NO_DIGIT: u8 = 255;

fn decode(prefix: &str, text: &str) -> Result<[u8; 16], MalformedId> {
    let suffix = text
        .strip_prefix(prefix)
        .and_then(|rest| rest.strip_prefix('_'))
        .filter(|suffix| suffix.len() == SUFFIX_LENGTH)
        .ok_or(MalformedId)?;
    let mut number: u128 = 0;
    for (place, byte) in suffix.bytes().enumerate() {
        let digit = DIGITS[usize::from(byte)];
        // 26 digits have 130 bits: the first may use three of its five.
        if digit == NO_DIGIT || (place == 0 && digit > 7) {
            return Err(MalformedId);
        }
        number = (number << 5) | u128::from(digit);
    }
    Ok(number.to_be_bytes())
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident = $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name([u8; 16]);

        impl $name {
            /// The part before the underscore.
            pub const PREFIX: &'static str = $prefix;

            /// The id with these bytes.
            pub const fn from_bytes(bytes: [u8; 16]) -> Self {
                Self(bytes)
            }

            /// The bytes, as they are stored.
            pub const fn bytes(self) -> [u8; 16] {
                self.0
            }

            /// A new id created at `at`.
            pub const fn new(at: Time, random: u64) -> Self {
                Self(uuid_v7(at, random))
            }

            /// The part after the prefix.
            pub fn suffix(self) -> String {
                let mut text = String::with_capacity(SUFFIX_LENGTH);
                self.append_suffix(&mut text);
                text
            }

            /// Appends the part after the prefix.
            pub fn append_suffix(self, text: &mut String) {
                text.push_str(&Written::new($prefix, self.0).as_str()[$prefix.len() + 1..]);
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(Written::new($prefix, self.0).as_str())
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(Written::new($prefix, self.0).as_str())
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
                crate::json::serialize_plain(Written::new($prefix, self.0).as_str(), serializer)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                text.parse().map_err(|_| serde::de::Error::custom(concat!("not an ID that begins with ", $prefix)))
            }
        }
    )*};
}

ids! {
    /// An organization.
    OrganizationId = "org";
    /// A client: an application that calls the API.
    ClientId = "cli";
    /// An identity provider of an organization.
    ProviderId = "idp";
    /// A user of an organization.
    UserId = "usr";
    /// A session: the result of one sign-in.
    SessionId = "ses";
    /// A plan.
    PlanId = "plan";
    /// A subscription.
    SubscriptionId = "sub";
    /// A payment.
    PaymentId = "pay";
    /// An operator: a person who manages one organization.
    OperatorId = "op";
    /// An operator's session: the result of one sign-in to the console.
    OperatorSessionId = "ops";
    /// A webhook endpoint.
    WebhookEndpointId = "hook";
    /// An attempt to deliver an event.
    WebhookAttemptId = "att";
    /// The test clock of an organization; it has the bytes of the organization's ID.
    TestClockId = "clk";
    /// A tax rate.
    TaxRateId = "tax";
    /// A meter of usage.
    MeterId = "mtr";
    /// A coupon.
    CouponId = "cpn";
    /// An entry of the ledger of credits.
    CreditId = "crd";
    /// An invoice.
    InvoiceId = "inv";
    /// A credit note.
    CreditNoteId = "crn";
    /// A feature that applications check.
    FeatureId = "feat";
    /// A connection: an account at a payment provider.
    ConnectionId = "con";
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
        let fraction = u16::from_be_bytes([bytes[6], bytes[7]]) & 0x0fff;
        assert_eq!(u32::from(fraction), 456 * 4096 / 1000);
        assert_eq!(bytes[8..], [0xbf, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
    }

    proptest! {
        #[test]
        fn ids_of_one_instant_are_in_the_order_of_their_creation(
            at in 0..253_402_300_799_999_999_i64,
            other in 0..253_402_300_799_999_999_i64,
            random in prop::collection::vec((any::<u64>(), any::<bool>()), 2..200),
        ) {
            let (at, other) = (Time::from_micros(at).unwrap(), Time::from_micros(other).unwrap());
            let mut sequence = IdSequence::default();
            let mut made = Vec::new();
            for (random, is_elsewhere) in random {
                // IDs of another instant in between change nothing.
                let id = PlanId::new(if is_elsewhere { other } else { at }, sequence.next(random));
                if !is_elsewhere {
                    made.push(id);
                }
            }
            prop_assert!(made.is_sorted_by(|a, b| a < b));
        }

        #[test]
        fn a_sequence_that_is_used_up_begins_again_below(last in IdSequence::LARGEST - 1_000..=IdSequence::LARGEST, random: u64) {
            let mut sequence = IdSequence { last };
            let next = sequence.next(random | 0xffff_ffff);
            prop_assert!(next >> 2 <= IdSequence::BEGINNING && next != 0);
            prop_assert!(sequence.next(random) > next);
        }

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
