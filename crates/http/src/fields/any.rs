//! Either kind of [`Fields`] behind one type, so that a static table can refer to the function of a body.
//! Handlers use a `Reader` directly.

use super::reader::Reader;
use super::schema_writer::SchemaWriter;
use super::traits::{Begun, Field, Fields};
use perennial_domain::validation::ValidationErrors;
use serde_json::Value;

pub(crate) enum AnyFields<'a> {
    Read(Reader<'a>),
    Schema(SchemaWriter),
}

impl AnyFields<'_> {
    /// The schema that was written; null if a body was read.
    pub(crate) fn into_schema(self) -> Value {
        match self {
            Self::Read(_) => Value::Null,
            Self::Schema(writer) => writer.finish(),
        }
    }

    /// What is wrong with the body that was read; nothing if a schema was written.
    pub(crate) fn into_errors(self) -> ValidationErrors {
        match self {
            Self::Read(reader) => reader.finish(),
            Self::Schema(_) => ValidationErrors::none(),
        }
    }
}

macro_rules! either {
    ($self:ident, $fields:ident => $call:expr) => {
        match $self {
            AnyFields::Read($fields) => $call,
            AnyFields::Schema($fields) => $call,
        }
    };
}

impl Fields for AnyFields<'_> {
    fn required<T: Field>(&mut self, at: &'static str, about: &'static str) -> Option<T> {
        either!(self, fields => fields.required(at, about))
    }

    fn optional<T: Field>(&mut self, at: &'static str, about: &'static str) -> Option<T> {
        either!(self, fields => fields.optional(at, about))
    }

    fn nullable<T: Field>(&mut self, at: &'static str, about: &'static str) -> Option<Option<T>> {
        either!(self, fields => fields.nullable(at, about))
    }

    fn begin_object(&mut self, at: &'static str, is_nullable: bool) -> Option<Begun> {
        either!(self, fields => fields.begin_object(at, is_nullable))
    }

    fn end_object(&mut self, at: &'static str, about: &'static str, is_nullable: bool) {
        either!(self, fields => fields.end_object(at, about, is_nullable));
    }

    fn read_only(&mut self, at: &'static str) {
        either!(self, fields => fields.read_only(at));
    }

    fn ignored(&mut self, at: &'static str) {
        either!(self, fields => fields.ignored(at));
    }

    fn unchanged<T: Field + PartialEq>(&mut self, at: &'static str, stored: Option<&T>) {
        either!(self, fields => fields.unchanged(at, stored));
    }

    fn unchanged_or_null<T: Field + PartialEq>(&mut self, at: &'static str, stored: Option<Option<&T>>) {
        either!(self, fields => fields.unchanged_or_null(at, stored));
    }
}
