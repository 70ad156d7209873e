//! Parses the fields of a body and collects all validation errors.

use super::traits::{Begun, Field, Fields, name_of};
use crate::excerpt::excerpt;
use crate::json::{self, Json, Object};
use perennial_domain::validation::{CHANGED, ValidationCode, ValidationErrors};
use serde_json::value::RawValue;
use std::borrow::Cow;

type Members<'a> = Vec<(Cow<'a, str>, Option<&'a RawValue>)>;

/// A body being read.
pub(crate) struct Reader<'a> {
    members: Members<'a>,
    /// The members of the objects around the one that is read.
    outer: Vec<Members<'a>>,
    errors: ValidationErrors,
}

impl<'a> Reader<'a> {
    /// Starts to read a JSON body. A body that is not an object has one error and no fields.
    pub(crate) fn new(raw: &'a RawValue) -> Self {
        let mut errors = ValidationErrors::none();
        let members = match members(raw) {
            Some(members) => members,
            None => {
                errors.note("", ValidationCode::InvalidType, "the body must be a JSON object");
                Vec::new()
            }
        };
        Self { members, outer: Vec::new(), errors }
    }

    /// Starts to read an object in a list.
    pub(crate) fn item(raw: &'a RawValue) -> Self {
        let mut reader = Self::new(raw);
        if !reader.is_object() {
            reader.errors = ValidationErrors::none();
            reader.errors.note("", ValidationCode::InvalidType, "must be an object");
        }
        reader
    }

    /// Completes the reading. Every member that was not read is an unknown field.
    pub(crate) fn finish(mut self) -> ValidationErrors {
        self.reject_unknown("");
        self.errors
    }

    fn reject_unknown(&mut self, prefix: &str) {
        let mut unknown = self.members.iter().filter(|(_, raw)| raw.is_some());
        while !self.errors.is_full() {
            let Some((name, _)) = unknown.next() else { break };
            let pointer = format!("{prefix}/{}", excerpt(name).replace('~', "~0").replace('/', "~1"));
            self.errors.note(pointer, ValidationCode::UnknownField, "is not a field of this record");
        }
        self.errors.omit(unknown.count());
    }

    fn take(&mut self, at: &'static str) -> Option<Json<'a>> {
        self.take_raw(at).map(json::value)
    }

    fn take_raw(&mut self, at: &'static str) -> Option<&'a RawValue> {
        let at = name_of(at);
        self.members.iter_mut().find(|(name, _)| **name == *at).and_then(|(_, raw)| raw.take())
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

    fn begin_object(&mut self, at: &'static str, is_nullable: bool) -> Option<Begun> {
        let raw = self.take_raw(at)?;
        match json::value(raw) {
            Json::Null if is_nullable => Some(Begun::Null),
            Json::Null => self.not_nullable(at),
            _ => match members(raw) {
                Some(members) => {
                    self.outer.push(std::mem::replace(&mut self.members, members));
                    Some(Begun::Object)
                }
                None => {
                    self.errors.note(at, ValidationCode::InvalidType, "must be an object");
                    None
                }
            },
        }
    }

    fn end_object(&mut self, at: &'static str, _about: &'static str, _is_nullable: bool) {
        self.reject_unknown(at);
        self.members = self.outer.pop().unwrap_or_default();
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
            self.errors.note(at, ValidationCode::ReadOnlyField, CHANGED);
        }
    }
}

/// The members of an object.
fn members(raw: &RawValue) -> Option<Members<'_>> {
    json::object(raw).map(|Object(members)| members.into_iter().map(|(name, raw)| (name, Some(raw))).collect())
}

impl Reader<'_> {
    fn not_nullable<T>(&mut self, at: &'static str) -> Option<T> {
        self.errors.note(at, ValidationCode::NotNullable, "must not be null");
        None
    }
}
