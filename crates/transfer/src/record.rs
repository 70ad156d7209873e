//! Kinds of records, and a record of a kind with the values of its fields.

use super::form::{Form, id, prefix_of};
use perennial_app::keys::sha256;
use perennial_domain::id::{EventId, OrganizationId, uuid_v7};
use perennial_domain::time::Time;
use perennial_domain::validation::ValidationErrors;
use perennial_store::transfer::Values;
use perennial_store::{Column, Table, Type, Value};
use std::sync::OnceLock;

/// A kind of record that is exported and imported.
pub(super) struct Kind {
    /// The `type` of a line.
    pub(super) name: &'static str,
    pub(super) table: &'static Table,
    /// The fields that do not follow from their columns.
    pub(super) special: &'static [Field],
    /// All fields, in the order of the columns; made once, by `fields`.
    pub(super) all: OnceLock<Vec<Field>>,
    /// The fields that name other records, which must exist.
    pub(super) references: &'static [Reference],
    /// The field that must be unique, and the detail of the error if it is not.
    pub(super) unique: (&'static str, &'static str),
    pub(super) check: fn(&Record, &mut ValidationErrors),
}

/// A field of a line, which is a column of the table.
#[derive(Clone, Copy)]
pub(super) struct Field {
    pub(super) name: &'static str,
    /// The name of its column.
    pub(super) column: &'static str,
    pub(super) form: Form,
    pub(super) absent: Absent,
}

/// The value of a field that a line omits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Absent {
    /// Missing: the line is rejected.
    Required,
    /// Rejected, unless the import goes into one organization.
    Organization,
    Null,
    /// The default of the API, as JSON.
    Default(&'static str),
    /// The least number of its range; false.
    Least,
    /// The value of `created_at`.
    Created,
    /// Derived from the unique field, if there is one: the same each time.
    FromUniqueField,
    /// The bytes of the record's ID: a valid revision, and the same each time. An event gets the same ID.
    OwnId,
}

/// A field that names another record.
pub(super) struct Reference {
    pub(super) field: &'static str,
    pub(super) table: &'static Table,
    /// Whether a live record may only name a live one.
    pub(super) is_live: bool,
    /// The rules between the record and the one that it names.
    pub(super) fits: Option<Fits>,
}

/// Adds an error for each field of a record that does not fit the record that it names.
pub(super) type Fits = fn(&Record, &Named<'_>, &mut ValidationErrors);

/// A record that another one names, as it is stored.
pub(super) struct Named<'a> {
    pub(super) table: &'static Table,
    pub(super) row: &'a Values,
}

impl Named<'_> {
    /// The value of a column, if the table has it.
    pub(super) fn at(&self, column: &str) -> Option<&Value> {
        self.table.place(column).map(|place| &self.row[place])
    }
}

/// A record as a line describes it: one value for each field of its kind.
pub(super) struct Record {
    pub(super) kind: &'static Kind,
    pub(super) values: Values,
    /// Whether the line has no revision, so that the record has no event yet.
    pub(super) lacks_event: bool,
}

impl Kind {
    /// All fields: the special ones, and those that follow from the type of their column.
    pub(super) fn fields(&self) -> &[Field] {
        self.all.get_or_init(|| {
            let special = |column: &Column| self.special.iter().find(|field| field.column == column.name).copied();
            let field = |column: &Column| special(column).unwrap_or_else(|| Field::of(column));
            self.table.columns.iter().map(field).collect()
        })
    }

    /// The index of a field.
    pub(super) fn place(&self, field: &str) -> usize {
        self.fields().iter().position(|known| known.name == field).unwrap_or_default()
    }

    /// Whether an event type fits the prefix of the record ID. True for other kinds.
    pub(super) fn fits(&self, kind: &str, record_id: &str) -> bool {
        let prefix = prefix_of(kind);
        self.name != "event" || prefix.is_none_or(|prefix| record_id.split('_').next() == Some(prefix))
    }
}

