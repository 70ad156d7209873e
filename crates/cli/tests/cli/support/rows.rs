//! Every row of a store, past the program.

use super::Place;
use super::place::block_on;
use perennial_store::Value;
use perennial_store::tables::{FEED, LIFECYCLE_HOLDS, transferred};

/// The rows of all tables, with the names of their tables.
pub(crate) fn snapshot_of_rows(place: &Place) -> Vec<(&'static str, Vec<Value>)> {
    block_on(async {
        let db = place.open().await;
        let mut bulk = db.snapshot().await.unwrap();
        let mut rows = Vec::new();
        // The feed has when each store received its events, and a copy is on hold.
        let differing = [FEED.name, LIFECYCLE_HOLDS.name];
        for table in transferred().filter(|table| !differing.contains(&table.name)) {
            let page = table.page(&mut bulk, None, i64::MAX).await.unwrap();
            rows.extend(page.into_iter().map(|row| (table.name, row)));
        }
        rows
    })
}
