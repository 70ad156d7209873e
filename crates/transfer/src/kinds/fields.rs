//! Short forms of fields and references.

use crate::form::Form;
use crate::record::{Absent, Field, Reference};
use perennial_store::tables::ORGANIZATIONS;

pub(super) const fn needed(name: &'static str, form: Form) -> Field {
    Field { name, column: name, form, absent: Absent::Required }
}

pub(super) const fn optional(name: &'static str, form: Form) -> Field {
    Field { absent: Absent::Null, ..needed(name, form) }
}

pub(super) const fn usual(name: &'static str, form: Form, json: &'static str) -> Field {
    Field { absent: Absent::Default(json), ..needed(name, form) }
}

pub(super) const fn own_id(form: Form) -> Field {
    Field { absent: Absent::FromUniqueField, ..needed("id", form) }
}

/// A field whose column has another name.
pub(super) const fn stored_in(column: &'static str, field: Field) -> Field {
    Field { column, ..field }
}

pub(super) const fn in_organization() -> Reference {
    Reference { field: "organization_id", table: &ORGANIZATIONS, is_live: false, fits: None }
}
