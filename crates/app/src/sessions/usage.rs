//! When a session was last used, to the minute. The mark is written in the background: no request waits for it, and the next
//! use replaces a lost one.

use crate::context::App;
use perennial_domain::sessions::Session;
use perennial_domain::time::Time;
use perennial_store::{Change, sessions};

const GRANULARITY_SECONDS: i64 = 60;

/// Records that the session is in use, unless that was recorded within the minute.
pub(super) fn mark(app: &App, session: &Session, now: Time) {
    if now < session.last_used_at.plus_seconds(GRANULARITY_SECONDS) || !app.use_marks.enter(session.id.bytes()) {
        return;
    }
    let (db, marks) = (app.db.clone(), app.use_marks.clone());
    let (organization, id) = (session.organization_id, session.id);
    tokio::spawn(async move {
        // If the session has ended or the store is busy, the mark is not worth a retry.
        let _ = db.commit(sessions::mark_used(Change::new(), organization, id, now)).await;
        marks.leave(id.bytes());
    });
}
