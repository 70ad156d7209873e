//! Writes the waiting lines: looked up and inserted in batches, with errors reported for each line.

use super::super::line::Read;
use super::super::record::{Absent, Fits, Kind, Named, Reference};
use super::super::{AT_ONCE, first_event};
use super::Import;
use super::outcome::RejectedLine;
use super::waiting::Waiting;
use perennial_app::error::Error;
use perennial_domain::validation::{ValidationCode, ValidationError, ValidationErrors};
use perennial_store::holds;
use perennial_store::tables::{EVENTS, ORGANIZATIONS, USAGE_EVENTS};
use perennial_store::transfer::Values;
use perennial_store::{Type, Value};
use std::collections::{HashMap, HashSet};

/// Bytes of lines that may wait.
const HELD: usize = 8 << 20;

/// The number of IDs of rejected lines that are remembered.
const REMEMBERED: usize = 1_000_000;

/// The target of a reference.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    Nothing,
    Deleted,
    Live,
}

impl Import {
    /// Whether a record can be written together with the waiting ones: it is of their kind and not one of them.
    pub(super) fn fits(&self, read: &Read) -> bool {
        let same = |waiting: &Waiting| waiting.read.record.kind.name == read.record.kind.name;
        self.batch.first().is_none_or(same) && !self.ids.contains(&read.record.identity())
    }

    pub(super) fn remember(&mut self, id: Option<[u8; 16]>) {
        if let Some(id) = id
            && self.remembered.len() < REMEMBERED
        {
            self.remembered.insert(id);
        }
    }

    pub(super) async fn flush_if_full(&mut self) -> Result<Vec<RejectedLine>, Error> {
        let is_full = self.batch.len() >= AT_ONCE || self.bad.len() >= AT_ONCE || self.held >= HELD;
        if is_full { self.flush().await } else { Ok(Vec::new()) }
    }

    /// Writes the waiting lines and returns those that were rejected.
    pub(super) async fn flush(&mut self) -> Result<Vec<RejectedLine>, Error> {
        let mut refused = std::mem::take(&mut self.bad);
        let mut batch = std::mem::take(&mut self.batch);
        self.ids.clear();
        self.held = 0;
        if let Some(kind) = batch.first().map(|waiting| waiting.read.record.kind) {
            for reference in kind.references {
                self.resolve(kind, reference, &mut batch).await?;
                self.look_up(kind, reference, &mut batch).await?;
            }
            let (out, good): (Vec<Waiting>, Vec<Waiting>) = batch.into_iter().partition(|waiting| waiting.is_out);
            let conflicting = self.insert(kind, good).await?;
            for Waiting { number, text, read, errors, .. } in out.into_iter().chain(conflicting) {
                self.remember(Some(read.record.id()));
                refused.push(RejectedLine { number, text, errors });
            }
        }
        refused.sort_by_key(|line| line.number);
        self.tally.refused += refused.len() as u64;
        Ok(refused)
    }

    /// Replaces other unique names by IDs.
    async fn resolve(
        &mut self,
        kind: &'static Kind,
        reference: &Reference,
        batch: &mut [Waiting],
    ) -> Result<(), Error> {
        let place = kind.place(reference.field);
        let name = |waiting: &Waiting| -> Option<Values> {
            let values = &waiting.read.record.values;
            matches!(values[place], Value::Text(_)).then(|| vec![values[0].clone(), values[place].clone()])
        };
        let names: Vec<Values> = batch.iter().filter_map(name).collect::<HashSet<_>>().into_iter().collect();
        let found = reference.table.find_named(&mut self.bulk, &names).await?;
        let found: HashMap<Values, [u8; 16]> =
            names.into_iter().zip(found).filter_map(|(name, id)| Some((name, id?))).collect();
        for waiting in batch.iter_mut() {
            let id = name(waiting).map(|name| found.get(&name).copied().map_or(Value::Null(Type::Uuid), Value::Uuid));
            if let Some(id) = id {
                waiting.read.record.values[place] = id;
            }
        }
        Ok(())
    }

