//! When a session was last used, to the minute. The mark is written behind the caller's back: nobody waits for it, and
//! one that is lost is made again at the next use.

use crate::context::App;
use perennial_domain::id::SessionId;
use perennial_domain::sessions::Session;
use perennial_domain::time::Time;
use perennial_store::{Change, sessions};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

const GRANULARITY_SECONDS: i64 = 60;
/// Marks under way at once; a flood beyond it leaves marks out rather than take memory.
const MOST_MARKS: usize = 10_000;

/// The sessions whose mark is being written.
#[derive(Clone, Default)]
pub(crate) struct UseMarks(Arc<Mutex<HashSet<SessionId>>>);

/// Notes that the session is in use, unless that has been noted within the minute.
pub(super) fn mark(app: &App, session: &Session, now: Time) {
    if now < session.last_used_at.plus_seconds(GRANULARITY_SECONDS) || !app.use_marks.enter(session.id) {
        return;
    }
    let (db, marks) = (app.db.clone(), app.use_marks.clone());
    let (organization, id) = (session.organization_id, session.id);
    tokio::spawn(async move {
        // A session that has ended meanwhile, or a store that is busy: the mark is not worth another attempt.
        let _ = db.commit(sessions::mark_used(Change::new(), organization, id, now)).await;
        marks.leave(id);
    });
}

impl UseMarks {
    fn enter(&self, id: SessionId) -> bool {
        let mut marks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        marks.len() < MOST_MARKS && marks.insert(id)
    }

    fn leave(&self, id: SessionId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
    }
}