impl Field {
    /// The field of a column whose name and type define it. A column of another type, such as a text, which has a format,
    /// is a special field of its kind.
    fn of(column: &Column) -> Self {
        let Column { name, nullable, .. } = *column;
        let (form, default) = match (name, column.kind, column.range) {
            ("organization_id", ..) => (id!(OrganizationId), Absent::Organization),
            ("revision", ..) => (id!(EventId), Absent::OwnId),
            ("updated_at", ..) => (Form::Time, Absent::Created),
            (_, Type::Time, _) => (Form::Time, Absent::Required),
            (_, Type::Bool, _) => (Form::Bool, Absent::Least),
            (_, Type::Int, Some((least, most))) => (Form::Int { least, most }, Absent::Least),
            _ => panic!("the column {name} has no form that follows from its type"),
        };
        Self { name, column: name, form, absent: if nullable { Absent::Null } else { default } }
    }
}

impl Record {
    /// Fills in omitted fields that follow from others.
    pub(super) fn complete(&mut self, into: Option<OrganizationId>) {
        for (place, field) in self.kind.fields().iter().enumerate() {
            match field.absent {
                Absent::Organization => {
                    if let Some(into) = into {
                        self.values[place] = into.bytes().into();
                    }
                }
                _ if !self.values[place].is_null() => {}
                Absent::Created => self.values[place] = self.at("created_at").clone(),
                Absent::FromUniqueField => self.values[place] = self.id_from_name().into(),
                Absent::OwnId => {
                    self.values[place] = Value::Uuid(self.id());
                    self.lacks_event = true;
                }
                Absent::Required | Absent::Null | Absent::Default(_) | Absent::Least => {}
            }
        }
    }

    /// The ID derived from the unique field, the organization and the time of creation. IDs are in the order of creation.
    fn id_from_name(&self) -> Option<[u8; 16]> {
        let (created_at, name) = (self.time("created_at")?, self.text(self.kind.unique.0));
        let Some(Value::Uuid(organization)) = self.values.first().filter(|_| !name.is_empty()) else { return None };
        let hash = sha256(&[organization, self.kind.name.as_bytes(), b"\0", name.as_bytes()]);
        hash.first_chunk().map(|bits| uuid_v7(created_at, u64::from_be_bytes(*bits)))
    }

    /// Checks the rules between fields that are valid by themselves.
    pub(super) fn check(&self) -> ValidationErrors {
        let mut errors = ValidationErrors::none();
        (self.kind.check)(self, &mut errors);
        errors
    }

    pub(super) fn at(&self, field: &str) -> &Value {
        &self.values[self.kind.place(field)]
    }

    /// The value of a field that not every kind has.
    pub(super) fn find(&self, field: &str) -> Option<&Value> {
        let place = self.kind.fields().iter().position(|known| known.name == field);
        place.map(|place| &self.values[place])
    }

    /// The record's ID; zeros if it has none.
    pub(super) fn id(&self) -> [u8; 16] {
        match self.find("id") {
            Some(Value::Uuid(bytes)) => *bytes,
            _ => [0; 16],
        }
    }

    /// What distinguishes the record from others of its kind: its ID, or a hash of its key.
    pub(super) fn identity(&self) -> [u8; 16] {
        if self.find("id").is_some() {
            return self.id();
        }
        let hash = sha256(&[format!("{:?}", self.kind.table.key(&self.values)).as_bytes()]);
        *hash.first_chunk().expect("a hash has 32 bytes")
    }

    pub(super) fn text(&self, field: &str) -> &str {
        match self.at(field) {
            Value::Text(text) => text,
            _ => "",
        }
    }

    pub(super) fn time(&self, field: &str) -> Option<Time> {
        match self.at(field) {
            Value::Time(micros) => Time::from_micros(*micros),
            _ => None,
        }
    }
}