    /// Rejects the records that name a record which does not exist or is deleted.
    async fn look_up(
        &mut self,
        kind: &'static Kind,
        reference: &Reference,
        batch: &mut [Waiting],
    ) -> Result<(), Error> {
        let place = kind.place(reference.field);
        let key = |waiting: &Waiting| -> Values {
            let values = &waiting.read.record.values;
            let named = values[place].clone();
            if place == 0 { vec![named] } else { vec![values[0].clone(), named] }
        };
        // An optional reference may name nothing.
        let is_optional = kind.fields()[place].absent == Absent::Null;
        let refers = |waiting: &Waiting| !(is_optional && waiting.read.record.values[place].is_null());
        if !batch.iter().any(refers) {
            return Ok(());
        }
        let refers = |waiting: &Waiting| !waiting.is_homeless && refers(waiting);
        let keys: HashSet<Values> = batch.iter().filter(|waiting| refers(waiting)).map(key).collect();
        let keys: Vec<Values> = keys.into_iter().collect();
        let deleted_at = reference.table.place("deleted_at");
        let rows = reference.table.find(&mut self.bulk, &keys).await?;
        let found = rows.iter().map(|row| match row {
            None => Found::Nothing,
            Some(row) if deleted_at.is_some_and(|place| !row[place].is_null()) => Found::Deleted,
            Some(_) => Found::Live,
        });
        if let Some(fits) = reference.fits {
            let named = |row| Named { table: reference.table, row };
            let named = keys.iter().zip(&rows).filter_map(|(key, row)| Some((key, named(row.as_ref()?))));
            check_named(fits, &named.collect(), batch, key);
        }
        let found: HashMap<Values, Found> = keys.into_iter().zip(found).collect();
        let relied_on: HashSet<Values> = batch
            .iter()
            .filter(|waiting| waiting.is_live() && refers(waiting))
            .map(key)
            .filter(|key| found.get(key) == Some(&Found::Live))
            .collect();
        self.references.rely_on(reference.table, &relied_on.into_iter().collect::<Vec<_>>()).await?;
        for waiting in batch.iter_mut().filter(|waiting| refers(waiting)) {
            let detail = match found.get(&key(waiting)) {
                Some(Found::Live) => continue,
                Some(Found::Deleted) if !reference.is_live || !waiting.is_live() => continue,
                Some(Found::Deleted) => "names a record that is deleted",
                Some(Found::Nothing) | None => "names a record that is neither here nor above",
            };
            waiting.is_out = true;
            waiting.is_homeless = place == 0;
            let follows = match &waiting.read.record.values[place] {
                Value::Uuid(id) => self.remembered.contains(id),
                _ => false,
            };
            if !follows {
                waiting.blame(place, ValidationCode::NotFound.as_str(), format!("{} {detail}", reference.field));
            }
        }
        Ok(())
    }

    /// Inserts records and returns those that conflict with others.
    async fn insert(&mut self, kind: &'static Kind, good: Vec<Waiting>) -> Result<Vec<Waiting>, Error> {
        let rows: Vec<Values> = good.iter().map(|waiting| waiting.read.record.values.clone()).collect();
        self.hold_new_organizations(kind, &rows).await?;
        let made = kind.table.insert(&mut self.bulk, &rows).await?;
        self.tally.made += made;
        if made > 0 && kind.table.name == USAGE_EVENTS.name {
            self.references.remove_totals(&mut self.bulk, &rows).await?;
        }
        if made == rows.len() as u64 {
            self.insert_first_events(&good).await?;
            return Ok(Vec::new());
        }
        let keys: Vec<Values> = rows.iter().map(|row| kind.table.key(row).to_vec()).collect();
        let found = kind.table.find(&mut self.bulk, &keys).await?;
        let (mut here, mut conflicting) = (Vec::new(), Vec::new());
        for ((mut waiting, row), found) in good.into_iter().zip(&rows).zip(found) {
            let (field, detail) = match found {
                Some(found) if found == *row => {
                    here.push(waiting);
                    continue;
                }
                Some(_) if waiting.read.record.find("id").is_some() => {
                    ("id", format!("id is that of another {} here, which differs from this one", kind.name))
                }
                _ => (kind.unique.0, format!("{} {}", kind.unique.0, kind.unique.1)),
            };
            waiting.blame(kind.place(field), "conflict", detail);
            conflicting.push(waiting);
        }
        self.insert_first_events(&here).await?;
        self.tally.unchanged += rows.len() as u64 - made - conflicting.len() as u64;
        Ok(conflicting)
    }

    /// Puts organizations on hold that this import makes: what they have due may have been done where they come from.
    async fn hold_new_organizations(&mut self, kind: &'static Kind, rows: &[Values]) -> Result<(), Error> {
        if kind.table.name != ORGANIZATIONS.name {
            return Ok(());
        }
        let keys: Vec<Values> = rows.iter().map(|row| kind.table.key(row).to_vec()).collect();
        let found = kind.table.find(&mut self.bulk, &keys).await?;
        let new = keys.into_iter().zip(found).filter(|(_, found)| found.is_none());
        holds::hold_imported(&mut self.bulk, new.filter_map(|(key, _)| key.into_iter().next())).await?;
        Ok(())
    }

    /// Inserts the first event of records that have none. Existing events do not change.
    async fn insert_first_events(&mut self, here: &[Waiting]) -> Result<(), Error> {
        let without_event = here.iter().map(|waiting| &waiting.read.record).filter(|record| record.lacks_event);
        let events: Vec<Values> = without_event.map(first_event::row).collect();
        EVENTS.insert(&mut self.bulk, &events).await?;
        Ok(())
    }
}

/// Rejects the records that do not fit the record that they name.
fn check_named(
    fits: Fits,
    named: &HashMap<&Values, Named<'_>>,
    batch: &mut [Waiting],
    key: impl Fn(&Waiting) -> Values,
) {
    for waiting in batch.iter_mut() {
        let Some(named) = named.get(&key(waiting)) else { continue };
        let mut errors = ValidationErrors::none();
        fits(&waiting.read.record, named, &mut errors);
        for ValidationError { pointer, reason } in &errors {
            waiting.is_out = true;
            let place = waiting.read.record.kind.place(pointer);
            waiting.blame(place, reason.code.as_str(), format!("{pointer} {}", reason.detail));
        }
    }
}
