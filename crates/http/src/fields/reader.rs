//! Parses the fields of a body and collects all validation errors.

use super::traits::{Field, Fields};
use crate::excerpt::excerpt;
use crate::json::{self, Json, Object};
use perennial_domain::validation::{ValidationCode, ValidationErrors};
use serde_json::value::RawValue;
use std::borrow::Cow;

/// A body being read.
pub(crate) struct Reader<'a> {
    members: Vec<(Cow<'a, str>, Option<&'a RawValue>)>,
    errors: ValidationErrors,
    /// The pointer of the object, which the pointers of its members begin with.
    prefix: &'static str,
}

impl<'a> Reader<'a> {
    /// Starts to read a JSON body. A body that is not an object has one error and no fields.
    pub(crate) fn new(raw: &'a RawValue) -> Self {
        let mut errors = ValidationErrors::none();
        let members = match json::object(raw) {
            Some(Object(members)) => members.into_iter().map(|(name, raw)| (name, Some(raw))).collect(),
            None => {
                errors.note("", ValidationCode::InvalidType, "the body must be a JSON object");
                Vec::new()
            }
        };
        Self { members, errors, prefix: "" }
    }

    /// Starts to read an object within a body. The errors are added to those of the body.
    pub(crate) fn nested(raw: &'a RawValue, prefix: &'static str) -> Self {
        Self { prefix, ..Self::new(raw) }
    }

    /// Completes the reading. Every member that was not read is an unknown field.
    pub(crate) fn finish(mut self) -> ValidationErrors {
        let mut unknown = self.members.iter().filter(|(_, raw)| raw.is_some());
        while !self.errors.is_full() {
            let Some((name, _)) = unknown.next() else { break };
            let pointer = format!("{}/{}", self.prefix, excerpt(name).replace('~', "~0").replace('/', "~1"));
            self.errors.note(pointer, ValidationCode::UnknownField, "is not a field of this record");
        }
        self.errors.omit(unknown.count());
        self.errors
    }

    fn take(&mut self, at: &'static str) -> Option<Json<'a>> {
        let wanted = &at[self.prefix.len() + 1..];
        self.members.iter_mut().find(|(name, _)| **name == *wanted).and_then(|(_, raw)| raw.take()).map(json::value)
    }

    fn is_object(&self) -> bool {
        !self.errors.touch("")
    }
}

impl Fields for Reader<'_> {
    fn required<T: Field>(&mut self, at: &'static str, _about: &'static str) -> Option<T> {
        match self.take(at) {
            Some(Json::Null) => self.not_nullable(at),
            Some(json) => T::read(json, at, &mut self.errors),
            None => {
                if self.is_object() {
                    self.errors.note(at, ValidationCode::Required, "is required");
                }
                None
            }
        }
    }

    fn optional<T: Field>(&mut self, at: &'static str, _about: &'static str) -> Option<T> {
        match self.take(at)? {
            Json::Null => self.not_nullable(at),
            json => T::read(json, at, &mut self.errors),
        }
    }

    fn nullable<T: Field>(&mut self, at: &'static str, _about: &'static str) -> Option<Option<T>> {
        match self.take(at)? {
            Json::Null => Some(None),
            json => T::read(json, at, &mut self.errors).map(Some),
        }
    }

    fn read_only(&mut self, at: &'static str) {
        if self.take(at).is_some() {
            self.errors.note(at, ValidationCode::ReadOnlyField, "is set by the service; omit it");
        }
    }

    fn ignored(&mut self, at: &'static str) {
        self.take(at);
    }

    fn unchanged<T: Field + PartialEq>(&mut self, at: &'static str, stored: Option<&T>) {
        self.unchanged_or_null(at, stored.map(Some));
    }

    fn unchanged_or_null<T: Field + PartialEq>(&mut self, at: &'static str, stored: Option<Option<&T>>) {
        let Some(json) = self.take(at) else { return };
        let sent = match json {
            Json::Null => Some(None),
            // A value that cannot be parsed differs from the stored one; one error is enough.
            json => T::read(json, at, &mut ValidationErrors::none()).map(Some),
        };
        let same = matches!((&sent, stored), (Some(sent), Some(stored)) if sent.as_ref() == stored);
        if !same {
            let detail = "cannot be changed; omit it or send it unchanged";
            self.errors.note(at, ValidationCode::ReadOnlyField, detail);
        }
    }
}

impl Reader<'_> {
    fn not_nullable<T>(&mut self, at: &'static str) -> Option<T> {
        self.errors.note(at, ValidationCode::NotNullable, "must not be null");
        None
    }
}
