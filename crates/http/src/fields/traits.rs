//! The types that a field can have, and the ways to read one.

use crate::json::Json;
use perennial_domain::validation::ValidationErrors;
use serde_json::Value;

/// The type of a field.
pub(crate) trait Field: Sized {
    /// Parses a value that is not null, and adds what is wrong with it to the errors.
    fn read(json: Json<'_>, pointer: &'static str, errors: &mut ValidationErrors) -> Option<Self>;

    /// The JSON schema of what `read` accepts.
    fn schema() -> Value;
}

/// How the reading of an object began.
pub(crate) enum Begun {
    Null,
    Object,
}

/// The name of a field: the last part of its pointer.
pub(super) fn name_of(at: &'static str) -> &'static str {
    // By bytes: pointers are short, and every field of a body is named.
    let start = at.bytes().rposition(|byte| byte == b'/').map_or(0, |slash| slash + 1);
    &at[start..]
}

/// Reads or describes the fields of a body, each named by its JSON pointer (`/price`, `/billing/trial_days`).
pub(crate) trait Fields {
    /// A required field.
    fn required<T: Field>(&mut self, at: &'static str, about: &'static str) -> Option<T>;

    /// A field that may be omitted, but is never null.
    fn optional<T: Field>(&mut self, at: &'static str, about: &'static str) -> Option<T>;

    /// A field that a create requires and an update may omit, but is never null.
    fn required_if<T: Field>(&mut self, is_required: bool, at: &'static str, about: &'static str) -> Option<T> {
        if is_required { self.required(at, about) } else { self.optional(at, about) }
    }

    /// A field that may be omitted, but is never null. It replaces the value if it is sent.
    fn set<T: Field>(&mut self, at: &'static str, about: &'static str, value: &mut T) {
        if let Some(sent) = self.optional(at, about) {
            *value = sent;
        }
    }

    /// A field that may be omitted or null.
    fn nullable<T: Field>(&mut self, at: &'static str, about: &'static str) -> Option<Option<T>>;

    /// A field that may be omitted or null and has members, which `read` names by their pointers.
    fn nullable_object<T>(
        &mut self,
        at: &'static str,
        about: &'static str,
        read: impl FnOnce(&mut Self) -> T,
    ) -> Option<Option<T>>
    where
        Self: Sized,
    {
        match self.begin_object(at, true)? {
            Begun::Null => Some(None),
            Begun::Object => {
                let value = read(self);
                self.end_object(at, about, true);
                Some(Some(value))
            }
        }
    }

    /// The same for a field that is never null.
    fn optional_object<T>(
        &mut self,
        at: &'static str,
        about: &'static str,
        read: impl FnOnce(&mut Self) -> T,
    ) -> Option<T>
    where
        Self: Sized,
    {
        match self.begin_object(at, false)? {
            Begun::Null => None,
            Begun::Object => {
                let value = read(self);
                self.end_object(at, about, false);
                Some(value)
            }
        }
    }

    /// From now on fields are those of this object. None: it was omitted or is invalid.
    fn begin_object(&mut self, at: &'static str, is_nullable: bool) -> Option<Begun>;

    /// From now on fields are those of the object around it.
    fn end_object(&mut self, at: &'static str, about: &'static str, is_nullable: bool);

    /// A field that only the service sets: sending it is an error.
    fn read_only(&mut self, at: &'static str);

    /// A field that is ignored.
    fn ignored(&mut self, at: &'static str);

    /// A field that may only be sent back unchanged.
    fn unchanged<T: Field + PartialEq>(&mut self, at: &'static str, stored: Option<&T>);

    /// As `unchanged`, for a field that may be null.
    fn unchanged_or_null<T: Field + PartialEq>(&mut self, at: &'static str, stored: Option<Option<&T>>);
}
