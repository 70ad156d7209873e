//! The records that an import refers to and that running servers can delete before it commits.
//!
//! A server that deletes a plan does not see the subscriptions of an open import. So the import locks what it refers to
//! right before it commits, and checks that it is still live. A delete that comes later waits for the lock, and then sees
//! the subscriptions. The locks are held for as short as possible, because servers wait for them.
//!
//! A running total of usage that exists does not contain imported events, so the import removes it.

use super::super::AT_ONCE;
use super::outcome::NotImported;
use perennial_app::error::Error;
use perennial_domain::id::{PlanId, SubscriptionId, UserId};
use perennial_store::Table;
use perennial_store::tables::{PLANS, SUBSCRIPTIONS, USERS};
use perennial_store::transfer::Values;
use perennial_store::{Bulk, Db, Lock, Value, usage_totals};
use std::collections::BTreeSet;

/// The tables in the order in which servers take locks.
static TABLES: [&Table; 3] = [&USERS, &PLANS, &SUBSCRIPTIONS];

/// The ID and the organization of rows, in the order in which servers take locks.
type Rows = BTreeSet<([u8; 16], [u8; 16])>;

pub(super) struct References {
    db: Db,
    rows: [Rows; TABLES.len()],
    /// The subscriptions of `rows` that got usage events.
    metered: Rows,
}

impl References {
    pub(super) fn new(db: &Db) -> Self {
        Self { db: db.clone(), rows: Default::default(), metered: Rows::new() }
    }

    /// Adds live rows that the import refers to, except those that it created: no other transaction sees those, and
    /// there can be millions. On SQLite the import is the only writer until it ends.
    pub(super) async fn rely_on(&mut self, table: &'static Table, keys: &[Values]) -> Result<(), Error> {
        let Some(place) = TABLES.iter().position(|known| known.name == table.name) else { return Ok(()) };
        if !self.db.is_shared() {
            return Ok(());
        }
        let unknown = |key: &&Values| ids(key).is_some_and(|ids| !self.rows[place].contains(&ids));
        let unknown: Vec<Values> = keys.iter().filter(unknown).cloned().collect();
        let committed = table.are_committed(&self.db, &unknown).await?;
        let committed = unknown.iter().zip(committed).filter(|(_, is_committed)| *is_committed);
        self.rows[place].extend(committed.filter_map(|(key, _)| ids(key)));
        Ok(())
    }

    /// Removes the running totals of the subscriptions that got these usage events. Servers that share the database can
    /// create others until the subscriptions are locked, so there it is left to [`References::hold`].
    pub(super) async fn remove_totals(&mut self, bulk: &mut Bulk, events: &[Values]) -> Result<(), Error> {
        let metered: Rows = events.iter().filter_map(|row| ids(row.get(..2)?)).collect();
        if self.db.is_shared() {
            let [.., known] = &self.rows;
            self.metered.extend(metered.intersection(known));
            return Ok(());
        }
        Ok(usage_totals::remove_all(bulk, &keys(&metered)).await?)
    }

    /// Locks all of them until the transaction ends; fails if one is no longer live. Then removes the running totals that
    /// are left.
    pub(super) async fn hold(&self, bulk: &mut Bulk) -> Result<(), NotImported> {
        // A server that adds to a total shares the lock of its subscription.
        let lock = if self.metered.is_empty() { Lock::Share } else { Lock::Exclusive };
        for (table, rows) in TABLES.iter().zip(&self.rows) {
            let lock = if table.name == SUBSCRIPTIONS.name { lock } else { Lock::Share };
            for part in keys(rows).chunks(AT_ONCE) {
                let gone = table.hold_live(bulk, part, lock).await.map_err(Error::from)?;
                if let Some((id, _)) = gone.first().and_then(|key| ids(key)) {
                    return Err(deleted(table, id));
                }
            }
        }
        usage_totals::remove_all(bulk, &keys(&self.metered)).await.map_err(Error::from)?;
        Ok(())
    }
}

fn keys(rows: &Rows) -> Vec<Values> {
    rows.iter().map(|(id, organization)| vec![(*organization).into(), (*id).into()]).collect()
}

fn ids(key: &[Value]) -> Option<([u8; 16], [u8; 16])> {
    match key {
        [Value::Uuid(organization), Value::Uuid(id)] => Some((*id, *organization)),
        _ => None,
    }
}

fn deleted(table: &Table, id: [u8; 16]) -> NotImported {
    let (kind, id) = match table.name {
        "users" => ("user", UserId::from_bytes(id).to_string()),
        "plans" => ("plan", PlanId::from_bytes(id).to_string()),
        _ => ("subscription", SubscriptionId::from_bytes(id).to_string()),
    };
    NotImported::ReferenceDeleted { kind, id }
}
