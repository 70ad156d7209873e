//! Validation errors: a code for programs, a sentence for people, and the place in the input.
//! All errors of one input are collected before the response, up to a bound.

use std::borrow::Cow;

/// The detail of [`ValidationCode::ReadOnlyField`] for a field that was sent with another value than the stored one.
pub const CHANGED: &str = "cannot be changed; omit it or send it unchanged";

/// The kinds of error, each with its stable name in the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ValidationCode {
    /// A required field is missing.
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
    /// Text with a character that the field does not allow.
    InvalidText,
    /// Text that does not have the field's format.
    InvalidFormat,
    /// A word that is not one of the field's values.
    UnknownValue,
    /// An ambiguous word.
    Ambiguous,
    /// The same item twice in a list.
    DuplicateItem,
    /// A reference to a record that does not exist.
    NotFound,
    /// Fields that contradict each other.
    Inconsistent,
    /// An unknown member.
    UnknownField,
    /// A member that the caller cannot set.
    ReadOnlyField,
    /// A URL that requests must not be sent to.
    UrlNotAllowed,
}

impl ValidationCode {
    /// Every code, for the list of errors.
    pub const ALL: [Self; 17] = [
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
        Self::UrlNotAllowed,
    ];

    /// The name in the API.
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
            Self::UrlNotAllowed => "url_not_allowed",
        }
    }
}

/// Why a value was rejected, without its place in the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidValue {
    /// The kind of error.
    pub code: ValidationCode,
    /// A sentence that describes what to send instead.
    pub detail: Cow<'static, str>,
}

impl InvalidValue {
    /// A reason with its sentence.
    pub fn new(code: ValidationCode, detail: impl Into<Cow<'static, str>>) -> Self {
        Self { code, detail: detail.into() }
    }
}

/// A reason and its place in the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValidationError {
    /// A JSON pointer into the input, such as `/price` or `/variants/3`.
    pub pointer: Cow<'static, str>,
    /// What is wrong there.
    pub reason: InvalidValue,
}

/// The number of errors that are stored for one input. Further errors are only counted, so that a small input cannot
/// produce a large response.
pub const MAX_ERRORS: usize = 100;

/// The errors of one input, in the order they were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValidationErrors {
    found: Vec<ValidationError>,
    omitted: usize,
}

impl ValidationErrors {
    /// No errors yet.
    pub const fn none() -> Self {
        Self { found: Vec::new(), omitted: 0 }
    }

    /// Adds an error.
    pub fn add(&mut self, pointer: impl Into<Cow<'static, str>>, reason: InvalidValue) {
        if self.is_full() {
            self.omit(1);
        } else {
            self.found.push(ValidationError { pointer: pointer.into(), reason });
        }
    }

    /// Whether further errors are only counted, so that their details do not have to be computed.
    pub fn is_full(&self) -> bool {
        self.found.len() >= MAX_ERRORS
    }

    /// Counts further errors without storing them.
    pub fn omit(&mut self, count: usize) {
        self.omitted += count;
    }

    /// The number of errors that were counted but not stored.
    pub fn omitted(&self) -> usize {
        self.omitted
    }

    /// Adds an error from its parts.
    pub fn note(
        &mut self,
        pointer: impl Into<Cow<'static, str>>,
        code: ValidationCode,
        detail: impl Into<Cow<'static, str>>,
    ) {
        self.add(pointer, InvalidValue::new(code, detail));
    }

    /// Whether there are no errors so far.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Whether there is an error at `pointer` already.
    pub fn touch(&self, pointer: &str) -> bool {
        self.found.iter().any(|error| error.pointer == pointer)
    }

    /// Whether there is an error at `pointer` or at one of its members already.
    pub fn touch_within(&self, pointer: &str) -> bool {
        let is_within =
            |found: &str| found.strip_prefix(pointer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        self.found.iter().any(|error| is_within(&error.pointer))
    }

    /// The errors found.
    pub fn iter(&self) -> std::slice::Iter<'_, ValidationError> {
        self.found.iter()
    }

    /// `value` if there are no errors, otherwise the errors.
    pub fn into_result<T>(self, value: T) -> Result<T, Self> {
        if self.is_empty() { Ok(value) } else { Err(self) }
    }
}

/// Why an update was rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// The resulting record is not valid.
    Invalid(ValidationErrors),
    /// The status transition is not allowed.
    Transition(Transition),
    /// The service sets the status of a billed subscription, and a caller may not send this one.
    ManagedStatus(Transition),
    /// Another plan or quantity cannot act in this status.
    ChangeNotAllowed(&'static str),
    /// The plan was changed too often in a period.
    TooManyChanges,
}

/// A status transition that is not allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// The current status.
    pub from: &'static str,
    /// The requested status.
    pub to: &'static str,
    /// The allowed statuses.
    pub allowed: Vec<&'static str>,
}

impl From<ValidationErrors> for Rejection {
    fn from(errors: ValidationErrors) -> Self {
        Self::Invalid(errors)
    }
}

impl<'a> IntoIterator for &'a ValidationErrors {
    type Item = &'a ValidationError;
    type IntoIter = std::slice::Iter<'a, ValidationError>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_told_in_the_order_they_were_found() {
        let mut errors = ValidationErrors::none();
        assert_eq!(errors.clone().into_result(7), Ok(7));
        errors.note("/b", ValidationCode::Required, "is required");
        errors.note("/a", ValidationCode::TooLong, "is too long");
        let pointers: Vec<&str> = (&errors).into_iter().map(|error| error.pointer.as_ref()).collect();
        assert_eq!(pointers, ["/b", "/a"]);
        assert!(errors.touch("/a") && !errors.touch("/"));
        assert_eq!(errors.clone().into_result(7), Err(errors));
    }

    #[test]
    fn further_faults_are_counted_and_not_stored() {
        let mut errors = ValidationErrors::none();
        for index in 0..MAX_ERRORS + 5 {
            assert_eq!(errors.is_full(), index >= MAX_ERRORS);
            errors.note(format!("/{index}"), ValidationCode::UnknownField, "is unknown");
        }
        errors.omit(7);
        assert_eq!((errors.iter().count(), errors.omitted()), (MAX_ERRORS, 12));
        assert_eq!(errors.iter().last().map(|error| error.pointer.as_ref()), Some("/99"));
    }

    #[test]
    fn every_code_has_a_name_of_its_own() {
        let mut names = ValidationCode::ALL.map(ValidationCode::as_str).to_vec();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ValidationCode::ALL.len());
        assert!(names.iter().all(|name| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')));
    }
}
