//! A record as a line told it: its values, by the names of their fields.

use super::kinds::{Absent, Kind};
use perennial_app::keys::sha256;
use perennial_domain::id::{OrganizationId, uuid_v7};
use perennial_domain::time::Time;
use perennial_domain::validation::ValidationErrors;
use perennial_store::Value;
use perennial_store::transfer::Values;

pub(super) struct Record {
    pub(super) kind: &'static Kind,
    pub(super) values: Values,
    /// It came without a revision, so that no event tells of it yet.
    pub(super) is_untold: bool,
}

impl Record {
    /// Fills in what was left out and follows from the rest.
    pub(super) fn complete(&mut self, into: Option<OrganizationId>) {
        for (place, field) in self.kind.fields.iter().enumerate() {
            match field.absent {
                Absent::Home => {
                    if let Some(into) = into {
                        self.values[place] = into.bytes().into();
                    }
                }
                _ if !self.values[place].is_null() => {}
                Absent::Created => self.values[place] = self.at("created_at").clone(),
                Absent::FromName => self.values[place] = self.id_from_name().into(),
                Absent::OwnId => {
                    self.values[place] = Value::Uuid(self.id());
                    self.is_untold = true;
                }
                Absent::Refused | Absent::Null | Absent::Usual(_) => {}
            }
        }
    }

    /// The id that follows from what is unique about a record in its organization, and from when it was created: ids are
    /// in the order of creation.
    fn id_from_name(&self) -> Option<[u8; 16]> {
        let (created_at, name) = (self.time("created_at")?, self.text(self.kind.unique.0));
        let Some(Value::Uuid(organization)) = self.values.first().filter(|_| !name.is_empty()) else { return None };
        let hash = sha256(&[organization, self.kind.name.as_bytes(), b"\0", name.as_bytes()]);
        hash.first_chunk().map(|bits| uuid_v7(created_at, u64::from_be_bytes(*bits)))
    }

    /// What must hold between fields that are right for themselves.
    pub(super) fn check(&self) -> ValidationErrors {
        let mut faults = ValidationErrors::none();
        (self.kind.check)(self, &mut faults);
        faults
    }

    pub(super) fn at(&self, field: &str) -> &Value {
        &self.values[self.kind.place(field)]
    }

    /// The same for a field that not every kind has.
    pub(super) fn find(&self, field: &str) -> Option<&Value> {
        let place = self.kind.fields.iter().position(|known| known.name == field);
        place.map(|place| &self.values[place])
    }

    /// The record's own id.
    pub(super) fn id(&self) -> [u8; 16] {
        match self.at("id") {
            Value::Uuid(bytes) => *bytes,
            _ => [0; 16],
        }
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
