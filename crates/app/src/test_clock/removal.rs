//! The removal of the records and events that a test clock governs, and then of the clock. Each part can be repeated.

use crate::background::Held;
use crate::context::App;
use crate::error::Error;
use crate::feed;
use perennial_domain::id::EventId;
use perennial_domain::test_clocks::TestClock;
use perennial_store::{Change, clock_removal, holds, retention, tables, test_clocks};

/// Rows that one change removes, so that other writers do not wait long.
const AT_ONCE: i64 = 500;
/// No row has this ID.
const NO_EVENT: EventId = EventId::from_bytes([0; 16]);

/// Removes everything under the clock. The event of the deletion stays: it has the clock's revision.
pub(super) async fn run(app: &App, held: &Held, clock: &TestClock) -> Result<(), Error> {
    let organization = clock.organization_id;
    // No write was accepted since the deletion began, so that the feed holds no position of an event that is gone.
    feed::place_committed(app).await?;
    for table in tables::under_clock() {
        while retention::count_owned(&app.db, table, organization, NO_EVENT, AT_ONCE).await? > 0 {
            if held.is_stopping() {
                return Ok(());
            }
            let change = held.fence(Change::new());
            app.db.commit(retention::purge(change, table, organization, NO_EVENT, AT_ONCE)).await?;
        }
    }
    let mut after = NO_EVENT;
    while let Some(last) = clock_removal::end_of_part(&app.db, organization, after, AT_ONCE).await? {
        if held.is_stopping() {
            return Ok(());
        }
        let change = held.fence(Change::new());
        let part = (after, last);
        app.db.commit(clock_removal::remove_events(change, organization, part, clock.revision)).await?;
        after = last;
    }
    let change = clock_removal::remove_traces(held.fence(Change::new()), organization);
    let change = holds::remove(change, organization);
    Ok(app.db.commit(test_clocks::remove(change, clock)).await?)
}
