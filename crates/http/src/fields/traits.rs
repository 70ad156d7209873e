//! What a field is, and how a body's function asks for one.

use crate::json::Json;
use perennial_domain::validation::ValidationErrors;
use serde_json::Value;

/// Something that can stand in a field.
pub(crate) trait Field: Sized {
    /// Reads a value that is not null; notes what is wrong with it.
    fn read(json: Json<'_>, pointer: &'static str, faults: &mut ValidationErrors) -> Option<Self>;

    /// The JSON schema of what `read` takes.
    fn schema() -> Value;
}

/// What a body's function is given: a way to ask for each of its fields, named by its pointer (`/price`).
pub(crate) trait Fields {
    /// A field that must be there.
    fn required<T: Field>(&mut self, at: &'static str, about: &'static str) -> Option<T>;

    /// A field that may be left out, but is never null.
    fn optional<T: Field>(&mut self, at: &'static str, about: &'static str) -> Option<T>;

    /// A field that a create requires and an update may leave out, but is never null.
    fn required_if<T: Field>(&mut self, is_required: bool, at: &'static str, about: &'static str) -> Option<T> {
        if is_required { self.required(at, about) } else { self.optional(at, about) }
    }

    /// A field that may be left out or null.
    fn nullable<T: Field>(&mut self, at: &'static str, about: &'static str) -> Option<Option<T>>;

    /// A member that is the service's to set: sending it is a fault.
    fn read_only(&mut self, at: &'static str);

    /// A member that is read past.
    fn ignored(&mut self, at: &'static str);

    /// A member that may be sent back as it stands, and only so.
    fn unchanged<T: Field + PartialEq>(&mut self, at: &'static str, stored: Option<&T>);

    /// As `unchanged`, for a member that is null when empty.
    fn unchanged_or_null<T: Field + PartialEq>(&mut self, at: &'static str, stored: Option<Option<&T>>);
}
