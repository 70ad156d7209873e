//! The fields of a body. One function names them; read with a `Reader` it parses a body and gathers every fault,
//! read with a `SchemaWriter` it yields the body's schema. So the parser and the document cannot drift apart.

mod reader;
mod schema;
mod types;

pub(crate) use reader::Reader;
pub(crate) use schema::SchemaWriter;
pub(crate) use types::{Credential, External, PlanReference, Whole};

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
