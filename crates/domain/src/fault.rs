//! What is wrong with an input: a code a program can branch on, a sentence a person can act on,
//! and where it is. The faults of one input are gathered before anyone answers, up to a bound.

use std::borrow::Cow;

/// The kinds of fault, each with its stable name on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FaultCode {
    /// A field that must be there is not.
    Required,
    /// `null` where the field cannot be empty.
    NotNullable,
    /// Another JSON type than the field's.
    InvalidType,
    /// Text shorter than the field allows.
    TooShort,
    /// Text, or a list, longer than the field allows.
    TooLong,
    /// A number or an instant outside the field's bounds.
    OutOfRange,
    /// More decimals than the currency has.
    TooManyDecimals,
    /// Text with a character the field does not take.
    InvalidText,
    /// Text that is not of the field's form.
    InvalidFormat,
    /// A word outside the field's vocabulary.
    UnknownValue,
    /// A word that people read in two ways.
    Ambiguous,
    /// The same item twice in a list.
    DuplicateItem,
    /// A reference to a record that does not exist.
    NotFound,
    /// Fields that contradict each other.
    Inconsistent,
    /// A member the service does not know.
    UnknownField,
    /// A member the caller cannot set.
    ReadOnlyField,
}

impl FaultCode {
    /// Every code, for the error catalogue.
    pub const ALL: [Self; 16] = [
        Self::Required,
        Self::NotNullable,
        Self::InvalidType,
        Self::TooShort,
        Self::TooLong,
        Self::OutOfRange,
        Self::TooManyDecimals,
        Self::InvalidText,
        Self::InvalidFormat,
        Self::UnknownValue,
        Self::Ambiguous,
        Self::DuplicateItem,
        Self::NotFound,
        Self::Inconsistent,
        Self::UnknownField,
        Self::ReadOnlyField,
    ];

    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Required => "required",
            Self::NotNullable => "not_nullable",
            Self::InvalidType => "invalid_type",
            Self::TooShort => "too_short",
            Self::TooLong => "too_long",
            Self::OutOfRange => "out_of_range",
            Self::TooManyDecimals => "too_many_decimals",
            Self::InvalidText => "invalid_text",
            Self::InvalidFormat => "invalid_format",
            Self::UnknownValue => "unknown_value",
            Self::Ambiguous => "ambiguous",
            Self::DuplicateItem => "duplicate_item",
            Self::NotFound => "not_found",
            Self::Inconsistent => "inconsistent",
            Self::UnknownField => "unknown_field",
            Self::ReadOnlyField => "read_only_field",
        }
    }
}

/// Why a value was refused, before anyone knows where it stood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The kind of fault.
    pub code: FaultCode,
    /// A sentence that tells the caller what to send instead.
    pub detail: Cow<'static, str>,
}

impl Reason {
    /// A reason with its sentence.
    pub fn new(code: FaultCode, detail: impl Into<Cow<'static, str>>) -> Self {
        Self { code, detail: detail.into() }
    }
}

/// A reason and the place it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// A JSON pointer into the input, such as `/price` or `/variants/3`.
    pub pointer: Cow<'static, str>,
    /// What is wrong there.
    pub reason: Reason,
}

/// The number of faults that are stored for one input. Further faults are only counted, so that a small input cannot
/// produce a large response.
pub const MAX_FAULTS: usize = 100;

/// The faults of one input, in the order they were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    found: Vec<Fault>,
    omitted: usize,
}

impl Faults {
    /// No faults yet.
    pub const fn none() -> Self {
        Self { found: Vec::new(), omitted: 0 }
    }

    /// Notes one more fault.
    pub fn add(&mut self, pointer: impl Into<Cow<'static, str>>, reason: Reason) {
        if self.is_full() {
            self.omit(1);
        } else {
            self.found.push(Fault { pointer: pointer.into(), reason });
        }
    }

    /// Whether further faults are only counted; what they are does not have to be worked out then.
    pub fn is_full(&self) -> bool {
        self.found.len() >= MAX_FAULTS
    }

    /// Counts further faults without storing them.
    pub fn omit(&mut self, count: usize) {
        self.omitted += count;
    }

    /// The number of faults that were counted but not stored.
    pub fn omitted(&self) -> usize {
        self.omitted
    }

    /// Notes a fault from its parts.
    pub fn note(
        &mut self,
        pointer: impl Into<Cow<'static, str>>,
        code: FaultCode,
        detail: impl Into<Cow<'static, str>>,
    ) {
        self.add(pointer, Reason::new(code, detail));
    }

    /// Whether the input is right so far.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Whether something at `pointer` is wrong already, so that nothing more can be said of it.
    pub fn touch(&self, pointer: &str) -> bool {
        self.found.iter().any(|fault| fault.pointer == pointer)
    }

    /// The faults found.
    pub fn iter(&self) -> std::slice::Iter<'_, Fault> {
        self.found.iter()
    }

    /// `value` if nothing is wrong, else all that is.
    pub fn into_result<T>(self, value: T) -> Result<T, Self> {
        if self.is_empty() { Ok(value) } else { Err(self) }
    }
}

/// Why a record cannot become what was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The record it would become is not valid.
    Invalid(Faults),
    /// Its status does not lead there.
    Transition(Transition),
}

/// A move between statuses that the rules forbid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// Where the record stands.
    pub from: &'static str,
    /// Where it was asked to go.
    pub to: &'static str,
    /// Where it may go instead.
    pub allowed: Vec<&'static str>,
}

impl From<Faults> for Refusal {
    fn from(faults: Faults) -> Self {
        Self::Invalid(faults)
    }
}

impl<'a> IntoIterator for &'a Faults {
    type Item = &'a Fault;
    type IntoIter = std::slice::Iter<'a, Fault>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_told_in_the_order_they_were_found() {
        let mut faults = Faults::none();
        assert_eq!(faults.clone().into_result(7), Ok(7));
        faults.note("/b", FaultCode::Required, "is required");
        faults.note("/a", FaultCode::TooLong, "is too long");
        let pointers: Vec<&str> = (&faults).into_iter().map(|fault| fault.pointer.as_ref()).collect();
        assert_eq!(pointers, ["/b", "/a"]);
        assert!(faults.touch("/a") && !faults.touch("/"));
        assert_eq!(faults.clone().into_result(7), Err(faults));
    }

    #[test]
    fn further_faults_are_counted_and_not_stored() {
        let mut faults = Faults::none();
        for index in 0..MAX_FAULTS + 5 {
            assert_eq!(faults.is_full(), index >= MAX_FAULTS);
            faults.note(format!("/{index}"), FaultCode::UnknownField, "is unknown");
        }
        faults.omit(7);
        assert_eq!((faults.iter().count(), faults.omitted()), (MAX_FAULTS, 12));
        assert_eq!(faults.iter().last().map(|fault| fault.pointer.as_ref()), Some("/99"));
    }

    #[test]
    fn every_code_has_a_name_of_its_own() {
        let mut names = FaultCode::ALL.map(FaultCode::as_str).to_vec();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), FaultCode::ALL.len());
        assert!(names.iter().all(|name| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')));
    }
}
